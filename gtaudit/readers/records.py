"""JSON: an object to a line, a list of objects, or an object of objects.

Such as eval-arena writes (``{"model": ..., "example_id": ..., "pass1":
...}``, https://github.com/crux-eval/eval-arena), SWE-bench of each
instance, autojudge-evaluate of each topic, and pandas in all its forms.
Scores may stand in an object of their own (``"scores": {"acc": 1}``);
other objects and lists in an object are passed over.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.readers import battles, openai_evals
from gtaudit.readers.documents import documents_sentence, kind_of_documents
from gtaudit.readers.evaluations import drop_averages, is_measure
from gtaudit.readers.files import parse_json
from gtaudit.readers.values import refuse_no_number
from gtaudit.words import is_table_of_scores, plain
from gtlib.checks import list_some

# What the object of an object's scores is called.
_SCORES = {"scores", "score", "metrics", "results", "evaluation"}
_SCORES |= {"metric_scores"}

# So many settings are seldom on or off.
_MANY = 8


def read_lines(path: Path, text: str) -> pd.DataFrame:
    """Read objects of one kind, one to a line.

    Raises
    ------
    ValueError
        If a line is no object, or lacks what the others have.
    """
    objects = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        row = parse_json(f"{path}, line {number}", line)
        if not isinstance(row, dict):
            raise ValueError(f"{path}, line {number} is no JSON object.")
        objects[number] = row
    battles.refuse_games(path, [*objects.values()])
    events = openai_evals.read([*objects.values()])
    if events is not None:
        return events
    return _as_table(path, objects, "line")


def read(document: Any, path: Path) -> pd.DataFrame:
    """Read a list of objects, or systems with their topics' scores."""
    if isinstance(document, dict):
        if is_table_of_scores(document):  # columns, as pandas has them
            columns = {
                name: dict(enumerate(v)) if isinstance(v, list) else v
                for name, v in document.items()
                if isinstance(v, list | dict)
            }
            return pd.DataFrame(columns).rename(columns=str)
        if _are_verdicts(document):  # as SWE-bench Pro has them
            topics, right = [*document], [*document.values()]
            return pd.DataFrame({"topic": topics, "score": right})
        lists = [v for v in document.values() if _are_objects(v)]
        if lists:
            document = max(lists, key=len)
        elif document and _are_objects([*document.values()]):
            long = _of_measures(document)
            if long:
                return pd.DataFrame(long)
            kind = kind_of_documents(document)
            wide = pd.DataFrame.from_dict(document, orient="index")
            wide = wide.rename_axis("").reset_index().rename(columns=str)
            if kind:
                said = documents_sentence(path, document, kind)
                wide.attrs["documents"] = said
            return wide
    if not _are_objects(document):
        raise ValueError(
            f"{path} is JSON of an unknown form: give a list of objects, "
            "each with a system, a topic and a score."
        )
    return _as_table(path, dict(enumerate(document, start=1)), "object")


def _of_measures(document):
    """Return the rows of what pytrec_eval gives: scores by measure, by
    topic, and perhaps by system; none of other objects."""
    has_systems = all(
        isinstance(value, dict)
        for inner in document.values()
        for value in inner.values()
    )
    systems = document.items() if has_systems else [("", document)]
    scores = [
        ({"system": system} if system else {}, topic, by_measure)
        for system, topics in systems
        for topic, by_measure in topics.items()
    ]
    names = {name for _, _, by_measure in scores for name in by_measure}
    if not names or not all(map(is_measure, names)):
        return []
    return [
        {**row, "topic": topic, "measure": name, "score": str(value)}
        for row, topic, by_measure in scores
        for name, value in by_measure.items()
    ]


def _are_verdicts(document):
    """Return whether an object says of each of many topics whether its
    system was right."""
    verdicts = all(isinstance(v, bool) for v in document.values())
    return verdicts and len(document) >= _MANY


def _are_objects(value):
    objects = isinstance(value, list) and len(value) > 0
    return objects and all(isinstance(row, dict) for row in value)


def _nested_scores(row):
    """Return what the objects in an object hold that hold scores."""
    return {
        name: value
        for key, scores in row.items()
        if isinstance(scores, dict) and plain(key) in _SCORES
        for name, value in scores.items()
    }


def _refuse_lists(path, nested, what):
    """Refuse scores that are lists of numbers, as of the segments of a
    document."""
    for number, scores in nested.items():
        for name, value in scores.items():
            if isinstance(value, list) and _are_numbers(value):
                raise ValueError(
                    f"{path}, {what} {number}: {name} is a list of "
                    "numbers. Write an object for each of them, with the "
                    "name of what it is a score of."
                )


def _are_numbers(values):
    return all(isinstance(value, int | float) for value in values)


def _as_table(path, objects, what):
    """Make a table of objects, as text: 1 is no 1.0."""
    nested = {number: _nested_scores(o) for number, o in objects.items()}
    numbers = {
        name
        for scores in nested.values()
        for name, value in scores.items()
        if isinstance(value, int | float)
    }
    if not numbers:
        _refuse_lists(path, nested, what)
    single = {
        name
        for row in objects.values()
        for name, value in row.items()
        if not isinstance(value, list | dict | None)
    }
    rows: dict = {number: {} for number in objects}
    for number, row in objects.items():
        scores = {k: v for k, v in nested[number].items() if k in numbers}
        for name, value in (scores | row).items():
            if name in numbers or name in single:
                refuse_no_number(f"{path}, {what} {number}", name, value)
                rows[number][name] = None if value is None else str(value)
            elif value is None:
                rows[number][name] = None
    table = pd.DataFrame.from_dict(rows, orient="index", dtype=object)
    if not len(table.columns):
        raise ValueError(f"{path}: the objects hold nothing.")
    for name in {"measure", "run_id", "topic_id", "query_id"} & {*table}:
        gap = table[name].isna()
        if gap.any():
            raise ValueError(
                f"{path}, {what} {gap.idxmax()}: there is no {name}. The "
                f"keys of {what} {gap.idxmin()} are "
                f"{list_some(rows[gap.idxmin()], 8)}."
            )
    return drop_averages(path, table)
