"""How good is a test collection, and what should be built next?"""

import gtlib._interrupt
from gtlib.allocation import Allocation
from gtlib.ap import (
    ap_distribution,
    ap_gains,
    ap_moments,
    average_precision,
    delta_ap_moments,
)
from gtlib.collections import (
    DatasetUnavailable,
    datasets,
    load,
    load_available,
)
from gtlib.compare.paired import paired_t_power
from gtlib.compare.rankings import kendall_tau, predicted_tau, tau_ap
from gtlib.ctt import (
    cronbach_alpha,
    item_analysis,
    odd_topics,
    spearman_brown,
)
from gtlib.gtheory.multivariate import MultivariateStudy, mgstudy
from gtlib.gtheory.plan import Plan
from gtlib.gtheory.study import GStudy, gstudy
from gtlib.judging import (
    ExpertModel,
    calibration_bins,
    calibration_scores,
    confidence_trials,
    effort_trials,
    inferred_ap,
    judge,
    judged_scores,
    ordered_pairs,
    relevance_estimates,
    sampled_ap,
    synthetic_collection,
)
from gtlib.ppi import human_topics, prediction_powered
from gtlib.reuse.assignment import Assignment
from gtlib.reuse.blocks import BlockDesign
from gtlib.reuse.calibration import rejection_rates, simulate_tests
from gtlib.reuse.distance import d_rank
from gtlib.reuse.means import score_rmse, site_scores
from gtlib.reuse.multinomial import goodness_of_fit
from gtlib.reuse.permutation import reusability_test
from gtlib.reuse.repooling import (
    PoolSimulation,
    lower_scores,
    synthetic_runs,
)
from gtlib.reuse.significance import significance_agreement
from gtlib.runs.evaluate import document_correctness, read_runs
from gtlib.runs.pool import Pool, pool_runs
from gtlib.runs.trec import read_qrels, read_run
from gtlib.swaps.binned import BinnedRates
from gtlib.swaps.discriminative import (
    DiscriminativePower,
    detectable_difference,
    discriminative_power,
)
from gtlib.swaps.extrapolation import Extrapolation, extrapolate_swaps
from gtlib.swaps.leaderboard import Leaderboard, leaderboard
from gtlib.swaps.predictions import (
    predicted_swap_rates,
    published_fits,
    topics_for_width,
    topics_to_detect,
)
from gtlib.swaps.rates import p_value_rates, swap_rates
from gtlib.swaps.stability import split_half
from gtlib.tables.design import Design
from gtlib.tables.interval import Interval
from gtlib.tables.scores import as_long, as_wide, drop_worst
from gtlib.version import __version__ as __version__

__all__ = [
    "Allocation",
    "Assignment",
    "BinnedRates",
    "BlockDesign",
    "DatasetUnavailable",
    "Design",
    "DiscriminativePower",
    "ExpertModel",
    "Extrapolation",
    "GStudy",
    "Interval",
    "Leaderboard",
    "MultivariateStudy",
    "Plan",
    "Pool",
    "PoolSimulation",
    "ap_distribution",
    "ap_gains",
    "ap_moments",
    "as_long",
    "as_wide",
    "average_precision",
    "calibration_bins",
    "calibration_scores",
    "confidence_trials",
    "cronbach_alpha",
    "d_rank",
    "datasets",
    "delta_ap_moments",
    "detectable_difference",
    "discriminative_power",
    "document_correctness",
    "drop_worst",
    "effort_trials",
    "extrapolate_swaps",
    "goodness_of_fit",
    "gstudy",
    "human_topics",
    "inferred_ap",
    "item_analysis",
    "judge",
    "judged_scores",
    "kendall_tau",
    "leaderboard",
    "load",
    "load_available",
    "lower_scores",
    "mgstudy",
    "odd_topics",
    "ordered_pairs",
    "p_value_rates",
    "paired_t_power",
    "pool_runs",
    "predicted_swap_rates",
    "predicted_tau",
    "prediction_powered",
    "published_fits",
    "read_qrels",
    "read_run",
    "read_runs",
    "rejection_rates",
    "relevance_estimates",
    "reusability_test",
    "sampled_ap",
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
    "topics_for_width",
    "topics_to_detect",
]
