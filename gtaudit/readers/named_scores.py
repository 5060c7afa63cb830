"""DeepEval, Phoenix, Langfuse: objects with a list of named scores each.

DeepEval, a test run: ``{"testRunData": {"testCases": [{"name",
"metricsData": [{"name", "score"}]}]}}``, with ``test_results`` and
``metrics_data`` where Python's names are written. Phoenix, an experiment:
``[{"example_id", "repetition_number", "annotations": [{"name",
"score"}]}]``. Langfuse,
traces: ``{"data": [{"id", "input", "scores": [{"name", "value"}]}]}``. A
name is a measure.

https://github.com/confident-ai/deepeval (``deepeval/test_run``),
https://arize.com/docs/phoenix, https://api.reference.langfuse.com
"""

from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.readers.values import refuse_no_number
from gtaudit.words import FACETS, plain, ranks_of

_CASES = "metrics_data", "metrics_metadata"
_LISTS = (*_CASES, "annotations", "scores")
_NUMBERS = "score", "value"
# Where DeepEval keeps a run if somebody is logged in.
_LINK = "testRunLink"


def read(document: Any, path: Path) -> pd.DataFrame | None:
    """Read the scores; None of other documents."""
    if isinstance(document, dict) and {*document} == {_LINK}:
        raise ValueError(
            f"{path} has only the address of a test run, and no score. Run "
            "it again while nobody is logged in (deepeval logout), and "
            "bring the file that it writes then."
        )
    objects, key = _objects(document)
    names = [str(each.get("name") or "") for each in objects]
    if len({*names}) < len(names):  # a name is that of a test, perhaps
        names = [f"test_case_{i}" for i in range(len(names))]
    rows = [
        {
            **({"test_case": name} if plain(key) in _CASES else _of(each)),
            "measure": str(score["name"]),
            "score": next((score[n] for n in _NUMBERS if n in score), None),
        }
        for name, each in zip(names, objects, strict=True)
        for score in each.get(key) or []
    ]
    for row in rows:
        refuse_no_number(path, row["measure"], row["score"])
    return pd.DataFrame(rows) if rows else None


def _objects(document):
    """Return the objects with named scores, and the key of their lists."""
    if isinstance(document, dict):
        found = map(_objects, document.values())
        return next((pair for pair in found if pair[0]), ([], ""))
    if not isinstance(document, list):
        return [], ""
    if not all(isinstance(each, dict) for each in document):
        return [], ""
    for key in dict.fromkeys(k for each in document for k in each):
        lists = [each.get(key) or [] for each in document]
        named = plain(key) in _LISTS and all(map(_are_named, lists))
        if named and any(lists):
            return document, key
    return [], ""


def _are_named(scores):
    """Return whether these are scores that have names, or none."""
    return isinstance(scores, list) and all(
        isinstance(score, dict)
        and "name" in score
        and {*_NUMBERS} & {*score}
        for score in scores
    )


def _of(each):
    """Return what may name an object, which is not called by a name."""
    return {
        name: str(value)
        for name, value in each.items()
        if isinstance(value, str) or {*ranks_of(name)} & {*FACETS}
        if name != "name" and not isinstance(value, dict | list)
    }
