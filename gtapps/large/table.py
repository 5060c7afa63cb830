"""A long table on disk or in an engine, and what is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gtapps.large.means import (
    MOST_MEANS,
    MOST_SCORES,
    Means,
    in_memory,
    item_sums,
    topic_means,
    topic_sample,
)
from gtapps.large.source import Source
from gtapps.large.sums import Sums, read_sums
from gtlib.ctt import ItemSums
from gtlib.gtheory import GStudy
from gtlib.gtheory import gstudy as in_memory_study
from gtlib.tables.checks import one_of
from gtlib.tables.design import Design, as_design

MOST_REML = 1_000_000
"""Rows that are taken into memory, for REML."""


class Table(Source):
    """A table of one row per score, which may be larger than memory.

    Its arguments are those of `gstudy`; the table is only read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "scores.csv")
    >>> rows = [f"{s},{t},{s * t % 5}" for s in range(4) for t in range(6)]
    >>> _ = path.write_text("\\n".join(["system,topic,score", *rows]))
    >>> table = Table(path)
    >>> g = table.gstudy("system x topic")
    >>> g.method, table.means(g.design).table.shape
    ('anova', (4, 6))
    >>> folder.cleanup()
    """

    def sums(self, design: str | Design) -> Sums:
        """The sums that a study needs, and the number of rows.

        Raises
        ------
        ValueError
            For whatever `gtlib.gstudy` refuses, with some of the rows.
        """
        design = as_design(design)
        with self.open(design.facets) as table:
            return read_sums(table, design)

    def gstudy(
        self, design: str | Design = "system x topic", method: str = "auto"
    ) -> GStudy:
        """The G-study of all scores: see `gtapps.large.gstudy`."""
        one_of(method, "method", ("auto", "anova", "henderson", "reml"))
        design = as_design(design)
        if method != "reml":
            return self.sums(design).gstudy(design, method)
        with self.open(design.facets) as table:
            n = table.count().to_pyarrow().as_py()
            if n > MOST_REML:
                raise ValueError(
                    f"method='reml' holds every score in memory, and there "
                    f"are {n:,}, more than {MOST_REML:,}. Use "
                    "method='henderson', which takes any number, or study "
                    "a sample of the topics."
                )
            scores = in_memory(table, design.facets)
        return in_memory_study(scores, design, method=method)

    def means(
        self,
        design: str | Design = "system x topic",
        most: int = MOST_MEANS,
        seed: int = 0,
    ) -> Means:
        """Means of systems on topics, over all other facets: what every
        analysis that needs scores can be made of.

        Parameters
        ----------
        design : str or Design
        most : int
            Where systems times topics are more, a random sample of the
            topics is taken; the result says so when printed.
        seed : int

        Raises
        ------
        ValueError
            If no topics are shared by systems, or `most` or `seed` is no
            whole number.
        """
        return topic_means(self, as_design(design), most, seed)

    def sample(
        self, study: GStudy, most: int = MOST_SCORES, seed: int = 0
    ) -> GStudy:
        """A study in memory of topics drawn at random, with all of their
        scores, by the method of the whole: for what needs scores, such as
        intervals of a study with gaps.

        It is a study of its own, and smaller: its intervals are as wide as
        its topics are few, and lie around its own estimates. Name the
        numbers of levels that you plan; else they are the sample's.

        Parameters
        ----------
        study : GStudy
            Of this table: its design and method are the sample's.
        most : int
            As many topics are taken as have so many scores, or nearly; at
            least two.
        seed : int

        Raises
        ------
        ValueError
            As `means` does, and as `gtlib.gstudy` does where the sample
            cannot tell effects apart.
        """
        design = study.design
        scores, said = topic_sample(self, design, most, seed)
        drawn = in_memory_study(scores, design, method=study.method)
        return replace(drawn, sampled=said)

    def item_sums(
        self, design: str | Design = "system x topic"
    ) -> ItemSums:
        """What `gtlib.cronbach_alpha` and `gtlib.item_analysis` need, from
        the means of systems on topics.

        Raises
        ------
        ValueError
            If a system lacks a topic.
        """
        return item_sums(self, as_design(design))


def gstudy(
    given: Any,
    design: str | Design | None = None,
    *,
    method: str = "auto",
    score: str = "score",
    columns: Mapping[str, str] | None = None,
    memory_limit: str | None = None,
) -> GStudy:
    """The G-study of a table that an engine reads.

    Parameters
    ----------
    given : path, glob, DuckDB relation, Polars frame or Ibis table
        Long: a row per score, a column per facet. Parquet or CSV files,
        plain or gzipped.
    design, method, score, columns
        As `gtlib.gstudy` takes them; without a design, system x topic.
    memory_limit : str, optional
        What DuckDB may hold, for instance ``"400MB"``. Without it, most of
        the memory.

    Raises
    ------
    ValueError
        For whatever `gtlib.gstudy` refuses; if REML would have to hold
        more than a million scores.
    RuntimeError
        If the engine runs out of memory or disk. No temporary file stays.
    ImportError
        If there is no engine: ``pip install 'gtlib-ir[big]'``.
    """
    table = Table(given, columns or {}, score, memory_limit)
    return table.gstudy(design or "system x topic", method)
