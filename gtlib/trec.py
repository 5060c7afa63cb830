"""Runs and judgments in the TREC formats.

A line of a run is ``topic Q0 document rank score tag``; a line of
judgments (qrels) is ``topic iteration document relevance``. Both may be
gzip-compressed. A file is refused with the number of the first line that
cannot be right.
"""

import csv
import gzip
import io
import zlib
from pathlib import Path

import numpy as np
import pandas as pd

_RUN = ["topic", "iteration", "document", "rank", "score", "system"]
_RETRIEVED_TWICE = ["system", "topic", "document"], "is retrieved twice"
_QRELS = ["topic", "iteration", "document", "relevance"]


def read_run(path: str | Path) -> pd.DataFrame:
    """A TREC run file, or several runs in one file, as a table.

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

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "run.txt"
    >>> _ = path.write_text("301 Q0 FT911-3 1 9.5 bm25")
    >>> read_run(path).values.tolist()
    [['bm25', '301', 'FT911-3', 1, 9.5]]
    """
    table = _read(path, _RUN, ["rank", "score"])
    _refuse_repeats(path, table, *_RETRIEVED_TWICE)
    table = _named(table)
    order = _trec_order(table)
    table = table.iloc[order].reset_index(drop=True)
    table["rank"] = table.groupby(["system", "topic"]).cumcount() + 1
    return table[["system", "topic", "document", "rank", "score"]]


def read_rankings(
    path: str | Path,
) -> dict[str, dict[str, dict[str, float]]]:
    """The runs of a file as system -> topic -> document -> score.

    Reads and refuses what `read_run` does, without putting the documents
    in order: evaluators do that themselves.
    """
    table = _read(path, _RUN, ["rank", "score"])
    runs = {
        system: by_topic(run, "score")
        for system, run in table.groupby("system", sort=False)
    }
    found = sum(len(docs) for run in runs.values() for docs in run.values())
    if found < len(table):
        _refuse_repeats(path, table, *_RETRIEVED_TWICE)
    return runs


def by_topic(
    table: pd.DataFrame, value: str
) -> dict[str, dict[str, float]]:
    """The rows of a table as topic -> document -> value."""
    codes, topics = pd.factorize(table["topic"])
    order = np.argsort(codes, kind="stable")
    documents = table["document"].to_numpy(object)[order].tolist()
    values = table[value].to_numpy()[order].tolist()
    ends = np.cumsum(np.bincount(codes, minlength=len(topics))).tolist()
    return {
        str(topic): dict(
            zip(documents[start:end], values[start:end], strict=True)
        )
        for topic, start, end in zip(
            topics, [0, *ends[:-1]], ends, strict=True
        )
    }


def read_qrels(path: str | Path) -> pd.DataFrame:
    """Relevance judgments in the TREC qrels format as a table.

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

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("301 0 FT911-3 1")
    >>> read_qrels(path).values.tolist()
    [['301', 'FT911-3', 1]]
    """
    table = _read(path, _QRELS, ["relevance"])
    whole = table["relevance"] % 1 == 0
    if not whole.all():
        row = int((~whole).to_numpy().argmax())
        raise ValueError(
            f"{_place(path, row)}: the relevance is "
            f"{table['relevance'].iloc[row]}; it must be a whole number."
        )
    table["relevance"] = table["relevance"].astype(int)
    table = _named(table).drop(columns="iteration")
    again = table.duplicated()
    _refuse_repeats(
        path,
        table[~again],
        ["topic", "document"],
        "is judged twice, and differently",
    )
    return table[~again].reset_index(drop=True)


def _read(path, names, numbers):
    """The fields of a TREC file, or a ValueError naming the line."""
    text = _content(path)
    spare = "more"
    # Not categories: pandas would take topic 007 for topic 7.
    dtypes = dict.fromkeys([*names, spare], object)
    dtypes |= dict.fromkeys(numbers, float)
    try:
        table = pd.read_csv(
            io.BytesIO(text),
            sep=r"\s+",
            header=None,
            names=[*names, spare],
            dtype=dtypes,
            quoting=csv.QUOTE_NONE,
            keep_default_na=False,
            encoding="utf-8-sig",
        )
    except ValueError:  # a number that is none, too many fields, encoding
        table = None
    if (
        table is None
        or not isinstance(table.index, pd.RangeIndex)
        or (table[spare] != "").any()
        or not np.isfinite(table[numbers].to_numpy()).all()
        or (table[names[-1]] == "").any()
    ):
        raise ValueError(_first_malformed(path, text, names, numbers))
    if table.empty:
        raise ValueError(f"{path} has no lines.")
    return table.drop(columns=spare)


def _named(table):
    """Topics, documents and systems as the text that they are."""
    names = table.columns.intersection(["topic", "document", "system"])
    return table.astype(dict.fromkeys(names, str))


def _content(path):
    data = Path(path).read_bytes()
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(
            f"{path} is not a whole gzip file ({error}): copy or download "
            "it again."
        ) from error


def _lines(text):
    """Number and fields of the lines that are not blank."""
    for number, line in enumerate(
        text.decode("utf-8-sig", "replace").splitlines(), start=1
    ):
        fields = line.split()
        if fields:
            yield number, fields


def _first_malformed(path, text, names, numbers):
    for number, fields in _lines(text):
        if len(fields) != len(names):
            return (
                f"{path}, line {number}: {len(fields)} fields where "
                f"{len(names)} are expected ({' '.join(names)})."
            )
        for name in numbers:
            field = fields[names.index(name)]
            try:
                right = np.isfinite(float(field))
            except ValueError:
                right = False
            if not right:
                return (
                    f"{path}, line {number}: the {name} is {field!r}; it "
                    "must be a number."
                )
    return f"{path} is not plain text in UTF-8."


def _place(path, row):
    for index, (number, _) in enumerate(_lines(_content(path))):
        if index == row:
            return f"{path}, line {number}"
    raise IndexError(row)


def _refuse_repeats(path, table, key, what):
    again = table.duplicated(key).to_numpy()
    if again.any():
        row = int(again.argmax())
        named = ", ".join(f"{k} {table[k].iloc[row]}" for k in key)
        raise ValueError(
            f"{_place(path, table.index[row])}: {named} {what}."
        )


def _trec_order(table):
    """Rows by system and topic, best first, as trec_eval ranks them."""
    groups = table.groupby(["system", "topic"], sort=False).ngroup()
    groups = groups.to_numpy()
    falling = -table["score"].to_numpy(np.float32)  # trec_eval's precision
    order = np.lexsort((falling, groups))
    tied = (np.diff(falling[order]) == 0) & (np.diff(groups[order]) == 0)
    rows = np.flatnonzero(np.r_[tied, False] | np.r_[False, tied])
    names = table["document"].to_numpy(object)[order[rows]]
    z_to_a = -np.unique(names, return_inverse=True)[1]
    again = np.lexsort((z_to_a, falling[order[rows]], groups[order[rows]]))
    order[rows] = order[rows[again]]
    return order
