"""Names of gtlib, and the rooms that they come from."""

from .ap import ap_distribution as ap_distribution
from .ap import ap_moments as ap_moments
from .ap import average_precision as average_precision
from .ap import delta_ap_moments as delta_ap_moments
from .collections import DatasetUnavailable as DatasetUnavailable
from .collections import datasets as datasets
from .collections import load as load
from .collections import load_all as load_all
from .comparisons import kendall_tau as kendall_tau
from .comparisons import paired_t_power as paired_t_power
from .comparisons import tau_ap as tau_ap
from .ctt import cronbach_alpha as cronbach_alpha
from .ctt import item_analysis as item_analysis
from .ctt import spearman_brown as spearman_brown
from .gtheory import GStudy as GStudy
from .gtheory import Plan as Plan
from .gtheory import gstudy as gstudy
from .gtheory import mgstudy as mgstudy
from .judging import ExpertModel as ExpertModel
from .judging import judge as judge
from .judging import synthetic_collection as synthetic_collection
from .ppi import human_topics as human_topics
from .ppi import prediction_powered as prediction_powered
from .reuse import BlockDesign as BlockDesign
from .reuse import goodness_of_fit as goodness_of_fit
from .reuse import reusability_test as reusability_test
from .reuse import significance_agreement as significance_agreement
from .runs import pool_runs as pool_runs
from .runs import read_qrels as read_qrels
from .runs import read_run as read_run
from .runs import read_runs as read_runs
from .swaps import compare as compare
from .swaps import extrapolate_swaps as extrapolate_swaps
from .swaps import leaderboard as leaderboard
from .swaps import split_half as split_half
from .swaps import swap_rates as swap_rates
from .swaps import topics_to_detect as topics_to_detect
from .tables import Design as Design
from .tables import Interval as Interval
from .tables import as_long as as_long
from .tables import as_wide as as_wide
from .tables import drop_worst as drop_worst
from .tables import tidy as tidy

__version__: str
