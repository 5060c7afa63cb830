"""The figures of the book, drawn from what gtlib computes.

Each chapter has a file for what is too long for its cells. The cells draw
the rest themselves, with the helpers of `theme`.
"""

from book.support.figures import theme
from book.support.figures.again_or_another import (
    pass_curves,
    price_curves,
    solved_runs,
    two_errors,
)
from book.support.figures.ap_confidence import (
    judged_rankings,
    reliability_diagram,
)
from book.support.figures.atlas_marks import (
    atlas_map,
)
from book.support.figures.classical_test_theory import (
    gap_by_fraction,
)
from book.support.figures.g_study import (
    effect_maps,
    maps_of,
    scores_apart,
)
from book.support.figures.how_sure_are_we import (
    coverage_dots,
)
from book.support.figures.nested_or_crossed import (
    nests,
)
from book.support.figures.optimal_allocation import (
    allocation_map,
)
from book.support.figures.reusability import (
    block_design,
    effects_by_depth,
)
from book.support.figures.shared import (
    DASHES,
    components,
    item_totals,
    mean_scores,
    reliability_curves,
)
from book.support.figures.standings import (
    board,
    differences,
)
from book.support.figures.swap_rates import (
    rates_by_difference,
    swap_curves,
    swap_extrapolation,
)
from book.support.figures.the_atlas import (
    atlas_best,
    atlas_shares,
)
from book.support.figures.theme import (
    COLORS,
    FAINT,
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    band,
    color_of,
    key,
    key_inside,
    label,
    label_ends,
    panels,
    use_style,
)
from book.support.figures.what_judging_leaves_out import (
    effort_panels,
)

__all__ = [
    "COLORS",
    "DASHES",
    "FAINT",
    "INK",
    "MUTED",
    "PALETTE",
    "WIDTH",
    "allocation_map",
    "atlas_best",
    "atlas_map",
    "atlas_shares",
    "band",
    "block_design",
    "board",
    "color_of",
    "components",
    "coverage_dots",
    "differences",
    "effect_maps",
    "effects_by_depth",
    "effort_panels",
    "gap_by_fraction",
    "item_totals",
    "judged_rankings",
    "key",
    "key_inside",
    "label",
    "label_ends",
    "maps_of",
    "mean_scores",
    "nests",
    "panels",
    "pass_curves",
    "price_curves",
    "rates_by_difference",
    "reliability_curves",
    "reliability_diagram",
    "scores_apart",
    "solved_runs",
    "swap_curves",
    "swap_extrapolation",
    "theme",
    "two_errors",
    "use_style",
]
