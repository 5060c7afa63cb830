"""What trec_eval, ir_measures and autojudge-evaluate print.

A line has a value in the forms of trec_eval (``measure topic value``), of
ir_measures (``topic measure value``), with the run before either, or as a
ranking (``topic Q0 run rank value measure``). What is said of the topic
``all`` is an average, and left out. A file has the name of its system,
where no line has.

https://github.com/usnistgov/trec_eval, https://ir-measur.es
"""

import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import pandas as pd

from gtaudit.words import is_named_measure
from gtlib.runs import parse_measure, read_fields

AVERAGE = "all"
# The most names that are tried as those of measures.
MEASURED = 40

# What trec_eval calls a measure of ir_measures, if it says it otherwise,
# and with a cutoff behind it. A test compares both with ir_measures' own.
_TREC_EVAL_NAMES = {
    "AP": "map",
    "Bpref": "bpref",
    "NumQ": "num_q",
    "NumRel": "num_rel",
    "NumRet": "num_ret",
    "RR": "recip_rank",
    "SetAP": "set_map",
    "SetF": "set_F",
    "SetP": "set_P",
    "SetR": "set_recall",
    "nDCG": "ndcg",
}
_TREC_EVAL_CUTS = {
    "AP": "map_cut",
    "IPrec": "iprec_at_recall",
    "P": "P",
    "R": "recall",
    "Success": "success",
    "nDCG": "ndcg_cut",
}
# What a line of trec_eval begins with, whatever its version: also what
# ir_measures lacks.
_NAMES = "|".join(_TREC_EVAL_NAMES.values())
_CUTS = "|".join(_TREC_EVAL_CUTS.values())
TREC_EVAL = re.compile(
    rf"({_NAMES}|({_CUTS})_[\d.]+|(num|gm|set|ndcg|11pt)_\w+|iprec[\w.]*"
    r"|Rprec[\w.]*|infAP|runid|relstring\S*|relative_P\w*|utility|(bin)?G"
    r"|Rndcg)\s+\S+\s+\S+$"
)

_FORMS = {
    ("topic", 3): ["topic", "measure", "score"],
    ("measure", 3): ["measure", "topic", "score"],
    ("topic", 4): ["system", "topic", "measure", "score"],
    ("measure", 4): ["system", "measure", "topic", "score"],
}
_RANKING = ["topic", "Q0", "system", "rank", "score", "measure"]


def read(path: Path, text: str) -> pd.DataFrame | None:
    """Read a long table with a column ``measure``; None of other forms.

    Raises
    ------
    ValueError
        If lines differ in form, nothing but averages is there, or it is
        a run.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "bm25.tsv"
    >>> text = "q1\\tP@5\\t0.4\\nq2\\tP@5\\t0.6\\nall\\tP@5\\t0.5\\n"
    >>> _ = path.write_text(text)
    >>> read(path, text).values.tolist()
    [['q1', 'P@5', '0.4', 'bm25'], ['q2', 'P@5', '0.6', 'bm25']]
    """
    first = text.lstrip().split("\n", 1)[0].strip()
    if len(first.split()) not in (3, 4, len(_RANKING)):
        return None
    names = _field_names([*filter(None, map(str.split, text.split("\n")))])
    if names is None:
        return None
    table = read_fields(path, names)
    if names == _RANKING:
        _refuse_run(path, table)
        table = table.drop(columns=["Q0", "rank"])
    # trec_eval prints it before the topics of a run, or after them
    tags = table["score"].where(table["measure"] == "runid")
    tags = tags if pd.notna(tags.iloc[0]) else tags.bfill()
    if "system" not in table:
        system = tags.ffill().fillna(path.name.split(".")[0])
        table = table.assign(system=system)
    table.attrs["trec_eval"] = TREC_EVAL.match(first) is not None
    return drop_averages(path, table)


def drop_averages(path: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Leave out the averages over topics, which tools call ``all``."""
    for column in {"topic", "topic_id", "query_id"} & {*table}:
        table = table[table[column] != AVERAGE]
    if table.empty:
        raise ValueError(
            f"{path} has averages only: a value for each topic is needed "
            "(trec_eval and ir_measures print them with -q)."
        )
    return table.reset_index(drop=True)


def trec_eval_name(measure: str | None) -> str:
    """Return what trec_eval calls a measure of ir_measures."""
    name, at, cut = (measure or "AP").partition("@")
    if not at:
        return _TREC_EVAL_NAMES.get(name, name)
    with suppress(ValueError):  # recall 0.1 is printed as 0.10
        cut = f"{float(cut):.2f}" if name == "IPrec" else cut
    return f"{_TREC_EVAL_CUTS.get(name, name)}_{cut}"


def _has_numbers(fields):
    """Return whether some of these fields are numbers."""
    values = pd.to_numeric(pd.Series([*fields]), errors="coerce")
    return values.notna().any()


def _field_names(rows):
    """Return the names of the fields, or None if no such tool printed
    them."""
    if TREC_EVAL.match(" ".join(rows[0])):
        return _FORMS["measure", 3]
    width = len(rows[0])
    rows = [row for row in rows if len(row) == width]
    if width == len(_RANKING) and _has_numbers([rows[0][4]]):
        return _RANKING if rows[0][1] == "Q0" else None
    if width not in (3, 4) or not _has_numbers([rows[0][-1]]):
        return None
    columns = [{row[i] for row in rows} for i in (width - 3, width - 2)]
    averages = [AVERAGE in column for column in columns]
    if averages[0] != averages[1]:
        topics = averages.index(True)
    elif are_measures(columns[0]) != are_measures(columns[1]):
        topics = int(are_measures(columns[0]))
    elif width == 4 and len(columns[0]) != len(columns[1]):
        topics = int(len(columns[0]) < len(columns[1]))
    else:
        return None
    if _has_numbers(columns[1 - topics]):
        return None
    return _FORMS["measure" if topics else "topic", width]


def are_measures(names: Collection[str]) -> bool:
    """Return whether these are names of measures, as far as is known."""
    try:
        for name in sorted(names)[:MEASURED]:
            parse_measure(name)
    except ValueError:
        return False
    return True


def is_measure(name: object) -> bool:
    """Return whether this is the name of a measure, perhaps with a
    cutoff."""
    return is_named_measure(name) or are_measures([str(name)])


def _refuse_run(path, table):
    """Refuse a run, which has the same six fields as a ranking of systems:
    its documents stand in place of systems, and few are on two topics."""
    topics = table.groupby("system")["topic"].nunique()
    ranked = (table["rank"] != "0").any() or topics.median() < 2
    if ranked and AVERAGE not in table["topic"].to_numpy():
        raise ValueError(
            f"{path} reads like a run and not like a table of scores: give "
            "it with --runs, and judgments with --qrels. In a table the "
            "fourth field is 0."
        )
