"""How good is a test collection, and what should be built next?"""

import gtlib._interrupt
from gtlib.ap import (
    ap_distribution,
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
from gtlib.compare.rankings import kendall_tau, tau_ap
from gtlib.ctt import (
    cronbach_alpha,
    item_analysis,
    spearman_brown,
)
from gtlib.gtheory.multivariate import mgstudy
from gtlib.gtheory.plan import Plan
from gtlib.gtheory.study import GStudy, gstudy
from gtlib.judging import (
    ExpertModel,
    judge,
    synthetic_collection,
)
from gtlib.ppi import human_topics, prediction_powered
from gtlib.reuse.blocks import BlockDesign
from gtlib.reuse.multinomial import goodness_of_fit
from gtlib.reuse.permutation import reusability_test
from gtlib.reuse.significance import significance_agreement
from gtlib.runs.evaluate import read_runs
from gtlib.runs.pool import pool_runs
from gtlib.runs.trec import read_qrels, read_run
from gtlib.swaps.discriminative import (
    discriminative_power,
)
from gtlib.swaps.extrapolation import extrapolate_swaps
from gtlib.swaps.leaderboard import leaderboard
from gtlib.swaps.predictions import (
    topics_to_detect,
)
from gtlib.swaps.rates import swap_rates
from gtlib.swaps.stability import split_half
from gtlib.tables.design import Design
from gtlib.tables.interval import Interval
from gtlib.tables.scores import as_long, as_wide, drop_worst
from gtlib.version import __version__ as __version__

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
