"""Which document should be judged next, and what are the others worth?

`mtc_weights` says what each judgment would do for the comparison of the
systems (minimal test collections, Carterette, Allan & Sitaraman 2006);
`judge` runs a whole judging round with known judgments, to compare ways to
choose. Of what nobody judged, every system is an expert that gives its
opinion by ranking it (Carterette 2007, section 3): `ExpertModel` makes
probabilities of relevance of the opinions, and trials against judgments
that are known say whether these can be trusted.
"""

from gtlib.judging.experts import AGGREGATORS, ExpertModel
from gtlib.judging.sampling import (
    inclusion,
    inferred_ap,
    sampled_ap,
    sampling_weights,
    strata,
)
from gtlib.judging.scored import judged_scores
from gtlib.judging.simulate import Synthetic, synthetic_collection
from gtlib.judging.strategies import STRATEGIES, judge, mtc_weights
from gtlib.judging.trust import (
    MODELS,
    calibration_bins,
    calibration_scores,
    confidence_trials,
    effort_trials,
    ordered_pairs,
    relevance_estimates,
)

__all__ = [
    "AGGREGATORS",
    "MODELS",
    "STRATEGIES",
    "ExpertModel",
    "Synthetic",
    "calibration_bins",
    "calibration_scores",
    "confidence_trials",
    "effort_trials",
    "inclusion",
    "inferred_ap",
    "judge",
    "judged_scores",
    "mtc_weights",
    "ordered_pairs",
    "relevance_estimates",
    "sampled_ap",
    "sampling_weights",
    "strata",
    "synthetic_collection",
]
