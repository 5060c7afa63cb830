"""The figures of the book, drawn from results; nothing computes here."""

from gtlib.plots.allocation import (
    allocation_doubt,
    allocation_map,
    error_bars,
    frontiers,
    ratios,
)
from gtlib.plots.ap import (
    ap_distributions,
    effort_curves,
    judging_progress,
    moment_ratios,
    reliability_diagram,
)
from gtlib.plots.audit import (
    reliability_by_topics,
    swap_rate_by_difference,
)
from gtlib.plots.ctt import (
    alpha_intervals,
    gap_by_fraction,
    item_totals,
    printed_and_ours,
    score_lines,
    topic_against_rest,
)
from gtlib.plots.dstudy import (
    error_shares,
    reliability_curves,
    topics_needed,
)
from gtlib.plots.gstudy import (
    components,
    effect_maps,
    fitting_levels,
    variance_shares,
)
from gtlib.plots.intervals import (
    coefficient_band,
    component_limits,
    coverage_dots,
    wobble,
)
from gtlib.plots.ledger import (
    verdicts,
)
from gtlib.plots.nested import (
    crossed_and_nested,
    who_judges_what,
)
from gtlib.plots.reuse import (
    block_design,
    design_sizes,
    effect_by_depth,
    p_value_curves,
    power_curves,
    shuffled_statistic,
    site_means,
)
from gtlib.plots.start import (
    two_topic_sets,
)
from gtlib.plots.swaps import (
    indicator_fits,
    orderings,
    rates_by_difference,
    significance_curves,
    swap_curves,
    swap_extrapolation,
)
from gtlib.plots.theme import (
    use_style,
)

__all__ = [
    "allocation_doubt",
    "allocation_map",
    "alpha_intervals",
    "ap_distributions",
    "block_design",
    "coefficient_band",
    "component_limits",
    "components",
    "coverage_dots",
    "crossed_and_nested",
    "design_sizes",
    "effect_by_depth",
    "effect_maps",
    "effort_curves",
    "error_bars",
    "error_shares",
    "fitting_levels",
    "frontiers",
    "gap_by_fraction",
    "indicator_fits",
    "item_totals",
    "judging_progress",
    "moment_ratios",
    "orderings",
    "p_value_curves",
    "power_curves",
    "printed_and_ours",
    "rates_by_difference",
    "ratios",
    "reliability_by_topics",
    "reliability_curves",
    "reliability_diagram",
    "score_lines",
    "shuffled_statistic",
    "significance_curves",
    "site_means",
    "swap_curves",
    "swap_extrapolation",
    "swap_rate_by_difference",
    "topic_against_rest",
    "topics_needed",
    "two_topic_sets",
    "use_style",
    "variance_shares",
    "verdicts",
    "who_judges_what",
    "wobble",
]
