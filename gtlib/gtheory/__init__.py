"""Generalizability theory: the study, the plan, several scores at once."""

from gtlib.gtheory.multivariate import MultivariateStudy, mgstudy
from gtlib.gtheory.plan import Plan
from gtlib.gtheory.study import GStudy, gstudy

__all__ = ["GStudy", "MultivariateStudy", "Plan", "gstudy", "mgstudy"]
