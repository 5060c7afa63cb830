"""MTEB: ``MODEL/REVISION/TASK.json``, a file to a model and a task.

``{"task_name", "scores": {SPLIT: [{"hf_subset", "main_score", ...}]}}``;
tasks, with their subsets, are the topics. Of several splits the test is
taken.

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
    scores = document.get("scores") if isinstance(document, dict) else None
    if not isinstance(scores, dict) or "task_name" not in document:
        return None
    split = "test" if "test" in scores else next(iter(scores), "")
    task, rows = str(document["task_name"]), scores.get(split) or []
    subsets = [str(row.get("hf_subset", "default")) for row in rows]
    names = [task if s == "default" else f"{task} {s}" for s in subsets]
    model = read_beside(path, "model_meta.json").get("name")
    if model is None:
        revised = re.fullmatch(
            "[0-9a-f]{6,40}|no_.*|external|main", path.parent.name
        )
        model = path.parents[1 if revised else 0].name
    values = [row.get("main_score") for row in rows]
    for value in values:
        refuse_no_number(path, "main_score", value)
    return pd.DataFrame(
        {"model": str(model), "task": names, "main_score": values}
    )
