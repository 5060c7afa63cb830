"""Runs and judgments in the TREC formats.

A line of a run is ``topic Q0 document rank score tag``; a line of
judgments (qrels) is ``topic iteration document relevance``. Both may be
gzip-compressed. A file is refused with the number of the first line that
cannot be right.

The reader is our own because that of ir_measures, which takes as long,
keeps no run tags, lets the last of two judgments of a document win, takes
``nan`` for a score, and says of a bad line neither its number nor its file.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from gtlib.runs.find_files import read_text
from gtlib.tables import as_numbers

ByTopic: TypeAlias = dict[str, dict[str, float]]

# The tools behind ir_measures count up to the highest relevance.
MOST_RELEVANT = 1000

_RUN_FIELDS = ["topic", "iteration", "document", "rank", "score", "system"]


def read_run(path: str | Path) -> pd.DataFrame:
    """Read a TREC run file, of one run or of several, as a table.

    Parameters
    ----------
    path : str or Path
        Six columns: topic, ``Q0``, document, rank, score, run tag; plain
        or gzip-compressed, separated by blanks or tabs.

    Returns
    -------
    DataFrame
        Columns ``system`` (the tag), ``topic``, ``document``, ``rank``
        and ``score``, each system's topics in order of appearance and
        their documents from the first rank on. As in trec_eval the
        ranking is that of the scores, ties by document name from Z to A,
        and ``rank`` counts it from 1; the printed rank is not used.

    Raises
    ------
    ValueError
        Naming file and line: not six fields, a rank or score that is not
        a finite number, or a document twice in a topic.

    Notes
    -----
    The format is that of trec_eval, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from pathlib import Path
    >>> import gtlib as gt
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "run.txt"
    >>> _ = path.write_text("301 Q0 FT911-3 1 9.5 bm25")
    >>> gt.read_run(path).values.tolist()
    [['bm25', '301', 'FT911-3', 1, 9.5]]
    """
    table = read_fields(path, _RUN_FIELDS, ["rank", "score"])
    _refuse_repeated_documents(path, table)
    table = table.infer_objects()
    ranking = ["system", "topic"]
    table["place"] = table.groupby(ranking, sort=False).ngroup()
    table = table.sort_values("document", ascending=False)
    falling = _fall(table["score"])
    table = table.iloc[np.lexsort((falling, table["place"]))]
    table["rank"] = table.groupby(ranking).cumcount() + 1
    return table[[*ranking, "document", "rank", "score"]].reset_index(
        drop=True
    )


def read_lists(
    path: str | Path,
) -> tuple[dict[str, ByTopic], pd.DataFrame]:
    """Read what `read_run` reads as system -> topic -> document -> score;
    and the lines as they stand in the file."""
    lines = read_fields(path, _RUN_FIELDS, ["rank", "score"])
    by_system = lines.groupby("system", sort=False)
    lists = {
        system: group_by_topic(run, "score") for system, run in by_system
    }
    listed = sum(len(d) for run in lists.values() for d in run.values())
    if listed < len(lines):
        _refuse_repeated_documents(path, lines)
    return lists, lines


def read_qrels(path: str | Path) -> pd.DataFrame:
    """Read relevance judgments in the TREC qrels format as a table.

    Parameters
    ----------
    path : str or Path
        Four columns: topic, iteration (not used), document, relevance;
        plain or gzip-compressed.

    Returns
    -------
    DataFrame
        Columns ``topic``, ``document`` and integer ``relevance``, a row
        per judged pair. A pair that is listed twice with the same
        judgment is kept once.

    Raises
    ------
    ValueError
        Naming file and line: not four fields, a relevance that is not a
        whole number, or a pair judged twice and differently.

    Notes
    -----
    The format is that of trec_eval, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from pathlib import Path
    >>> import gtlib as gt
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("301 0 FT911-3 1")
    >>> gt.read_qrels(path).values.tolist()
    [['301', 'FT911-3', 1]]
    """
    names = ["topic", "iteration", "document", "relevance"]
    table = read_fields(path, names, ["relevance"])
    grade = table["relevance"]
    broken = (grade % 1 != 0) | (grade.abs() > MOST_RELEVANT)
    if broken.any():
        line = broken.idxmax()
        raise ValueError(
            f"{path}, line {line}: the relevance is {grade[line]}; it must "
            f"be a whole number, at most {MOST_RELEVANT}."
        )
    table = table.astype({"relevance": int}).drop(columns="iteration")
    table = table.infer_objects().drop_duplicates()
    key = ["topic", "document"]
    _refuse_repeats(path, table, key, "is judged twice, and differently")
    return table.reset_index(drop=True)


def read_fields(
    path: str | Path, names: Sequence[str], numbers: Sequence[str] = ()
) -> pd.DataFrame:
    """Read fields between blanks, of which some are numbers.

    The index is the number of the line.
    """
    text = read_text(path)
    columns = [*names, "more"]
    table = pd.read_csv(
        io.BytesIO(f"{' '.join(columns)}\n{text}".encode()),
        sep=r"\s+",
        dtype=object,
        usecols=columns,
        quoting=csv.QUOTE_NONE,
        keep_default_na=False,
        skip_blank_lines=False,
    )
    table.index += 1
    table = table[table[names[0]] != ""]
    values = table[[*numbers]].apply(as_numbers)
    wrong = ~np.isfinite(values).all(axis="columns")
    wrong |= (table[names[-1]] == "") | (table["more"] != "")
    if wrong.any():
        line = wrong.idxmax()
        fields = text.split("\n")[line - 1].split()
        if len(fields) == len(names):
            name = np.isfinite(values.loc[line]).idxmin()
            fault = (
                f"the {name} is {fields[names.index(name)]!r}; it must be "
                "a number"
            )
        else:
            fault = (
                f"{len(fields)} fields where {len(names)} are expected "
                f"({' '.join(names)})"
            )
        raise ValueError(f"{path}, line {line}: {fault}.")
    table[values.columns] = values
    return table.drop(columns="more")


def group_by_topic(table: pd.DataFrame, value: str) -> ByTopic:
    """Return the rows of a table as topic -> document -> value."""
    topics: ByTopic = defaultdict(dict)
    columns = (table[n].tolist() for n in ("topic", "document", value))
    for topic, document, number in zip(*columns, strict=True):
        topics[str(topic)][document] = number
    return dict(topics)


def rank_documents(scores: Mapping[str, float]) -> list[str]:
    """Rank documents as `read_run` does.

    Parameters
    ----------
    scores : dict, document -> score

    Examples
    --------
    >>> from gtlib.runs import rank_documents
    >>> rank_documents({"a": 1.0, "b": 2.0, "c": 1.0})
    ['b', 'c', 'a']
    """
    names = [*scores]
    falling = _fall([*scores.values()])
    order = np.argsort(falling, kind="stable")
    same = falling[order][1:] == falling[order][:-1]
    tied = np.append(same, False) | np.append(False, same)
    if tied.any():
        by_name = sorted(order[tied], key=names.__getitem__, reverse=True)
        places = np.argsort(falling[by_name], kind="stable")
        order[tied] = np.array(by_name)[places]
    return [names[i] for i in order.tolist()]


def _fall(scores):
    """Negate scores, in the single precision in which trec_eval compares
    them."""
    with np.errstate(over="ignore"):
        return -np.asarray(scores).astype(np.float32)


def _refuse_repeated_documents(path, lines):
    key = ["system", "topic", "document"]
    _refuse_repeats(path, lines, key, "is retrieved twice")


def _refuse_repeats(path, table, key, what):
    repeated = table.duplicated(key)
    if repeated.any():
        line = repeated.idxmax()
        where = ", ".join(f"{name} {table.loc[line, name]}" for name in key)
        raise ValueError(f"{path}, line {line}: {where} {what}.")
