"""Score tables, and the designs that say what was crossed with what."""

from gtlib.tables.cells import (
    Cells,
    hidden_nest,
    read_cells,
    single_nests,
    stray_level,
)
from gtlib.tables.checks import as_numbers, one_of, positive, whole_number
from gtlib.tables.design import Design, as_design
from gtlib.tables.interval import Interval
from gtlib.tables.scores import (
    as_long,
    as_wide,
    bad_score,
    cell_twice,
    drop_worst,
    is_long,
    require_columns,
    require_enough,
    require_range,
)
from gtlib.tables.wording import (
    Format,
    as_text,
    can_style,
    count,
    html_table,
    others,
    some,
)

__all__ = [
    "Cells",
    "Design",
    "Format",
    "Interval",
    "as_design",
    "as_long",
    "as_numbers",
    "as_text",
    "as_wide",
    "bad_score",
    "can_style",
    "cell_twice",
    "count",
    "drop_worst",
    "hidden_nest",
    "html_table",
    "is_long",
    "one_of",
    "others",
    "positive",
    "read_cells",
    "require_columns",
    "require_enough",
    "require_range",
    "single_nests",
    "some",
    "stray_level",
    "whole_number",
]
