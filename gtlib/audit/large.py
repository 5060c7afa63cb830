"""Tables that are larger than memory, brought to what an audit can hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from gtlib.audit.inputs import ALIASES, roles_in
from gtlib.design import Design
from gtlib.engine import Rows
from gtlib.study import gstudy
from gtlib.wording import some

MOST = 2_000_000
"""Means of a system on a topic that a report is made of."""


def read_large(
    table: Sequence[str | Path],
    memory_limit: str,
    measure: str | None = None,
    design: str | None = None,
) -> tuple[pd.DataFrame, list[str]]:
    """Systems' means on topics, and what they stand on.

    Parameters
    ----------
    table : list of one path
        A long table, Parquet or CSV.
    memory_limit : str
        As `gtlib.gstudy` takes it.
    measure : str, optional
        The column of the scores.
    design : str, optional
        In the names of the columns; else systems, topics and, if there is
        such a column, assessors are crossed.

    Returns
    -------
    means : DataFrame, systems x topics
    notes : list of str
        What was computed from all rows, and what the report is of.

    Raises
    ------
    ValueError
        If there are several tables, or columns that say not what they
        are; and whatever `gtlib.gstudy` refuses.
    """
    if len(table) != 1:
        raise ValueError(
            "--memory-limit is for one table of scores; name several files "
            "of one table as 'folder/*.parquet'."
        )
    columns, score = _columns(
        Rows(table[0], memory_limit=memory_limit).names(), measure
    )
    roles, mapped = roles_in(design)
    if mapped:
        columns = roles
    else:
        facets = "system", "topic", "assessor"
        columns = {c: name for c, name in columns.items() if name in facets}
        mapped = " x ".join(f for f in facets if f in columns.values())
    g = gstudy(
        table[0],
        Design(mapped),
        columns=columns,
        score=score,
        memory_limit=memory_limit,
    )
    means = g.means(most=MOST)
    percent = g.table["percent"]
    parts = [f"{effect} {percent[effect]:.1f}%" for effect in percent.index]
    assert g.rows is not None
    notes = [
        f"From all {g.rows.n:,} scores, by sums of groups ({g.method}): "
        "the shares of the variance of a single score are "
        f"{', '.join(parts)}.",
        f"The report is of means over all else. {means}",
    ]
    return means.table, notes


def _columns(names, measure):
    """What the columns are to an audit, and that of the scores."""
    found: dict[str, str] = {}
    for role, aliases in ALIASES.items():
        present = [n for n in names if n.strip().lower() in aliases]
        if role == "score" and measure in names:
            present = [measure]
        if len(present) > 1:
            raise ValueError(
                f"Several columns may name the {role}: {some(present)}."
            )
        found |= dict.fromkeys(present, role)
    lacking = {"system", "topic", "score"} - {*found.values()}
    if lacking:
        raise ValueError(
            f"No column names the {' or the '.join(sorted(lacking))}; the "
            f"columns are {some(names, 8)}. With --memory-limit a table "
            "has a row for each score."
        )
    score = next(c for c, role in found.items() if role == "score")
    return found, score
