"""The D-study: how reliable a design would be, before it is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf, prod
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import gtlib.agreement as agreement
import gtlib.allocation as allocation
import gtlib.checks as checks
import gtlib.intervals as intervals
import gtlib.systems as systems
from gtlib.design import Design
from gtlib.incidence import Incidence
from gtlib.rankings import predicted_tau
from gtlib.sources import (
    Sources,
    check_coefficient,
    largest_error,
    share,
)
from gtlib.wording import count, html_table

if TYPE_CHECKING:
    from gtlib.study import GStudy


@dataclass(frozen=True, repr=False)
class Plan:
    """A design with numbers of levels, on the components of a G-study.

    Make one by `GStudy.plan`; ask it for its errors, its coefficients and
    their intervals, and for better numbers.

    Attributes
    ----------
    study : GStudy
        Where the variance components come from.
    sources : gtlib.sources.Sources
        Which component goes where.
    given : dict of facet to (low, high)
        The numbers that were asked for: two equal ones for a number.

    Notes
    -----
    Each component is divided by the numbers of levels that it is averaged
    over.  Relative error collects what moves systems differently, absolute
    error also what moves them together (Bodoff & Li 2007, eqs. 2-6;
    Brennan 2001, chapters 4-5).  Estimates below zero count as zero.

    A study with gaps or uneven nests has no numbers of levels.  A plan of
    its own design without numbers is then about its systems' means as
    they were observed, each over its own scores: see
    ``gtlib.incidence``.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> p = g.plan(topic=50)
    >>> f"{p.generalizability:.4f} {p.dependability:.4f}"
    '0.9375 0.7979'
    >>> p.required("topic", 0.95)
    241
    """

    study: GStudy
    sources: Sources
    given: dict[str, tuple[float, float]]

    @property
    def design(self) -> Design:
        """The planned design."""
        return self.sources.design

    @property
    def fixed(self) -> tuple[str, ...]:
        """Facets whose levels are all there are."""
        return self.sources.fixed

    @cached_property
    def levels(self) -> dict[str, int]:
        """The number of levels of each facet but the object's, of a
        nested one within its nest: as given, else the G-study's."""
        return {facet: self._number(facet) for facet in self.sources.facets}

    @cached_property
    def incidence(self) -> Incidence | None:
        """What the systems' means average over as observed, in a study
        with gaps, if no numbers and no other design were given."""
        g = self.study
        if g.incidence is None or self.given or self.design != g.design:
            return None
        if self.sources.unjudged:
            raise ValueError(
                "unjudged needs numbers of levels, for instance topic=50: "
                f"the study has {g.incidence}."
            )
        return Incidence.of_shares(g.design, g.incidence.shares, self.fixed)

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """The smallest and largest number that each facet may have when
        the best are sought: what was given, else from 1 to infinity."""
        found = {}
        for facet in self.sources.facets:
            if facet in self.fixed:
                found[facet] = (self._number(facet),) * 2
            else:
                found[facet] = self.given.get(facet, (1, inf))
        return found

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

    @property
    def expected_tau(self) -> float:
        """Kendall's tau between the rankings of two such samples, if
        systems and errors are normal: 2/π arcsin(Eρ²)."""
        return float(predicted_tau(self.generalizability))

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per effect with the ``variance`` of a single observation,
        its ``divisor``, the quotient ``mean_variance``, its ``role`` and
        its ``percent`` of σ²(τ) + σ²(Δ).  Of means as observed also what
        it adds to ``relative_error``, as all effects may."""
        table = self.sources.table[["variance", "role"]].copy()
        seen = self.incidence
        if seen is None:
            divisors = [
                prod(self.levels[f] for f in facets)
                for facets in self.sources.table["divisors"]
            ]
            counted = table["role"] != "constant"
        else:
            divisors = 1 / seen.squares.mean(axis=1)
            counted = divisors * (seen.universe + seen.absolute)
            table["relative_error"] = table["variance"] * seen.relative
        mean = table["variance"] / divisors
        total = self.universe_score + self.absolute_error
        table.insert(1, "divisor", divisors)
        table.insert(2, "mean_variance", mean)
        table["percent"] = (
            100 * mean * counted / total if total > 0 else np.nan
        )
        return table

    def coefficients(self, components: np.ndarray | None = None) -> dict:
        """Universe score variance, both errors and both coefficients.

        Parameters
        ----------
        components : array (effects, ...), optional
            Instead of the G-study's own.

        Returns
        -------
        dict of name to float or array (...)
        """
        if self.incidence is None:
            return self.sources.coefficients(self.levels, components)
        if components is None:
            components = self.study.variance.to_numpy()
        return self.incidence.coefficients(np.maximum(components, 0))

    def required(
        self, facet: str, target: float, coefficient: str = "dependability"
    ) -> int:
        """The fewest levels of one facet that reach a target coefficient.

        Parameters
        ----------
        facet : str
            The facet whose number is sought, for instance ``"topic"``;
            the others have the plan's numbers.
        target : float in (0, 1)
        coefficient : {"dependability", "generalizability"}

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If no number of levels reaches the target; it says what the
            ceiling is and which effect sets it.

        Examples
        --------
        >>> from gtlib import GStudy
        >>> g = GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> g.plan().required("topic", 0.95, "generalizability")
        64
        """
        check_coefficient(coefficient)
        target = checks.target(target)
        levels = self.levels_but(facet)
        table = self.sources.table
        mean = pd.Series(self.sources.mean_variance(levels), table.index)
        universe = mean[table["role"] == "universe score"].sum()
        in_error = self.sources.errors(coefficient)
        shrinks = np.array([facet in d for d in table["divisors"]])
        stays = mean[in_error & ~shrinks]
        allowed = largest_error(universe, target)
        if universe == 0 or stays.sum() >= allowed:
            culprit = (
                stays.idxmax() if stays.sum() > 0 else self.design.object
            )
            reason = (
                f"{culprit} does not shrink with the number of {facet}s"
                if universe > 0
                else f"the variance of {culprit} is estimated as zero"
            )
            ceiling = share(universe, stays.sum())
            raise ValueError(
                f"No number of {facet}s brings {coefficient} to {target}: "
                f"its ceiling is {ceiling:.4f}, because {reason}."
            )
        shrinking = mean[in_error & shrinks].sum()
        start = max(1, ceil(shrinking / (allowed - stays.sum())))

        def reached(number):
            numbers = {**levels, facet: number}
            return self.sources.coefficients(numbers)[coefficient] >= target

        n = first_that_holds(reached, start)
        if n is None:
            raise ValueError(
                f"No number of {facet}s brings {coefficient} to {target}: "
                "its ceiling is too close."
            )
        return n

    def grid(
        self,
        levels: Mapping[str, int | Sequence[int]] | None = None,
        **more: int | Sequence[int],
    ) -> pd.DataFrame:
        """Errors and coefficients for combinations of numbers of levels.

        Parameters
        ----------
        levels, **more : int or sequence of int
            The numbers to try for each facet; the others have the
            plan's.

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
        >>> from gtlib import GStudy
        >>> g = GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> grid = g.plan().grid(topic=[25, 50])
        >>> grid["generalizability"].round(3).tolist()
        [0.882, 0.938]
        """
        tried = {}
        for facet, numbers in _merged(levels, more).items():
            tried[facet] = [
                int(self.with_numbers({facet: number}).given[facet][0])
                for number in np.atleast_1d(numbers).tolist()
            ]
            if not tried[facet]:
                raise ValueError(f"{facet}: the list of numbers is empty.")
        facets = self.sources.facets
        axes = [tried.get(f) or [self._number(f)] for f in facets]
        columns = [
            axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")
        ]
        numbers = dict(zip(facets, columns, strict=True))
        values = self.sources.coefficients(numbers)
        values.pop("universe_score")
        return pd.DataFrame({**numbers, **values})

    interval = intervals.interval
    required_interval = intervals.required_interval
    best = allocation.best
    best_by_judgments = allocation.best_by_judgments
    difference_errors = allocation.difference_errors
    next_judgments = allocation.next_judgments
    cheapest = allocation.cheapest
    pareto = allocation.pareto
    sensitivity = allocation.sensitivity
    optimal_ratio = allocation.optimal_ratio
    optimal_ratio_interval = allocation.optimal_ratio_interval
    conditional_errors = systems.conditional_errors
    ranking_agreement = agreement.ranking_agreement

    def with_numbers(self, levels: Mapping) -> Plan:
        """The same design with these numbers, checked, and no others."""
        given = {}
        for facet, number in levels.items():
            if facet not in self.sources.facets:
                raise ValueError(
                    f"{facet!r} takes no number in a D-study of "
                    f"{self.design}; give numbers for "
                    f"{', '.join(self.sources.facets)}."
                )
            given[facet] = _range(facet, number)
            studied = _studied(self.study, facet, True) or given[facet][0]
            if facet in self.fixed and given[facet] != (studied, studied):
                raise ValueError(
                    f"{facet} is fixed at the {studied} levels of the "
                    f"G-study; {facet}={number} is not possible."
                )
        return replace(self, given=given)

    def levels_but(self, facet: str) -> dict[str, int]:
        """The plan's numbers, with 1 for a facet whose number is sought.

        Raises
        ------
        ValueError
            If more of that facet does not help, or a number is missing.
        """
        if facet not in self.design.facets:
            raise ValueError(
                f"{facet!r} is no facet of the design {self.design}."
            )
        if facet not in self.sources.facets:
            raise ValueError(
                f"{facet} is the object of measurement: more of it does "
                "not make its scores more reliable."
            )
        if facet in self.fixed:
            raise ValueError(f"{facet} is fixed: its number cannot change.")
        return {
            f: 1 if f == facet else self._number(f)
            for f in self.sources.facets
        }

    def __str__(self) -> str:
        table = self._shown().to_string(float_format="{:.6g}".format)
        return f"{self._title()}\n\n{table}\n\n{self._summary()}"

    def _repr_html_(self):
        return html_table(self._title(), self._shown(), self._summary())

    @cached_property
    def _values(self):
        found = self.coefficients()
        return {name: float(value) for name, value in found.items()}

    def _known(self, facet):
        """The number of a facet, or None while it has none."""
        low, high = self.given.get(facet, (None, None))
        if low is None:
            fixed = facet in self.fixed
            return _studied(self.study, facet, fixed)
        return int(low) if low == high else None

    def _number(self, facet):
        number = self._known(facet)
        if number is None:
            seen = self.study.incidence
            why = f" The study has {seen}." if seen is not None else ""
            raise ValueError(
                f"How many levels of {facet}?{why} Give one number, "
                f"{facet}=..., for instance {facet}=50."
            )
        return number

    def _shown(self):
        if self.incidence is not None:
            return self.table.drop(columns="role")
        if self._open():
            return self.sources.table[["variance", "role"]]
        return self.table

    def _open(self):
        return [f for f in self.sources.facets if self._known(f) is None]

    def _title(self):
        if self.incidence is not None:
            fixed = "".join(f", {facet} fixed" for facet in self.fixed)
            return f"D-study {self.design} as observed{fixed}"
        size = " · ".join(
            count(self._known(facet) or "?", facet)
            + (" in each nest" if self.design.nesting[facet] else "")
            + (" (fixed)" if facet in self.fixed else "")
            for facet in self.sources.facets
        )
        return f"D-study {self.design}, {size}"

    def _summary(self):
        if self.incidence is None and self._open():
            return f"Give numbers for {' and '.join(self._open())}."
        return (
            f"relative error {self.relative_error:.3g}, generalizability "
            f"{self.generalizability:.3f} (expected tau "
            f"{self.expected_tau:.2f}); absolute error "
            f"{self.absolute_error:.3g}, dependability "
            f"{self.dependability:.3f}"
        ) + self._of_gaps()

    def _of_gaps(self):
        """What the study's gaps mean for these numbers, in words."""
        if self.study.incidence is None:
            return ""
        said = f". The study has {self.study.incidence}"
        if self.incidence is None:
            return f"{said}; the plan has no gaps"
        shared = self.table["role"] == "absolute error only"
        costs = self.table.loc[shared, "relative_error"]
        part = costs.sum() / max(self.relative_error, 1e-300)
        if part < 1e-9:
            return said
        return (
            f"{said}. On the same number of common levels, "
            f"{' and '.join(costs.index[costs > 0])} would cancel between "
            f"systems; with these gaps that is {part:.0%} of the relative "
            "error"
        )


def plan(
    g: GStudy,
    design: str | Design | None = None,
    *,
    fixed: str | Sequence[str] = (),
    unjudged: float = 0.0,
    levels: Mapping | None = None,
    **more: int | tuple,
) -> Plan:
    """A design to be judged before it is built: the D-study.

    Parameters
    ----------
    design : str or Design, optional
        The planned design, if not the G-study's.  It may nest what the
        G-study crosses; it cannot separate what the G-study confounds.
    fixed : facet or facets, optional
        Facets whose levels are all there are; the others are generalised
        over.
    unjudged : float
        What documents without a judgment add to the variance of a score,
        for each system and topic, where the study's own scores lack none:
        see `Pool.unjudged_variance`.  A relative error, divided by the
        topics alone: assessors judge the same documents.  It is taken as
        known, in intervals as well.
    levels, **more : int, or (low, high)
        The planned number of levels of each facet, of a nested one within
        its nest: ``topic=50, assessor=2`` or, for any name of a facet,
        ``levels={"topic": 50}``.  Without a number, the G-study's; without
        any in a study with gaps, each system's own scores as observed.
        Where the best numbers are sought, a number holds, a pair such as
        ``topic=(50, None)`` bounds, and the rest is free.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        If a number is impossible, or the G-study's components do not
        support the design.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> print(f"{g.plan(topic=50).dependability:.4f}")
    0.7979
    >>> print(f"{g.plan(topic=50, unjudged=0.005).dependability:.4f}")
    0.7772
    """
    planned = Plan(g, Sources.of(g, design, fixed, unjudged), {})
    return planned.with_numbers(_merged(levels, more))


def _merged(levels, more):
    """Numbers given as a mapping and by name, together."""
    if not isinstance(levels, Mapping | None):
        raise ValueError(
            "levels maps each facet to a number, for instance "
            f"{{'topic': 50}}; got {levels!r}."
        )
    twice = set(levels or ()) & set(more)
    if twice:
        raise ValueError(f"{min(twice)} is given twice.")
    return {**(levels or {}), **more}


def _range(facet, given):
    if not isinstance(given, tuple | list):
        return (checks.whole_number(given, facet),) * 2
    if len(given) != 2:
        raise ValueError(
            f"{facet}={given!r}: bound a number by two, (low, high)."
        )
    low, high = given
    low = 1 if low is None else checks.whole_number(low, facet)
    high = inf if high in (None, inf) else checks.whole_number(high, facet)
    if low > high:
        raise ValueError(
            f"{facet}={given!r}: the lower bound is above the upper."
        )
    return low, high


def _studied(g, facet, fixed):
    """The G-study's number of levels, if every system has that many; of a
    fixed facet, if every nest has."""
    if not g.levels:
        return None
    if g.incidence is None:
        return g.levels[facet]
    if fixed and g.cells and np.ptp(g.cells.counts[facet]) == 0:
        return g.levels[facet]
    return g.incidence.levels.get(facet)


def first_that_holds(
    holds: Callable[[int], bool], start: int
) -> int | None:
    """The smallest whole number for which `holds`, from a start that is
    right but for rounding: step, and bisect at the worst; None if there is
    none up to 2**53."""
    n = start
    low = n - 2 if n > 2 and not holds(n - 2) else 0
    while not holds(n):
        low, n = n, 2 * n
        if n > 2**53:
            return None
    while n - low > 1:
        middle = (low + n) // 2
        low, n = (low, middle) if holds(middle) else (middle, n)
    return n
