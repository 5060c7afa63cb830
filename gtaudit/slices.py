"""Slices of the topics, by a column of the table: who is the best in each,
all answers held together by Holm's method.

The first of a slice is set beside all others of its topics. It is told
apart if it is told apart from the one that is nearest: of many systems the
first may be tested against the second as if nobody had chosen the two
(Gutmann and Maymin 1987).
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import stdtr

from gtaudit.audit_data import AuditData
from gtaudit.board import audit_leaderboard, compare_systems
from gtaudit.collection import Collection, prepare
from gtaudit.display import minus
from gtaudit.doubts import CODES
from gtaudit.nouns import count_noun
from gtaudit.readers import list_inputs, read_tables
from gtaudit.verdict import ENOUGH, NOT_ENOUGH, UNKNOWN
from gtlib.checks import did_you_mean, list_some, similar
from gtlib.comparisons import holm
from gtlib.runs import Paths
from gtlib.scores import is_long

_LEVEL = 0.05


def read_slices(
    paths: Paths | None, column: str, audited: AuditData
) -> pd.Series:
    """Return the slice of each topic, by the names of topics.

    Raises
    ------
    ValueError
        If there is no such column, or it is no slice of topics.
    """
    if paths is None:
        raise ValueError(
            f"--by {column}: runs have no columns. Give a table of scores "
            "that has one."
        )
    table, _ = read_tables(list_inputs(paths))
    if column not in table:
        meant = did_you_mean(similar(column, map(str, table)))
        raise ValueError(
            f"--by: there is no column {list_some([column])}; there is "
            f"{list_some(table, 5)}.{meant}"
        )
    collection = audited.collection
    n = collection.nouns
    if collection.study.cells is None:
        raise ValueError(
            f"--by {column}: a table that an engine sums has no slices. "
            "Give a file of each."
        )
    if column in collection.design.facets and column != n.topic:
        raise ValueError(
            f"--by {column}: the design has it as a facet, of which each "
            "part would hold one level. Say --by or --design alone."
        )
    roles = dict(getattr(audited.reading, "roles", {}))
    named = [name for name, role in roles.items() if role == "topic"]
    if n.topic in table:
        named = [n.topic]
    if len(named) != 1 or named[0] not in table:
        raise ValueError(
            f"--by {column}: no one column says which {n.topic} a row is "
            "of. Give a long table, or one whose rows are topics."
        )
    pairs = pd.DataFrame({"topic": table[named[0]], "by": table[column]})
    pairs = pairs.dropna().astype(str).drop_duplicates()
    slices = pairs.set_index("topic")["by"]
    twice = slices.index[slices.index.duplicated()]
    if len(twice):
        several = slices[[twice[0]]]
        raise ValueError(
            f"--by {column}: {n.topic} {twice[0]} has several, "
            f"{list_some(several, 3)}: it is no part of the {n.topics}."
        )
    topics = collection.cells.columns
    slices = slices.reindex(topics.astype(str)).set_axis(topics)
    number = slices.nunique()
    if number < 2 or number == len(topics):
        held = "one value for all" if number < 2 else "another for each"
        raise ValueError(
            f"--by {column}: it has {held} of the {n.topics}: these are no "
            "parts."
        )
    return slices.rename(column)


def study_slices(
    collection: Collection,
    slices: pd.Series,
    baseline: str | None = None,
    margin: float | None = None,
) -> pd.DataFrame:
    """Compare the systems within each slice of the topics.

    Returns
    -------
    DataFrame, a row per slice, the largest first
        ``topics``; ``a``, the first there, or the best beside the baseline;
        ``b``, the one that is nearest, or the baseline; ``difference`` with
        ``low`` and ``high``, which hold for all slices at once
        (Bonferroni's method); ``p`` of this slice alone, and ``p_adjusted``
        by Holm's method; its ``answer``; ``more`` topics that are expected
        to settle it beside the others; and ``why`` there is no answer.
    """
    rows = {}
    sizes = slices.value_counts()
    for name, number in sizes.items():
        topics = slices.index[slices == name]
        beside = baseline, margin, 1 - _LEVEL / len(sizes)
        found = _one_slice(collection, topics, *beside)
        rows[name] = {"topics": number, **found}
    columns = ["topics", "a", "b", "difference", "low", "high", "p"]
    columns += ["p_worse", "more", "why"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    known = table["p"].notna()
    table["p_adjusted"] = np.nan
    p = table.loc[known, "p"].to_numpy(float)
    table.loc[known, "p_adjusted"] = holm(p).astype(float)
    table["answer"] = np.where(known, NOT_ENOUGH, UNKNOWN)
    if margin:
        worse = np.ones(len(table))
        worse[known] = holm(table.loc[known, "p_worse"].to_numpy())
        table.loc[worse >= _LEVEL, "answer"] = UNKNOWN
    table.loc[table["p_adjusted"] < _LEVEL, "answer"] = ENOUGH
    return table.drop(columns="p_worse").rename_axis(slices.name)


def _one_slice(collection, topics, baseline, margin, level):
    """Return the row of one slice, as far as it has an answer."""
    n = collection.nouns
    scores = collection.scores
    if is_long(scores):
        part = scores[scores[n.topic].isin(topics)]
    else:
        part = scores[topics]
    if len(topics) < 2:
        return {"why": f"{n.a_topic} shows nothing of others"}
    try:
        found = prepare(part, collection.design, CODES, n)
    except ValueError as error:
        return {"why": str(error).partition(".")[0]}
    found = replace(found, fixed=collection.fixed)
    board = audit_leaderboard(found)
    if baseline not in (None, *board.table.index):
        return {"why": f"it has no score of {baseline}"}
    # Beside a baseline the best of several others was picked.
    several = 1 if baseline is None else len(board.table) - 1
    level = 1 - (1 - level) / several
    pairs = compare_systems(found, board, baseline, margin, level)
    row = pairs.iloc[0]
    if baseline is None:
        row = pairs.loc[pairs["p_value"].fillna(1).idxmax()]
    told = {name: row[name] for name in ("a", "b", "difference")}
    if not np.isfinite(row["standard_error"]) or np.isnan(row["p_value"]):
        return {**told, "why": "its scores do not show their error"}
    told |= {name: row[name] for name in ("low", "high", "more")}
    told["p"] = min(several * row["p_value"], 1.0)
    if margin:
        away = row["difference"] + margin
        spread = max(row["standard_error"], np.finfo(float).tiny)
        p = stdtr(row["df"], -away / spread)
        told["p"] = min(several * p, 1.0)
        told |= {"p_worse": 1 - p, "more": row["more_at_least"]}
    return told


def describe_slices(
    table: pd.DataFrame, collection: Collection
) -> list[tuple[str, str]]:
    """Return an answer and a sentence on each slice."""
    n = collection.nouns
    lines = []
    for name, row in table.iterrows():
        said = f"{name} ({row['topics']}): "
        if isinstance(row["why"], str):
            said += f"too small to tell: {row['why']}."
            lines.append((row["answer"], said))
            continue
        ends = map("{:z.3f}".format, row[["difference", "low", "high"]])
        before, by = "before", "by"
        if row["difference"] < 0:  # the baseline is the best
            before, by = "less", "is"
        said += f"{row['a']} {before} {row['b']} {by} "
        said += "{} [{}, {}]".format(*ends)
        if row["answer"] != ENOUGH and row["more"] > 0:
            more = int(row["more"])
            number = more if more == 1 else f"{more:,}"
            further = count_noun(number, f"more {n.topic}")
            said += f"; {further} would tell"
        elif row["answer"] != ENOUGH:
            said += f"; too few {n.topics} to say how many would tell"
        lines.append((row["answer"], minus(f"{said}.")))
    return lines
