"""A plan's question of numbers, in the form that the search takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gtlib.allocation.constraints import read_budget, read_cost
from gtlib.allocation.search import Problem, Unbounded, search
from gtlib.allocation.terms import Terms
from gtlib.dstudy.numbers import Numbers
from gtlib.estimates.coefficients import check_coefficient

Cost = Mapping[str, float] | Callable[..., float] | None


def best_for_budget(
    plan: Numbers, budget: float, cost: Cost, coefficient: str
) -> Problem:
    """The smallest error that a budget buys."""
    check_coefficient(coefficient)
    return Problem(
        error_terms(plan, coefficient),
        read_cost(plan.design, list(plan.bounds), cost),
        read_budget(budget),
    )


def error_terms(
    plan: Numbers, coefficient: str, components: np.ndarray | None = None
) -> Terms:
    """A coefficient's error as a sum over products of the numbers.

    `components`, an array (effects,), replaces the G-study's own.
    """
    ones = dict.fromkeys(plan.bounds, 1)
    variances = plan.sources.mean_variance(ones, components)
    weights: dict[tuple[str, ...], float] = {}
    for row in np.flatnonzero(plan.sources.errors(coefficient)):
        key = plan.sources.table["divisors"].iloc[row]
        weights[key] = weights.get(key, 0.0) + variances[row]
    return Terms.over(list(plan.bounds), weights)


def solve(plan: Numbers, problem: Problem) -> np.ndarray | None:
    """The best numbers of a Problem within the plan's bounds, or None."""
    try:
        return search(problem, *zip(*plan.bounds.values(), strict=True))
    except Unbounded as unbounded:
        facet = list(plan.bounds)[unbounded.facet]
        raise ValueError(
            f"More of {facet} costs nothing, so there is no best number "
            f"of it: give it a price, or a bound such as {facet}=(1, 100)."
        ) from None
