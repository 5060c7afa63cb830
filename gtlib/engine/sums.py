"""What a G-study needs of its scores, as sums of groups in an engine.

The rows are read once for their mean and range, and once for each group of
all facets but one. The tables of those groups stay in the engine; all
smaller groups, and in the end single numbers, are summed from them. What
the numbers mean is said in `gtlib.components.henderson`.

Each cell may have one score. Rows of one group are told apart by a bit for
the level of the facet that the group lacks: as many bits as rows, and no
cell is there twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import isfinite, prod
from typing import Any

import numpy as np
from tqdm import tqdm

from gtlib.cells import hidden_nest, single_nests, stray_level
from gtlib.components.anova import mean_squares_of_terms
from gtlib.components.henderson import (
    MEAN,
    Facets,
    determined,
    disconnected,
    refuse_confounded,
)
from gtlib.design import Design
from gtlib.incidence import Shares
from gtlib.scores import bad_score, cell_twice, require_enough

_BITS = 62  # levels that one number tells apart
_SHOWN = 3  # offending rows


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums of a study whose rows an engine keeps.

    Attributes
    ----------
    n : int
        Rows.
    levels : dict of facet to int
        Levels in a nest (the most, where they differ).
    terms : array (effects,)
        The sum over each effect's levels of their total squared over
        their count, less that of the grand mean.
    matrix : array (effects, effects), or None in a balanced study
        The expected terms per component.
    shares : gtlib.incidence.Shares, or None in a balanced study
    """

    n: int
    levels: dict[str, int]
    terms: np.ndarray
    matrix: np.ndarray | None
    shares: Shares | None

    def components(self, design: Design) -> np.ndarray:
        """Henderson's estimates, (effects,)."""
        matrix = self.matrix
        if matrix is None:
            to_components = design.mean_squares_to_components(self.levels)
            squares = mean_squares_of_terms(self.terms, design, self.levels)
            return to_components @ squares
        return np.linalg.solve(matrix, self.terms)


_SMALLEST, _LARGEST = 1e-60, 1e60
"""Of the range of scores, so that sums of squares are no infinite ones."""


def read_sums(table: Any, design: Design) -> Sums:
    """The sums of a table, if it can be what the design says.

    Parameters
    ----------
    table : Ibis table
        As `Rows.open` gives it.
    design : Design

    Raises
    ------
    ValueError
        For whatever `gtlib.gstudy` refuses, with some of the rows.
    """
    groups = _Groups(table, design)
    try:
        return _sums(groups, design)
    finally:
        groups.release()


def _sums(groups, design):
    groups.refuse_bad_rows()
    for facet in design.facets:
        require_enough(groups.labels(facet), facet)
    groups.refuse_duplicates()
    for facet in design.facets:
        if design.nesting[facet]:
            groups.refuse_strays(facet)
    levels = {f: groups.most(f) for f in design.facets}
    for facet, number in levels.items():
        if number == 1:
            outer = [f for f in design.facets if f in design.nesting[facet]]
            raise single_nests(facet, outer)
    low, high = groups.range
    if low == high:
        raise ValueError(
            f"Every score is {low:g}: there is no variance to divide."
        )
    if not _SMALLEST < high - low < _LARGEST:
        raise ValueError(
            f"The scores go from {low:g} to {high:g}: squares of such "
            "numbers lose their digits. Give them in another unit."
        )
    number = {e.facets: groups.size(e.facets) for e in design.effects}
    if groups.balanced:
        refuse_confounded(design, number)
        return Sums(groups.n, levels, groups.terms(), None, None)
    groups.refuse_hidden_nests()
    refuse_confounded(design, number)
    for one, other in combinations(design.facets, 2):
        if one not in design.nesting[other]:
            groups.refuse_disconnected(one, other)
    matrix = determined(groups.coefficients(), design)
    return Sums(groups.n, levels, groups.terms(), matrix, groups.shares())


class _Groups:
    """Groups of the rows by the levels of facets, kept in the engine.

    A table of groups has the columns of its facets, ``n`` (rows) and ``t``
    (the sum of the scores, less a number near their mean).
    """

    def __init__(self, table, design):
        import ibis

        self.ibis, self.design = ibis, design
        self.all = frozenset(design.facets)
        self.column = {f: f"f{i}" for i, f in enumerate(design.facets)}
        self.table = table
        self.exact = table.get_backend().name == "duckdb"
        self.tables: dict[Facets, Any] = {}
        self.sizes: dict[Facets, int] = {self.all: 0}
        self.kept: list[Any] = []
        steps = 2 + len(self._leaves())
        self.progress = tqdm(
            total=steps, disable=None, delay=2, unit="pass", leave=False
        )
        self._builtins()
        self._look()

    # What the first pass tells

    def _look(self):
        """Numbers of rows and missing names, and ranges, in one pass."""
        t = self.table
        wanted = {
            "n": t.count(),
            "scores": t["score"].count(),
            "mean": t["score"].mean(),
            "low": t["score"].min(),
            "high": t["score"].max(),
        }
        for c in self.column.values():
            wanted[f"count_{c}"] = self._known(t[c]).sum()
            if t[c].type().is_integer():
                wanted[f"low_{c}"] = t[c].min()
                wanted[f"high_{c}"] = t[c].max()
            else:
                wanted[f"about_{c}"] = t[c].approx_nunique()
        self.seen = self._one(t.agg(**wanted))
        self.n = int(self.seen["n"])
        self.sizes[self.all] = self.n
        self.progress.update()

    def _known(self, column):
        known = column.notnull()
        if column.type().is_floating():
            known = known & ~column.isnan()
        return known.cast("int64")

    @property
    def range(self):
        """The least and largest score; NaN or infinite if one is."""
        return self.seen["low"], self.seen["high"]

    def refuse_bad_rows(self):
        """Refuse rows without a name, and scores that are no number."""
        if self.n == 0:
            raise ValueError("The table has no rows.")
        for facet, c in self.column.items():
            lost = self.n - int(self.seen[f"count_{c}"])
            if lost:
                bad = self.table.filter(self._known(self.table[c]) == 0)
                rows = bad.limit(_SHOWN).to_pandas().to_dict("records")
                here = "; ".join(
                    self._cell(r, but=facet) or "one row" for r in rows
                )
                raise ValueError(
                    f"{lost} of {self.n} rows have no {facet} ({here}): "
                    "every observation needs one."
                )
        lost = self.n - int(self.seen["scores"])
        if lost == 0 and all(map(isfinite, self.range)):
            return
        score = self.table["score"]
        wrong = score.isnull() | score.isnan() | score.isinf()
        bad = self.table.filter(wrong)
        found = self._value(bad.count())
        rows = bad.limit(_SHOWN).to_pandas().to_dict("records")
        cell = "; ".join(map(self._cell, rows))
        more = f" and {found - _SHOWN} more" if found > _SHOWN else ""
        hint = " If it was not observed, leave the row out."
        raise bad_score(cell + more, rows[0]["given"], hint)

    def _cell(self, row, but=None):
        named = self.column.items()
        return ", ".join(f"{f} {row[c]}" for f, c in named if f != but)

    # Groups of rows

    @cached_property
    def rows(self):
        """The facets and the centred score of each row."""
        t = self.table
        mean = self.ibis.literal(float(self.seen["mean"]), "float64")
        return t.select(*self.column.values(), y=t["score"] - mean)

    def _leaves(self):
        """The facets that nest no other."""
        nests = frozenset().union(*self.design.nesting.values())
        return [f for f in self.design.facets if f not in nests]

    @cached_property
    def _marked(self):
        """The facet whose levels are marked by bits: one with few."""

        def about(facet):
            c = self.column[facet]
            if f"about_{c}" in self.seen:
                return max(1, self.seen[f"about_{c}"])
            return min(self.n, self._span(c))

        def in_a_nest(facet):
            nest = self.design.nesting[facet]
            return about(facet) / prod(map(about, self._primary(nest)))

        return min(self._leaves(), key=in_a_nest)

    def _primary(self, facets):
        return self.design.primary(frozenset(facets))

    def _span(self, c):
        return int(self.seen[f"high_{c}"]) - int(self.seen[f"low_{c}"]) + 1

    @cached_property
    def _blocks(self):
        """Groups of all facets but the marked one, and of blocks of its
        levels, with ``b``, a bit for each level there."""
        facet, rows, ibis = self._marked, self.rows, self.ibis
        c = self.column[facet]
        names = self._names(self.all - {facet})
        if f"low_{c}" in self.seen and self._span(c) <= self.n:
            low = ibis.literal(int(self.seen[f"low_{c}"]), "int64")
            code, span = rows[c].cast("int64") - low, self._span(c)
        else:
            home = self._names(self.design.closure([facet]))
            known = rows.select(*home).distinct()
            order = [*self._names(self.design.nesting[facet]), c]
            number = ibis.row_number().over(order_by=order)
            known = self._keep(known.mutate(code=number))
            span = self._value(known.count())
            rows = rows.join(known, home)
            code = rows["code"].cast("int64")
        bit = code
        if span > _BITS:
            bit = code % _BITS
            rows = rows.mutate(block=code - bit)
            names = [*names, "block"]
        one = ibis.literal(1, "int64")
        grouped = rows.group_by(names).agg(
            t=rows["y"].sum(),
            q=(rows["y"] * rows["y"]).sum(),
            b=self._bit_or(one << bit),
        )
        found = self._keep(grouped)
        self.progress.update()
        return found.mutate(n=self._bit_count(found["b"]).cast("int64"))

    @cached_property
    def _whole(self):
        """Cells that are there, and the sums of all their scores."""
        b = self._blocks
        total = b.agg(
            cells=b["n"].sum(), t=self._sum(b["t"]), q=self._sum(b["q"])
        )
        return self._one(total)

    def labels(self, facet):
        """The number of a facet's names, the bad ones included."""
        if facet == self._marked:
            return self._levels_marked[1]
        if not self.design.nesting[facet]:
            return self.size(frozenset([facet]))
        return self._value(self._rolled(frozenset([facet])).count())

    @cached_property
    def _levels_marked(self):
        """The most levels of the marked facet in a nest, and of all."""
        nest = self.design.nesting[self._marked]
        b = self._blocks
        names = self._names(nest)
        by = [*names, *["block"] * self._in_blocks]
        b = b.group_by(by) if by else b
        b = b.agg(b=lambda t: self._bit_or(t["b"]))
        b = b.mutate(n=self._bit_count(b["b"]).cast("int64"))
        if names:
            b = b.group_by(names).agg(n=b["n"].sum())
            found = self._one(b.agg(most=b["n"].max(), all=b["n"].sum()))
        else:
            found = self._one(b.agg(most=b["n"].sum(), all=b["n"].sum()))
        return int(found["most"]), int(found["all"])

    def most(self, facet):
        """The most levels of a facet in a nest."""
        if facet == self._marked:
            return self._levels_marked[0]
        home = self.design.closure([facet])
        nest = self.design.nesting[facet]
        if not nest:
            return self.size(home)
        groups = self.groups(home)
        sizes = groups.group_by(self._names(nest)).agg(k=groups.count())
        return self._value(sizes["k"].max())

    @cached_property
    def balanced(self):
        """Whether every nest is equally large and every cell is there."""
        return self.n == prod(self.most(f) for f in self.design.facets)

    def groups(self, facets):
        """The groups by the levels of some facets, their nests too."""
        if facets not in self.tables:
            found = self._rolled(facets)
            if facets != self.all - {self._marked} or self._in_blocks:
                found = self._keep(found)
            self.tables[facets] = found
        return self.tables[facets]

    @property
    def _in_blocks(self):
        """Whether one number has not enough bits for the marked facet."""
        return "block" in self._blocks.columns

    def size(self, facets):
        """How many groups there are."""
        if facets not in self.sizes:
            self.sizes[facets] = self._value(self.groups(facets).count())
        return self.sizes[facets]

    def _rolled(self, facets):
        """Groups summed from the smallest ones that contain them."""
        names, first = self._names(facets), self.all - {self._marked}
        if facets == first:
            source = self._blocks
            if not self._in_blocks:
                return source.select(*names, "t", "n")
        else:
            leaf = next(f for f in self._leaves() if f not in facets)
            if facets <= first:
                self.groups(first)
            elif facets == self.all - {leaf}:
                return self._of_rows(facets)
            elif not any(facets < known for known in self.tables):
                self.groups(self.all - {leaf})
            known = [k for k in self.tables if facets < k]
            source = self.tables[min(known, key=self.size)]
        sums = {"t": source["t"].sum(), "n": source["n"].sum()}
        return source.group_by(names).agg(**sums)

    def _of_rows(self, facets):
        rows, names = self.rows, self._names(facets)
        grouped = rows.group_by(names)
        self.progress.update()
        if self.balanced:
            each = prod(self.most(f) for f in self.all - facets)
            count = self.ibis.literal(each, "int64")
            return grouped.agg(t=rows["y"].sum()).mutate(n=count)
        return grouped.agg(t=rows["y"].sum(), n=rows.count())

    # What the groups say

    def terms(self):
        """Of each effect, as `Sums` says."""
        mean = self._whole["t"] ** 2 / self.n
        terms = []
        for effect in self.design.effects[:-1]:
            g = self.groups(effect.facets)
            squares = self._sum(g["t"] * g["t"] / g["n"])
            terms.append(self._value(squares) - mean)
        return np.array([*terms, self._whole["q"] - mean])

    def coefficients(self):
        """The expected terms per component."""
        effects = [effect.facets for effect in self.design.effects]
        known: dict[tuple[Facets, Facets], float] = {}

        def shared(e, k):
            if k <= e:
                return self.n
            joint = e | k
            if self.size(joint) == self.n:
                return self.size(e) if e else 1
            if (e, joint) not in known:
                known[e, joint] = self._squared_counts(e, joint)
            return known[e, joint]

        matrix = np.array(
            [[shared(e, k) for k in effects] for e in [*effects, MEAN]],
            dtype=float,
        )
        return matrix[:-1] - matrix[-1]

    def _squared_counts(self, outer, joint):
        """The sum over joint levels of their count squared over that of
        the outer level they belong to."""
        g = self.groups(joint)
        count = g["n"].cast("float64")
        if not outer:
            return self._value(self._sum(count * count)) / self.n
        sums = {"s": (count * count).sum(), "n": count.sum()}
        g = g.group_by(self._names(outer)).agg(**sums)
        return self._value(self._sum(g["s"] / g["n"]))

    def shares(self):
        """How each component enters the means of the objects."""
        design = self.design
        objects = design.closure([design.object])
        names = self._names(objects)
        of_object = self.groups(objects)
        order = of_object.order_by(names).select("n")
        observations = order.to_pandas()["n"].to_numpy(dtype=float)
        squares, between = [], []
        for effect in design.effects:
            joint = effect.facets | objects
            if joint == self.all:
                g, n = self.rows, self.ibis.literal(1.0, "float64")
                squares.append(1 / observations)
            else:
                g = self.groups(joint)
                n = g["n"].cast("float64")
                per = g.group_by(names).agg(s=(n * n).sum())
                per = per.order_by(names).select("s").to_pandas()
                squares.append(per["s"].to_numpy() / observations**2)
            if effect.facets & objects:
                between.append(np.nan)
                continue
            one = self.ibis.literal(1.0, "float64")
            each = of_object.select(*names, each=one / of_object["n"])
            g = g.mutate(k=n).join(each, names)
            own = self._names(effect.facets)
            g = g.group_by(own).agg(w=(g["k"] * g["each"]).sum())
            total = self._value(self._sum(g["w"] * g["w"]))
            between.append(total / len(observations) ** 2)
        return Shares(
            observations,
            np.array(squares),
            np.array(between),
            {e.facets: self.size(e.facets) for e in design.effects},
            self._even(objects),
        )

    def _even(self, objects):
        """The facets of which every object has as many, in every nest."""
        found = {}
        for facet in self.all - objects:
            joint = self.design.closure([facet]) | objects
            if joint == self.all:
                number = self.groups(joint - {facet})["n"]
            else:
                g = self.groups(joint)
                g = g.group_by(self._names(joint - {facet}))
                number = g.agg(k=lambda t: t.count())["k"]
            low, high = self._value(number.min()), self._value(number.max())
            if low == high:
                found[facet] = int(low)
        return found

    # What is refused

    def refuse_duplicates(self):
        """Refuse two rows of one cell, with some of them."""
        twice = self.n - int(self._whole["cells"])
        if not twice:
            return
        rows = self.table.group_by([*self.column.values()])
        rows = rows.agg(times=lambda t: t.count())
        rows = rows.filter(rows["times"] > 1).limit(_SHOWN)
        found = rows.to_pandas().to_dict("records")
        raise cell_twice(twice, "; ".join(map(self._cell, found)), [])

    def refuse_strays(self, facet):
        """Refuse a nested facet's label that occurs in two nests."""
        c = self.column[facet]
        home = self.design.closure([facet])
        nests = self.rows if home == self.all else self.groups(home)
        nests = nests.select(*self._names(home))
        twice = nests.group_by(c).agg(times=lambda t: t.count())
        twice = twice.filter(twice["times"] > 1).limit(1).to_pandas()
        if twice.empty:
            return
        label = twice[c][0]
        found = nests.filter(nests[c] == label).limit(2).to_pandas()
        for nest in self.design.facets:
            names = found.get(self.column[nest])
            if nest in self.design.nesting[facet] and names.nunique() > 1:
                raise stray_level(facet, nest, label, *names)

    def refuse_hidden_nests(self):
        """Refuse crossed facets of which one is nested in the other."""
        nesting = self.design.nesting
        size = {f: self.size(self.design.closure([f])) for f in nesting}
        for inner, outer in permutations(self.design.facets, 2):
            related = inner in nesting[outer] or outer in nesting[inner]
            if related or size[inner] <= size[outer]:
                continue
            both = self.design.closure([inner, outer])
            if self.size(both) == size[inner]:
                raise hidden_nest(inner, outer)

    def refuse_disconnected(self, one, other):
        """Refuse two crossed facets whose levels form separate blocks."""
        design = self.design
        both = design.closure([one, other])
        shared = design.nesting[one] & design.nesting[other]
        sizes = [self.size(design.closure([f])) for f in (one, other)]
        if not shared and self.size(both) == prod(sizes):
            return
        edges = self.rows if both == self.all else self.groups(both)
        edges = edges.select(a=self.column[one], b=self.column[other])
        if not shared and self._overlap(edges, sizes):
            return
        parts = self._parts(edges)
        number = self._value(parts["part"].nunique())
        if number <= (self.size(shared) if shared else 1):
            return
        home = design.closure([one])
        known = self.groups(home).select(*self._names(home))
        names = self._names(shared)
        found = known.join(parts, known[self.column[one]] == parts["a"])
        found = found.select(*names, "a", "part")
        if names:
            several = found.group_by(names)
            several = several.agg(k=lambda t: t["part"].nunique())
            several = several.filter(several["k"] > 1).limit(1)
            found = found.join(several, names)
        part = found["part"]
        here, there = self._value(part.min()), self._value(part.max())
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

    def _overlap(self, edges, sizes):
        """Whether each level of one facet has more than half of those of
        the other, so that any two have one in common."""
        for name, others in (("a", sizes[1]), ("b", sizes[0])):
            degree = edges.group_by(name).agg(k=lambda t: t.count())
            least = self._value(degree["k"].min())
            if 2 * least > others:
                return True
        return False

    def _parts(self, edges):
        """Levels ``a`` and the least level that each is linked with."""
        part = self._keep(edges.select("a", part=edges["a"]).distinct())
        while True:
            linked = edges.join(part, "a").group_by("b")
            linked = linked.agg(part=lambda t: t["part"].min())
            then = edges.join(linked, "b").group_by("a")
            then = self._keep(then.agg(part=lambda t: t["part"].min()))
            both = then.join(part.rename(before="part"), "a")
            moved = both.filter(both["part"] != both["before"]).count()
            if not self._value(moved):
                return then
            part = then

    # The engine

    def _names(self, facets):
        return [self.column[f] for f in self.design.facets if f in facets]

    def _keep(self, table):
        """The table, computed and kept by the engine while it is used."""
        self.kept.append(table.cache())
        return self.kept[-1]

    def release(self):
        """Let the engine forget what it kept."""
        self.progress.close()
        for table in self.kept:
            table.release()

    def _one(self, table):
        """The only row of a table, as a dict."""
        return table.to_pyarrow().to_pylist()[0]

    def _value(self, scalar):
        return scalar.to_pyarrow().as_py()

    def _sum(self, column):
        """A sum, exact but for the last digits where the engine can."""
        return self._fsum(column) if self.exact else column.sum()

    def _builtins(self):
        """Functions of the engines that Ibis has no name for."""
        udf = self.ibis.udf

        def fsum(x: float) -> float:  # Kahan's, of DuckDB
            raise NotImplementedError

        def bit_count(x: int) -> int:  # of DuckDB and Spark
            raise NotImplementedError

        def bit_or(x: int) -> int:  # of all, but Ibis's is not in Spark
            raise NotImplementedError

        self._bit_or = udf.agg.builtin(bit_or)
        self._fsum = udf.agg.builtin(fsum)
        self._bit_count = udf.scalar.builtin(bit_count)
