"""Inspect: a log of a model on a task, ``.json`` or ``.eval``, a zip.

``{"eval": {"model", "task"}, "samples": [{"id", "epoch", "scores":
{SCORER: {"value": "C"}}}]}``; the zip has ``header.json`` and a file in
``samples/`` for each. Values are numbers, objects of them, or letters: C
correct, P partial, I incorrect, N no answer.

https://inspect.aisi.org.uk/eval-logs.html
"""

from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.readers.files import parse_json, read_members
from gtaudit.readers.values import WORDS, refuse_no_number


def read_zip(path: Path) -> pd.DataFrame:
    """Read an ``.eval``."""
    members = read_members(path, "header.json", "samples/*.json")
    parts = {
        name: parse_json(path, text.decode("utf-8", "replace"))
        for name, text in members.items()
    }
    header = parts.pop("header.json", None)
    if header is None:
        raise ValueError(
            f"{path} is a zip file without header.json: it is no finished "
            "log of Inspect."
        )
    document = {**header, "samples": [*parts.values()]}
    table = read(document, path)
    if table is None:
        raise ValueError(f"{path} is a zip file, but no log of Inspect.")
    return table


def read(document: Any, path: Path) -> pd.DataFrame | None:
    """Read a log; None of other documents."""
    if not isinstance(document, dict) or "eval" not in document:
        return None
    about, samples = document["eval"], document.get("samples") or []
    if not isinstance(about, dict) or "model" not in about:
        return None
    rows = [
        {
            "sample_id": str(sample["id"]),
            "epoch": str(sample.get("epoch", 1)),
            "measure": name,
            "score": WORDS.get(str(value).casefold(), value),
        }
        for sample in samples
        for name, value in _values(path, sample.get("scores") or {})
    ]
    if not rows:
        table = pd.DataFrame()
        said = "score it, as `inspect score` does"
        if not samples:
            said = "it has no samples; bring the whole log, with them"
        table.attrs["unscored"] = (
            f"{path.name} has no score of a sample: {said}."
        )
        return table
    table = pd.DataFrame(rows)
    if table["epoch"].nunique() < 2:
        del table["epoch"]
    table = table.assign(model=str(about["model"]), task=str(about["task"]))
    table.attrs |= {"tasks": True, "one_run": True}
    return table


def _values(path, scores):
    """Yield the measures of a sample and their values."""
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else score
        each = {scorer: value}
        if isinstance(value, dict):
            each = {f"{scorer}:{k}": v for k, v in value.items()}
        for name, number in each.items():
            refuse_no_number(path, name, number)
            yield name, number
