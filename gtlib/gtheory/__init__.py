"""Generalizability theory: the study, the plan, several scores at once.

From a score table to a coefficient with its interval, room by room:

1. `gtlib.tables`: `read_cells` numbers the levels that each score is of.
2. `gtlib.estimates`: `balanced_mean_squares`, or `reml` or `henderson` with
   gaps, gives the variance components. `StudyData` is the record of them.
3. `gtlib.dstudy`: `PlannedEffects` says what each component is part of in
   a planned design, and `DStudy` divides them by numbers of levels: these
   are the errors and the coefficients.
4. `gtlib.intervals`: `interval` chooses a method by design and scores, and
   computes the limits, in closed form or from replicates.
5. Here `GStudy` is a `StudyData` and `Plan` a `DStudy`, with the functions
   of the rooms as their methods.
"""

from gtlib.gtheory.multivariate import MultivariateStudy, mgstudy
from gtlib.gtheory.plan import Plan
from gtlib.gtheory.study import GStudy, gstudy

__all__ = ["GStudy", "MultivariateStudy", "Plan", "gstudy", "mgstudy"]
