"""DeepEval: a test run, with its test cases and the metrics of each.

``{"testCases": [{"name", "input", "success", "metricsData": [{"name",
"score", "success"}]}]}``, with ``test_results`` and ``metrics_data`` where
Python's names are written. A file is of one system, and a metric is a
measure; ``success`` is whether all metrics passed their thresholds.

https://github.com/confident-ai/deepeval (``deepeval/test_run``)
"""

from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.readers.values import refuse_no_number

_CASES = "testCases", "test_cases", "test_results", "testResults"
_METRICS = "metricsData", "metrics_data", "metricsMetadata"


def read(document: Any, path: Path) -> pd.DataFrame | None:
    """Read the scores of the metrics; None of other documents."""
    if isinstance(document, dict):
        lists = [document[k] for k in _CASES if document.get(k)]
        document = lists[0] if lists else None
    if not isinstance(document, list) or not all(map(_metrics, document)):
        return None
    names = [str(case.get("name") or "") for case in document]
    if len({*names}) < len(names):  # a name is that of a test, perhaps
        names = [f"test_case_{i}" for i in range(len(names))]
    rows = [
        {
            "test_case": name,
            "measure": str(metric["name"]),
            "score": metric.get("score"),
        }
        for name, case in zip(names, document, strict=True)
        for metric in _metrics(case)
    ]
    for row in rows:
        refuse_no_number(path, row["measure"], row["score"])
    return pd.DataFrame(rows) if rows else None


def _metrics(case):
    """Return what the metrics say of a test case; nothing of others."""
    if not isinstance(case, dict):
        return []
    lists = [case[k] for k in _METRICS if isinstance(case.get(k), list)]
    metrics = lists[0] if lists else []
    known = all(isinstance(m, dict) and "name" in m for m in metrics)
    return metrics if known else []
