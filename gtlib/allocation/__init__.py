"""Optimal allocation: how to split a budget over topics and assessors."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gtlib.allocation.constraints import (
    read_budget,
    read_cost,
    read_numbers,
)
from gtlib.allocation.search import (
    Problem,
    Unbounded,
    idle_facets,
    search,
)
from gtlib.allocation.terms import Terms
from gtlib.dstudy import (
    COEFFICIENTS,
    DStudy,
    check_coefficient,
    check_target,
    evaluate,
    plan,
)


@dataclass(frozen=True)
class Allocation:
    """A whole-number design, what it costs and what it brings.

    Attributes
    ----------
    levels : dict of facet to int
        A nested facet's within its nest (assessors *per topic*).
    cost : float
        In the unit of the prices; without prices, judgments.
    study : DStudy
        The D-study at these numbers, source by source.
    notes : tuple of str
        What a reader should know: negative estimates counted as zero,
        numbers that cannot pay for themselves.
    """

    levels: dict
    cost: float
    study: DStudy
    notes: tuple = ()

    @property
    def generalizability(self):
        """Eρ² of the design."""
        return self.study.generalizability

    @property
    def dependability(self):
        """Φ of the design."""
        return self.study.dependability

    @property
    def relative_error(self):
        """σ²(δ), in squared units of the score."""
        return self.study.relative_error

    @property
    def absolute_error(self):
        """σ²(Δ), in squared units of the score."""
        return self.study.absolute_error

    @property
    def row(self):
        """Numbers, cost and coefficients, as a row of a table (a dict)."""
        return {
            **self.levels,
            "cost": self.cost,
            "generalizability": self.generalizability,
            "dependability": self.dependability,
        }

    def __str__(self):
        return "\n".join([self._summary(), *self.notes])

    def _repr_html_(self):
        table = pd.DataFrame([self.row]).style.hide(axis="index")
        shown = table.format("{:.4f}", subset=list(COEFFICIENTS))
        shown = shown.format("{:,.10g}", subset="cost")
        notes = "".join(f"<p>{note}</p>" for note in self.notes)
        return shown.to_html() + notes

    def _summary(self):
        numbers = ", ".join(
            f"{facet} {number}" for facet, number in self.levels.items()
        )
        return (
            f"{numbers}: cost {self.cost:,.10g}, generalizability "
            f"{self.generalizability:.4f}, dependability "
            f"{self.dependability:.4f}"
        )


def optimal_ratio(g, error="absolute", *, design=None, fixed=()):
    """Levels of the first facet to one level of the second, at the best.

    Parameters
    ----------
    g : GStudy
        With two facets beside the object of measurement.
    error : {"absolute", "relative"}
        The error that is made smallest.
    design, fixed : as in `dstudy`

    Returns
    -------
    float
        Infinite when no component is divided by the second facet alone:
        one assessor then, and all the money for topics.

    Raises
    ------
    ValueError
        When the design has not two facets to share a budget, or no
        component prefers one of them.

    Notes
    -----
    An error is A/n_i + B/n_a + C/(n_i n_a). While the cost is n_i n_a
    the last term is settled by the budget, and the others are smallest
    where n_i / n_a = A / B: for topics and assessors crossed,

        absolute: (σ²_i + σ²_pi) / (σ²_a + σ²_pa)
        relative: σ²_pi / σ²_pa

    (Bodoff & Li 2007, section 3.2.3). The budget does not matter.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 0.5,
    ...      "system x topic": 12, "system x assessor": 0.2,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> print(f"{optimal_ratio(g):.0f}, {optimal_ratio(g, 'relative'):.0f}")
    40, 60
    """
    coefficients = {
        error.split("_")[0]: name for name, error in COEFFICIENTS.items()
    }
    if error not in coefficients:
        raise ValueError(
            f"error={error!r} is not known; choose 'absolute' or "
            "'relative'."
        )
    ready = plan(g, design, fixed=fixed)
    free, (first, second) = divided_alone(g, ready, coefficients[error])
    if first == second == 0:
        raise ValueError(
            f"Neither {free[0]} nor {free[1]} divides a component of the "
            f"{error} error alone: with this cost any split is as good."
        )
    return float(first / second) if second else float("inf")


def divided_alone(g, ready, coefficient, components=None):
    """The error that each of two facets divides without the other.

    Parameters
    ----------
    g : GStudy
    ready : gtlib.dstudy.Plan
    coefficient : {"generalizability", "dependability"}
    components : array (effects, ...), optional
        In place of the G-study's own.

    Returns
    -------
    tuple of str, ndarray (2, ...)
        The facets, and the sums A and B of `optimal_ratio`.

    Raises
    ------
    ValueError
        When there are not two facets to share a budget.
    """
    numbers = read_numbers(g, ready, {})
    free = tuple(facet for facet in numbers if facet not in ready.fixed)
    if len(free) != 2:
        raise ValueError(
            f"A ratio needs two facets to share a budget; {ready.design} "
            f"has {len(free)}. best_allocation takes any number of them."
        )
    ones = {f: 1 if f in free else low for f, (low, _) in numbers.items()}
    mean = ready.mean_variance(ones, components)
    counted = ready.errors(coefficient)
    alone = [
        counted
        & (ready.table["divisors"].map(set(free).intersection) == {f})
        for f in free
    ]
    return free, np.array([mean[rows].sum(axis=0) for rows in alone])


def best_allocation(
    g,
    budget,
    cost=None,
    *,
    coefficient="dependability",
    design=None,
    fixed=(),
    **levels,
):
    """The most reliable whole-number design that a budget buys.

    Parameters
    ----------
    g : GStudy
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
    design, fixed : as in `dstudy`
    **levels : int or (low, high)
        Holds a facet's number (``assessor=2``) or bounds it
        (``assessor=(1, 4)``, ``topic=(50, None)``).

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
    The answer is the one that trying every design would give
    (``gtlib.allocation.search``), not a continuous solution rounded.
    Designs that tie (to a relative 1e-12) are told apart by the lower
    cost, then by fewer levels of the last facet, then of the one before.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 0.5,
    ...      "system x topic": 12, "system x assessor": 0.2,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> best_allocation(g, 1000).levels
    {'topic': 200, 'assessor': 5}
    >>> best_allocation(g, 1000, {"judgment": 1, "topic": 9}).levels
    {'topic': 71, 'assessor': 5}
    """
    check_coefficient(coefficient)
    budget = read_budget(budget)
    ready = plan(g, design, fixed=fixed)
    numbers = read_numbers(g, ready, levels)
    error = error_terms(ready, numbers, coefficient)
    price = read_cost(ready.design, list(numbers), cost)
    problem = Problem(error, price, budget)
    found = solve(problem, numbers)
    if found is None:
        smallest = {facet: low for facet, (low, _) in numbers.items()}
        least = price.total(np.array([list(smallest.values())], float))[0]
        raise ValueError(
            f"budget={budget:g} buys no design: the smallest, "
            f"{_listed(smallest)}, costs {least:g}."
        )
    return _allocation(g, ready, problem, numbers, found)


def cheapest_allocation(
    g,
    target,
    cost=None,
    *,
    coefficient="dependability",
    design=None,
    fixed=(),
    **levels,
):
    """The cheapest whole-number design that reaches a coefficient.

    Parameters
    ----------
    g : GStudy
    target : float in (0, 1)
        The coefficient to reach.
    cost, coefficient, design, fixed, **levels : as in `best_allocation`

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
    Exact, like `best_allocation`; designs of one cost are told apart by
    the higher coefficient, then by fewer levels of the last facet.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 0.5,
    ...      "system x topic": 12, "system x assessor": 0.2,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> cheapest_allocation(g, 0.95).levels
    {'topic': 155, 'assessor': 3}
    """
    check_coefficient(coefficient)
    check_target(target)
    ready = plan(g, design, fixed=fixed)
    numbers = read_numbers(g, ready, levels)
    error = error_terms(ready, numbers, coefficient)
    price = read_cost(ready.design, list(numbers), cost)
    lowest = {facet: low for facet, (low, _) in numbers.items()}
    universe = ready.coefficients(lowest)["universe_score"]
    limit = universe * (1 - target) / target
    problem = Problem(error, price, limit, cheapest=True)
    found = solve(problem, numbers) if universe > 0 else None
    if found is None:
        raise ValueError(
            _ceiling(ready, numbers, coefficient, target, universe)
        )
    return _allocation(g, ready, problem, numbers, found)


def error_terms(ready, numbers, coefficient, components=None):
    """A coefficient's error as a sum over products of the numbers.

    Parameters
    ----------
    ready : gtlib.dstudy.Plan
    numbers : sequence of str
        The facets that have a number.
    coefficient : {"generalizability", "dependability"}
    components : array (effects,), optional
        In place of the G-study's own.

    Returns
    -------
    gtlib.allocation.terms.Terms
    """
    ones = dict.fromkeys(numbers, 1)
    variances = ready.mean_variance(ones, components)
    weights = {}
    for row in np.flatnonzero(ready.errors(coefficient)):
        key = ready.table["divisors"].iloc[row]
        weights[key] = weights.get(key, 0.0) + variances[row]
    return Terms.over(list(numbers), weights)


def solve(problem, numbers):
    """The best numbers of a Problem within their bounds, or None."""
    try:
        return search(problem, *zip(*numbers.values(), strict=True))
    except Unbounded as unbounded:
        facet = list(numbers)[unbounded.facet]
        raise ValueError(
            f"More of {facet} costs nothing, so there is no best number "
            f"of it: give it a price, or a bound such as {facet}=(1, 100)."
        ) from None


def _allocation(g, ready, problem, numbers, found):
    levels = dict(zip(numbers, map(int, found), strict=True))
    cost = problem.cost.total(np.array([found], float))[0]
    study = evaluate(ready, levels)
    notes = _notes(g, ready, problem, numbers)
    return Allocation(levels, float(cost), study, notes)


def _notes(g, ready, problem, numbers):
    notes = []
    if g.negative:
        notes.append(
            f"Negative estimates counted as zero: {', '.join(g.negative)}."
        )
    for facet in _idle(problem, numbers):
        notes.append(_why_idle(facet, ready, problem, numbers))
    return tuple(notes)


def _idle(problem, numbers):
    low, high = zip(*numbers.values(), strict=True)
    idle = idle_facets(problem, low, high)
    return [f for f, stays in zip(numbers, idle, strict=True) if stays]


def _why_idle(facet, ready, problem, numbers):
    """Why a number stays at its smallest, in words."""
    others = set(numbers) - set(_idle(problem, numbers))
    own = [
        effect
        for effect, divisors in ready.table["divisors"].items()
        if facet in divisors and not others & set(divisors)
    ]
    why = (
        f"what it alone divides ({', '.join(own)}) counts as zero"
        if own
        else "another number divides whatever it divides"
    )
    return (
        f"{facet} stays at {numbers[facet][0]} however large the budget: "
        f"{why}, so the money does more elsewhere."
    )


def _ceiling(ready, numbers, coefficient, target, universe):
    """Why no design reaches a target, and what stands in the way."""
    start = f"No design reaches {coefficient} {target:g}: "
    if universe == 0:
        return start + (
            f"the variance of {ready.design.object} is estimated as zero, "
            "so nothing tells its levels apart."
        )
    most = {facet: high for facet, (_, high) in numbers.items()}
    stays = pd.Series(ready.mean_variance(most), ready.table.index)
    stays = stays[ready.errors(coefficient)]
    ceiling = universe / (universe + stays.sum())
    capped = {f: int(n) for f, n in most.items() if np.isfinite(n)}
    culprit = stays.idxmax()
    return start + (
        f"with {_listed(capped)} its ceiling is {ceiling:.4f}, set by "
        f"{culprit} ({stays[culprit] / stays.sum():.0%} of the error that "
        "stays however many there are of the rest). Allow more, or aim "
        "lower."
    )


def _listed(numbers):
    return " and ".join(f"{facet}={n}" for facet, n in numbers.items())
