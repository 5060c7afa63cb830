"""The figures of the book, drawn from results; nothing computes here."""

from gtapps.figures.allocation import (
    allocation_doubt,
    allocation_map,
    error_bars,
    frontiers,
    ratios,
)
from gtapps.figures.ap import (
    ap_distributions,
    effort_curves,
    judging_progress,
    moment_ratios,
    relevance_diagram,
    reliability_diagram,
)
from gtapps.figures.ctt import (
    alpha_intervals,
    gap_by_fraction,
    item_totals,
    printed_and_ours,
    reliability_of_best,
    score_lines,
    topic_against_rest,
    two_topic_sets,
)
from gtapps.figures.dstudy import (
    crossed_and_nested,
    error_shares,
    reliability_by_topics,
    reliability_curves,
    topics_needed,
    who_judges_what,
)
from gtapps.figures.gstudy import (
    components,
    effect_maps,
    fitting_levels,
    variance_shares,
)
from gtapps.figures.intervals import (
    coefficient_band,
    component_limits,
    coverage_dots,
    verdicts,
    wobble,
)
from gtapps.figures.judges import grouped_dots, named_curves
from gtapps.figures.judging import effort_panels, stacked_parts
from gtapps.figures.reuse import (
    block_design,
    design_sizes,
    effect_by_depth,
    p_value_curves,
    power_curves,
    shuffled_statistic,
    site_means,
)
from gtapps.figures.swaps import (
    indicator_fits,
    orderings,
    rates_by_difference,
    recall_precision,
    significance_curves,
    swap_curves,
    swap_extrapolation,
    swap_rate_by_difference,
)
from gtapps.figures.theme import use_style
