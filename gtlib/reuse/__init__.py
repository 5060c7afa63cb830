"""Does a collection serve systems that did not contribute to it?

The block design and the analyses of Carterette et al. (2010), and a test
that keeps its level. `blocks` and `assignment` say which sites are held
out, `heldout` lines scores up with that, `significant_pairs`, `multinomial`
and `distance` compare them as the paper does. `permutation` says what to
expect of the comparisons, from what `shuffled` computes.
"""

from gtlib.reuse.assignment import Assignment, site_of_each
from gtlib.reuse.blocks import BlockDesign
from gtlib.reuse.distance import d_rank
from gtlib.reuse.heldout import site_scores
from gtlib.reuse.multinomial import goodness_of_fit
from gtlib.reuse.permutation import reusability_test
from gtlib.reuse.significant_pairs import significance_agreement

__all__ = [
    "Assignment",
    "BlockDesign",
    "d_rank",
    "goodness_of_fit",
    "reusability_test",
    "significance_agreement",
    "site_of_each",
    "site_scores",
]
