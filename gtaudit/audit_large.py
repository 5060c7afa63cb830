"""Reading tables that are larger than memory, by an engine."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

import pandas as pd

from gtaudit.arrange import OWN_RUNS, refuse_blank_names
from gtaudit.collection import Collection, prepare
from gtaudit.columns import Reading, roles_by_name
from gtaudit.designs import default_design, refuse_no_topics
from gtaudit.direction import doubt_direction
from gtaudit.doubts import (
    refuse,
)
from gtaudit.extras import require_packages
from gtaudit.nouns import Nouns
from gtaudit.paths import spread
from gtaudit.words import is_less_better, plain
from gtlib.checks import list_some
from gtlib.design import Design
from gtlib.runs import Paths

# The facets that are crossed where no design is given.
CROSSED_FACETS = "system", "topic", "assessor"

# The most means of a system on a topic that a report is made of.
MOST = 2_000_000


# What is more bytes than these an engine sums.
LARGE = 2**28


def is_large(table: Paths | None) -> bool:
    """Tell whether a table is for an engine: one of files with a row to a
    score, of more than `LARGE` bytes together."""
    given = [table] if isinstance(table, str | Path) else table or []
    files = [Path(file) for file in spread([*map(str, given)])]
    rows = all(file.suffix in (".csv", ".parquet") for file in files)
    sizes = [f.stat().st_size for f in files if rows and f.is_file()]
    return sum(sizes) > LARGE


def read_large(
    table: Sequence[str | Path],
    measure: str | None = None,
    design: str | None = None,
    roles: Mapping[str, str] | None = None,
    allow: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> tuple[Collection, list[str], Reading]:
    """Read a large table: systems' means on topics, a study of all scores,
    and notes on what the report stands on.

    Parameters
    ----------
    table : list of one path
        A long table, Parquet or CSV.
    measure : str, optional
        The column of the scores.
    design : str, optional
        In the names of the columns; else systems, topics and, if there are
        several, assessors are crossed, and seeds nested in systems.
    roles : mapping of facet to name, optional
        Of a design, as `facet_roles` finds them.
    allow : sequence of str
        As `prepare` takes it; of the means, as `prepare` looks at them.
    columns : mapping of column to role, optional
        What `roles_by_name` would not find.

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
        f"A table of more than {LARGE >> 20} MiB",
        "gtaudit.large.table",
        "ibis.backends.duckdb",
        extra="big",
    )
    from gtaudit.large import Table  # which an audit has not to have

    if len(table) != 1:
        raise ValueError(
            "An engine sums so large a table, and reads one: name its "
            "files as 'folder/*.parquet', in quotation marks."
        )
    rows = Table(table[0])
    roles = roles or {}
    nouns = Nouns.from_roles(roles)
    facet_of = {role: facet for facet, role in roles.items()}
    column_of = _find_columns(
        table[0], rows.names(), measure, {**roles, **(columns or {})}
    )
    names = {column: role for role, column in column_of.items()}
    score = column_of.pop("score")
    doubts = []
    if is_less_better(score):
        instead = "write them with the other sign, under another name"
        doubts = refuse([doubt_direction(score, instead)], allow)
    rows = replace(rows, score=score)
    facets = {c: facet_of.get(r, r) for r, c in column_of.items()}
    rows = replace(rows, columns=facets)
    if not design:
        varying = _varying_facets(rows, [*column_of])
        own = plain(column_of.get("repetition", "")) in OWN_RUNS
        own = own or ("repetition" in varying and _are_zero_or_one(rows))
        design = default_design(varying, own)
        if design is None:
            design = " x ".join(f for f in CROSSED_FACETS if f in varying)
    studied = Design(design)
    refuse_no_topics(studied, nouns.topic)
    restarts = {
        facet: sorted(nest & {nouns.system, nouns.topic})
        for facet, nest in studied.nesting.items()
        if facet in (nouns.seed, nouns.repetition) and nest
    }
    rows = replace(rows, restarts_in=restarts)
    g = rows.gstudy(studied, allow=allow)
    means = rows.means(studied, most=MOST, topic=nouns.topic)
    for axis in means.table.axes:
        levels = pd.Series(axis)
        refuse_blank_names(Path(table[0]), levels, str(axis.name))
    percent = g.table["percent"]
    parts = [f"{percent[effect]:.1f}% {effect}" for effect in percent.index]
    collection = prepare(means.table, allow=allow, nouns=nouns)
    doubts += collection.doubts
    collection = replace(collection, doubts=tuple(doubts))
    computed = "the shares"
    subject = "The report is"
    if g.shares is not None:
        n = int(g.shares.observations.sum())
    else:
        n = prod(g.levels.values())
        collection = replace(collection, design=studied, study=g)
        computed = (
            "the coefficients, their intervals, the plans and the shares"
        )
        subject = (
            f"The leaderboard and what is said of {nouns.topics} and of "
            "pairs are"
        )
    notes = [
        f"From all {n:,} scores, by sums of groups ({g.method}), "
        f"come {computed} of the variance of a single score: "
        f"{', '.join(parts)}.",
        f"{subject} of means over all else, of which the error is that of "
        f"{nouns.topics} alone. {means}",
    ]
    left_out = [name for name in rows.names() if name not in names]
    studied_roles = [roles.get(facet, facet) for facet in studied.facets]
    ordered = dict.fromkeys([*CROSSED_FACETS, *studied_roles])
    kept = [r for r in ordered if r in studied_roles and r in column_of]
    order = [*kept, "score"]
    used = {c: r for r in order for c, n in names.items() if n == r}
    left_out += [c for c in names if c not in used]
    shape = tuple(g.levels[facet_of.get(r, r)] for r in kept)
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
            f"{list_some(names, 8)}. Of so large a table a measure is a "
            "column."
        )
    if measure is None and "measure" in (n.strip().lower() for n in names):
        raise ValueError(
            "The table has a column of measures. Of so large a table leave "
            "the rows of one measure, and no such column."
        )
    named = roles_by_name(path, names, said=roles).items()
    column_of = {role: column for column, role in named}
    if measure:
        column_of["score"] = measure
    needed = {"score", *(roles.values() or ("system", "topic"))}
    lacking = needed - {*column_of}
    if lacking:
        raise ValueError(
            f"No column names the {' or the '.join(sorted(lacking))}; the "
            f"columns are {list_some(names, 8)}. So large a "
            "table has a row for each score; --design names its columns."
        )
    return column_of
