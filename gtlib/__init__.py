"""How good is a test collection, and what should be built next?"""

from gtlib.ctt import cronbach_alpha, item_analysis, spearman_brown
from gtlib.design import Design
from gtlib.dstudy import DStudy, dstudy, dstudy_grid, required_levels
from gtlib.gstudy import GStudy, gstudy
from gtlib.scores import as_long, as_wide, drop_worst
from gtlib.trec import read_qrels, read_run, read_runs

__all__ = [
    "DStudy",
    "Design",
    "GStudy",
    "as_long",
    "as_wide",
    "cronbach_alpha",
    "drop_worst",
    "dstudy",
    "dstudy_grid",
    "gstudy",
    "item_analysis",
    "read_qrels",
    "read_run",
    "read_runs",
    "required_levels",
    "spearman_brown",
]
