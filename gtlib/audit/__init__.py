"""The audit: anybody's scores in, a reliability report out."""

from gtlib.audit.answer import answer, judgment_tables
from gtlib.audit.collection import prepare
from gtlib.audit.findings import findings
from gtlib.audit.inputs import gather, read_scores
from gtlib.audit.judgments import study_judgments
from gtlib.audit.numbers import (
    coefficient_table,
    required_table,
    write_numbers,
)
from gtlib.audit.sites import NO_BLOCK_DESIGN, block_design, read_sites
from gtlib.wording import as_text
