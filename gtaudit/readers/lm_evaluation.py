"""lm-evaluation-harness: ``MODEL/samples_TASK_TIME.jsonl``, a task each.

A line has ``doc_id``, ``doc_hash``, ``filter``, the names of ``metrics``
and a key for each of these. Documents of two tasks have the same numbers:
topics are nested in tasks. lmms-eval puts the time before ``samples``.

https://github.com/EleutherAI/lm-evaluation-harness
(``lm_eval/loggers/evaluation_tracker.py``, ``--log_samples``),
https://github.com/EvolvingLMMs-Lab/lmms-eval
"""

import re
from pathlib import Path
from typing import Any

import pandas as pd

_NAME = (
    r"(?:[\d_]+_)?samples_(.+?)(_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl(\.gz)?"
)
_KEPT = ["doc_id", "doc_hash", "filter"]
# Beside the scores: a right answer may be a number, too.
_NO_SCORES = ["target", "resps", "filtered_resps", "prompt_hash"]


def read(path: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Take the table of a file of samples to have a model and a task."""
    name = re.fullmatch(_NAME, path.name)
    if not name or "doc_id" not in table:
        return table
    table = table.drop(columns=_NO_SCORES, errors="ignore")
    several = "filter" in table and len(table["filter"].unique()) > 1
    if several:  # each filter has a score of its own, as in its results
        measures = [c for c in table if c not in _KEPT]
        kept = [c for c in _KEPT if c in table]
        table = table.melt(kept, measures, "measure", value_name="score")
        table["measure"] += "," + table["filter"]
        numbers = pd.to_numeric(table["score"], errors="coerce")
        table = table[numbers.notna()]
    table = table.drop(columns="filter", errors="ignore")
    table = table.assign(model=path.parent.name, task=name[1])
    table.attrs["tasks"] = True
    return table


def refuse_averages(source: object, document: Any) -> None:
    """Refuse ``results_TIME.json``, which has an average for each task."""
    if not isinstance(document, dict):
        return
    results = document.get("results")
    beside = {"configs", "versions", "n-shot", "config"} & {*document}
    if not isinstance(results, dict) or len(beside) < 2:
        return
    raise ValueError(
        f"{source} holds the averages of a model by task, as "
        "lm-evaluation-harness writes them, and no score of a question. "
        "Run it with --log_samples, and bring the files "
        "samples_TASK_TIME.jsonl of each model, in a folder of its name."
    )


def refuse_other_documents(table: pd.DataFrame) -> None:
    """Refuse numbers of documents that stand for two."""
    if "doc_hash" not in table:
        return
    pairs = table[["task", "doc_id", "doc_hash"]].drop_duplicates()
    twice = pairs[pairs.duplicated(["task", "doc_id"])]
    if len(twice):
        first = twice.iloc[0]
        raise ValueError(
            f"Of the task {first['task']} the doc_id {first['doc_id']} is "
            "of two documents (doc_hash): the models were not asked the "
            "same. Run them again on one version of the task."
        )
