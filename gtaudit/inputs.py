"""Reading score tables, and runs with judgments.

`read_scores` reads a table of any format and finds out what its columns
are. What it cannot make sense of it refuses, and says which file, where in
it, and what to do.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd

from gtaudit.arrange import arrange
from gtaudit.columns import roles_by_name
from gtaudit.readers import (
    list_inputs,
    parse_csv,
    read_tables,
    trec_eval_name,
)
from gtaudit.words import is_any_score, is_file_of_errors, is_of_errors
from gtlib.checks import list_some
from gtlib.runs import Paths, list_files, read_as_written, read_runs


def read_scores(
    paths: Paths,
    measure: str | list[str] | None = None,
    roles: Mapping[str, str] | None = None,
    keep_averages: bool = False,
    declared: bool = False,
) -> pd.DataFrame:
    """Read a score table from one or more files.

    Parameters
    ----------
    paths : path, or list of paths
        One table, wide (a row per system, a column per topic) or long (a
        row per score; columns such as system, topic, assessor, score), as
        CSV, TSV, semicolon-separated, JSON, Parquet or Excel.  Or what
        tools write, a file or several: see `gtaudit.readers`. A folder
        stands for all files in it, or for what a tool wrote there.
    measure : str or list of str, optional
        Which measure, where a file holds several: a column of a long
        table, a value of its column ``measure``, or a measure of
        trec_eval, under its own name (``map``) or that of ir_measures
        (``AP``).  Of several the result has a column ``measure``.
    roles : mapping of column to name, optional
        Columns to call ``system``, ``topic``, ... whatever their names;
        ``{"rows": "topic"}`` says what the rows of a wide table are.
        Rows without names are numbered, and ``attrs["report"]`` says so.
    keep_averages : bool
        Whether what is called like an average is a system or a topic.
    declared : bool
        Whether `roles` are all facets of a design.

    Returns
    -------
    DataFrame
        Wide with systems as rows, or long with the columns ``system``,
        ``topic``, perhaps others, and ``score``. Names are text, as they
        stand in the file. ``attrs["reading"]`` is the `Reading`, and
        ``attrs["score"]`` what the scores of a measure are called.

    Raises
    ------
    ValueError
        If a file is missing, empty, not text, has no header, or does not
        say what is a system, a topic and a score; if a name is missing or
        is twice in the header; or if the measure does not apply. A
        `Question` names the options that answer it.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "scores.csv"
    >>> text = "Model,q1,q2,cost\\nbm25,.3,.4,7\\nlm,.2,.5,9\\n"
    >>> _ = path.write_text(text)
    >>> scores = read_scores(path)
    >>> scores.loc["bm25"].to_dict()
    {'q1': 0.3, 'q2': 0.4}
    >>> print(scores.attrs["reading"].sentence)
    read as: Model = system, columns = topic (2 × 2); left out: cost.
    """
    files = list_inputs(paths)
    raw, notes = read_tables(files)
    source = str(files[0])
    if len(files) > 1:
        source += f" and {len(files) - 1} more"
    wanted = measure if isinstance(measure, list) else [measure]
    if raw.attrs.get("trec_eval"):
        wanted = [trec_eval_name(m) for m in wanted]
    tables = {
        m: arrange(source, raw, m, roles, not keep_averages, declared)
        for m in wanted
    }
    first = next(iter(tables.values()))
    attrs = dict(first.attrs)
    if len(tables) > 1:
        named = (t.assign(measure=m) for m, t in tables.items())
        first = pd.concat(named, ignore_index=True)
        attrs["reading"] = attrs["reading"].without(wanted)
    name = attrs.get("score")
    if is_any_score(name):
        titles = [*filter(is_of_errors, raw.attrs.get("titles", ()))]
        titles += filter(is_file_of_errors, [Path(f).stem for f in files])
        attrs["score"] = next(iter(titles), name)
    first.attrs = attrs
    first.attrs["report"] = [*notes, *attrs.get("report", [])]
    return first


def read_input(
    table: Paths | None = None,
    runs: Paths | None = None,
    qrels: Paths | None = None,
    measure: str | list[str] | None = None,
    roles: Mapping[str, str] | None = None,
    keep_averages: bool = False,
    declared: bool = False,
) -> tuple[pd.DataFrame, list[str]]:
    """Read scores from a table, or from runs and qrels, with notes on
    them.

    Parameters
    ----------
    table : path or list of paths, optional
        As `read_scores` takes them.
    runs, qrels : as in `read_runs`, optional
    measure : str or list of str, optional
        For runs, what ir_measures names; AP without it.
    roles, keep_averages, declared : optional
        As `read_scores` takes them.

    Returns
    -------
    scores : DataFrame
    notes : list of str
        What was not complete, a sentence each.
    """
    if (table is None) == (runs is None):
        raise ValueError(
            "Give a table of scores, before all options; or runs with "
            "qrels."
        )
    if table is not None:
        if qrels is not None:
            raise ValueError("Qrels go with runs, not with a table.")
        scores = read_scores(table, measure, roles, keep_averages, declared)
        return scores, scores.attrs.get("report", [])
    if qrels is None:
        raise ValueError("Runs need qrels to be judged by (--qrels).")
    if {"rows", "columns"} & {*(roles or {})}:
        raise ValueError(
            "Runs have no rows that could be topics (--columns)."
        )
    wanted = measure if isinstance(measure, list) else [measure or "AP"]
    scores = read_runs(runs, qrels, [*wanted], report=None)
    refuse_no_relevant(scores)
    return scores, scores.attrs["report"]


def refuse_no_relevant(
    scores: pd.DataFrame, documents: Collection[str] = ()
) -> None:
    """Refuse scores of runs that have no relevant document at all.

    Parameters
    ----------
    scores : DataFrame
    documents : collection of str
        Documents of the runs, if the judgments name none of any run.
    """
    if (scores["score"] != 0).any():
        return
    if len(documents):
        raise ValueError(
            "No document of the qrels is in the runs, which have "
            f"{list_some(documents)}: are these the judgments of another "
            "collection, or are documents named otherwise there?"
        )
    raise ValueError(
        "No run has a relevant document among those that the qrels name: "
        "are these the judgments of these runs?"
    )


def read_system_table(path: str | Path) -> pd.DataFrame:
    """Read a CSV file about systems, as text; the column of their names is
    called ``system``, whatever its name in the file."""
    list_files([path])
    text = read_as_written(path)
    table = parse_csv(path, text)
    if table.empty:
        raise ValueError(f"{path} has a header but no rows.")
    if not isinstance(table.index, pd.RangeIndex):
        raise ValueError(f"{path} has rows with more fields than names.")
    named = roles_by_name(path, table, ["system"])
    return table.rename(columns=named)
