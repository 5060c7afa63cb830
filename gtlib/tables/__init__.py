"""Score tables, and the designs that say what was crossed with what."""

from gtlib.tables.cells import Cells, read_cells
from gtlib.tables.checks import one_of, whole_number
from gtlib.tables.design import Design, as_design
from gtlib.tables.interval import Interval
from gtlib.tables.scores import as_long, as_wide, drop_worst, is_long

__all__ = [
    "Cells",
    "Design",
    "Interval",
    "as_design",
    "as_long",
    "as_wide",
    "drop_worst",
    "is_long",
    "one_of",
    "read_cells",
    "whole_number",
]
