"""Refusals of a table in an engine, which name some of its rows."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations, permutations, starmap
from math import isfinite, prod

from gtaudit.doubts import (
    Doubt,
    find_score_doubts,
)
from gtaudit.large.engine import _, single_value
from gtaudit.large.groups import Groups
from gtaudit.large.means import (
    draw_levels,
    load_ends,
    load_sample,
    sorted_names,
)
from gtlib.checks import name_level
from gtlib.gaps import disconnected_error, refuse_confounded
from gtlib.scores import (
    bad_score_error,
    hidden_nest_error,
    read_cells,
    repeated_cell_error,
    require_enough,
    require_range,
    single_nests_error,
    stray_level_error,
)

_SHOWN = 3  # offending rows
_CHECKED = 200_000  # scores, for doubts about their content
_LOOKED_AT = 1000  # of them, for what tells them apart


def refuse_rows(groups: Groups) -> None:
    """Refuse rows that cannot be those of the design, with some of them.

    Raises
    ------
    ValueError
        If a name or a score is missing, a cell is there twice, a nested
        level is in two nests, or there is no variance to divide.
    """
    nesting = groups.design.nesting
    if groups.n == 0:
        raise ValueError("The table has no rows.")
    for facet in nesting:
        _refuse_lost_names(groups, facet)
    _refuse_bad_scores(groups)
    for facet, number in groups.levels.items():
        if not nesting[facet]:
            require_enough(number, facet)
    _refuse_duplicates(groups)
    for facet, number in groups.levels.items():
        if nesting[facet]:
            _refuse_strays(groups, facet)
        if number == 1:
            outer = [f for f in groups.design.facets if f in nesting[facet]]
            raise single_nests_error(facet, outer)
    require_range(groups.seen["low"], groups.seen["high"])


def refuse_effects(groups: Groups) -> None:
    """Refuse effects that rows with gaps cannot tell apart.

    Raises
    ------
    ValueError
        If crossed facets are nested or fall apart in unconnected parts,
        or effects are confounded.
    """
    design = groups.design
    _refuse_hidden_nests(groups)
    sizes = {e.facets: groups.size(e.facets) for e in design.effects}
    refuse_confounded(design, sizes)
    for first, second in combinations(design.facets, 2):
        if first not in design.nesting[second]:
            _refuse_disconnected(groups, first, second)


def find_group_doubts(groups: Groups) -> Iterator[Doubt]:
    """Find what is doubtful in two samples of the scores of a table, of all
    systems on some topics and of some systems on all topics, each with the
    scores at both ends."""
    table, design = groups.table, groups.design
    ends = load_ends(table, design.facets)
    crossed = [f for f in design.facets if not design.nesting[f]]
    for facet in crossed[:2]:
        names = sorted_names(_levels(groups, facet), groups.column[facet])
        drawn = draw_levels(table, names, _CHECKED, 0, groups.n)
        rows = load_sample(drawn, design.facets, _CHECKED, ends)
        with suppress(ValueError):  # of the form, which sums refuse
            for doubt in find_score_doubts(read_cells(rows, design)):
                seen = f"Of {len(rows):,} scores looked at: {doubt.what}"
                yield doubt._replace(what=seen)


def _levels(groups, facet):
    """The groups by a facet's levels, from which its names are read: there
    are fewer of them than rows."""
    return groups.group(groups.design.closure([facet]))


def _refuse_lost_names(groups, facet):
    """Refuse rows without a name of a facet."""
    c = groups.column[facet]
    lost = groups.n - int(groups.seen[f"count_{c}"])
    if lost:
        nameless = groups.table.filter(groups.labels(c).isnull())
        columns = {f: c for f, c in groups.column.items() if f != facet}
        _rows, cells = _describe_rows(nameless, columns)
        raise ValueError(
            f"{lost} of {groups.n} rows have no {facet} ({cells}): every "
            "observation needs one."
        )


def _refuse_bad_scores(groups):
    """Refuse scores that are no finite numbers."""
    # The range that a file says it has may leave out NaN.
    seen = groups.whole["q"], groups.seen["low"], groups.seen["high"]
    if groups.n == groups.seen["scores"] and all(map(isfinite, seen)):
        return
    score = groups.table["score"]
    bad = groups.table.filter(score.isnull() | (score - score != 0))
    wrong = single_value(bad.count())
    if not wrong:  # but their squares are too large
        return
    rows, cells = _describe_rows(bad, groups.column)
    if wrong > _SHOWN:
        cells += f" and {wrong - _SHOWN} more"
    hint = " If it was not observed, leave the row out."
    raise bad_score_error(cells, hint, *rows["given"])


def _describe_rows(rows, columns):
    """The first of some rows, and their cells in words."""
    rows = rows.limit(_SHOWN).to_pandas()
    cells = rows[[*columns.values()]].set_axis([*columns], axis=1)
    records = cells.to_dict("records")
    texts = [
        ", ".join(starmap(name_level, cell.items())) for cell in records
    ]
    return rows, "; ".join(filter(None, texts)) or "one row"


def _refuse_duplicates(groups):
    """Refuse two rows of one cell, with some of them."""
    twice = groups.n - int(groups.whole["cells"])
    if not twice:
        return
    names = [*groups.column.values()]
    rows = groups.table.agg(by=names, times=_.count())
    rows = groups.keep(rows.filter(_.times > 1).limit(_SHOWN))
    same = groups.table.semi_join(rows, names).limit(_LOOKED_AT).to_pandas()
    same = same.astype(str).groupby(names).nunique(dropna=False).max()
    others = [c for c in groups.table.columns if c.startswith("given.")]
    others = [c.removeprefix("given.") for c in others if same[c] > 1]
    raise repeated_cell_error(
        twice, _describe_rows(rows, groups.column)[1], others
    )


def _refuse_strays(groups, facet):
    """Refuse a nested facet's label that occurs in two nests."""
    c = groups.column[facet]
    home = groups.design.closure([facet])
    nests = groups.group(home).select(*groups.names(home))
    twice = nests.agg(by=c, times=_.count()).filter(_.times > 1).limit(1)
    homes = nests.semi_join(twice, c).limit(2).to_pandas()
    for nest in groups.design.facets:
        names = homes.get(groups.column[nest])
        if nest in groups.design.nesting[facet] and names.nunique() > 1:
            require_enough(single_value(nests[c].nunique()), facet)
            raise stray_level_error(facet, nest, homes[c][0], *names)


def _refuse_hidden_nests(groups):
    """Refuse crossed facets of which one is nested in the other."""
    nesting = groups.design.nesting
    size = {f: groups.size(groups.design.closure([f])) for f in nesting}
    for inner, outer in permutations(groups.design.facets, 2):
        related = inner in nesting[outer] or outer in nesting[inner]
        if related or size[inner] <= size[outer]:
            continue
        joint = groups.design.closure([inner, outer])
        if groups.size(joint) == size[inner]:
            raise hidden_nest_error(inner, outer)


def _refuse_disconnected(groups, first, second):
    """Refuse two crossed facets whose levels form separate blocks."""
    design = groups.design
    joint = design.closure([first, second])
    shared = design.nesting[first] & design.nesting[second]
    sizes = [groups.size(design.closure([f])) for f in (first, second)]
    if not shared and groups.size(joint) == prod(sizes):
        return
    nests = groups.names(shared)
    c = groups.column
    edges = groups.group(joint).select(*nests, a=c[first], b=c[second])
    if not shared and _all_overlap(edges, sizes):
        return
    parts = _linked_parts(groups, edges)
    split = parts.agg(by=nests, here=_.part.min(), there=_.part.max())
    split = split.filter(_.here != _.there).limit(1).to_pandas()
    if len(split):
        apart = [
            parts.filter(_.part == part).order_by("a").limit(1000)
            for part in split.loc[0, ["here", "there"]]
        ]
        raise disconnected_error(
            first, second, *(t.to_pandas()["a"] for t in apart)
        )


def _all_overlap(edges, sizes):
    """Whether each level of one facet has more than half of those of
    the other, so that any two have one in common."""
    least = [
        single_value(edges.agg(by=c, k=_.count())["k"].min()) for c in "ab"
    ]
    return 2 * least[0] > sizes[1] or 2 * least[1] > sizes[0]


def _linked_parts(groups, edges):
    """Levels ``a``, their nests and the least level that each is linked
    with, through levels of ``b``."""
    nests = edges.drop("a", "b")
    part = groups.keep(edges.drop("b").mutate(part=_.a).distinct())
    while True:
        linked = edges.join(part.select("a", "part"), "a")
        linked = linked.agg(by="b", part=_.part.min(), most=_.part.max())
        linked = groups.keep(linked)
        if not single_value((linked["part"] < linked["most"]).any()):
            return part
        reached = edges.join(linked, "b")
        reached = reached.agg(by=[*nests.columns, "a"], part=_.part.min())
        part = groups.keep(reached)
