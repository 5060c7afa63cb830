"""Does a collection serve systems that did not contribute to it?

The block design and the analyses of Carterette et al. (2010), and a test
that keeps its level. `blocks` and `assignment` say which sites are held
out, `repooling` simulates it; `agreement`, `means` and `rank` compare
scores, and `permutation` says what to expect of the comparisons.
"""

from gtlib.reuse.assignment import Assignment, site_of_each
from gtlib.reuse.blocks import BlockDesign
from gtlib.reuse.calibration import rejection_rates, simulate_tests
from gtlib.reuse.distance import d_rank
from gtlib.reuse.means import score_rmse, site_scores
from gtlib.reuse.multinomial import goodness_of_fit
from gtlib.reuse.permutation import reusability_test
from gtlib.reuse.repooling import (
    PoolSimulation,
    lower_scores,
    synthetic_runs,
)
from gtlib.reuse.significance import significance_agreement

__all__ = [
    "Assignment",
    "BlockDesign",
    "PoolSimulation",
    "d_rank",
    "goodness_of_fit",
    "lower_scores",
    "rejection_rates",
    "reusability_test",
    "score_rmse",
    "significance_agreement",
    "simulate_tests",
    "site_of_each",
    "site_scores",
    "synthetic_runs",
]
