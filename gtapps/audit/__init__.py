"""The audit: anybody's scores in, a reliability report out."""

from gtapps.audit.answer import answer, judgment_tables
from gtapps.audit.beside_people import machine_tables, machines_in_words
from gtapps.audit.best import best_systems
from gtapps.audit.board import (
    among_the_best,
    board_shown,
    board_style,
    leaders,
    ranks_in_words,
    rest_of,
    universe_shown,
)
from gtapps.audit.budget import budget_tables, whole_budget
from gtapps.audit.captions import caption
from gtapps.audit.collection import INCOMPLETE, prepare
from gtapps.audit.comparison import (
    beside,
    measure_table,
    rankings_beside,
)
from gtapps.audit.findings import findings, odd, pairs_in_words
from gtapps.audit.gathered import Gathered, by_measure, collect
from gtapps.audit.inputs import gather, read_scores
from gtapps.audit.judgments import study_judgments
from gtapps.audit.machines import study_machines
from gtapps.audit.numbers import (
    alpha_in_words,
    by_topics,
    coefficient_table,
    difference_bins,
    planned,
    required_table,
    write_numbers,
)
from gtapps.audit.planning import spending
from gtapps.audit.session import JudgingSession
from gtapps.audit.shown import (
    beside_shown,
    coefficients_shown,
    components_shown,
    drawn,
    listed,
    lowest_shown,
    measures_shown,
    required_shown,
)
from gtapps.audit.sites import (
    NO_BLOCK_DESIGN,
    STRONGER,
    block_design,
    read_sites,
)
from gtlib.tables.wording import as_text
