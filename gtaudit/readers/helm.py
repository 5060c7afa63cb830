"""HELM: ``per_instance_stats.json`` in a folder for each run.

A list of ``{"instance_id", "train_trial_index", "perturbation", "stats":
[{"name": {"name", "split"}, "count", "mean"}]}``. The folder is called
``SCENARIO:KEY=VALUE,...,model=MODEL``. Perturbed copies are left out.

https://crfm-helm.readthedocs.io (``benchmark/metrics/metric.py``)
"""

import re
from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.readers.values import refuse_no_number


def read(document: Any, path: Path) -> pd.DataFrame | None:
    """Read the statistics of the instances; None of other documents."""
    if not isinstance(document, list) or not document:
        return None
    first = document[0] if isinstance(document[0], dict) else {}
    if isinstance(first.get("name"), dict) and "sum_squared" in first:
        raise ValueError(
            f"{path} holds the averages of a run, as HELM writes them, and "
            "no score of an instance. Bring the per_instance_stats.json "
            "that stands beside it."
        )
    if not {"instance_id", "stats"} <= {*first}:
        return None
    rows = [
        {
            "instance_id": str(row["instance_id"]),
            "trial": str(row.get("train_trial_index", 0)),
            "measure": str(stat["name"]["name"]),
            "score": stat["mean"],
        }
        for row in document
        if not row.get("perturbation")
        for stat in row["stats"]
        if stat.get("mean") is not None
    ]
    if not rows:
        raise ValueError(f"{path} has no statistic with a mean.")
    for row in rows:
        refuse_no_number(path, row["measure"], row["score"])
    table = pd.DataFrame(rows)
    run = path.parent.name
    model = re.search(r"(?:[:,])model=([^,]+)", run)
    if model:
        table["model"] = model[1]
        run = run.replace(model[0], "")
    if table["trial"].nunique() < 2:
        del table["trial"]
    table = table.assign(task=run)
    table.attrs["tasks"] = True
    return table
