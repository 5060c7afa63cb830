"""The figures of the book, drawn from results; nothing computes here.

Each chapter has a file for what is too long for its cells. The cells draw
the rest themselves, with the helpers of `theme`.
"""

from gtapps.figures.theme import (
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

# isort: split
# The theme comes first, as it says what to install where it is missing.
from gtapps.figures.ap_confidence import (
    relevance_diagram,
    reliability_diagram,
)
from gtapps.figures.audit_your_collection import board, differences
from gtapps.figures.classical_test_theory import (
    gap_by_fraction,
    printed_and_ours,
)
from gtapps.figures.d_study import topics_needed
from gtapps.figures.every_published_number import verdicts
from gtapps.figures.g_study import effect_maps, variance_shares
from gtapps.figures.how_sure_are_we import coefficient_band, coverage_dots
from gtapps.figures.optimal_allocation import allocation_map, error_bars
from gtapps.figures.shared import (
    components,
    item_totals,
    mean_scores,
    reliability_by_topics,
    reliability_curves,
)
from gtapps.figures.swap_rates import (
    indicator_fits,
    rates_by_difference,
    swap_curves,
    swap_extrapolation,
)
from gtapps.figures.what_judging_leaves_out import effort_panels

__all__ = [
    "COLORS",
    "FAINT",
    "INK",
    "MUTED",
    "PALETTE",
    "WIDTH",
    "allocation_map",
    "band",
    "board",
    "coefficient_band",
    "color_of",
    "components",
    "coverage_dots",
    "effect_maps",
    "effort_panels",
    "error_bars",
    "gap_by_fraction",
    "indicator_fits",
    "item_totals",
    "key",
    "key_inside",
    "label",
    "label_ends",
    "mean_scores",
    "panels",
    "printed_and_ours",
    "rates_by_difference",
    "relevance_diagram",
    "reliability_by_topics",
    "reliability_curves",
    "reliability_diagram",
    "swap_curves",
    "swap_extrapolation",
    "topics_needed",
    "use_style",
    "variance_shares",
    "verdicts",
]
