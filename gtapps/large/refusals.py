"""What a study refuses of a table in an engine, and which rows it names."""

from __future__ import annotations

from itertools import combinations, permutations
from math import isfinite, prod

from gtapps.large.groups import Groups
from gtlib.estimates.henderson import disconnected, refuse_confounded
from gtlib.tables.cells import hidden_nest, single_nests, stray_level
from gtlib.tables.scores import (
    bad_score,
    cell_twice,
    require_enough,
    require_range,
)

_SHOWN = 3  # offending rows
_LOOKED_AT = 1000  # of them, for what tells them apart


def refuse_rows(groups: Groups) -> None:
    """Refuse rows that cannot be those of the design, with some of them.

    Raises
    ------
    ValueError
        If a name or a score is missing, a cell is there twice, a nested
        level is in two nests, or there is no variance to divide.
    """
    design = groups.design
    _refuse_bad_rows(groups)
    for facet in design.facets:
        require_enough(groups.labels(facet), facet)
    _refuse_duplicates(groups)
    for facet in design.facets:
        if design.nesting[facet]:
            _refuse_strays(groups, facet)
    for facet, number in groups.levels.items():
        if number == 1:
            outer = [f for f in design.facets if f in design.nesting[facet]]
            raise single_nests(facet, outer)
    require_range(*groups.range)


def refuse_effects(groups: Groups) -> None:
    """Refuse effects that these rows cannot tell apart.

    Raises
    ------
    ValueError
        If crossed facets are nested or fall apart in unconnected parts,
        or effects are confounded.
    """
    design = groups.design
    if not groups.balanced:
        _refuse_hidden_nests(groups)
    sizes = {e.facets: groups.size(e.facets) for e in design.effects}
    refuse_confounded(design, sizes)
    if not groups.balanced:
        for one, other in combinations(design.facets, 2):
            if one not in design.nesting[other]:
                _refuse_disconnected(groups, one, other)


def _refuse_bad_rows(groups):
    """Refuse rows without a name, and scores that are no number."""
    if groups.n == 0:
        raise ValueError("The table has no rows.")
    for facet, c in groups.column.items():
        lost = groups.n - int(groups.seen[f"count_{c}"])
        if lost:
            bad = groups.table.filter(
                groups.known(groups.table[c]).isnull()
            )
            rows = bad.limit(_SHOWN).to_pandas().to_dict("records")
            here = "; ".join(
                _cell(groups, r, but=facet) or "one row" for r in rows
            )
            raise ValueError(
                f"{lost} of {groups.n} rows have no {facet} ({here}): "
                "every observation needs one."
            )
    # The range that a file says it has may leave out NaN.
    seen = [groups.whole["q"], *groups.range]
    if groups.n == groups.seen["scores"] and all(map(isfinite, seen)):
        return
    score = groups.table["score"]
    bad = groups.table.filter(score.isnull() | (score - score != 0))
    found = groups.value(bad.count())
    if not found:
        return
    rows = bad.limit(_SHOWN).to_pandas().to_dict("records")
    cell = "; ".join(_cell(groups, row) for row in rows)
    more = f" and {found - _SHOWN} more" if found > _SHOWN else ""
    hint = " If it was not observed, leave the row out."
    raise bad_score(cell + more, hint, *(row["given"] for row in rows))


def _cell(groups, row, but=None):
    named = groups.column.items()
    return ", ".join(f"{f} {row[c]}" for f, c in named if f != but)


def _refuse_duplicates(groups):
    """Refuse two rows of one cell, with some of them."""
    twice = groups.n - int(groups.whole["cells"])
    if not twice:
        return
    rows = groups.table.group_by([*groups.column.values()])
    rows = rows.agg(times=lambda t: t.count())
    rows = groups.keep(rows.filter(rows["times"] > 1).limit(_SHOWN))
    found = rows.to_pandas().to_dict("records")
    cells = "; ".join(_cell(groups, row) for row in found)
    names = [*groups.column.values()]
    same = groups.table.semi_join(rows, names).limit(_LOOKED_AT).to_pandas()
    same = same.astype(str).groupby(names).nunique(dropna=False).max()
    others = [c for c in groups.table.columns if c.startswith("given.")]
    others = [c.removeprefix("given.") for c in others if same[c] > 1]
    raise cell_twice(twice, cells, others)


def _refuse_strays(groups, facet):
    """Refuse a nested facet's label that occurs in two nests."""
    c = groups.column[facet]
    home = groups.design.closure([facet])
    nests = groups.rows if home == groups.all else groups.by(home)
    nests = nests.select(*groups.names(home))
    twice = nests.group_by(c).agg(times=lambda t: t.count())
    twice = twice.filter(twice["times"] > 1).limit(1).to_pandas()
    if twice.empty:
        return
    label = twice[c][0]
    found = nests.filter(nests[c] == label).limit(2).to_pandas()
    for nest in groups.design.facets:
        names = found.get(groups.column[nest])
        if nest in groups.design.nesting[facet] and names.nunique() > 1:
            raise stray_level(facet, nest, label, *names)


def _refuse_hidden_nests(groups):
    """Refuse crossed facets of which one is nested in the other."""
    nesting = groups.design.nesting
    size = {f: groups.size(groups.design.closure([f])) for f in nesting}
    for inner, outer in permutations(groups.design.facets, 2):
        related = inner in nesting[outer] or outer in nesting[inner]
        if related or size[inner] <= size[outer]:
            continue
        both = groups.design.closure([inner, outer])
        if groups.size(both) == size[inner]:
            raise hidden_nest(inner, outer)


def _refuse_disconnected(groups, one, other):
    """Refuse two crossed facets whose levels form separate blocks."""
    design = groups.design
    both = design.closure([one, other])
    shared = design.nesting[one] & design.nesting[other]
    sizes = [groups.size(design.closure([f])) for f in (one, other)]
    if not shared and groups.size(both) == prod(sizes):
        return
    edges = groups.rows if both == groups.all else groups.by(both)
    edges = edges.select(a=groups.column[one], b=groups.column[other])
    if not shared and _overlap(groups, edges, sizes):
        return
    parts = _parts(groups, edges)
    number = groups.value(parts["part"].nunique())
    if number <= (groups.size(shared) if shared else 1):
        return
    home = design.closure([one])
    known = groups.by(home).select(*groups.names(home))
    names = groups.names(shared)
    found = known.join(parts, known[groups.column[one]] == parts["a"])
    found = found.select(*names, "a", "part")
    if names:
        several = found.group_by(names)
        several = several.agg(k=lambda t: t["part"].nunique())
        several = several.filter(several["k"] > 1).limit(1)
        found = found.join(several, names)
    part = found["part"]
    here, there = groups.value(part.min()), groups.value(part.max())
    raise disconnected(
        one,
        other,
        *(
            found.filter(found["part"] == part)
            .order_by("a")
            .limit(1000)
            .to_pandas()["a"]
            for part in (here, there)
        ),
    )


def _overlap(groups, edges, sizes):
    """Whether each level of one facet has more than half of those of
    the other, so that any two have one in common."""
    for name, others in (("a", sizes[1]), ("b", sizes[0])):
        degree = edges.group_by(name).agg(k=lambda t: t.count())
        least = groups.value(degree["k"].min())
        if 2 * least > others:
            return True
    return False


def _parts(groups, edges):
    """Levels ``a`` and the least level that each is linked with."""
    part = groups.keep(edges.select("a", part=edges["a"]).distinct())
    while True:
        linked = edges.join(part, "a").group_by("b")
        linked = linked.agg(part=lambda t: t["part"].min())
        then = edges.join(linked, "b").group_by("a")
        then = groups.keep(then.agg(part=lambda t: t["part"].min()))
        both = then.join(part.rename(before="part"), "a")
        moved = both.filter(both["part"] != both["before"]).count()
        if not groups.value(moved):
            return then
        part = then
