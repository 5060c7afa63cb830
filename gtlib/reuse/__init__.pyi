"""Names of the room, and the modules that they come from."""

from .assignment import Assignment as Assignment
from .assignment import system_sites as system_sites
from .blocks import BlockDesign as BlockDesign
from .heldout import site_scores as site_scores
from .multinomial import goodness_of_fit as goodness_of_fit
from .permutation import reusability_test as reusability_test
from .significant_pairs import (
    significance_agreement as significance_agreement,
)
