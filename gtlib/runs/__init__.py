"""Runs and judgments: files of TREC, evaluation, pools."""

from gtlib.runs.evaluate import (
    Qrels,
    Runs,
    Scoring,
    computed,
    document_correctness,
    each_run,
    judgments_of,
    parse_measure,
    read_runs,
    stem,
)
from gtlib.runs.files import (
    MOST_BYTES,
    Paths,
    cannot,
    claim,
    files_in,
    read_as_written,
)
from gtlib.runs.pool import Pool, pool_runs
from gtlib.runs.trec import (
    MOST_RELEVANT,
    ByTopic,
    by_topic,
    ranked,
    read_fields,
    read_qrels,
    read_run,
)

__all__ = [
    "MOST_BYTES",
    "MOST_RELEVANT",
    "ByTopic",
    "Paths",
    "Pool",
    "Qrels",
    "Runs",
    "Scoring",
    "by_topic",
    "cannot",
    "claim",
    "computed",
    "document_correctness",
    "each_run",
    "files_in",
    "judgments_of",
    "parse_measure",
    "pool_runs",
    "ranked",
    "read_as_written",
    "read_fields",
    "read_qrels",
    "read_run",
    "read_runs",
    "stem",
]
