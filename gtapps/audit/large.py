"""Reading tables that are larger than memory, by an engine."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

import pandas as pd

from gtapps.audit.collection import Collection, prepare
from gtapps.audit.inputs import (
    default_design,
    facet_roles,
    refuse_blank_names,
    refuse_no_topics,
)
from gtapps.extras import require_packages
from gtapps.roles import OWN_RUNS, Reading, column_roles, plain
from gtlib.tables import Design, list_some

# The facets that are crossed where no design is given.
FACETS = "system", "topic", "assessor"

# The most means of a system on a topic that a report is made of.
MOST = 2_000_000


def read_large(
    table: Sequence[str | Path],
    memory_limit: str,
    measure: str | None = None,
    design: str | None = None,
    allow: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> tuple[Collection, list[str], Reading]:
    """Read a large table: systems' means on topics, a study of all scores,
    and notes on what the report stands on.

    Parameters
    ----------
    table : list of one path
        A long table, Parquet or CSV.
    memory_limit : str
        As `gtapps.large.Table` takes it.
    measure : str, optional
        The column of the scores.
    design : str, optional
        In the names of the columns; else systems, topics and, if there are
        several, assessors are crossed, and seeds nested in systems.
    allow : sequence of str
        As `prepare` takes it; of the means, as `prepare` looks at them.
    columns : mapping of column to role, optional
        What `column_roles` would not guess.

    Returns
    -------
    collection : Collection
        Its study is of all scores. With gaps, it is of the means.
    notes : list of str
        What was computed from all rows, and what the report is of.
    reading : Reading
        What was made of the columns.

    Raises
    ------
    ValueError
        If there are several tables, or columns that say not what they
        are; and whatever `gtlib.gstudy` refuses.
    """
    require_packages(
        "--memory-limit",
        "gtapps.large.table",
        "ibis.backends.duckdb",
        extra="big",
    )
    from gtapps.large import Table  # which an audit has not to have

    if len(table) != 1:
        raise ValueError(
            "--memory-limit is for one table of scores; name several files "
            "of one table as 'folder/*.parquet'."
        )
    rows = Table(table[0], memory_limit=memory_limit)
    role_of, role_design = facet_roles(design)
    column_of = _find_columns(
        table[0], rows.names(), measure, {**role_of, **(columns or {})}
    )
    names = {column: role for role, column in column_of.items()}
    rows = replace(rows, score=column_of.pop("score"))
    role_of = {c: role for role, c in column_of.items()}
    if not role_design:
        varying = _varying_facets(
            replace(rows, columns=role_of), [*column_of]
        )
        own = plain(column_of.get("repetition", "")) in OWN_RUNS
        own = own or ("repetition" in varying and _are_zero_or_one(rows))
        role_design = default_design(varying, own)
        if role_design is None:
            role_design = " x ".join(f for f in FACETS if f in varying)
    design_of_roles = Design(role_design)
    refuse_no_topics(design_of_roles)
    restarts = {
        facet: sorted(nest & {"system", "topic"})
        for facet, nest in design_of_roles.nesting.items()
        if facet in ("seed", "repetition") and nest
    }
    rows = replace(rows, columns=role_of, restarts_in=restarts)
    g = rows.gstudy(design_of_roles, allow=allow)
    means = rows.means(design_of_roles, most=MOST)
    for what, axis in zip(FACETS, means.table.axes, strict=False):
        refuse_blank_names(Path(table[0]), pd.Series(axis), what)
    percent = g.table["percent"]
    parts = [f"{percent[effect]:.1f}% {effect}" for effect in percent.index]
    collection = prepare(means.table, allow=allow)
    computed = "the shares"
    subject = "The report is"
    if g.shares is not None:
        n = int(g.shares.observations.sum())
    else:
        n = prod(g.levels.values())
        collection = replace(collection, design=design_of_roles, study=g)
        computed = (
            "the coefficients, their intervals, the plans and the shares"
        )
        subject = (
            "The leaderboard and what is said of topics and of pairs are"
        )
    notes = [
        f"From all {n:,} scores, by sums of groups ({g.method}), "
        f"come {computed} of the variance of a single score: "
        f"{', '.join(parts)}.",
        f"{subject} of means over all else, of which the error is that of "
        f"topics alone. {means}",
    ]
    left_out = [name for name in rows.names() if name not in names]
    facets = dict.fromkeys([*FACETS, *design_of_roles.facets])
    kept = [f for f in facets if f in g.levels and f in names.values()]
    order = [*kept, "score"]
    used = {c: r for r in order for c, n in names.items() if n == r}
    left_out += [c for c in names if c not in used]
    shape = tuple(g.levels[facet] for facet in kept)
    return collection, notes, Reading(used, tuple(left_out), shape)


def _varying_facets(rows, facets):
    """List the facets to study: systems, topics, and those with several
    levels."""
    with rows.open(tuple(facets)) as table:
        labels = {f: table[f"f{i}"] for i, f in enumerate(facets)}
        differ = {
            f: (c.min() != c.max()) | (c.count() < table.count())
            for f, c in labels.items()
        }
        varies = table.agg(**differ).to_pandas().iloc[0]
    return [f for f in facets if varies[f] or f in ("system", "topic")]


def _are_zero_or_one(rows):
    """Return whether all scores are 0 or 1."""
    with rows.open(()) as table:
        others = table.filter(~table["score"].isin([0, 1]))
        return others.count().to_pandas() == 0


def _find_columns(path, names, measure, roles):
    """Find the column of the scores and those of an audit's facets."""
    if measure is not None and measure not in names:
        raise ValueError(
            f"The table has no column {measure}; its columns are "
            f"{list_some(names, 8)}. With --memory-limit a measure is a "
            "column."
        )
    if measure is None and "measure" in (n.strip().lower() for n in names):
        raise ValueError(
            "The table has a column of measures. With --memory-limit leave "
            "the rows of one measure, and no such column."
        )
    named = column_roles(path, names, measure, roles).items()
    column_of = {role: column for column, role in named}
    if measure:
        column_of["score"] = measure
    needed = {"score", *(roles.values() or ("system", "topic"))}
    lacking = needed - {*column_of}
    if lacking:
        raise ValueError(
            f"No column names the {' or the '.join(sorted(lacking))}; the "
            f"columns are {list_some(names, 8)}. With --memory-limit a "
            "table has a row for each score; --design names its columns."
        )
    return column_of
