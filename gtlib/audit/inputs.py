"""Score tables as people have them: CSV, TSV, Parquet, trec_eval output.

`read_scores` finds out what a file is, and refuses what it cannot make
sense of with a sentence that says which file, where in it, and what to do.
"""

import gzip
import io
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from gtlib.evaluate import read_runs
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
_SHOWN = (
    "expected a table (CSV, TSV, Parquet) or the output of trec_eval -q"
)


def read_scores(
    paths: str | Path | Sequence[str | Path], measure: str | None = None
) -> pd.DataFrame:
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
    files = _files(paths)
    tables = [_read(path, measure) for path in files]
    if len(tables) == 1:
        return tables[0]
    if any("system" not in table.columns for table in tables):
        raise ValueError(
            f"{len(files)} files were given, and {files[0].name} is a wide "
            "table. Several files are read as one only if each is the "
            "output of trec_eval -q or a long table."
        )
    owner: dict[str, Path] = {}
    for path, table in zip(files, tables, strict=True):
        for system in table["system"].unique():
            if system in owner:
                raise ValueError(
                    f"The system {system!r} is in {owner[system]} and in "
                    f"{path.name}. Give each its own name (trec_eval "
                    "takes it from the run tag)."
                )
            owner[system] = path.name
    return pd.concat(tables, ignore_index=True)


def gather(table=None, runs=None, qrels=None, measure=None):
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
    runs, qrels = _files(runs), _files(qrels)
    for path in qrels + runs:
        if path.stat().st_size == 0:
            raise ValueError(f"{path} is empty.")
    one_or_more = qrels if len(qrels) > 1 else qrels[0]
    scores = read_runs(runs, one_or_more, measure or "AP", report=None)
    return scores, scores.attrs["report"]


def _files(paths):
    paths = [paths] if isinstance(paths, str | Path) else list(paths)
    files = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(
                file
                for file in path.iterdir()
                if file.is_file() and not file.name.startswith(".")
            )
            if not inside:
                raise ValueError(
                    f"There are no files in the folder {path}."
                )
            files.extend(inside)
        elif path.exists():
            files.append(path)
        else:
            raise ValueError(f"There is no file {path}.")
    if not files:
        raise ValueError("No score file was given.")
    return files


def _read(path, measure):
    if path.suffix == ".parquet":
        try:
            table = pd.read_parquet(path)
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} is not a Parquet file.") from error
        return _arrange(path, table, measure)
    text = _text(path)
    first = text.lstrip().splitlines()[0].strip()
    if _TREC_EVAL.match(first) and "," not in first:
        return _trec_eval(path, text, measure)
    return _arrange(path, _delimited(path, text, first), measure)


def _text(path):
    data = path.read_bytes()
    try:
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        text = data.decode("utf-8-sig")
    except (UnicodeDecodeError, OSError, EOFError) as error:
        raise ValueError(f"{path} is not text: {_SHOWN}.") from error
    if "\0" in text:
        raise ValueError(f"{path} is not text: {_SHOWN}.")
    if not text.strip():
        raise ValueError(f"{path} is empty: {_SHOWN}.")
    return text


def _delimited(path, text, header):
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
    try:
        return pd.read_csv(io.StringIO(text), sep=mark)
    except pd.errors.ParserError as error:
        place = re.search(
            r"Expected (\d+) .* line (\d+), saw (\d+)", f"{error}"
        )
        why = "has rows of different lengths"
        if place:
            expected, line, saw = place.groups()
            why = f"line {line} has {saw} fields, the header {expected}"
        raise ValueError(f"{path}: {why}.") from error


def _arrange(path, table, measure):
    """Name the columns of a long table, or make the first one the index of
    a wide one."""
    if table.empty:
        raise ValueError(f"{path} has a header but no rows.")
    known = {}
    for name, aliases in ALIASES.items():
        found = [c for c in table if str(c).strip().lower() in aliases]
        exact = [c for c in found if c == name]
        if found:
            known[(exact or found)[0]] = name
    roles = set(known.values())
    if {"system", "topic"} <= roles:
        return _long(path, table.rename(columns=known), measure)
    if "score" in roles:
        lacking = sorted({"system", "topic"} - roles)
        raise ValueError(
            f"{path} has a column of scores but none that names the "
            f"{' or the '.join(lacking)}; its columns are "
            f"{some(table.columns, 8)}. Name it {' or '.join(lacking)}."
        )
    rows = str(table.columns[0]).strip().lower()
    first = table.columns[0]
    if pd.api.types.is_float_dtype(table[first]):
        raise ValueError(
            f"The first column of {path}, {first!r}, reads like scores: "
            "it must name the systems (or be called topic and name the "
            "topics)."
        )
    wide = table.set_index(first)
    wide = wide.apply(lambda column: _numeric(path, column))
    return wide.T if rows in ALIASES["topic"] else wide


def _long(path, table, measure):
    if "measure" in table:
        offered = list(pd.unique(table["measure"]))
        if measure is None and len(offered) > 1:
            raise ValueError(
                f"{path} holds {len(offered)} measures ({some(offered)}): "
                "say which with measure (--measure)."
            )
        wanted = offered[0] if measure is None else measure
        table = table[table["measure"] == wanted].drop(columns="measure")
        if table.empty:
            raise ValueError(
                f"{path} has no measure {measure!r}; it has "
                f"{some(offered)}."
            )
    if "score" not in table:
        numbers = [
            c
            for c in table.select_dtypes("number").columns
            if c not in ("system", "topic", "assessor")
        ]
        if measure is None and len(numbers) != 1:
            raise ValueError(
                f"{path} has no column score, and "
                f"{some(numbers) or 'no other column'} could be it: say "
                "which with measure (--measure)."
            )
        chosen = numbers[0] if measure is None else measure
        if chosen not in table:
            raise ValueError(
                f"{path} has no column {chosen!r}; its columns are "
                f"{some(table.columns, 8)}."
            )
        others = [c for c in numbers if c != chosen]
        table = table.rename(columns={chosen: "score"}).drop(columns=others)
    return table.assign(score=_numeric(path, table["score"]))


def _trec_eval(path, text, measure):
    rows = [line.split() for line in text.splitlines() if line.strip()]
    bad = next((i for i, row in enumerate(rows) if len(row) != 3), None)
    if bad is not None:
        raise ValueError(
            f"{path}, line {bad + 1}: expected measure, topic and value of "
            f"trec_eval -q; got {' '.join(rows[bad])!r}."
        )
    names = [value for name, _, value in rows if name == "runid"]
    wanted = _trec_eval_name(measure or "AP")
    found = [row for row in rows if row[0] == wanted and row[1] != "all"]
    if not found:
        by_topic = {n for n, topic, _ in rows if topic != "all"}
        if not by_topic:
            raise ValueError(
                f"{path} has averages only: run trec_eval with -q to get "
                "a value for each topic."
            )
        raise ValueError(
            f"{path} has no measure {wanted!r}; it has "
            f"{some(sorted(by_topic), 8)}."
        )
    system = names[0] if names else path.name.split(".")[0]
    return pd.DataFrame(
        {
            "system": system,
            "topic": [topic for _, topic, _ in found],
            "score": [_number(path, topic, v) for _, topic, v in found],
        }
    )


def _trec_eval_name(measure):
    """trec_eval's name of a measure that ir_measures names."""
    plain = {"AP": "map", "RR": "recip_rank"}
    cut = re.fullmatch(r"(P|nDCG|R|Success)@(\d+)", measure)
    if cut:
        short = {
            "P": "P",
            "nDCG": "ndcg_cut",
            "R": "recall",
            "Success": "success",
        }
        return f"{short[cut[1]]}_{cut[2]}"
    return plain.get(measure, measure)


def _number(path, topic, value):
    try:
        return float(value)
    except ValueError:
        raise ValueError(
            f"{path}: the value of topic {topic} is no number: {value!r}."
        ) from None


def _numeric(path, column):
    """The column as numbers; what is none stays, to be named later."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    commas = column.astype(str).str.fullmatch(r"-?\d*,\d+")
    if commas.any():
        raise ValueError(
            f"{path} writes decimals with a comma: "
            f"{column[commas].iloc[0]}. Save it with decimal points."
        )
    numbers = pd.to_numeric(column, errors="coerce").astype(object)
    return numbers.where(numbers.notna(), column.astype(object))
