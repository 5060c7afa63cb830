"""Terminal-Bench: ``results.json`` of a run of an agent on all tasks.

``{"results": [{"task_id", "trial_name": "TASK.1-of-5.RUN", "is_resolved",
...}], "accuracy", ...}``; ``run_metadata.json`` beside it names agent and
model. Where that is missing, the folders do. What is neither resolved nor
not counts as not, as in the tool's own ``accuracy``.

https://github.com/laude-institute/terminal-bench
"""

import re
from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.readers.files import read_beside
from gtaudit.readers.values import refuse_no_number


def read(document: Any, path: Path) -> pd.DataFrame | None:
    """Read a run; None of other documents."""
    rows = document.get("results") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not rows:
        return None
    if not all(isinstance(r, dict) and "is_resolved" in r for r in rows):
        return None
    for row in rows:
        refuse_no_number(path, "is_resolved", row["is_resolved"])
    table = pd.DataFrame(
        {
            "task_id": [str(row.get("task_id")) for row in rows],
            "trial": [_trial(row.get("trial_name")) for row in rows],
            "is_resolved": [bool(row["is_resolved"]) for row in rows],
        }
    )
    if table["trial"].nunique() < 2:
        del table["trial"]
    metadata = read_beside(path, "run_metadata.json")
    named = [metadata.get(k) for k in ("agent_name", "model_name")]
    if any(named):
        table["agent"] = " ".join(map(str, filter(None, named)))
    table.attrs["one_run"] = True
    return table


def _trial(name):
    match = re.search(r"\.(\d+)-of-\d+\.", str(name))
    return match[1] if match else "1"
