"""Score tables as people have them: CSV, TSV, Parquet, trec_eval output.

`read_scores` finds out what a file is, and refuses what it cannot make
sense of with a sentence that says which file, where in it, and what to do.
"""

import re
from pathlib import Path

import pandas as pd

from gtlib.evaluate import read_runs
from gtlib.files import Paths, as_table, claim, files_in, read_text
from gtlib.trec import read_fields
from gtlib.wording import some

ALIASES = {
    "system": ("system", "run", "runid", "run_id", "system_id", "model"),
    "topic": ("topic", "query", "qid", "topic_id", "query_id", "topicid"),
    "assessor": ("assessor", "judge", "annotator", "rater"),
    "score": ("score", "value"),
}
"""Column names that are understood, by the name that is used here."""

_TREC_EVAL = re.compile(
    r"(runid|num_\w+|map|gm_\w+|Rprec\w*|bpref|recip_rank|iprec\w*|P_\d+"
    r"|ndcg\w*|recall_\d+|infAP|set_\w+|success_\d+|relstring\S*|11pt_\w+"
    r"|utility|binG|G|Rndcg)\s+\S+\s+\S+$"
)
_TREC_EVAL_NAMES = {
    "AP": "map",
    "RR": "recip_rank",
    "nDCG": "ndcg_cut",
    "R": "recall",
    "Success": "success",
}


def read_scores(paths: Paths, measure: str | None = None) -> pd.DataFrame:
    """A score table from one or more files.

    Parameters
    ----------
    paths : path, or list of paths
        One table, wide (a row per system, a column per topic) or long (a
        row per score; columns such as system, topic, assessor, score), as
        CSV, TSV, semicolon-separated or Parquet, plain or gzipped.  Or
        the output of ``trec_eval -q``, one file per system; a folder
        stands for all files in it.
    measure : str, optional
        Which measure, where a file holds several: a column of a long
        table, a value of its column ``measure``, or a measure of
        trec_eval, under its own name (``map``) or that of ir_measures
        (``AP``).

    Returns
    -------
    DataFrame
        Wide with systems as rows, or long with the columns ``system``,
        ``topic``, perhaps others, and ``score``.

    Raises
    ------
    ValueError
        If a file is missing, empty, not text, has no header, or does not
        say what is a system, a topic and a score.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "scores.csv"
    >>> _ = path.write_text("run,q1,q2\\nbm25,.3,.4\\nlm,.2,.5\\n")
    >>> read_scores(path).loc["bm25"].to_dict()
    {'q1': 0.3, 'q2': 0.4}
    """
    files = files_in(paths)
    tables = [_read(path, measure) for path in files]
    if len(tables) == 1:
        return tables[0]
    owner: dict[str, object] = {}
    for path, table in zip(files, tables, strict=True):
        if "system" not in table.columns:
            raise ValueError(
                f"{len(files)} files were given, and {path.name} is a wide "
                "table. Several files are read as one only if each is the "
                "output of trec_eval -q or a long table."
            )
        for system in table["system"].unique():
            claim(owner, system, path.name)
    return pd.concat(tables, ignore_index=True)


def gather(
    table: Paths | None = None,
    runs: Paths | None = None,
    qrels: Paths | None = None,
    measure: str | None = None,
) -> tuple[pd.DataFrame, list[str]]:
    """Scores from a table, or from runs and qrels, with what to know of
    them.

    Parameters
    ----------
    table : path or list of paths, optional
        As `read_scores` takes them.
    runs, qrels : as in `read_runs`, optional
    measure : str, optional
        For runs, a measure that ir_measures names; AP without it.

    Returns
    -------
    scores : DataFrame
    notes : list of str
        What was not complete, a sentence each.
    """
    if (table is None) == (runs is None):
        raise ValueError(
            "Give either a table of scores, or runs with their qrels."
        )
    if table is not None:
        if qrels is not None:
            raise ValueError(
                "Qrels go with runs; a table of scores is judged already."
            )
        return read_scores(table, measure), []
    if qrels is None:
        raise ValueError("Runs need qrels to be judged by (--qrels).")
    scores = read_runs(runs, qrels, measure or "AP", report=None)
    return scores, scores.attrs["report"]


def _read(path: Path, measure: str | None) -> pd.DataFrame:
    if path.suffix == ".parquet":
        try:
            table = pd.read_parquet(path)
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} is not a Parquet file.") from error
        return _arrange(path, table, measure)
    text = read_text(path)
    first = text.lstrip().splitlines()[0].strip()
    if _TREC_EVAL.match(first):
        name, at, cut = (measure or "AP").partition("@")
        name = _TREC_EVAL_NAMES.get(name, name)
        return _long(
            path, _trec_eval(path), f"{name}_{cut}" if at else name
        )
    return _arrange(path, _delimited(path, text, first), measure)


def _trec_eval(path: Path) -> pd.DataFrame:
    """The output of trec_eval -q as a long table."""
    table = read_fields(path, ["measure", "topic", "score"])
    tags = table.loc[table["measure"] == "runid", "score"]
    table = table[table["topic"] != "all"]
    if table.empty:
        raise ValueError(
            f"{path} has averages only: run trec_eval with -q to get a "
            "value for each topic."
        )
    return table.assign(system=[*tags, path.name.split(".")[0]][0])


def _delimited(path: Path, text: str, header: str) -> pd.DataFrame:
    mark = max(",\t;", key=header.count)
    if mark not in header:
        seen = "|" if "|" in header else "blanks" if " " in header else None
        hint = f"; it looks separated by {seen}" if seen else ""
        raise ValueError(
            f"{path} has one column only{hint}. Separate the columns with "
            "commas, tabs or semicolons."
        )
    names = [name.strip() for name in header.split(mark)]
    scorelike = [re.fullmatch(r"[01]?\.\d+", name) for name in names[1:]]
    if sum(map(bool, scorelike)) >= len(scorelike) / 2:
        raise ValueError(
            f"The first line of {path} reads like scores, not like names "
            f"({some(names, 4)}): add a header line that names the topics, "
            "or the columns system, topic and score."
        )
    return as_table(path, text, sep=mark)


def _arrange(
    path: Path, table: pd.DataFrame, measure: str | None
) -> pd.DataFrame:
    """Name the columns of a long table, or make the first one the index of
    a wide one."""
    if table.empty:
        raise ValueError(f"{path} has a header but no rows.")
    written = {str(name).strip().lower(): name for name in table}
    named = {}
    for name, aliases in ALIASES.items():
        present = [alias for alias in aliases if alias in written]
        if present:
            named[written[present[0]]] = name
    lacking = {"system", "topic"} - {*named.values()}
    if not lacking:
        return _long(path, table.rename(columns=named), measure)
    if "score" in named.values():
        raise ValueError(
            f"{path} has a column of scores but none that names the "
            f"{' or the '.join(sorted(lacking))}; its columns are "
            f"{some(table.columns, 8)}."
        )
    first = table.columns[0]
    if pd.api.types.is_float_dtype(table[first]):
        raise ValueError(
            f"The first column of {path}, {first!r}, reads like scores: "
            "it must name the systems (or be called topic and name the "
            "topics)."
        )
    wide = table.set_index(first)
    wide = wide.apply(lambda column: _numeric(path, column))
    return wide.T if named.get(first) == "topic" else wide


def _long(
    path: Path, table: pd.DataFrame, measure: str | None
) -> pd.DataFrame:
    """A table of one measure, which rows or a column hold."""
    if "measure" in table:
        offered = table["measure"].unique().tolist()
        chosen = _choose(path, offered, measure)
        table = table[table["measure"] == chosen]
    if "score" not in table:
        may_be = table if measure else table.select_dtypes("number")
        offered = may_be.columns.drop([*ALIASES], errors="ignore").tolist()
        table = table.rename(
            columns={_choose(path, offered, measure): "score"}
        )
    return table.assign(score=_numeric(path, table["score"]))


def _choose(path: Path, offered: list[str], measure: str | None) -> str:
    """The measure that is wanted, or the only one."""
    if measure is None and len(offered) != 1:
        raise ValueError(
            f"{path} holds {len(offered)} measures "
            f"({some(offered) or 'none'}): say which with measure "
            "(--measure)."
        )
    wanted = offered[0] if measure is None else measure
    if wanted not in offered:
        raise ValueError(
            f"{path} has no measure {wanted!r}; it has {some(offered, 8)}."
        )
    return wanted


def _numeric(path: Path, column: pd.Series) -> pd.Series:
    """The column as numbers; what is none stays, to be named later."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    commas = column.astype(str).str.fullmatch(r"-?\d*,\d+")
    if commas.any():
        raise ValueError(
            f"{path} writes decimals with a comma: "
            f"{column[commas].iloc[0]}. Save it with decimal points."
        )
    numbers = pd.to_numeric(column, errors="coerce")
    return numbers.astype(object).fillna(column)
