"""D-studies: the errors that a design with given numbers of levels has."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, prod
from typing import Self

import numpy as np
import pandas as pd

from gtlib.dstudy.planned_effects import PlannedEffects
from gtlib.estimates import Incidence, StudyData, compute_shares
from gtlib.estimates.coefficients import error_name, largest_error
from gtlib.tables import Design, checks, plural


@dataclass(frozen=True, repr=False)
class DStudy:
    """A planned design with numbers of levels.

    Attributes
    ----------
    study : StudyData
        Where the variance components come from.
    effects : PlannedEffects
        Which component goes where.
    given : dict of facet to (low, high)
        The numbers that were asked for: two equal ones for a number.
    """

    study: StudyData
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
        its ``percent`` of σ²(τ) + σ²(Δ).  Of means as observed also what
        it adds to ``relative_error``, as all effects may."""
        table = self.effects.table[["variance", "role"]].copy()
        seen = self.incidence
        if seen is None:
            divisors = [
                prod(self.levels[f] for f in facets)
                for facets in self.effects.table["divisors"]
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
        table["percent"] = 100 * mean * counted / (total or np.nan)
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
        others = numbers or {}
        if self.incidence is None:
            levels = self.fill_numbers(others)
            return self.effects.coefficients(levels, components)
        if components is None:
            components = self.study.variance.to_numpy()
        means = np.maximum(components, 0).T
        for facet in (f for f in others if f not in self.fixed):
            inside = [facet in e.facets for e in self.design.effects]
            number = np.asarray(others[facet], dtype=float)
            fewer = self.incidence.typical[facet] / number
            means = means * np.power.outer(fewer, inside)
        return self.incidence.coefficients(means.T)

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
        _, allowed = required_levels_parts(
            self, facet, target, error_name(coefficient)
        )
        unreached = (
            f"No number of {plural(facet)} brings {coefficient} to "
            f"{target}: "
        )
        if allowed <= 0:
            reason = describe_ceiling(self, {facet: inf}, coefficient)
            raise ValueError(unreached + reason)

        def reached(number):
            coefficients = self.coefficients(numbers={facet: number})
            return coefficients[coefficient] >= target

        n = smallest_satisfying(reached)
        if n is None:
            raise ValueError(f"{unreached}its ceiling is too close.")
        return n

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
        others = [f for f in self.effects.facets if f not in numbers]
        return {**{f: self.number(f) for f in others}, **numbers}

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


def required_levels_parts(
    plan: DStudy,
    facet: str,
    target: float,
    error: str,
    components: np.ndarray | None = None,
) -> tuple:
    """Return the parts of the quotient that gives the fewest levels.

    The numerator is the part of the error of one level of a facet that
    shrinks with more levels. The denominator is how large that part may be
    where the coefficient just reaches the target: the largest error allowed
    less what stays with endless levels.

    Raises
    ------
    ValueError
        If more of the facet does not help.
    """
    if facet not in plan.design.facets:
        raise ValueError(
            f"{facet!r} is no facet of the design {plan.design}."
        )
    if facet not in plan.effects.facets:
        raise ValueError(
            f"{facet} is the object of measurement: more of it does "
            "not make its scores more reliable."
        )
    if facet in plan.fixed:
        raise ValueError(f"{facet} is fixed: its number cannot change.")
    single = plan.coefficients(components, {facet: 1})
    endless = plan.coefficients(components, {facet: inf})
    allowed = largest_error(single["universe_score"], target)
    return single[error] - endless[error], allowed - endless[error]


def describe_ceiling(
    plan: DStudy, numbers: Mapping, coefficient: str
) -> str:
    """Say how high a coefficient gets as some numbers grow without end,
    and which errors stay."""
    values = plan.coefficients(numbers=numbers)
    if values["universe_score"] <= 0:
        return f"the variance of {plan.design.object} is estimated as zero."
    if plan.incidence is None:
        means = plan.effects.mean_variance(plan.fill_numbers(numbers))
        errors = means * plan.effects.errors(coefficient)
    else:  # each component alone
        alone = plan.coefficients(np.diag(plan.study.variance), numbers)
        errors = alone[error_name(coefficient)]
    stays = pd.Series(errors, plan.effects.table.index)
    total = stays.sum()
    parts = [
        f"{effect} ({part / total:.0%})"
        for effect, part in stays.sort_values(ascending=False).items()
        if part > 0.005 * total
    ]
    return (
        f"its ceiling is {values[coefficient]:.4f}, because of the error "
        f"that stays: {', '.join(parts)}."
    )


def smallest_satisfying(holds: Callable[[int], bool]) -> int | None:
    """Find the smallest whole number for which `holds`; None if there is
    none up to 2**53."""
    start = 1
    while not holds(start):
        start *= 2
        if start > 2**53:
            return None
    return 1 + bisect_left(range(1, start), True, key=holds)
