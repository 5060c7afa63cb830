"""How good is a test collection, and what should be built next?"""

from gtlib.allocation import (
    Allocation,
    best_allocation,
    cheapest_allocation,
    optimal_ratio,
)
from gtlib.allocation.pareto import pareto
from gtlib.allocation.sensitivity import (
    allocation_sensitivity,
    optimal_ratio_interval,
)
from gtlib.ap import (
    ap_distribution,
    ap_gains,
    ap_moments,
    average_precision,
    delta_ap_moments,
)
from gtlib.audit.inputs import read_scores
from gtlib.collections import (
    DatasetUnavailable,
    datasets,
    load,
    load_available,
)
from gtlib.ctt import cronbach_alpha, item_analysis, spearman_brown
from gtlib.design import Design
from gtlib.dstudy import DStudy, dstudy, dstudy_grid, required_levels
from gtlib.dstudy.scoring import (
    conditional_errors,
    cut_dependability,
    universe_scores,
)
from gtlib.evaluate import document_correctness, read_runs
from gtlib.experts import (
    ExpertModel,
    calibration_bins,
    calibration_scores,
    confidence_trials,
    effort_trials,
    ordered_pairs,
    relevance_estimates,
)
from gtlib.gstudy import GStudy, gstudy
from gtlib.intervals import (
    Interval,
    coefficient_interval,
    component_intervals,
    required_levels_interval,
)
from gtlib.intervals.coverage import Population, interval_coverage
from gtlib.judging import JudgingSession, judge, synthetic_collection
from gtlib.ledger import Ledger, attainable, levels_that_print
from gtlib.pool import Pool, pool_runs
from gtlib.reuse import (
    rank_agreement,
    score_rmse,
    significance_agreement,
    site_scores,
)
from gtlib.reuse.assignment import Assignment
from gtlib.reuse.blocks import BlockDesign
from gtlib.reuse.calibration import rejection_rates, simulate_tests
from gtlib.reuse.multinomial import goodness_of_fit
from gtlib.reuse.permutation import reusability_test
from gtlib.reuse.power import paired_t_power
from gtlib.reuse.rank import d_rank, kendall_tau, tau_ap
from gtlib.reuse.repooling import (
    PoolSimulation,
    lower_scores,
    synthetic_runs,
)
from gtlib.scores import as_long, as_wide, drop_worst
from gtlib.swaps import p_value_rates, swap_rates
from gtlib.swaps.binned import BinnedRates
from gtlib.swaps.discriminative import (
    DiscriminativePower,
    discriminative_power,
)
from gtlib.swaps.extrapolation import Extrapolation, extrapolate_swaps
from gtlib.swaps.predictions import (
    predicted_swap_rates,
    predicted_tau,
    published_fits,
    topics_to_detect,
)
from gtlib.swaps.stability import SplitHalf, split_half
from gtlib.trec import read_qrels, read_run

__all__ = [
    "Allocation",
    "Assignment",
    "BinnedRates",
    "BlockDesign",
    "DStudy",
    "DatasetUnavailable",
    "Design",
    "DiscriminativePower",
    "ExpertModel",
    "Extrapolation",
    "GStudy",
    "Interval",
    "JudgingSession",
    "Ledger",
    "Pool",
    "PoolSimulation",
    "Population",
    "SplitHalf",
    "allocation_sensitivity",
    "ap_distribution",
    "ap_gains",
    "ap_moments",
    "as_long",
    "as_wide",
    "attainable",
    "average_precision",
    "best_allocation",
    "calibration_bins",
    "calibration_scores",
    "cheapest_allocation",
    "coefficient_interval",
    "component_intervals",
    "conditional_errors",
    "confidence_trials",
    "cronbach_alpha",
    "cut_dependability",
    "d_rank",
    "datasets",
    "delta_ap_moments",
    "discriminative_power",
    "document_correctness",
    "drop_worst",
    "dstudy",
    "dstudy_grid",
    "effort_trials",
    "extrapolate_swaps",
    "goodness_of_fit",
    "gstudy",
    "interval_coverage",
    "item_analysis",
    "judge",
    "kendall_tau",
    "levels_that_print",
    "load",
    "load_available",
    "lower_scores",
    "optimal_ratio",
    "optimal_ratio_interval",
    "ordered_pairs",
    "p_value_rates",
    "paired_t_power",
    "pareto",
    "pool_runs",
    "predicted_swap_rates",
    "predicted_tau",
    "published_fits",
    "rank_agreement",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "rejection_rates",
    "relevance_estimates",
    "required_levels",
    "required_levels_interval",
    "reusability_test",
    "score_rmse",
    "significance_agreement",
    "simulate_tests",
    "site_scores",
    "spearman_brown",
    "split_half",
    "swap_rates",
    "synthetic_collection",
    "synthetic_runs",
    "tau_ap",
    "topics_to_detect",
    "universe_scores",
]
