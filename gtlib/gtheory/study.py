"""The G-study: how much variance each facet and interaction brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib import comparisons, estimates, intervals
from gtlib.dstudy import PlannedEffects
from gtlib.estimates.henderson import henderson, require_determined
from gtlib.estimates.reml import reml
from gtlib.gtheory.plan import Plan, merge_numbers
from gtlib.tables import (
    Design,
    as_design,
    can_style,
    count_noun,
    html_table,
    is_long,
    list_some,
    one_of,
    plural,
    read_cells,
    require_range,
)

_UNBALANCED = {"henderson": henderson, "reml": reml}

# Packages whose tables are not in memory, or not of pandas.
ENGINES = "ibis", "duckdb", "_duckdb", "polars"


class GStudy(estimates.StudyData):
    """Variance components of one study.

    Made by `gstudy` from scores, or by one of the constructors below from
    what is known already. Its attributes are those of the record that it
    extends, ``gtlib.estimates.StudyData``.

    Examples
    --------
    >>> import gtlib as gt
    >>> study = gt.gstudy(gt.load("cf-ap"))
    >>> study.design.labels
    ('system', 'topic', 'system x topic')
    """

    @classmethod
    def from_mean_squares(
        cls,
        design: str | Design,
        levels: Mapping[str, int],
        mean_squares: Mapping[str, float],
    ) -> GStudy:
        """Make a balanced G-study from its ANOVA table.

        Parameters
        ----------
        design : str or Design
            Such as ``"system x topic"``; see `Design`.
        levels : mapping of facet to int
            Levels of each facet; of a nested one, within its nest.
        mean_squares : mapping of effect to float
            One for each effect of the design.

        Returns
        -------
        GStudy
            Without scores: its intervals come from the mean squares.

        Raises
        ------
        ValueError
            If a level or mean square is missing, unknown or impossible.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_mean_squares(
        ...     "system x topic", {"system": 30, "topic": 50},
        ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
        >>> print(g.variance.round(4).to_dict())
        {'system': 0.0028, 'topic': 0.028, 'system x topic': 0.01}
        """
        design = as_design(design)
        levels = design.check_levels(levels)
        for facet, number in levels.items():
            if number < 2:
                raise ValueError(
                    f"{facet}=1: one level has no variance. A G-study "
                    "needs at least two levels of each facet."
                )
        squares = effect_series(design, mean_squares, "mean square")
        if (squares < 0).any():
            worst = squares.idxmin()
            raise ValueError(
                f"The mean square of {worst} is {squares[worst]:g}; a mean "
                "square is never negative."
            )
        return _anova(design, levels, squares.to_numpy())

    @classmethod
    def from_components(
        cls,
        design: str | Design,
        components: Mapping[str, float],
        *,
        levels: Mapping[str, int] | None = None,
    ) -> GStudy:
        """Make a G-study from variance components that are known.

        Parameters
        ----------
        design : str or Design
            Such as ``"system x topic"``; see `Design`.
        components : mapping of effect to float
            One for each effect of the design; negative estimates allowed.
        levels : mapping of facet to int, optional
            Levels in the study that they come from.

        Returns
        -------
        GStudy
            Without scores; intervals need `levels`.

        Raises
        ------
        ValueError
            If a component is missing or unknown, or if no scores of these
            levels could have given them: a mean square would be negative.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "topic x system": 0.01})
        >>> g.table["percent"].round(1).tolist()
        [7.3, 68.3, 24.4]
        """
        design = as_design(design)
        estimate = effect_series(design, components, "variance component")
        known = design.check_levels(levels) if levels else {}
        if known:
            _refuse_impossible(design, known, estimate)
        return cls(design, known, estimate)

    @classmethod
    def from_sums(
        cls,
        design: str | Design,
        levels: Mapping[str, int],
        terms: ArrayLike,
        matrix: ArrayLike | None = None,
        shares: estimates.Shares | None = None,
        *,
        method: str = "auto",
    ) -> GStudy:
        """Make a G-study from sums over groups of scores.

        Parameters
        ----------
        design : str or Design
            Such as ``"system x topic"``; see `Design`.
        levels : mapping of facet to int
            Levels of each facet within its nest (the most, where they
            differ).
        terms : array (effects,)
            For each effect, the sum over its levels of their total
            squared over their count, less that of the grand mean
            (Henderson 1953, method 1).
        matrix : array (effects, effects), optional
            What the components are multiplied by in the expected terms;
            only where scores are missing or nests are uneven.
        shares : gtlib.estimates.Shares, optional
            Of such a study: what its systems' means average over.
        method : {"auto", "anova", "henderson"}
            ``"anova"`` needs a balanced study; ``"auto"``: the analysis
            of variance if it is one, else Henderson's method.

        Returns
        -------
        GStudy
            Without scores.

        Raises
        ------
        ValueError
            If the study is not balanced and `method` is ``"anova"``, or
            if `matrix` does not determine every component.

        Examples
        --------
        >>> import numpy as np
        >>> import gtlib as gt
        >>> x = np.array([[0.7, 0.5, 0.6], [0.8, 0.6, 0.76]])
        >>> mean = x.sum() ** 2 / 6
        >>> terms = [(x.sum(1) ** 2 / 3).sum() - mean,
        ...          (x.sum(0) ** 2 / 2).sum() - mean, (x**2).sum() - mean]
        >>> g = gt.GStudy.from_sums(
        ...     "system x topic", {"system": 2, "topic": 3}, terms)
        >>> bool(np.allclose(g.estimate, gt.gstudy(x).estimate))
        True
        """
        design = as_design(design)
        one_of(method, "method", ("auto", "anova", "henderson"))
        sums = np.asarray(terms, dtype=float)
        levels = dict(levels)
        if matrix is not None:
            if method == "anova":
                raise ValueError(
                    "The study is not balanced. Use method='henderson'."
                )
            method = "henderson"
            equations = require_determined(
                np.asarray(matrix, float), design
            )
            estimate = _label_effects(
                design, np.linalg.solve(equations, sums)
            )
            return cls(
                design, levels, estimate, method=method, shares=shares
            )
        squares = estimates.mean_squares_of_terms(sums, design, levels)
        study = _anova(design, levels, squares)
        if method == "henderson":
            return replace(study, mean_squares=None, method=method)
        return study

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per effect, with degrees of freedom, mean square, estimate,
        variance (the estimate, or zero if that is negative) and percent of
        the total variance of a single score."""
        columns = {
            "df": np.nan,
            "mean_square": np.nan,
            "estimate": self.estimate,
            "variance": self.variance,
            "percent": 100 * self.variance / self.variance.sum(),
        }
        table = pd.DataFrame(columns)
        if self.mean_squares is not None:
            table["df"] = self.design.degrees_of_freedom(self.levels)
            table["mean_square"] = self.mean_squares
        return table

    def plan(
        self,
        design: str | Design | None = None,
        *,
        fixed: str | Sequence[str] = (),
        levels: Mapping | None = None,
        **more: int | tuple,
    ) -> Plan:
        """Plan a design before it is built: the D-study.

        Parameters
        ----------
        design : str or Design, optional
            The planned design, if not the G-study's.  It may nest what the
            G-study crosses; it cannot separate what the G-study confounds.
        fixed : facet or facets, optional
            Facets whose levels are all there are; the others are
            generalised over.
        levels, **more : int, or (low, high)
            The planned number of levels of each facet, of a nested one
            within its nest: ``topic=50, assessor=2`` or, for any name of a
            facet, ``levels={"topic": 50}``. Without a number, the
            G-study's; without any in a study with gaps, each system's own
            scores as observed. Where the best numbers are sought, a number
            holds, a pair such as ``topic=(50, None)`` bounds, and the rest
            is free.

        Returns
        -------
        Plan
            The planned design, with its errors and coefficients.

        Raises
        ------
        ValueError
            If a number is impossible, or the G-study's components do not
            support the design.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> print(f"{g.plan(topic=50).dependability:.4f}")
        0.7979
        """
        effects = PlannedEffects.from_study(self, design, fixed)
        return Plan(self, effects, {}).with_numbers(
            merge_numbers(levels, more)
        )

    component_intervals = intervals.component_intervals
    universe_scores = comparisons.universe_scores

    def __str__(self) -> str:
        table = self._display_table().to_string(
            float_format="{:.6g}".format
        )
        return "\n\n".join([self._title(), table, *self._notes()])

    def _repr_html_(self):
        if not can_style():
            return None
        table = self._display_table()
        if not self.negative:  # then the two columns are one
            table = table.drop(columns="variance")
        return html_table(self._title(), table, *self._notes())

    def _display_table(self):
        if self.mean_squares is None:
            return self.table.drop(columns=["df", "mean_square"])
        return self.table

    def _title(self):
        sizes = []
        for facet, n in self.levels.items():
            size = count_noun(n, facet)
            if self.design.nesting[facet]:
                size += " in each nest"
                if self.method in _UNBALANCED:  # some nests may have fewer
                    size = f"at most {size}"
            sizes.append(size)
        size = f", {' · '.join(sizes)}" if sizes else ""
        return f"G-study {self.design}{size} ({self.method})"

    def _notes(self):
        last = self.design.labels[-1]
        notes = []
        if self.incidence is not None:
            notes.append(f"The study has {self.incidence}.")
        if self.sampled:
            notes.append(self.sampled)
        if self.groups is not None:
            count = count_noun(self.groups.nunique(), "group")
            notes.append(
                f"The {plural(self.design.object)} are of {count}: "
                "intervals leave a group out as a whole."
            )
        notes.append(
            f"{last} is confounded with error: its cells have one score."
        )
        for effect in self.negative:
            notes.append(
                f"The estimate of {effect} is negative "
                f"({self.estimate[effect]:.2g}): small beside its sampling "
                "error. In percentages and coefficients it counts as zero."
            )
        return notes


def gstudy(
    scores: pd.DataFrame | ArrayLike,
    design: str | Design | None = None,
    *,
    method: str = "auto",
    score: str = "score",
    columns: Mapping[str, str] | None = None,
    groups: Mapping | None = None,
) -> GStudy:
    """Estimate the variance components of a study.

    The model is a sum of independent random effects, one for every facet
    and interaction that the design allows (Bodoff & Li 2007, eq. 1;
    Brennan 2001, chapter 3).  In a balanced study the estimates solve
    "observed mean squares = expected mean squares".

    Parameters
    ----------
    scores : DataFrame or 2-d array
        Wide (systems x topics), or long with a column per facet and
        ``score``.
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
        study, else the second; the result's ``method`` says which.
    score : str
        The column of the scores in a long table.
    columns : mapping of column to facet, optional
        Where they differ: ``{"model": "system", "item": "topic"}``.
    groups : mapping or Series of system to group, optional
        Which systems belong together: runs of one site, models of one
        family.  All intervals of the study are then about other groups
        (chapter 9).  Needs the scores in memory.
    **engine
        What else `gtaudit.large.gstudy` takes, such as ``memory_limit``.

    Returns
    -------
    GStudy
        The variance components, and what they were estimated from.

    Raises
    ------
    ValueError
        If the table or the design cannot be right (see
        ``gtlib.tables``), or if data and
        design do not match; if an engine would have to hold more than a
        million scores for REML.
    RuntimeError
        If an engine runs out of memory or disk. No temporary file stays.

    Notes
    -----
    Levels are known by their labels. Assessors who are numbered from 1
    anew for each topic look crossed with topics, and no check can tell:
    give other people other labels, and nest them.

    Examples
    --------
    >>> import gtlib as gt
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     [[0.7, 0.5, 0.6], [0.8, 0.6, 0.76], [0.94, 0.82, 0.89]],
    ...     index=["a", "b", "c"], columns=["t1", "t2", "t3"])
    >>> gt.gstudy(scores).variance.round(4).to_dict()
    {'system': 0.0199, 'topic': 0.0074, 'system x topic': 0.0009}
    """
    one_of(method, "method", ("auto", "anova", *_UNBALANCED))
    _refuse_elsewhere(scores)
    if isinstance(scores, pd.DataFrame) and (columns or score != "score"):
        called = {**(columns or {}), score: "score"}
        lacking = [c for c in called if c not in (*scores.columns, "score")]
        if lacking:
            raise ValueError(
                f"The table has no column {list_some(lacking)}, "
                f"but {list_some(scores.columns, 12)}: score= and the keys "
                "of columns= are names of its columns."
            )
        if "score" not in called:  # another measure, not in the study
            scores = scores.drop(columns="score", errors="ignore")
        scores = scores.rename(columns=called)
    design = as_design(_default_design(scores, design))
    cells = read_cells(scores, design)
    require_range(float(cells.scores.min()), float(cells.scores.max()))
    if method == "auto":
        method = "anova" if cells.balanced else "reml"
    if method == "anova":
        _refuse_unbalanced(cells)
        squares = estimates.balanced_mean_squares(cells.array(), design)
        study = _anova(design, cells.levels, squares, cells)
    else:
        estimate = _label_effects(design, _UNBALANCED[method](cells))
        levels = dict(cells.levels)
        study = GStudy(design, levels, estimate, method=method, cells=cells)
    if groups is None:
        return study
    return replace(study, groups=intervals.system_groups(study, groups))


def _refuse_elsewhere(scores):
    """Refuse what is not in memory, and say what reads it."""
    package = type(scores).__module__.split(".")[0]
    if isinstance(scores, str | Path) or package in ENGINES:
        raise ValueError(
            f"A {type(scores).__name__} is no table of scores in memory. "
            "Read it with pandas, for instance pd.read_csv(path), or, if "
            "it is larger than memory, with gtaudit.large.gstudy."
        )


def _label_effects(design, values):
    return pd.Series(values, pd.Index(design.labels, name="effect"))


def _anova(design, levels, mean_squares, cells=None):
    """Solve the mean squares of a balanced study for its components."""
    solve = design.mean_squares_to_components(levels)
    return GStudy(
        design,
        dict(levels),
        estimate=_label_effects(design, solve @ mean_squares),
        mean_squares=_label_effects(design, mean_squares),
        method="anova",
        cells=cells,
    )


def _refuse_impossible(design, levels, estimate):
    """Refuse components that no scores with these levels could have: they
    are differences of mean squares, and these are not negative."""
    solve = design.mean_squares_to_components(levels)
    implied = np.linalg.solve(solve, estimate.to_numpy())
    worst = int(implied.argmin())
    if implied[worst] < -1e-9 * np.abs(implied).max():
        raise ValueError(
            f"No scores with these levels have these components: the mean "
            f"square of {design.labels[worst]} would be "
            f"{implied[worst]:.3g}. Check the components and levels, or "
            "leave levels= out."
        )


def _default_design(scores, design):
    if design is not None:
        return design
    if is_long(scores):
        facets = [str(c) for c in scores.columns if c != "score"]
        if {*facets} != {"system", "topic"}:
            raise ValueError(
                "A long table needs a design, for instance design="
                f"{' x '.join(facets)!r}."
            )
    return "system x topic"


def effect_series(design, values, what):
    """Return `values` as a Series over the effects of the design."""
    if not hasattr(values, "items"):
        raise ValueError(
            f"Give a mapping from each effect to its {what}; got "
            f"{values!r}."
        )
    known = {}
    for label, value in values.items():
        effect = design.find(label)
        if effect in known:
            raise ValueError(f"The {what} of {effect} is given twice.")
        known[effect] = pd.to_numeric(value, errors="coerce")
        if not np.isfinite(known[effect]):
            raise ValueError(
                f"The {what} of {effect} is {value!r}; it must be a finite "
                "number."
            )
    missing = [label for label in design.labels if label not in known]
    if missing:
        raise ValueError(
            f"The {what} of {', '.join(map(repr, missing))} is missing: "
            f"the design {design} has {len(design.labels)} effects."
        )
    return _label_effects(design, [float(known[e]) for e in design.labels])


def _refuse_unbalanced(cells):
    if cells.balanced:
        return
    uneven = [f for f, n in cells.counts.items() if n.min() < n.max()]
    if uneven:
        facet = uneven[0]
        n = cells.counts[facet]
        where = (
            f"between {n.min()} and {n.max()} levels of {facet} in a nest"
        )
    else:
        total = int(np.prod(cells.shape))
        where = f"{total - len(cells.scores)} of {total} cells missing"
    raise ValueError(
        f"The study is not balanced: {where}. Use method='reml' or "
        "'henderson'."
    )
