"""Names of the audit, and the modules that they come from."""

from . import captions
from .beside_people import machine_tables, machines_in_words
from .best import best_systems
from .board import (
    among_the_best,
    board_shown,
    board_style,
    leaders,
    ranks_in_words,
    rest_of,
    universe_shown,
)
from .budget import budget_tables, whole_budget
from .collection import INCOMPLETE, prepare
from .comparison import beside, measure_table, rankings_beside
from .gathered import Gathered, by_measure, collect
from .in_words import findings, odd, pairs_in_words
from .inputs import gather, read_scores
from .judgment_study import study_judgments
from .machines import study_machines
from .new_systems import answer, judgment_tables
from .planning import spending
from .results import (
    alpha_in_words,
    by_topics,
    coefficient_table,
    difference_bins,
    planned,
    required_table,
    write_numbers,
)
from .session import JudgingSession
from .shown import (
    beside_shown,
    coefficients_shown,
    components_shown,
    drawn,
    listed,
    lowest_shown,
    measures_shown,
    required_shown,
)
from .sites import NO_BLOCK_DESIGN, STRONGER, block_design, read_sites

__all__ = [
    "INCOMPLETE",
    "NO_BLOCK_DESIGN",
    "STRONGER",
    "Gathered",
    "JudgingSession",
    "alpha_in_words",
    "among_the_best",
    "answer",
    "beside",
    "beside_shown",
    "best_systems",
    "block_design",
    "board_shown",
    "board_style",
    "budget_tables",
    "by_measure",
    "by_topics",
    "captions",
    "coefficient_table",
    "coefficients_shown",
    "collect",
    "components_shown",
    "difference_bins",
    "drawn",
    "findings",
    "gather",
    "judgment_tables",
    "leaders",
    "listed",
    "lowest_shown",
    "machine_tables",
    "machines_in_words",
    "measure_table",
    "measures_shown",
    "odd",
    "pairs_in_words",
    "planned",
    "prepare",
    "rankings_beside",
    "ranks_in_words",
    "read_scores",
    "read_sites",
    "required_shown",
    "required_table",
    "rest_of",
    "spending",
    "study_judgments",
    "study_machines",
    "universe_shown",
    "whole_budget",
    "write_numbers",
]
