"""Runs and judgments: files of TREC, evaluation, pools."""

from gtlib.runs.evaluate import document_correctness, read_runs
from gtlib.runs.files import cannot, files_in
from gtlib.runs.pool import Pool, pool_runs
from gtlib.runs.trec import read_qrels, read_run

__all__ = [
    "Pool",
    "cannot",
    "document_correctness",
    "files_in",
    "pool_runs",
    "read_qrels",
    "read_run",
    "read_runs",
]
