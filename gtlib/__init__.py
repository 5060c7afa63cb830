"""How good is a test collection, and what should be built next?"""

from gtlib.scores import as_long, as_wide, drop_worst
from gtlib.trec import read_qrels, read_run, read_runs

__all__ = [
    "as_long",
    "as_wide",
    "drop_worst",
    "read_qrels",
    "read_run",
    "read_runs",
]
