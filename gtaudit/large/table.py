"""A long table on disk or in an engine: its study, means and sample.

Names and labels reach the engine as identifiers and data, never as parts
of a text.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.large.engine import engine, ibis, single_value
from gtaudit.large.input_files import read_files
from gtaudit.large.means import (
    MOST_MEANS,
    MOST_SCORES,
    Means,
    describe_sample,
    draw_levels,
    load_rows,
    sorted_names,
    systems_and_topics,
    topic_means,
)
from gtaudit.large.sums import study_from_sums
from gtaudit.nouns import count_noun
from gtlib.checks import one_of
from gtlib.design import Design, as_design
from gtlib.gtheory import GStudy
from gtlib.gtheory import gstudy as study_in_memory
from gtlib.scores import require_columns


@dataclass(frozen=True)
class Table:
    """A table of one row per score, which may be larger than memory.

    It is only read.

    Attributes
    ----------
    given : path, glob or Ibis table
        Long: a row per score, a column per facet. Files are read by a
        DuckDB of our own, an Ibis table by its own engine.
    columns : dict of column to facet
        The facets whose columns have other names.
    score : str
        The column of the scores.
    memory_limit : str, optional
        What DuckDB may hold, such as ``"400MB"``, before it writes to a
        folder for temporary files. Without it, most of the memory.
    restarts_in : dict of facet to facets
        Facets whose numbering restarts in each level of others:
        they get these names before their own.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "scores.csv")
    >>> rows = [f"{s},{t},{s * t % 5}" for s in range(4) for t in range(6)]
    >>> _ = path.write_text("\\n".join(["model,topic,score", *rows]))
    >>> table = Table(path, columns={"model": "system"})
    >>> g = table.gstudy("system x topic")
    >>> g.method, g.levels
    ('anova', {'system': 4, 'topic': 6})
    >>> print(table.means(g.design))
    Means of 4 systems on 6 topics.
    >>> table.sample(g).estimate.equals(g.estimate)
    True
    >>> folder.cleanup()
    """

    given: Any
    columns: Mapping[str, str] = field(default_factory=dict)
    score: str = "score"
    memory_limit: str | None = None
    restarts_in: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def gstudy(
        self,
        design: str | Design = "system x topic",
        method: str = "auto",
        allow: str | Collection[str] = (),
    ) -> GStudy:
        """Estimate the G-study of all scores as `gstudy` does."""
        one_of(method, "method", ("auto", "anova", "henderson"))
        design = as_design(design)
        with self.open(design.facets) as table:
            return study_from_sums(table, design, method, allow)

    def means(
        self,
        design: str | Design = "system x topic",
        most: int = MOST_MEANS,
        seed: int = 0,
        topic: str = "topic",
    ) -> Means:
        """Return means of systems on topics, over all other facets, from
        which every analysis that needs scores can be made.

        Parameters
        ----------
        design : str or Design
        most : int
            Where systems times topics are more, a random sample of the
            topics is taken; the result says so when printed.
        seed : int
        topic : str
            The facet of the topics; without it, the first one that all
            systems share.

        Raises
        ------
        ValueError
            If no topics are shared by systems, or `most` or `seed` is no
            whole number.
        """
        facets = systems_and_topics(as_design(design), topic)
        with self.open(facets) as table:
            return topic_means(table, facets, most, seed)

    def sample(
        self, study: GStudy, most: int = MOST_SCORES, seed: int = 0
    ) -> GStudy:
        """Return a study in memory of topics drawn at random, with all of
        their scores, by the method of the whole: for what needs scores,
        such as intervals of a study with gaps.

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
        topic = systems_and_topics(design)[1]
        with self.open(design.facets) as table:
            name = f"f{design.facets.index(topic)}"
            n = single_value(table.count())
            names = sorted_names(table, name)
            table = draw_levels(table, names, most, seed, n)
            scores = load_rows(table, design.facets)
        study_of_sample = study_in_memory(
            scores, design, method=study.method
        )
        number = scores[topic].nunique()
        if number == len(names):
            return study_of_sample
        sample_phrase = describe_sample(len(names), seed)
        sentence = (
            f"These are all scores of {count_noun(number, topic)}, "
            f"{sample_phrase}."
        )
        return replace(study_of_sample, sampled=sentence)

    @contextmanager
    def open(self, facets: tuple[str, ...]) -> Iterator[Any]:
        """Return an Ibis table with the columns ``f0``, ``f1``, ... for the
        facets, ``score`` (a float, or nothing), ``given``, the score as it
        stands there, and the other columns, ``given.NAME``. The engine is
        there until the block ends.

        Raises
        ------
        ValueError
            If a file or a column is missing, or a file cannot be read; if
            the limit of memory is too low.
        RuntimeError
            If this computer has not enough memory or disk to finish.
        """
        column_of = {
            facet: column for column, facet in self.columns.items()
        }
        if len(column_of) < len(self.columns):
            raise ValueError(f"One facet twice: {dict(self.columns)!r}.")
        wanted = (
            *(column_of.get(facet, facet) for facet in facets),
            self.score,
        )
        with self._read(wanted) as (table, text):
            yield self._named(table, facets, wanted, text)

    def names(self) -> list[str]:
        """Return the table's columns."""
        with self._read() as (table, _):
            return [*table.columns]

    @contextmanager
    def _read(self, wanted=()):
        """The table as it is, and whether all of it is text."""
        given, limit = self.given, self.memory_limit
        if isinstance(given, str | Path):
            with engine(str(given), limit) as database:
                yield read_files(database, str(given), wanted)
            return
        if not isinstance(given, ibis.Table):
            raise ValueError(
                f"A {type(given).__name__} cannot be read: give a path or "
                "an Ibis table, such as ibis.memtable(frame)."
            )
        if limit is not None:
            raise ValueError(
                "memory_limit is for the engine that reads files; an "
                "Ibis table's own connection has its own."
            )
        yield given, False

    def _named(self, table, facets, wanted, text):
        """The columns that a study needs, under names of our own."""
        require_columns(pd.DataFrame(columns=[*table.columns]), wanted)
        given = table[self.score]
        score = ibis.null("float64")
        if text:
            # Without strip, DuckDB reads the column as numbers or fails;
            # and to it 1_0 is ten.
            number = given.strip().try_cast("float64")
            score = given.contains("_").ifelse(score, number)
        elif given.type().is_numeric() or given.type().is_boolean():
            score = given.cast("float64")
        named = zip(facets, wanted, strict=False)
        label = {facet: _label(table[name]) for facet, name in named}
        for facet, outers in self.restarts_in.items():
            for outer in outers:
                if {facet, outer} <= {*facets}:
                    own = label[facet].cast("string")
                    nest = label[outer].cast("string").replace("/", "/-")
                    label[facet] = nest + "//" + own  # no two are alike
        columns = {f"f{i}": label[f] for i, f in enumerate(facets)}
        others = {
            f"given.{name}": table[name]
            for name in table.columns
            if name not in wanted
        }
        return table.select(**columns, score=score, given=given, **others)


def _label(column):
    """A column of names as the engine can count them."""
    kind = column.type()
    if kind.is_nested():
        raise ValueError(
            f"The column {column.get_name()} holds lists or the like; the "
            "name of a level is a text, a number or a date."
        )
    return column.cast("string") if kind.is_uint64() else column


def gstudy(
    given: Any,
    design: str | Design | None = None,
    *,
    method: str = "auto",
    score: str = "score",
    columns: Mapping[str, str] | None = None,
    memory_limit: str | None = None,
    allow: str | Collection[str] = (),
) -> GStudy:
    """Estimate the G-study of a table that an engine reads.

    Parameters
    ----------
    given, score, columns, memory_limit
        As `Table` takes them.
    design : str or Design, optional
        Without it, system x topic.
    method : {"auto", "anova", "henderson"}
        ``"auto"`` is the analysis of variance if scores are balanced, else
        Henderson's method.
    allow : str or collection of str
        Codes of doubts about what is right. They are looked for in the
        scores at both ends, and two samples: all systems on some topics,
        and some systems on all topics.

    Raises
    ------
    ValueError
        For whatever `gtlib.gstudy` refuses; or if the limit of memory is
        too low.
    RuntimeError
        If the computer runs out of memory or disk. No temporary file stays.
    """
    table = Table(given, columns or {}, score, memory_limit)
    return table.gstudy(design or "system x topic", method, allow)
