"""MTEB: ``MODEL/REVISION/TASK.json``, a file to a model and a task.

``{"task_name", "scores": {SPLIT: [{"hf_subset", "main_score", ...}]}}``;
tasks, with their subsets, are the topics. Of several splits the test is
taken. Early versions have ``{"mteb_dataset_name", SPLIT: {"main_score"}}``,
with the subsets between, where there are some.

https://github.com/embeddings-benchmark/mteb, its repository ``results``
"""

import re
from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.readers.files import read_beside
from gtaudit.readers.values import refuse_no_number


def read(document: Any, path: Path) -> pd.DataFrame | None:
    """Read the scores of a task; None of other documents."""
    if not isinstance(document, dict):
        return None
    task = document.get("task_name") or document.get("mteb_dataset_name")
    scores = document.get("scores")
    if "mteb_dataset_name" in document:
        scores = {
            split: _rows(entry)
            for split, entry in document.items()
            if isinstance(entry, dict)
        }
    if not isinstance(scores, dict) or task is None:
        return None
    split = "test" if "test" in scores else next(iter(scores), "")
    rows = scores.get(split) or []
    subsets = [str(row.get("hf_subset", "default")) for row in rows]
    names = [
        f"{task}" if s == "default" else f"{task} {s}" for s in subsets
    ]
    model = read_beside(path, "model_meta.json").get("name")
    if model is None:
        revised = re.fullmatch(
            "[0-9a-f]{6,40}|no_.*|external|main", path.parent.name
        )
        model = path.parents[1 if revised else 0].name
    values = [row["main_score"] for row in rows if "main_score" in row]
    if len(values) < max(1, len(rows)):
        raise ValueError(f"{path} has no main_score of the task {task}.")
    for value in values:
        refuse_no_number(path, "main_score", value)
    return pd.DataFrame(
        {"model": str(model), "task": names, "main_score": values}
    )


def _rows(entry):
    """Return the scores of a split, as later versions write them."""
    if "main_score" in entry:
        return [entry]
    return [
        {**scores, "hf_subset": subset}
        for subset, scores in entry.items()
        if isinstance(scores, dict)
    ]
