"""Groups of a table's rows by the levels of facets, in an engine.

The rows are read once for the names in them, and once for each group of
all facets but one. The tables of those groups stay in the engine; all
smaller groups are summed from them.

Each cell may have one score. Rows of one group are told apart by a bit for
the level of the facet that the group lacks: as many bits as rows, and no
cell is there twice.
"""

from contextlib import ExitStack
from functools import cached_property
from math import prod
from typing import Any

from tqdm import tqdm

from gtaudit.large.engine import (
    bit_count,
    bit_or,
    fsum,
    ibis,
    single_row,
    single_value,
)
from gtlib.design import Design

_BITS = 62  # levels that one number tells apart
_FIRST = 10_000  # rows whose mean score is near enough to the mean


class Groups:
    """Groups of the rows by the levels of facets, kept in the engine.

    A table of groups has the columns of its facets, ``n`` (rows) and ``t``
    (the sum of the scores, less a number near their mean). The rows are
    the groups of all facets.

    Parameters
    ----------
    table : Ibis table
        As `gtaudit.large.Table.open` gives it.
    design : Design
    kept : ExitStack
        When it closes, the engine forgets the groups.
    """

    def __init__(self, table: Any, design: Design, kept: ExitStack):
        self.table = table
        self.design = design
        self.kept = kept
        self.all = frozenset(design.facets)
        self.column = {f: f"f{i}" for i, f in enumerate(design.facets)}
        self.exact = table.get_backend().name == "duckdb"
        nests = frozenset().union(*design.nesting.values())
        # Groups of all facets but one of these are read from the rows.
        self.leaves = [f for f in design.facets if f not in nests]
        n = 1 + len(self.leaves)
        bar = tqdm(total=n, disable=None, delay=2, unit="pass", leave=False)
        self.progress = kept.enter_context(bar)
        self.seen = self._look_up()
        self.n = int(self.seen["n"])
        self.sizes = {self.all: self.n}

    def _look_up(self):
        """Look up numbers of rows, names and scores, and ranges: a file
        has most of them written down."""
        t = self.table
        wanted = {
            "n": t.count(),
            "scores": t["score"].count(),
            "low": t["score"].min(),
            "high": t["score"].max(),
        }
        for c in self.column.values():
            wanted[f"count_{c}"] = self.labels(c).count()
            if t[c].type().is_integer():
                wanted[f"low_{c}"] = t[c].min()
                wanted[f"high_{c}"] = t[c].max()
            else:
                wanted[f"about_{c}"] = t[c].approx_nunique()
        seen = single_row(t.agg(**wanted))
        self.progress.update()
        return seen

    def labels(self, c: str) -> Any:
        """Return a column of names, with null where one is NaN. DuckDB's
        isnan does not find these if the file says that it has none."""
        column = self.table[c]
        if column.type().is_floating():
            lost = (column - column != 0) & (column.abs() != float("inf"))
            return lost.ifelse(ibis.null("float64"), column)
        return column

    @cached_property
    def tables(self) -> dict[frozenset[str], Any]:
        """Groups by their facets; at first the rows, and the groups of all
        facets but the marked one."""
        t = self.table
        centre = single_value(t.head(_FIRST)["score"].mean()) or 0.0
        rows = t.select(
            *self.column.values(),
            t=t["score"] - ibis.literal(float(centre), "float64"),
            n=ibis.literal(1, "int64"),
        )
        first = self._blocks(rows)
        return {self.all - {self._marked}: first, self.all: rows}

    @cached_property
    def whole(self) -> dict[str, float]:
        """The number of cells, and the sums of all their scores."""
        g = self.tables[self.all - {self._marked}]
        sums = {"t": self.sum(g["t"]), "q": self.sum(g["q"])}
        return single_row(g.agg(cells=g["n"].sum(), **sums))

    @cached_property
    def _marked(self):
        """The facet whose levels are marked by bits: the one with the
        fewest."""

        def about(facet):
            c = self.column[facet]
            if f"about_{c}" in self.seen:
                return max(1, self.seen[f"about_{c}"])
            return min(self.n, self._span(c))

        def in_a_nest(facet):
            nest = self.design.primary(self.design.nesting[facet])
            return about(facet) / prod(map(about, nest))

        return min(self.leaves, key=in_a_nest)

    def _span(self, c):
        return int(self.seen[f"high_{c}"]) - int(self.seen[f"low_{c}"]) + 1

    def _blocks(self, rows):
        """Groups of all facets but the marked one. Its levels in each
        group are counted as bits, of as many numbers as are needed."""
        facet = self._marked
        c = self.column[facet]
        names = self.names(self.all - {facet})
        if f"low_{c}" in self.seen and self._span(c) <= self.n:
            low = ibis.literal(int(self.seen[f"low_{c}"]), "int64")
            code = rows[c].cast("int64") - low
            span = self._span(c)
        else:
            home = self.names(self.design.closure([facet]))
            order = [*self.names(self.design.nesting[facet]), c]
            number = ibis.row_number().over(order_by=order)
            levels = rows.select(*home).distinct().mutate(code=number)
            levels = self.keep(levels)
            span = single_value(levels.count())
            rows = rows.join(levels, home)
            code = rows["code"].cast("int64")
        by = names
        if span > _BITS:
            rows = rows.mutate(block=code - code % _BITS)
            by = [*names, "block"]
            code = code % _BITS
        y = rows["t"]
        marks = bit_or(ibis.literal(1, "int64") << code)
        blocks = rows.agg(by=by, t=y.sum(), q=(y * y).sum(), b=marks)
        blocks = self.keep(blocks)
        self.progress.update()
        blocks = blocks.mutate(n=bit_count(blocks["b"]).cast("int64"))
        if by != names:
            sums = {name: blocks[name].sum() for name in ("t", "q", "n")}
            blocks = self.keep(blocks.agg(by=names, **sums))
        return blocks

    def group(self, facets: frozenset[str]) -> Any:
        """Return the groups by the levels of some facets, and of their
        nests."""
        if facets not in self.tables:
            self.tables[facets] = self.keep(self._sum_groups(facets))
        return self.tables[facets]

    def size(self, facets: frozenset[str]) -> int:
        """Count the groups."""
        if facets not in self.sizes:
            self.sizes[facets] = single_value(self.group(facets).count())
        return self.sizes[facets]

    def _sum_groups(self, facets):
        """Groups summed from the smallest ones that contain them; from
        the rows, if they lack a single facet."""
        larger = [group for group in self.tables if facets < group]
        whole = self.all - {next(f for f in self.leaves if f not in facets)}
        if larger == [self.all] and facets != whole:
            larger = [whole]
        elif larger == [self.all]:
            self.progress.update()
        source = self.group(min(larger, key=self.size))
        sums = {"t": source["t"].sum(), "n": source["n"].sum()}
        return source.agg(by=self.names(facets), **sums)

    def level_counts(self, facet: str, within: frozenset[str]) -> Any:
        """Count the levels of a facet in each group of others, and in each
        of its nests: a column."""
        joint = self.design.closure([facet]) | within
        if joint == self.all:
            return self.group(joint - {facet})["n"]
        g = self.group(joint)
        return g.agg(by=self.names(joint - {facet}), k=g.count())["k"]

    @cached_property
    def levels(self) -> dict[str, int]:
        """Facet to levels in a nest (the most, where they differ)."""
        return {
            facet: single_value(self.level_counts(facet, frozenset()).max())
            for facet in self.design.facets
        }

    @cached_property
    def balanced(self) -> bool:
        """Whether every nest is equally large and every cell is there."""
        return self.n == prod(self.levels.values())

    def names(self, facets: frozenset[str]) -> list[str]:
        """Return the columns of some facets, in the order of the design."""
        return [self.column[f] for f in self.design.facets if f in facets]

    def keep(self, table: Any) -> Any:
        """Return the table, computed and kept by the engine while it is
        used."""
        return self.kept.enter_context(table.cache())

    def sum(self, column: Any) -> Any:
        """Return a sum, exact but for the last digits where the engine
        can."""
        return fsum(column) if self.exact else column.sum()
