"""SWE-bench: lists of the instances that a system resolved.

Of the leaderboard ``SYSTEM/results/results.json``, ``{"resolved": [ids],
"no_generation": [ids], "no_logs": [ids]}``; of the harness
``MODEL.RUN.json``, ``{"resolved_ids": [...], "unresolved_ids": [...],
...}``. An instance counts as not resolved where another list, of this file
or of the others, has it. Its logs have a file of each instance,
``run_evaluation/RUN/MODEL/INSTANCE/report.json``, ``{INSTANCE: {"resolved",
"patch_exists"}}``. One to a line, `records` reads them.

https://github.com/SWE-bench/experiments,
https://github.com/SWE-bench/SWE-bench (``harness/reporting.py``)
"""

from pathlib import Path
from typing import Any

import pandas as pd

# Lists of all that was asked for, and of what the evaluation left out.
LISTS = "resolved unresolved completed submitted error empty_patch "
LISTS += "incomplete generated applied no_generation no_logs with_logs "
LISTS += "no_apply install_fail reset_failed test_errored test_timeout"

NOTE = (
    "Instances are those that some file names: what no system resolved and "
    "no list names is not there. An instance that only another file names "
    "counts as not resolved."
)


def read(document: Any, path: Path) -> pd.DataFrame | None:
    """Read the lists; None of other documents. `complete` adds what only
    other files name."""
    if not isinstance(document, dict):
        return None
    reports = [*document.values()]
    if reports and all(
        isinstance(report, dict)
        and {"resolved", "patch_exists"} <= {*report}
        for report in reports
    ):
        return pd.DataFrame(
            {
                "model": path.absolute().parents[1].name,
                "instance_id": [*document],
                "resolved": [report["resolved"] for report in reports],
            }
        )
    lists = {
        name: document[key]
        for name in LISTS.split()
        for key in (name, f"{name}_ids")
        if isinstance(document.get(key), list)
    }
    if "resolved" not in lists:
        return None
    names = dict.fromkeys(str(i) for each in lists.values() for i in each)
    resolved = {*map(str, lists["resolved"])}
    table = pd.DataFrame({"instance_id": [*names]}, dtype=str)
    table["resolved"] = table["instance_id"].isin(resolved)
    table.attrs["lists"] = True
    return table


def is_list(table: pd.DataFrame) -> bool:
    """Return whether a table was read from such lists."""
    return "lists" in table.attrs


def complete(tables: list[pd.DataFrame]) -> list[pd.DataFrame]:
    """Add the instances that other files name, as not resolved."""
    names = pd.concat([t["instance_id"] for t in tables]).unique()
    return [
        t.set_index("instance_id")
        .reindex(names, fill_value=False)
        .rename_axis("instance_id")
        .reset_index()
        for t in tables
    ]
