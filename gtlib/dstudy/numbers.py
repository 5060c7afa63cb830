"""Numbers of levels on a study's components, and the errors they leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf, prod
from typing import Self

import numpy as np
import pandas as pd

from gtlib.dstudy.sources import Sources
from gtlib.estimates.coefficients import (
    check_coefficient,
    largest_error,
    share,
)
from gtlib.estimates.incidence import Incidence
from gtlib.estimates.study_data import StudyData
from gtlib.tables import checks
from gtlib.tables.design import Design


@dataclass(frozen=True, repr=False)
class Numbers:
    """A planned design with numbers of levels: what every method reads.

    Attributes
    ----------
    study : StudyData
        Where the variance components come from.
    sources : gtlib.dstudy.sources.Sources
        Which component goes where.
    given : dict of facet to (low, high)
        The numbers that were asked for: two equal ones for a number.
    """

    study: StudyData
    sources: Sources
    given: dict[str, tuple[float, float]]

    @classmethod
    def of(
        cls,
        study: StudyData,
        design: str | Design | None = None,
        fixed: str | Sequence[str] = (),
        unjudged: float = 0.0,
        levels: Mapping | None = None,
    ) -> Self:
        """As `GStudy.plan` says."""
        sources = Sources.of(study, design, fixed, unjudged)
        return cls(study, sources, {}).with_numbers(levels or {})

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
        return {facet: self.number(facet) for facet in self.sources.facets}

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
        found: dict[str, tuple[float, float]] = {}
        for facet in self.sources.facets:
            if facet in self.fixed:
                found[facet] = (self.number(facet),) * 2
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

    def with_numbers(self, levels: Mapping) -> Self:
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
            f: 1 if f == facet else self.number(f)
            for f in self.sources.facets
        }

    def with_unjudged(self, variance: float) -> Self:
        """The same plan, with this variance of unjudged documents."""
        sources = Sources.of(self.study, self.design, self.fixed, variance)
        return replace(self, sources=sources)

    @cached_property
    def _values(self):
        found = self.coefficients()
        return {name: float(value) for name, value in found.items()}

    def known(self, facet: str) -> int | None:
        """The number of a facet, or None while it has none."""
        low, high = self.given.get(facet, (None, None))
        if low is None:
            fixed = facet in self.fixed
            return _studied(self.study, facet, fixed)
        return int(low) if low == high else None

    def number(self, facet: str) -> int:
        number = self.known(facet)
        if number is None:
            seen = self.study.incidence
            why = f" The study has {seen}." if seen is not None else ""
            raise ValueError(
                f"How many levels of {facet}?{why} Give one number, "
                f"{facet}=..., for instance {facet}=50."
            )
        return number


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
