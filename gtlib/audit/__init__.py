"""The audit: anybody's scores in, a reliability report out."""

from gtlib.audit.collection import Collection, prepare
from gtlib.audit.findings import findings
from gtlib.audit.inputs import gather, read_scores
from gtlib.audit.numbers import (
    coefficient_table,
    required_table,
    write_numbers,
)
from gtlib.audit.sites import NO_BLOCK_DESIGN, block_design, read_sites

__all__ = [
    "NO_BLOCK_DESIGN",
    "Collection",
    "block_design",
    "coefficient_table",
    "findings",
    "gather",
    "prepare",
    "read_scores",
    "read_sites",
    "required_table",
    "write_numbers",
]
