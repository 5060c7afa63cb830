"""Judgments that machines gave, beside those that people gave.

The files are as their makers left them: grades that are none, lines that
repeat, judges that stopped early. One rule reads them all: a grade is 0,
1, 2 or 3; of several lines on one document the last counts; and a judge is
kept who graded at least `COVERAGE` of the documents that people judged.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from gtlib.runs import read_fields

COVERAGE = 0.99
GRADES = ("0", "1", "2", "3")


def read_judges(paths: Iterable[Path]) -> pd.DataFrame:
    """Read ``topic``, ``document``, ``assessor`` and ``relevance``.

    The first file holds the judgments of people, and its assessor is
    ``human``; each of the others those of one judge, who is named after
    the file, ``model/prompt`` where the name tells them.
    """
    (human, *judges) = paths
    official = _read_grades(human)
    kept = [official.assign(assessor="human")]
    for path in judges:
        table = _read_grades(path)
        table = table[table.index.isin(official.index)]
        if len(table) >= COVERAGE * len(official):
            kept.append(table.assign(assessor=_judge_name(path)))
    judged = pd.concat(kept).reset_index()
    return judged[["topic", "document", "assessor", "relevance"]]


def _read_grades(path):
    """A file's valid grades, by topic and document."""
    table = read_fields(path, ["topic", "_", "document", "relevance"])
    table = table[table["relevance"].isin(GRADES)].drop(columns="_")
    keys = ["topic", "document"]
    last = table.drop_duplicates(keys, keep="last").set_index(keys)
    return last.astype(int)


def _judge_name(path):
    model, _, prompt = path.name.removesuffix(".txt").partition("_graded_")
    return f"{model}/{prompt.rpartition('_')[2]}" if prompt else model


def read_rag_judges(path: Path) -> pd.DataFrame:
    """Read the same columns from one file with all judges; those who
    graded every document are kept."""
    content = json.loads(path.read_text("utf-8"))
    pairs = pd.DataFrame(
        content["pair_index"], columns=["topic", "document"]
    )
    graded = {
        "human": content["human_scores"],
        **content["per_judge_scores"],
    }
    tables = [
        pairs.assign(assessor=judge, relevance=grades)
        for judge, grades in graded.items()
        if None not in grades
    ]
    return pd.concat(tables, ignore_index=True)
