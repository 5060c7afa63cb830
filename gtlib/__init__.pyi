"""Names of gtlib, and the rooms that they come from."""

from .ap import (
    ap_distribution,
    ap_moments,
    average_precision,
    delta_ap_moments,
)
from .collections import DatasetUnavailable, datasets, load, load_available
from .compare import kendall_tau, paired_t_power, tau_ap
from .ctt import cronbach_alpha, item_analysis, spearman_brown
from .gtheory import GStudy, Plan, gstudy, mgstudy
from .judging import ExpertModel, judge, synthetic_collection
from .ppi import human_topics, prediction_powered
from .reuse import (
    BlockDesign,
    goodness_of_fit,
    reusability_test,
    significance_agreement,
)
from .runs import pool_runs, read_qrels, read_run, read_runs
from .swaps import (
    discriminative_power,
    extrapolate_swaps,
    leaderboard,
    split_half,
    swap_rates,
    topics_to_detect,
)
from .tables import Design, Interval, as_long, as_wide, drop_worst

__version__: str

__all__ = [
    "BlockDesign",
    "DatasetUnavailable",
    "Design",
    "ExpertModel",
    "GStudy",
    "Interval",
    "Plan",
    "ap_distribution",
    "ap_moments",
    "as_long",
    "as_wide",
    "average_precision",
    "cronbach_alpha",
    "datasets",
    "delta_ap_moments",
    "discriminative_power",
    "drop_worst",
    "extrapolate_swaps",
    "goodness_of_fit",
    "gstudy",
    "human_topics",
    "item_analysis",
    "judge",
    "kendall_tau",
    "leaderboard",
    "load",
    "load_available",
    "mgstudy",
    "paired_t_power",
    "pool_runs",
    "prediction_powered",
    "read_qrels",
    "read_run",
    "read_runs",
    "reusability_test",
    "significance_agreement",
    "spearman_brown",
    "split_half",
    "swap_rates",
    "synthetic_collection",
    "tau_ap",
    "topics_to_detect",
]
