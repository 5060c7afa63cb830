"""Which document should be judged next, and what are the others worth?

`mtc_weights` says what each judgment would do for the comparison of the
systems (minimal test collections, Carterette, Allan & Sitaraman 2006);
`judge` runs a whole judging round with known judgments, to compare ways to
choose. Of what nobody judged, every system is an expert that gives its
opinion by ranking it (Carterette 2007, section 3): `ExpertModel` makes
probabilities of relevance of the opinions, and trials against judgments
that are known say whether these can be trusted.
"""

from gtlib.judging.experts import MODELS, ExpertModel, relevance_estimates
from gtlib.judging.sampling import inferred_ap, sampled_ap
from gtlib.judging.simulate import synthetic_collection
from gtlib.judging.strategies import (
    estimated_ap,
    judge,
    judged_scores,
    mtc_weights,
)

__all__ = [
    "MODELS",
    "ExpertModel",
    "estimated_ap",
    "inferred_ap",
    "judge",
    "judged_scores",
    "mtc_weights",
    "relevance_estimates",
    "sampled_ap",
    "synthetic_collection",
]
