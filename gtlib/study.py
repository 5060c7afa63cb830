"""The G-study: how much variance each facet and interaction brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

import gtlib.engine as engine
import gtlib.intervals as intervals
import gtlib.systems as systems
from gtlib.cells import Cells, read_cells
from gtlib.checks import one_of
from gtlib.components import (
    balanced_mean_squares,
    henderson,
    mean_squares_of_terms,
    reml,
)
from gtlib.design import Design, as_design
from gtlib.incidence import Incidence
from gtlib.intervals.profile import Profile
from gtlib.plan import plan
from gtlib.scores import is_long, require_range
from gtlib.wording import count, html_table

METHODS = "auto", "anova", "henderson", "reml"

MOST_REML = 1_000_000
"""Rows that are taken from an engine into memory, for REML."""


@dataclass(frozen=True, eq=False)
class GStudy:
    """Variance components of one study.

    Attributes
    ----------
    design : Design
        Facets, nesting and object of measurement.
    levels : dict of facet to int
        Levels of each facet (within its nest); empty if not known.
    estimate : Series, effect to float
        The components as they were estimated, in squared units of the
        score: a negative one is kept as it is.
    mean_squares : Series or None
        Only where the method has them.
    method : str
        ``"anova"``, or how else the estimates came about.
    sampled : str
        What the scores are a sample of; see `sample`.
    """

    design: Design
    levels: dict[str, int]
    estimate: pd.Series
    mean_squares: pd.Series | None = None
    method: str = "given"
    cells: Cells | None = field(default=None, repr=False)
    rows: engine.Rows | None = field(default=None, repr=False)
    sampled: str = ""

    @classmethod
    def from_mean_squares(
        cls,
        design: str | Design,
        levels: Mapping[str, int],
        mean_squares: Mapping[str, float],
    ) -> GStudy:
        """A balanced G-study from its ANOVA table.

        Parameters
        ----------
        design : str or Design
        levels : mapping of facet to int
            Levels of each facet; of a nested one, within its nest.
        mean_squares : mapping of effect to float
            One for each effect of the design.

        Raises
        ------
        ValueError
            If a level or mean square is missing, unknown or impossible.

        Examples
        --------
        >>> g = GStudy.from_mean_squares(
        ...     "system x topic", {"system": 30, "topic": 50},
        ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
        >>> print(g.variance.round(4).to_dict())
        {'system': 0.0028, 'topic': 0.028, 'system x topic': 0.01}
        """
        design = as_design(design)
        levels = design.check_levels(levels)
        single = [f for f, n in levels.items() if n < 2]
        if single:
            raise ValueError(
                f"{single[0]}=1: one level has no variance. A G-study "
                "needs at least two levels of each facet."
            )
        given = by_effect(design, mean_squares, "mean square")
        if (given < 0).any():
            worst = given.idxmin()
            raise ValueError(
                f"The mean square of {worst} is {given[worst]:g}; a mean "
                "square is never negative."
            )
        return _anova(design, levels, given.to_numpy())

    @classmethod
    def from_components(
        cls,
        design: str | Design,
        components: Mapping[str, float],
        *,
        levels: Mapping[str, int] | None = None,
    ) -> GStudy:
        """A G-study from variance components that are known already.

        Parameters
        ----------
        design : str or Design
        components : mapping of effect to float
            One for each effect of the design; negative estimates allowed.
        levels : mapping of facet to int, optional
            Levels in the study that they come from.

        Raises
        ------
        ValueError
            If a component is missing or unknown, or if no scores of these
            levels could have given them: a mean square would be negative.

        Examples
        --------
        >>> g = GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "topic x system": 0.01})
        >>> g.table["percent"].round(1).tolist()
        [7.3, 68.3, 24.4]
        """
        design = as_design(design)
        estimate = by_effect(design, components, "variance component")
        known = design.check_levels(levels) if levels else {}
        if known:
            _refuse_impossible(design, known, estimate)
        return cls(design, known, estimate)

    @cached_property
    def variance(self) -> pd.Series:
        """The components, effect to float, in squared units of the score:
        the estimates, or zero where they are negative."""
        return np.maximum(self.estimate, 0)

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per effect, with degrees of freedom, mean square, estimate,
        variance (the estimate, or zero if that is negative) and percent of
        the total variance of a single score."""
        nothing = pd.Series(np.nan, self.estimate.index)
        none = self.mean_squares is None
        return pd.DataFrame(
            {
                "df": nothing
                if none
                else self.design.degrees_of_freedom(self.levels),
                "mean_square": nothing if none else self.mean_squares,
                "estimate": self.estimate,
                "variance": self.variance,
                "percent": 100 * self.variance / self.variance.sum(),
            }
        )

    @cached_property
    def incidence(self) -> Incidence | None:
        """What each system's mean averages over, in a study with gaps or
        uneven nests; None if its systems all have the same, or if it was
        not made from scores."""
        if self.rows is not None and self.rows.shares is not None:
            return Incidence.of_shares(self.design, self.rows.shares)
        if self.cells is None or self.cells.balanced:
            return None
        return Incidence.of(self.cells)

    @cached_property
    def profile(self) -> Profile:
        """The restricted likelihood, for intervals; built once."""
        return Profile(self)

    def means(
        self, most: int = engine.MOST_MEANS, seed: int = 0
    ) -> engine.Means:
        """Means of systems on topics, over all other facets: what every
        analysis that needs scores can be made of.

        Parameters
        ----------
        most : int
            Where systems times topics are more, a random sample of the
            topics is taken; the result says so when printed.
        seed : int

        Raises
        ------
        ValueError
            If the study was not made from a table that an engine reads,
            no topics are shared by systems, or `most` or `seed` is no
            whole number.
        """
        if self.rows is None:
            raise ValueError(
                "means() is for a study of a table that an engine reads; "
                "in memory, take the table's own."
            )
        return engine.topic_means(self.rows, self.design, most, seed)

    def sample(
        self, most: int = engine.MOST_SCORES, seed: int = 0
    ) -> GStudy:
        """A study in memory of topics drawn at random, with all of their
        scores, by the same method: for what needs scores, such as
        intervals of a study with gaps.

        It is a study of its own, and smaller: its intervals are as wide as
        its topics are few, and lie around its own estimates. Name the
        numbers of levels that you plan; else they are the sample's.

        Parameters
        ----------
        most : int
            As many topics are taken as have so many scores, or nearly; at
            least two.
        seed : int

        Raises
        ------
        ValueError
            As `means` does, and as `gstudy` does where the sample cannot
            tell effects apart.
        """
        if self.rows is None:
            raise ValueError(
                "sample() is for a study of a table that an engine reads."
            )
        rows, design = self.rows, self.design
        scores, said = engine.topic_sample(rows, design, most, seed)
        study = gstudy(scores, design, method=self.method)
        return replace(study, sampled=said)

    @property
    def negative(self) -> tuple[str, ...]:
        """The effects whose estimate is below zero."""
        return tuple(self.estimate.index[self.estimate < 0])

    plan = plan
    component_intervals = intervals.component_intervals
    universe_scores = systems.universe_scores

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GStudy):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self):
        levels = tuple(self.levels.items())
        return self.design, levels, self.method, tuple(self.estimate)

    def __str__(self) -> str:
        shown = self._known().to_string(float_format="{:.6g}".format)
        return "\n\n".join([self._title(), shown, *self._notes()])

    def _repr_html_(self):
        table = self._known()
        if not self.negative:  # then the two columns are one
            table = table.drop(columns="variance")
        return html_table(self._title(), table, *self._notes())

    def _known(self):
        unknown = self.mean_squares is None
        return self.table.drop(columns=["df", "mean_square"] * unknown)

    def _title(self):
        size = ""
        if self.levels:
            uneven = self.method in ("henderson", "reml")  # they may be
            most = "at most " if uneven else ""
            size = ", " + " · ".join(
                (most if self.design.nesting[facet] else "")
                + count(n, facet)
                + (" in each nest" if self.design.nesting[facet] else "")
                for facet, n in self.levels.items()
            )
        return f"G-study {self.design}{size} ({self.method})"

    def _notes(self):
        last = self.design.labels[-1]
        notes = []
        if self.incidence is not None:
            notes.append(f"The study has {self.incidence}.")
        if self.sampled:
            notes.append(self.sampled)
        notes += [
            f"{last} is confounded with error: each of its cells holds one "
            "observation."
        ]
        for effect in self.negative:
            notes.append(
                f"The estimate of {effect} is negative "
                f"({self.estimate[effect]:.2g}). A variance cannot be: the "
                "true component is small beside its sampling error. It is "
                "shown as it came out, and counts as zero in percentages "
                "and coefficients."
            )
        return notes


def gstudy(
    scores: pd.DataFrame | ArrayLike | str | Path,
    design: str | Design | None = None,
    *,
    method: str = "auto",
    score: str = "score",
    columns: Mapping[str, str] | None = None,
    memory_limit: str | None = None,
) -> GStudy:
    """Estimate the variance components of a study.

    The model is a sum of independent random effects, one for every facet
    and interaction that the design allows (Bodoff & Li 2007, eq. 1;
    Brennan 2001, chapter 3).  In a balanced study the estimates solve
    "observed mean squares = expected mean squares".

    Parameters
    ----------
    scores : DataFrame, path, or table of an engine
        Wide (systems x topics), or long with a column per facet and
        ``score``.  A path or a glob of Parquet or CSV files (plain or
        gzipped), a DuckDB relation, a Polars frame or an Ibis table, all
        of them long, may be larger than memory: an engine sums the groups
        (`gtlib.engine`; install ``gtlib-ir[big]``).
    design : str or Design, optional
        For instance ``"system x topic x assessor"`` or
        ``"system x (assessor:topic)"``.  Without it, the two facets of a
        wide table crossed.  The object of measurement is the leftmost
        facet, unless the Design says otherwise.
    method : {"auto", "anova", "henderson", "reml"}
        ``"anova"`` needs a balanced study.  ``"reml"``, restricted maximum
        likelihood, takes any, never gives a negative estimate, and equals
        the analysis of variance in a balanced study without one.
        ``"henderson"``, the analogous analysis of variance, takes any and
        of any size, and is unbiased.  ``"auto"``: the first in a balanced
        study, else the second, or Henderson's of what an engine reads;
        the result's ``method`` says which.
    score : str
        The column of the scores in a long table.
    columns : mapping of column to facet, optional
        Where they differ: ``{"model": "system", "item": "topic"}``.
    memory_limit : str, optional
        What DuckDB may hold, for instance ``"400MB"``, of a table that is
        not in memory. Without it, most of the memory.

    Returns
    -------
    GStudy

    Raises
    ------
    ValueError
        If the table or the design cannot be right (see `gtlib.scores` and
        `gtlib.design`), or if data and design do not match; if an engine
        would have to hold more than a million scores for REML.
    RuntimeError
        If an engine runs out of memory or disk. No temporary file stays.

    Notes
    -----
    Levels are known by their labels. Assessors who are numbered from 1
    anew for each topic look crossed with topics, and no check can tell:
    give other people other labels, and nest them.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     [[0.7, 0.5, 0.6], [0.8, 0.6, 0.76], [0.94, 0.82, 0.89]],
    ...     index=["a", "b", "c"], columns=["t1", "t2", "t3"])
    >>> gstudy(scores).variance.round(4).to_dict()
    {'system': 0.0199, 'topic': 0.0074, 'system x topic': 0.0009}
    """
    one_of(method, "method", METHODS)
    if engine.is_source(scores):
        rows = scores
        if not isinstance(rows, engine.Rows):
            rows = engine.Rows(scores, columns or {}, score, memory_limit)
        return _of_rows(rows, as_design(design or "system x topic"), method)
    if isinstance(scores, pd.DataFrame) and (columns or score != "score"):
        scores = scores.rename(columns={**(columns or {}), score: "score"})
    design = as_design(_default_design(scores, design))
    cells = read_cells(scores, design)
    require_range(float(cells.scores.min()), float(cells.scores.max()))
    if method == "auto":
        method = "anova" if cells.balanced else "reml"
    if method == "anova":
        if not cells.balanced:
            raise ValueError(_unbalanced(cells))
        mean_squares = balanced_mean_squares(cells.array(), design)
        study = _anova(design, cells.levels, mean_squares)
        return replace(study, cells=cells)
    estimate = henderson(cells) if method == "henderson" else reml(cells)
    return GStudy(
        design,
        dict(cells.levels),
        pd.Series(estimate, pd.Index(design.labels, name="effect")),
        method=method,
        cells=cells,
    )


def _of_rows(rows, design, method):
    """The study of a table that an engine sums."""
    with rows.open(design.facets) as table:
        if method == "reml":
            return gstudy(_in_memory(table, design), design, method=method)
        sums = engine.read_sums(table, design)
    rows = replace(rows, n=sums.n, shares=sums.shares)
    if sums.matrix is not None:
        if method == "anova":
            raise ValueError(
                f"The study is not balanced: it has {sums.n} scores for "
                f"{prod(sums.levels.values())} cells. Use "
                "method='henderson'."
            )
        method = "henderson"
    if method != "henderson":
        squares = mean_squares_of_terms(sums.terms, design, sums.levels)
        return replace(_anova(design, sums.levels, squares), rows=rows)
    estimate = sums.components(design)
    index = pd.Index(design.labels, name="effect")
    return GStudy(
        design,
        sums.levels,
        pd.Series(estimate, index),
        method=method,
        rows=rows,
    )


def _in_memory(table, design):
    """All rows, for a method that needs them at once."""
    n = table.count().to_pyarrow().as_py()
    if n > MOST_REML:
        raise ValueError(
            f"method='reml' holds every score in memory, and there are "
            f"{n:,}, more than {MOST_REML:,}. Use method='henderson', "
            "which takes any number, or study a sample of the topics."
        )
    return engine.in_memory(table, design.facets)


def _anova(design, levels, mean_squares):
    index = pd.Index(design.labels, name="effect")
    solve = design.mean_squares_to_components(levels)
    return GStudy(
        design,
        dict(levels),
        pd.Series(solve @ mean_squares, index),
        pd.Series(mean_squares, index),
        method="anova",
    )


def _refuse_impossible(design, levels, estimate):
    """Components of a study are differences of its mean squares."""
    solve = design.mean_squares_to_components(levels)
    implied = np.linalg.solve(solve, estimate.to_numpy())
    worst = int(implied.argmin())
    if implied[worst] < -1e-9 * np.abs(implied).max():
        size = " x ".join(str(n) for n in levels.values())
        raise ValueError(
            f"No scores of {size} levels have these components: the mean "
            f"square of {design.labels[worst]} would be "
            f"{implied[worst]:.3g}. Check the components and levels, or "
            "leave levels= out."
        )


def _default_design(scores, design):
    if design is not None:
        return design
    facets = ["system", "topic"]
    if is_long(scores):
        columns = [c for c in scores.columns if c != "score"]
        if sorted(map(str, columns)) != facets:
            raise ValueError(
                "A long table needs a design, for instance design="
                f"{' x '.join(map(str, columns))!r}; its columns are "
                f"{', '.join(map(str, scores.columns))}."
            )
    return " x ".join(facets)


def by_effect(design, values, what):
    """`values` as a Series over the effects of the design."""
    if not hasattr(values, "items"):
        raise ValueError(
            f"Give a mapping from each effect to its {what}; got "
            f"{values!r}."
        )
    found = {}
    for label, value in values.items():
        effect = design.find(label)
        if effect in found:
            raise ValueError(f"The {what} of {effect} is given twice.")
        try:
            found[effect] = float(value)
        except (TypeError, ValueError):
            found[effect] = np.nan
        if not np.isfinite(found[effect]):
            raise ValueError(
                f"The {what} of {effect} is {value!r}; it must be a finite "
                "number."
            )
    missing = [label for label in design.labels if label not in found]
    if missing:
        raise ValueError(
            f"The {what} of {', '.join(map(repr, missing))} is missing: "
            f"the design {design} has {len(design.labels)} effects."
        )
    return pd.Series(found)[list(design.labels)].rename_axis("effect")


def _unbalanced(cells):
    counts = {
        facet: n for facet, n in cells.counts.items() if n.min() < n.max()
    }
    if counts:
        facet, n = next(iter(counts.items()))
        where = (
            f"between {n.min()} and {n.max()} levels of {facet} in a nest"
        )
    else:
        total = int(np.prod(cells.shape))
        where = f"{total - len(cells.scores)} of {total} cells missing"
    return (
        f"The study is not balanced: {where}. Use method='reml' or "
        "'henderson'."
    )
