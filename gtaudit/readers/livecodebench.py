"""LiveCodeBench: ``MODEL/Scenario.codegeneration_10_0.2_eval_all.json``.

A list of ``{"question_id", "graded_list": [true, false], "pass@1"}``: each
program that a model wrote for a problem is an attempt, and right or not.
OpenCompass has the problems as ``{"eval": {ID: {"graded_list"}}}``.

https://github.com/LiveCodeBench/LiveCodeBench
(``lcb_runner/evaluation``)
"""

from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.readers.values import refuse_no_number

_GRADES = "graded_list"


def read(document: Any, path: Path) -> pd.DataFrame | None:
    """Read the grades of the attempts; None of other documents."""
    problems = document
    if isinstance(document, dict):
        by_name = document.get("eval")
        if not isinstance(by_name, dict):
            return None
        problems = [
            {"question_id": name, **problem}
            for name, problem in by_name.items()
            if isinstance(problem, dict)
        ]
    if not isinstance(problems, list) or not problems:
        return None
    if not all(isinstance(p, dict) and _GRADES in p for p in problems):
        return None
    rows = [
        (str(problem.get("question_id")), str(attempt), grade)
        for problem in problems
        for attempt, grade in enumerate(problem[_GRADES])
    ]
    for _, _, grade in rows:
        refuse_no_number(path, _GRADES, grade)
    table = pd.DataFrame(rows, columns=["question_id", "attempt", "passed"])
    if table["attempt"].nunique() < 2:
        del table["attempt"]
    return table
