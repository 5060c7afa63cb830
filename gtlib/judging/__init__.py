"""Which document should be judged next?

`mtc_weights` says what each judgment would do for the comparison of the
systems (minimal test collections, Carterette, Allan & Sitaraman 2006);
`judge` runs a whole judging round with known judgments, to compare ways to
choose; a `JudgingSession` is for a person who really judges.
"""

from gtlib.judging.sampling import (
    inclusion,
    inferred_ap,
    sampled_ap,
    sampling_weights,
    strata,
)
from gtlib.judging.scored import judged_scores
from gtlib.judging.session import JudgingSession
from gtlib.judging.simulate import Synthetic, synthetic_collection
from gtlib.judging.strategies import STRATEGIES, judge, mtc_weights
