"""The best and the cheapest whole-number design."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

import gtlib.tables.checks as checks
from gtlib.allocation.constraints import read_cost
from gtlib.allocation.problem import (
    Cost,
    best_for_budget,
    error_terms,
    solve,
)
from gtlib.allocation.search import Problem, idle_facets
from gtlib.dstudy.numbers import Numbers
from gtlib.estimates.coefficients import (
    COEFFICIENTS,
    check_coefficient,
    largest_error,
    share,
)


@dataclass(frozen=True)
class Allocation:
    """A whole-number design, what it costs and what it brings.

    Attributes
    ----------
    plan : Plan
        The design with these numbers: its errors, source by source.
    cost : float
        In the unit of the prices; without prices, judgments.
    notes : tuple of str
        What a reader should know: negative estimates counted as zero,
        numbers that cannot pay for themselves.
    """

    plan: Numbers
    cost: float
    notes: tuple[str, ...] = ()

    @property
    def levels(self) -> dict[str, int]:
        """The numbers of levels, a nested facet's within its nest
        (assessors *per topic*)."""
        return self.plan.levels

    @property
    def generalizability(self) -> float:
        """Eρ² of the design."""
        return self.plan.generalizability

    @property
    def dependability(self) -> float:
        """Φ of the design."""
        return self.plan.dependability

    @property
    def row(self) -> dict[str, float]:
        """Numbers, cost and coefficients, as a row of a table."""
        return {
            **self.levels,
            "cost": self.cost,
            "generalizability": self.generalizability,
            "dependability": self.dependability,
        }

    def __str__(self) -> str:
        numbers = ", ".join(
            f"{facet} {number}" for facet, number in self.levels.items()
        )
        summary = (
            f"{numbers}: cost {self.cost:,.10g}, generalizability "
            f"{self.generalizability:.4f}, dependability "
            f"{self.dependability:.4f}"
        )
        return "\n".join([summary, *self.notes])

    def _repr_html_(self):
        table = pd.DataFrame([self.row]).style.hide(axis="index")
        shown = table.format("{:.4f}", subset=list(COEFFICIENTS))
        shown = shown.format("{:,.10g}", subset="cost")
        notes = "".join(f"<p>{note}</p>" for note in self.notes)
        return shown.to_html() + notes


def best(
    self: Numbers,
    budget: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
) -> Allocation:
    """The most reliable whole-number design that a budget buys.

    Parameters
    ----------
    budget : float > 0
        In the unit of the prices; without prices, judgments.
    cost : mapping or callable, optional
        Without it a design costs the product of its numbers: one for each
        judging of a topic by an assessor. A mapping of prices, a linear
        cost: ``{"judgment": 1, "topic": 20, "assessor": 300}``, where
        ``judgment`` is the price of that product, ``topic`` that of
        developing one and ``assessor`` that of hiring one. Where each
        topic has assessors of its own (``assessor:topic``), topics times
        assessors are hired. A callable gets the numbers by name
        (``cost(topic=50, assessor=2)``) and may never fall when a number
        rises.
    coefficient : {"dependability", "generalizability"}
        What is made highest.

    Returns
    -------
    Allocation

    Raises
    ------
    ValueError
        If the smallest design costs more than the budget, or a facet
        without an upper bound costs nothing.

    Notes
    -----
    Numbers that the plan was given hold or bound the search; all others
    are free (``g.plan(assessor=(1, 4)).best(1000)``).  The answer is the
    one that trying every design would give (``gtlib.allocation.search``),
    not a continuous solution rounded.  Designs that tie (to a relative
    1e-12) are told apart by the lower cost, then by fewer levels of the
    last facet, then of the one before.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 0.5,
    ...      "system x topic": 12, "system x assessor": 0.2,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> g.plan().best(1000).levels
    {'topic': 200, 'assessor': 5}
    >>> g.plan().best(1000, {"judgment": 1, "topic": 9}).levels
    {'topic': 71, 'assessor': 5}
    """
    problem = best_for_budget(self, budget, cost, coefficient)
    found = solve(self, problem)
    if found is None:
        smallest = {facet: low for facet, (low, _) in self.bounds.items()}
        least = problem.cost.total(
            np.array([list(smallest.values())], float)
        )[0]
        raise ValueError(
            f"budget={budget:g} buys no design: the smallest, "
            f"{_listed(smallest)}, costs {least:g}."
        )
    return _allocation(self, problem, found)


def cheapest(
    self: Numbers,
    target: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
) -> Allocation:
    """The cheapest whole-number design that reaches a coefficient.

    Parameters
    ----------
    target : float in (0, 1)
        The coefficient to reach.
    cost, coefficient : as in `Plan.best`

    Returns
    -------
    Allocation

    Raises
    ------
    ValueError
        If no design reaches the target: it says what the ceiling is and
        which component sets it.

    Notes
    -----
    Exact, like `Plan.best`; designs of one cost are told apart by
    the higher coefficient, then by fewer levels of the last facet.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 0.5,
    ...      "system x topic": 12, "system x assessor": 0.2,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> g.plan().cheapest(0.95).levels
    {'topic': 155, 'assessor': 3}
    """
    check_coefficient(coefficient)
    target = checks.target(target)
    lowest = {facet: low for facet, (low, _) in self.bounds.items()}
    universe = self.sources.coefficients(lowest)["universe_score"]
    problem = Problem(
        error_terms(self, coefficient),
        read_cost(self.design, list(self.bounds), cost),
        largest_error(universe, target),
        cheapest=True,
    )
    found = solve(self, problem) if universe > 0 else None
    if found is None:
        raise ValueError(_ceiling(self, coefficient, target, universe))
    return _allocation(self, problem, found)


def _allocation(plan, problem, found):
    levels = dict(zip(plan.bounds, map(int, found), strict=True))
    cost = problem.cost.total(np.array([found], float))[0]
    return Allocation(
        plan.with_numbers(levels), float(cost), _notes(plan, problem)
    )


def _notes(plan, problem):
    notes = []
    if plan.study.negative:
        notes.append(
            "Negative estimates counted as zero: "
            f"{', '.join(plan.study.negative)}."
        )
    low, high = zip(*plan.bounds.values(), strict=True)
    stays = idle_facets(problem, low, high)
    idle = [f for f, s in zip(plan.bounds, stays, strict=True) if s]
    return (*notes, *(_why_idle(plan, facet, idle) for facet in idle))


def _why_idle(plan, facet, idle):
    """Why a number stays at its smallest, in words."""
    others = set(plan.bounds) - set(idle)
    own = [
        effect
        for effect, divisors in plan.sources.table["divisors"].items()
        if facet in divisors and not others & set(divisors)
    ]
    why = (
        f"what it alone divides ({', '.join(own)}) counts as zero"
        if own
        else "another number divides whatever it divides"
    )
    return (
        f"{facet} stays at {plan.bounds[facet][0]} however large the "
        f"budget: {why}, so the money does more elsewhere."
    )


def _ceiling(plan, coefficient, target, universe):
    """Why no design reaches a target, and what stands in the way."""
    start = f"No design reaches {coefficient} {target:g}: "
    if universe == 0:
        return start + (
            f"the variance of {plan.design.object} is estimated as zero, "
            "so nothing tells its levels apart."
        )
    most = {facet: high for facet, (_, high) in plan.bounds.items()}
    stays = pd.Series(
        plan.sources.mean_variance(most), plan.sources.table.index
    )[plan.sources.errors(coefficient)]
    capped = {f: int(n) for f, n in most.items() if np.isfinite(n)}
    culprit = stays.idxmax()
    return start + (
        f"with {_listed(capped)} its ceiling is "
        f"{share(universe, stays.sum()):.4f}, set by {culprit} "
        f"({stays[culprit] / stays.sum():.0%} of the error that stays "
        "however many there are of the rest). Allow more, or aim lower."
    )


def _listed(numbers):
    return " and ".join(f"{facet}={n}" for facet, n in numbers.items())
