"""Readers: what tools write and people keep, as tables; a file to a format.

`read` finds the reader for a file and puts several files together, `files`
finds and unpacks them, `values` takes scores as people write them. A reader
of JSON has ``read(document, path)`` and returns None for what is not its
own: add its module to ``read.DOCUMENTS``. What columns are is found out in
`gtaudit.columns`.
"""

from gtaudit.readers.delimited import parse_csv
from gtaudit.readers.evaluations import is_measure, trec_eval_name
from gtaudit.readers.files import list_inputs
from gtaudit.readers.read import read_tables
from gtaudit.readers.values import are_words, as_scores, is_grouped

__all__ = [
    "are_words",
    "as_scores",
    "is_grouped",
    "is_measure",
    "list_inputs",
    "parse_csv",
    "read_tables",
    "trec_eval_name",
]
