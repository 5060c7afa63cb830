"""Groups of a table's rows by the levels of facets, in an engine.

The rows are read once for the names in them, and once for each group of
all facets but one. The tables of those groups stay in the engine; all
smaller groups are summed from them.

Each cell may have one score. Rows of one group are told apart by a bit for
the level of the facet that the group lacks: as many bits as rows, and no
cell is there twice.
"""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import Any

from tqdm import tqdm

from gtlib.tables.design import Design

_BITS = 62  # levels that one number tells apart
_FIRST = 10_000  # rows whose mean score is near enough to the mean


class Groups:
    """Groups of the rows by the levels of facets, kept in the engine.

    A table of groups has the columns of its facets, ``n`` (rows) and ``t``
    (the sum of the scores, less a number near their mean).

    Parameters
    ----------
    table : Ibis table
        As `Source.open` gives it.
    design : Design
    """

    def __init__(self, table: Any, design: Design):
        import ibis

        self.ibis, self.design = ibis, design
        self.all = frozenset(design.facets)
        self.column = {f: f"f{i}" for i, f in enumerate(design.facets)}
        self.table = table
        self.exact = table.get_backend().name == "duckdb"
        self.tables: dict[frozenset[str], Any] = {}
        self.sizes: dict[frozenset[str], int] = {self.all: 0}
        self.kept: list[Any] = []
        steps = 2 + len(self._leaves())
        self.progress = tqdm(
            total=steps, disable=None, delay=2, unit="pass", leave=False
        )
        self._builtins()
        self._look()

    # What the first pass tells

    def _look(self):
        """Numbers of rows, names and scores, and ranges. A file has most
        of them written down; so the mean is that of the first rows."""
        t = self.table
        wanted = {
            "n": t.count(),
            "scores": t["score"].count(),
            "low": t["score"].min(),
            "high": t["score"].max(),
        }
        for c in self.column.values():
            wanted[f"count_{c}"] = self.known(t[c]).count()
            if t[c].type().is_integer():
                wanted[f"low_{c}"] = t[c].min()
                wanted[f"high_{c}"] = t[c].max()
            else:
                wanted[f"about_{c}"] = t[c].approx_nunique()
        self.seen = self.one(t.agg(**wanted))
        self.n = int(self.seen["n"])
        self.sizes[self.all] = self.n
        self.centre = self.value(t.head(_FIRST)["score"].mean()) or 0.0
        self.progress.update()

    def known(self, column):
        """The column, with nothing where a name is NaN: a file may say
        that it has none, and DuckDB's isnan believes it."""
        if column.type().is_floating():
            lost = (column - column != 0) & (column.abs() != float("inf"))
            return lost.ifelse(self.ibis.null("float64"), column)
        return column

    @property
    def range(self):
        """The least and largest score; infinite if one is."""
        return self.seen["low"], self.seen["high"]

    # Groups of rows

    @cached_property
    def rows(self):
        """The facets and the centred score of each row."""
        t = self.table
        centre = self.ibis.literal(float(self.centre), "float64")
        return t.select(*self.column.values(), y=t["score"] - centre)

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
            return about(facet) / prod(
                map(about, self.design.primary(nest))
            )

        return min(self._leaves(), key=in_a_nest)

    def _span(self, c):
        return int(self.seen[f"high_{c}"]) - int(self.seen[f"low_{c}"]) + 1

    @cached_property
    def _blocks(self):
        """Groups of all facets but the marked one, and of blocks of its
        levels, with ``b``, a bit for each level there."""
        facet, rows, ibis = self._marked, self.rows, self.ibis
        c = self.column[facet]
        names = self.names(self.all - {facet})
        if f"low_{c}" in self.seen and self._span(c) <= self.n:
            low = ibis.literal(int(self.seen[f"low_{c}"]), "int64")
            code, span = rows[c].cast("int64") - low, self._span(c)
        else:
            home = self.names(self.design.closure([facet]))
            known = rows.select(*home).distinct()
            order = [*self.names(self.design.nesting[facet]), c]
            number = ibis.row_number().over(order_by=order)
            known = self.keep(known.mutate(code=number))
            span = self.value(known.count())
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
        found = self.keep(grouped)
        self.progress.update()
        return found.mutate(n=self._bit_count(found["b"]).cast("int64"))

    @cached_property
    def whole(self):
        """Cells that are there, and the sums of all their scores."""
        b = self._blocks
        total = b.agg(
            cells=b["n"].sum(), t=self.sum(b["t"]), q=self.sum(b["q"])
        )
        return self.one(total)

    def labels(self, facet):
        """The number of a facet's names, the bad ones included."""
        if facet == self._marked:
            return self._levels_marked[1]
        if not self.design.nesting[facet]:
            return self.size(frozenset([facet]))
        return self.value(self._rolled(frozenset([facet])).count())

    @cached_property
    def _levels_marked(self):
        """The most levels of the marked facet in a nest, and of all."""
        nest = self.design.nesting[self._marked]
        b = self._blocks
        names = self.names(nest)
        by = [*names, *["block"] * self._in_blocks]
        b = b.group_by(by) if by else b
        b = b.agg(b=lambda t: self._bit_or(t["b"]))
        b = b.mutate(n=self._bit_count(b["b"]).cast("int64"))
        b = (b.group_by(names) if names else b).agg(n=b["n"].sum())
        found = self.one(b.agg(most=b["n"].max(), all=b["n"].sum()))
        return int(found["most"]), int(found["all"])

    @cached_property
    def levels(self) -> dict[str, int]:
        """Facet to levels in a nest (the most, where they differ)."""
        return {f: self._most(f) for f in self.design.facets}

    def _most(self, facet):
        if facet == self._marked:
            return self._levels_marked[0]
        groups = self.by(self.design.closure([facet]))
        nest = self.names(self.design.nesting[facet])
        if not nest:
            return self.size(self.design.closure([facet]))
        sizes = groups.group_by(nest).agg(k=groups.count())
        return self.value(sizes["k"].max())

    @cached_property
    def balanced(self):
        """Whether every nest is equally large and every cell is there."""
        return self.n == prod(self.levels.values())

    def by(self, facets):
        """The groups by the levels of some facets, their nests too."""
        if facets not in self.tables:
            found = self._rolled(facets)
            if facets != self.all - {self._marked} or self._in_blocks:
                found = self.keep(found)
            self.tables[facets] = found
        return self.tables[facets]

    @property
    def _in_blocks(self):
        """Whether one number has not enough bits for the marked facet."""
        return "block" in self._blocks.columns

    def size(self, facets):
        """How many groups there are."""
        if facets not in self.sizes:
            self.sizes[facets] = self.value(self.by(facets).count())
        return self.sizes[facets]

    def _rolled(self, facets):
        """Groups summed from the smallest ones that contain them."""
        names, first = self.names(facets), self.all - {self._marked}
        if facets == first:
            source = self._blocks
            if not self._in_blocks:
                return source.select(*names, "t", "n")
        else:
            leaf = next(f for f in self._leaves() if f not in facets)
            if facets <= first:
                self.by(first)
            elif facets == self.all - {leaf}:
                return self._of_rows(facets)
            elif not any(facets < known for known in self.tables):
                self.by(self.all - {leaf})
            known = [k for k in self.tables if facets < k]
            source = self.tables[min(known, key=self.size)]
        sums = {"t": source["t"].sum(), "n": source["n"].sum()}
        return source.group_by(names).agg(**sums)

    def _of_rows(self, facets):
        rows, names = self.rows, self.names(facets)
        grouped = rows.group_by(names)
        self.progress.update()
        if self.balanced:
            each = prod(self.levels[f] for f in self.all - facets)
            count = self.ibis.literal(each, "int64")
            return grouped.agg(t=rows["y"].sum()).mutate(n=count)
        return grouped.agg(t=rows["y"].sum(), n=rows.count())

    # The engine

    def names(self, facets):
        """The columns of some facets, in the order of the design."""
        return [self.column[f] for f in self.design.facets if f in facets]

    def keep(self, table):
        """The table, computed and kept by the engine while it is used."""
        self.kept.append(table.cache())
        return self.kept[-1]

    def release(self):
        """Let the engine forget what it kept."""
        self.progress.close()
        for table in self.kept:
            table.release()

    def one(self, table):
        """The only row of a table, as a dict."""
        return table.to_pyarrow().to_pylist()[0]

    def value(self, scalar):
        """A single number of the engine's."""
        return scalar.to_pyarrow().as_py()

    def sum(self, column):
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
