"""Generalizability theory: the study, and the plan (D-study) on it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, inf, prod
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib import allocation, anova, checks, comparisons, gaps, uncertainty
from gtlib.allocation import LARGEST_NUMBER
from gtlib.anova import PlannedEffects, with_coefficients
from gtlib.checks import (
    count_noun,
    html_table,
    list_some,
    one_of,
    plural,
)
from gtlib.comparisons import predicted_tau, ranking_agreement
from gtlib.design import Design, as_design
from gtlib.gaps import (
    Incidence,
    Profile,
    Shares,
    compute_shares,
    henderson,
    reml,
    require_determined,
)
from gtlib.scores import (
    Axes,
    Cells,
    copies_notes,
    is_long,
    read_cells,
    refuse_without_design,
    require_cells,
    require_range,
)

__all__ = ["GStudy", "Plan", "gstudy"]

_UNBALANCED = {"henderson": henderson, "reml": reml}
# Packages whose tables are not in memory, or not of pandas.
ENGINES = "ibis", "duckdb", "_duckdb", "polars"


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
        (chapter 10).  Needs the scores in memory.

    Returns
    -------
    GStudy
        The variance components, and what they were estimated from.

    Raises
    ------
    ValueError
        If the table or the design cannot be right (see ``gtlib.scores``),
        or if data and design do not match.

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
    checks.label(score, "score")
    if columns is not None:
        checks.mapping(columns, "columns", "{'model': 'system'}")
        columns = dict(columns)
    if design is None and not columns:
        refuse_without_design(scores, score)
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
        squares = anova.balanced_mean_squares(cells.array(), design)
        study = _anova(design, cells.levels, squares, cells)
    else:
        estimate = _label_effects(design, _UNBALANCED[method](cells))
        levels = dict(cells.levels)
        study = GStudy(design, levels, estimate, method=method, cells=cells)
    if groups is None:
        return study
    return replace(study, groups=uncertainty.system_groups(study, groups))


@dataclass(frozen=True, eq=False)
class GStudy:
    """Variance components of one study, and what they were estimated from.

    Made by `gstudy` from scores, or by one of the constructors below from
    what is known already.

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
    cells : Cells or None
        The scores, where the study was made from scores in memory.
    shares : Shares or None
        What the systems' means average over, in a study with gaps that
        was made from sums.
    sampled : str
        What the scores are a sample of, in a sentence.
    groups : Series of system to group, or None
        Which systems belong together, where that is known: intervals are
        then about other groups.

    Examples
    --------
    >>> import gtlib as gt
    >>> study = gt.gstudy(gt.load("cf-ap"))
    >>> study.design.labels
    ('system', 'topic', 'system x topic')
    """

    design: Design
    levels: dict[str, int]
    estimate: pd.Series
    mean_squares: pd.Series | None = None
    method: str = "given"
    cells: Cells | None = field(default=None, repr=False)
    shares: Shares | None = field(default=None, repr=False)
    sampled: str = ""
    groups: pd.Series | None = field(default=None, repr=False)

    @cached_property
    def variance(self) -> pd.Series:
        """The components, effect to float, in squared units of the score:
        the estimates, or zero where they are negative. These are for a
        table of single components; a plan adds the estimates."""
        return np.maximum(self.estimate, 0)

    @cached_property
    def incidence(self) -> Incidence | None:
        """The scores that each system's mean is over, in a study with
        gaps or uneven nests; None if all systems have the same, or if the
        study was not made from scores."""
        shares = self.shares
        if self.cells is not None and not self.cells.balanced:
            shares = compute_shares(self.cells)
        if shares is None:
            return None
        return Incidence.from_shares(self.design, shares)

    @cached_property
    def profile(self) -> Profile:
        """The restricted likelihood, for intervals; built once."""
        cells = require_cells(self.cells, "method='profile' needs")
        if self.method == "reml":
            components = self.variance.to_numpy()
        else:
            components = reml(cells)
        return Profile(cells, components)

    @property
    def negative(self) -> tuple[str, ...]:
        """The effects whose estimate is below zero."""
        return tuple(self.estimate.index[self.estimate < 0])

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
        known = {} if levels is None else design.check_levels(levels)
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
        shares: gaps.Shares | None = None,
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
        shares : gtlib.gaps.Shares, optional
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
        sums = checks.number_array(terms, "terms")
        if sums.shape != (len(design.effects),):
            raise ValueError(
                f"terms: one for each of {len(design.effects)} effects is "
                f"needed; their shape is {sums.shape}."
            )
        levels = design.check_levels(levels)
        if shares is not None:
            checks.instance(shares, "shares", Shares, "compute_shares")
        if matrix is not None:
            if method == "anova":
                raise ValueError(
                    "The study is not balanced. Use method='henderson'."
                )
            method = "henderson"
            expected = checks.number_array(matrix, "matrix")
            if expected.shape != (len(sums), len(sums)):
                raise ValueError(
                    "matrix: a row and a column to each effect are needed; "
                    f"its shape is {expected.shape}."
                )
            equations = require_determined(expected, design)
            estimate = _label_effects(
                design, np.linalg.solve(equations, sums)
            )
            return cls(
                design, levels, estimate, method=method, shares=shares
            )
        squares = anova.mean_squares_of_terms(sums, design, levels)
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
        effects = PlannedEffects.from_design(
            self.design, self.estimate.to_numpy(), design, fixed
        )
        return Plan(self, effects, {}).with_numbers(
            merge_numbers(levels, more)
        )

    component_intervals = uncertainty.component_intervals
    universe_scores = comparisons.universe_scores

    def __str__(self) -> str:
        table = self._display_table().to_string(
            float_format="{:.6g}".format
        )
        return "\n\n".join([self._title(), table, *self.notes])

    def _repr_html_(self):
        table = self._display_table()
        if not self.negative:  # then the two columns are one
            table = table.drop(columns="variance")
        return html_table(self._title(), table, *self.notes)

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
        axes = self.cells.axes if self.cells is not None else Axes()
        if axes.rows:  # of a wide table
            size = f", {axes._replace(why='').describe(self.levels)}"
        why = f"; {axes.why}" if axes.why else ""
        return f"G-study {self.design}{size} ({self.method}){why}"

    @property
    def notes(self) -> list[str]:
        """What to know of the study besides its numbers."""
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
        if self.cells is not None:
            notes += copies_notes(self.cells)
        for effect in self.negative:
            notes.append(
                f"The estimate of {effect} is negative "
                f"({self.estimate[effect]:.2g}): small beside its sampling "
                "error. In percentages it counts as zero; coefficients add "
                "it with its sign."
            )
        return notes


@dataclass(frozen=True, repr=False)
class Plan:
    """A design with numbers of levels, on the components of a G-study.

    Make one by `GStudy.plan`; ask it for its errors, its coefficients and
    their intervals, and for better numbers.

    Attributes
    ----------
    study : GStudy
        Where the variance components come from.
    effects : PlannedEffects
        Which component goes where.
    given : dict of facet to (low, high)
        The numbers that were asked for: two equal ones for a number.

    Notes
    -----
    Each component is divided by the numbers of levels that it is averaged
    over.  Relative error collects what moves systems differently, absolute
    error also what moves them together (Bodoff & Li 2007, eqs. 2-6;
    Brennan 2001, chapters 4-5).  Estimates below zero are added with their
    sign.  Only sums are cut off: σ²(τ) and σ²(δ) are at least zero, and
    σ²(Δ) is at least σ²(δ).  So the generalizability with a facet fixed is
    Cronbach's alpha of the means over that facet, or zero if alpha is
    negative.  To count each negative estimate as zero first, as Bodoff &
    Li do, plan on ``GStudy.from_components(g.design, g.variance)``.

    A study with gaps or uneven nests has no numbers of levels.  A plan of
    its own design without numbers is then about its systems' means as
    they were observed, each over its own scores: see
    ``gtlib.gaps.Incidence``.  Its `required` and `grid` keep the
    pattern of the gaps and nests: with twice as many topics, half of what
    topics have a part in is left, and all else as it is.

    Examples
    --------
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> p = g.plan(topic=50)
    >>> f"{p.generalizability:.4f} {p.dependability:.4f}"
    '0.9375 0.7979'
    >>> p.required("topic", 0.95)
    241
    """

    study: GStudy
    effects: PlannedEffects
    given: dict[str, tuple[float, float]]

    @property
    def design(self) -> Design:
        """The planned design."""
        return self.effects.design

    @property
    def fixed(self) -> tuple[str, ...]:
        """Facets whose levels are all there are."""
        return self.effects.fixed

    @cached_property
    def levels(self) -> dict[str, int]:
        """The number of levels of each facet but the object's, of a
        nested one within its nest: as given, else the G-study's."""
        return self.fill_numbers({})

    @cached_property
    def incidence(self) -> Incidence | None:
        """The scores that the systems' means are over as observed, in a
        study with gaps, if no numbers and no other design were given."""
        g = self.study
        if g.incidence is None or self.given or self.design != g.design:
            return None
        if self.fixed and g.cells:
            strata = compute_shares(g.cells, self.fixed)
            return Incidence.from_shares(g.design, strata, self.fixed)
        return Incidence.from_shares(g.design, g.incidence, self.fixed)

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """The smallest and largest number that each facet may have when
        the best are sought: what was given, else from 1 to infinity."""
        bounds: dict[str, tuple[float, float]] = {}
        for facet in self.effects.facets:
            if facet in self.fixed:
                bounds[facet] = (self.number(facet), self.number(facet))
            else:
                bounds[facet] = self.given.get(facet, (1, inf))
        return bounds

    @property
    def universe_score(self) -> float:
        """σ²(τ), the variance of the object of measurement's true
        scores, in squared units of the score."""
        return self._values["universe_score"]

    @property
    def relative_error(self) -> float:
        """σ²(δ), in squared units of the score."""
        return self._values["relative_error"]

    @property
    def absolute_error(self) -> float:
        """σ²(Δ), in squared units of the score."""
        return self._values["absolute_error"]

    @property
    def generalizability(self) -> float:
        """Eρ² = σ²(τ) / (σ²(τ) + σ²(δ))."""
        return self._values["generalizability"]

    @property
    def dependability(self) -> float:
        """Φ = σ²(τ) / (σ²(τ) + σ²(Δ))."""
        return self._values["dependability"]

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per effect with the ``variance`` of a single observation,
        its ``divisor``, the quotient ``mean_variance``, its ``role`` and
        its ``percent`` of what all effects add to σ²(τ) and σ²(Δ).  Of
        means as observed also what it adds to ``relative_error``, as all
        effects may.  An effect whose estimate is negative is shown as
        zero, though the errors count it with its sign."""
        table = self.effects.table[["variance", "role"]].copy()
        seen = self.incidence
        if seen is None:
            divisors = [
                prod(self.levels[f] for f in facets)
                for facets in self.effects.divisors
            ]
            counted = table["role"] != "constant"
        else:
            divisors = 1 / seen.squares.mean(axis=1)
            counted = divisors * (seen.universe + seen.absolute)
            table["relative_error"] = table["variance"] * seen.relative
        mean = table["variance"] / divisors
        table.insert(1, "divisor", divisors)
        table.insert(2, "mean_variance", mean)
        parts = mean * counted
        table["percent"] = 100 * parts / (parts.sum() or np.nan)
        return table

    def coefficients(
        self,
        components: np.ndarray | None = None,
        numbers: Mapping | None = None,
    ) -> dict:
        """Compute universe score variance, errors and coefficients.

        Parameters
        ----------
        components : array (effects, ...), optional
            Instead of the G-study's own.
        numbers : mapping of facet to number or array (...), optional
            Other numbers of some facets than the plan's own.

        Returns
        -------
        dict of name to float or array (...)
            ``universe_score``, ``relative_error``, ``absolute_error``,
            ``generalizability`` and ``dependability``.

        Notes
        -----
        Of means as observed, what a facet is part of shrinks by its
        present number (``Shares.typical``) over the other one, and all
        else stays as it is: with more of the facet, gaps and uneven nests
        keep their pattern.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> found = g.plan(topic=50).coefficients(numbers={"topic": 100})
        >>> round(float(found["generalizability"]), 4)
        0.9677
        """
        return with_coefficients(self.sums(components, numbers))

    def sums(
        self,
        components: np.ndarray | None = None,
        numbers: Mapping | None = None,
    ) -> dict:
        """Compute the sums of components that `coefficients` cuts off.

        These are σ²(τ), σ²(δ) and σ²(Δ) with every component's sign.

        Parameters
        ----------
        components, numbers
            As in `coefficients`.

        Returns
        -------
        dict of name to float or array (...)
            ``universe_score``, ``relative_error`` and ``absolute_error``.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": -0.003, "topic": 0.02, "system x topic": 0.01})
        >>> sums = g.plan(topic=50).sums()
        >>> {name: round(float(x), 4) for name, x in sums.items()}
        {'universe_score': -0.003, 'relative_error': 0.0002, ...}
        """
        others = {} if numbers is None else self._checked_numbers(numbers)
        if components is not None:
            components = checks.number_array(components, "components")
            if components.shape[:1] != (len(self.study.estimate),):
                raise ValueError(
                    "components: one for each effect of the study is "
                    f"needed; their shape is {components.shape}."
                )
        if self.incidence is None:
            return self.effects.sums(self.fill_numbers(others), components)
        if components is None:
            components = self.study.estimate.to_numpy()
        means = np.asarray(components).T
        for facet in (f for f in others if f not in self.fixed):
            inside = [facet in e.facets for e in self.design.effects]
            number = np.asarray(others[facet], dtype=float)
            fewer = self.incidence.typical[facet] / number
            means = means * np.power.outer(fewer, inside)
        return self.incidence.sums(means.T)

    def required(
        self, facet: str, target: float, coefficient: str = "dependability"
    ) -> int:
        """Find the fewest levels of one facet that reach a target.

        Parameters
        ----------
        facet : str
            The facet whose number is sought, for instance ``"topic"``;
            the others have the plan's numbers, or stay as observed: then
            it is the number that a system has (the harmonic mean), with
            the gaps as they are.
        target : float in (0, 1)
            The value that the coefficient is to reach.
        coefficient : {"dependability", "generalizability"}
            The coefficient that is to reach it.

        Returns
        -------
        int
            The fewest levels, of a nested facet within its nest.

        Raises
        ------
        ValueError
            If no number of levels reaches the target; it says what the
            ceiling is and which effects set it.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> g.plan().required("topic", 0.95, "generalizability")
        64
        """
        target = checks.target(target)
        error = uncertainty.error_of_number(self, facet, coefficient)
        needed = float(error.fewest(target))
        unreached = (
            f"No number of {plural(facet)} brings {coefficient} to "
            f"{target}: "
        )
        if needed == inf:
            reason = allocation.describe_ceiling(
                self, {facet: error.best_number()}, coefficient
            )
            raise ValueError(unreached + reason)

        def reached(number):
            coefficients = self.coefficients(numbers={facet: number})
            return coefficients[coefficient] >= target

        # Up to the first that reaches it, and no further: where components
        # are negative, more levels may be too many.
        whole = max(1, ceil(needed))
        for enough in (whole, whole + 1, ceil(1.000001 * whole)):
            if enough <= LARGEST_NUMBER and reached(enough):
                fewer = range(1, enough)
                return 1 + bisect_left(fewer, True, key=reached)
        raise ValueError(f"{unreached}its ceiling is too close.")

    def with_numbers(self, levels: Mapping) -> Self:
        """Return the same design with these numbers of levels only.

        Parameters
        ----------
        levels : mapping of facet to int, or to (lowest, highest)
            A nested facet's levels are counted within its nest.

        Returns
        -------
        Plan

        Raises
        ------
        ValueError
            If a facet takes no number, or a fixed one has another number.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> larger = g.plan(topic=50).with_numbers({"topic": 100})
        >>> round(larger.generalizability, 4)
        0.9677
        """
        checks.mapping(levels, "levels", "{'topic': 50}")
        given = {}
        for facet, number in levels.items():
            if facet not in self.effects.facets:
                raise ValueError(
                    f"{facet!r} takes no number in a D-study of "
                    f"{self.design}; give numbers for "
                    f"{', '.join(self.effects.facets)}."
                )
            given[facet] = _number_range(facet, number)
            if facet not in self.fixed:
                continue
            studied = _studied_number(self.study, facet, fixed=True)
            if studied is None:  # then any one number will do
                studied = given[facet][0]
            if given[facet] != (studied, studied):
                raise ValueError(
                    f"{facet} is fixed at the {studied} levels of the "
                    f"G-study; {facet}={number} is not possible."
                )
        return replace(self, given=given)

    @cached_property
    def _values(self):
        values = self.coefficients()
        return {name: float(value) for name, value in values.items()}

    def known_number(self, facet: str) -> int | None:
        """Return the number of a facet, or None while it has none.

        Parameters
        ----------
        facet : str

        Returns
        -------
        int or None

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> g.plan(topic=50).known_number("topic")
        50
        """
        if not isinstance(facet, str) or facet not in self.design.facets:
            raise ValueError(
                f"facet={checks.shown(facet)} is none of {self.design}."
            )
        low, high = self.given.get(facet, (None, None))
        if low is None:
            return _studied_number(self.study, facet, facet in self.fixed)
        return int(low) if low == high else None

    def fill_numbers(self, numbers: Mapping) -> dict:
        """Return these numbers, and the plan's for all other facets.

        Parameters
        ----------
        numbers : mapping of facet to number

        Returns
        -------
        dict of str to number

        Raises
        ------
        ValueError
            If another facet has no number.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> g.plan(topic=50).fill_numbers({})
        {'topic': 50}
        """
        self._checked_numbers(numbers)
        others = [f for f in self.effects.facets if f not in numbers]
        return {**{f: self.number(f) for f in others}, **numbers}

    def _checked_numbers(self, numbers):
        """Refuse numbers that are not a mapping of this plan's facets."""
        checks.mapping(numbers, "numbers", "{'topic': 50}")
        for facet in dict(numbers):
            if facet not in self.effects.facets:
                raise ValueError(
                    f"numbers: {checks.shown(facet)} takes none in "
                    f"{self.design}."
                )
        return numbers

    def number(self, facet: str) -> int:
        """Return the number of a facet; refuse while it has none.

        Parameters
        ----------
        facet : str

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If the facet has no number yet.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> g.plan(topic=50).number("topic")
        50
        """
        number = self.known_number(facet)
        if number is None:
            incidence = self.study.incidence
            remark = (
                f" The study has {incidence}."
                if incidence is not None
                else ""
            )
            raise ValueError(
                f"How many levels of {facet}?{remark} Give one number, "
                f"{facet}=..., for instance {facet}=50."
            )
        return number

    @property
    def expected_tau(self) -> float:
        """Kendall's tau between the rankings of two such samples, if
        systems and errors are normal: 2/π arcsin(Eρ²)."""
        return float(predicted_tau(self.generalizability))

    def grid(
        self,
        levels: Mapping[str, int | Sequence[int]] | None = None,
        **more: int | Sequence[int],
    ) -> pd.DataFrame:
        """Tabulate errors and coefficients for several numbers of levels.

        Parameters
        ----------
        levels, **more : int or sequence of int
            The numbers to try for each facet; the others have the
            plan's, or stay as observed.

        Returns
        -------
        DataFrame, a row per combination
            The numbers of levels, both errors, both coefficients.

        Raises
        ------
        ValueError
            If a number is missing or impossible.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> grid = g.plan().grid(topic=[25, 50])
        >>> grid["generalizability"].round(3).tolist()
        [0.882, 0.938]
        """
        tried = {}
        for facet, numbers in merge_numbers(levels, more).items():
            tried[facet] = [
                int(self.with_numbers({facet: number}).given[facet][0])
                for number in np.atleast_1d(numbers).tolist()
            ]
            if not tried[facet]:
                raise ValueError(f"{facet}: the list of numbers is empty.")
        if self.incidence is None or not tried:
            facets = self.effects.facets
            tried = {f: tried.get(f) or [self.number(f)] for f in facets}
        product = pd.MultiIndex.from_product(tried.values(), names=tried)
        table = product.to_frame(index=False)
        values = self.coefficients(numbers=dict(table.items()))
        del values["universe_score"]
        return table.assign(**values)

    interval = uncertainty.interval
    required_interval = uncertainty.required_interval
    best = allocation.best
    cheapest = allocation.cheapest
    sensitivity = allocation.sensitivity
    optimal_ratio = allocation.optimal_ratio
    ranking_agreement = ranking_agreement

    def __str__(self) -> str:
        table = self._display_table().to_string(
            float_format="{:.6g}".format
        )
        return f"{self._title()}\n\n{table}\n\n{self._summary()}"

    def _repr_html_(self):
        return html_table(
            self._title(), self._display_table(), self._summary()
        )

    def _display_table(self):
        if self.incidence is not None:
            return self.table.drop(columns="role")
        if self._open_facets():
            return self.effects.table[["variance", "role"]]
        return self.table

    def _open_facets(self):
        return [
            f for f in self.effects.facets if self.known_number(f) is None
        ]

    def _title(self):
        if self.incidence is not None:
            fixed = "".join(f", {facet} fixed" for facet in self.fixed)
            return f"D-study {self.design} as observed{fixed}"
        sizes = []
        for facet in self.effects.facets:
            size = count_noun(self.known_number(facet) or "?", facet)
            if self.design.nesting[facet]:
                size += " in each nest"
            if facet in self.fixed:
                size += " (fixed)"
            sizes.append(size)
        return f"D-study {self.design}, {' · '.join(sizes)}"

    def _summary(self):
        if self.incidence is None and self._open_facets():
            return f"Give numbers for {' and '.join(self._open_facets())}."
        gaps = ""
        if self.study.incidence is not None:
            gaps = f". The study has {self.study.incidence}"
            if self.incidence is None:
                gaps += "; the plan has no gaps"
        return (
            f"relative error {self.relative_error:.3g}, generalizability "
            f"{self.generalizability:.3f} (expected tau if normal "
            f"{self.expected_tau:.2f}); absolute "
            f"error {self.absolute_error:.3g}, dependability "
            f"{self.dependability:.3f}{gaps}"
        )


def _number_range(facet, bounds):
    """Return the lowest and the highest number that was given."""
    if not isinstance(bounds, tuple | list):
        number = checks.whole_number(bounds, facet)
        return number, number
    if len(bounds) != 2:
        raise ValueError(
            f"{facet}={bounds!r}: bound a number by two, (low, high)."
        )
    low, high = bounds
    low = 1 if low is None else checks.whole_number(low, facet)
    high = inf if high in (None, inf) else checks.whole_number(high, facet)
    if low > high:
        raise ValueError(
            f"{facet}={bounds!r}: the lower bound is above the upper."
        )
    return low, high


def _studied_number(g, facet, fixed):
    """Return the G-study's number of levels, if every system has that
    many; of a fixed facet, if every nest has. Else None."""
    if not g.levels:
        return None
    if g.incidence is None:
        return g.levels.get(facet)
    if fixed and g.cells and np.ptp(g.cells.counts[facet]) == 0:
        return g.levels[facet]
    return g.incidence.levels.get(facet)


def merge_numbers(levels: Mapping | None, more: Mapping) -> dict:
    """Merge numbers given as a mapping and numbers given by name."""
    if not isinstance(levels, Mapping | None):
        raise ValueError(
            "levels maps each facet to a number, for instance "
            f"{{'topic': 50}}; got {levels!r}."
        )
    twice = set(levels or ()) & set(more)
    if twice:
        raise ValueError(f"{min(twice)} is given twice.")
    return {**(levels or {}), **more}


def _refuse_elsewhere(scores):
    """Refuse what is not in memory, and say what reads it."""
    package = type(scores).__module__.split(".")[0]
    if isinstance(scores, str | Path) or package in ENGINES:
        raise ValueError(
            f"A {type(scores).__name__} is no table of scores in memory. "
            "Read it with pandas, for instance pd.read_csv(path), or, if "
            "it is larger than memory, give its file or an Ibis table to "
            "gtaudit.large.gstudy."
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
