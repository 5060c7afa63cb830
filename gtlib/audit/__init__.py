"""The audit: anybody's scores in, a reliability report out."""

from gtlib.audit.answer import answer, judgment_tables
from gtlib.audit.beside_people import machine_tables, machines_in_words
from gtlib.audit.board import (
    among_the_best,
    board_style,
    leaders,
    observed_in_words,
    observed_style,
    ranks_in_words,
    rest_of,
)
from gtlib.audit.budget import budget_tables, whole_budget
from gtlib.audit.captions import caption
from gtlib.audit.collection import INCOMPLETE, prepare
from gtlib.audit.comparison import (
    SEVERAL,
    beside,
    measure_table,
    rankings_beside,
)
from gtlib.audit.findings import findings, odd, pairs_in_words
from gtlib.audit.gathered import Gathered, by_measure, collect
from gtlib.audit.inputs import gather, read_scores
from gtlib.audit.judgments import study_judgments
from gtlib.audit.machines import study_machines
from gtlib.audit.numbers import (
    alpha_in_words,
    coefficient_table,
    difference_bins,
    planned,
    required_table,
    write_numbers,
)
from gtlib.audit.planning import spending
from gtlib.audit.sites import (
    NO_BLOCK_DESIGN,
    STRONGER,
    block_design,
    read_sites,
)
from gtlib.wording import as_text
