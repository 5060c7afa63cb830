"""Exact search over whole-number designs.

Both planning questions have one form. The error of a design is a sum of
variance components, each over a product of numbers; its price is a sum of
prices, each times a product of numbers. So *the best design for a budget*
minimises ``sum(w / product)`` while ``sum(q * product)`` stays under a
limit, and with every number turned upside down *the cheapest design for a
target* is that same problem. It is solved by branch and bound on boxes of
designs: a box is dropped once even its most favourable corner, given what
the limit allows, cannot beat a design already found. Nothing is rounded,
so the answer is the one an exhaustive search would give.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gtlib.allocation.terms import (
    LARGEST,
    TIE,
    PriceFunction,
    Terms,
    largest_numbers,
    least_sum,
    smallest_numbers,
)

BATCH = 4096
"""Boxes looked at in one vectorised step."""


class Unbounded(ValueError):
    """A number without an upper bound costs nothing."""

    def __init__(self, facet: int):
        super().__init__(f"facet {facet} has no bound and costs nothing")
        self.facet = facet


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise the error under a budget, or the cost under an error.

    Parameters
    ----------
    error : Terms
        Variance components and the facets that divide them.
    cost : Terms or PriceFunction
    limit : float
        The budget, or the largest error allowed if `cheapest`.
    cheapest : bool
        Which of the two is minimised.
    """

    error: Terms
    cost: Terms | PriceFunction
    limit: float
    cheapest: bool = False

    @property
    def allowed(self) -> float:
        """The limit, rounding errors forgiven."""
        return self.limit * (1 + TIE)

    def score(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(minimised, other) of each design; lower is better for both."""
        error = self.error.shared(numbers)
        cost = self.cost.total(numbers)
        return (cost, error) if self.cheapest else (error, cost)

    def tighten(
        self, low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Shrink boxes to what the limit allows; drop the empty ones."""
        if self.cheapest:
            least = smallest_numbers(self.error, self.allowed, high)
            low = np.maximum(low, least)
        elif isinstance(self.cost, Terms):
            most = largest_numbers(self.cost, self.allowed, low)
            high = np.minimum(high, np.floor(most * (1 + TIE)))
        else:
            paid = self.cost.total(low) <= self.allowed
            low, high = low[paid], high[paid]
        fits = (low <= high).all(1)
        return low[fits], high[fits]

    def bound(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """What no design in the box can be better than."""
        if not isinstance(self.cost, Terms):
            return (
                self.cost.total(low)
                if self.cheapest
                else self.error.shared(high)
            )
        if self.cheapest:
            return least_sum(
                self.cost, self.error, self.allowed, 1 / high, 1 / low
            )
        return least_sum(self.error, self.cost, self.allowed, low, high)

    def corners(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Designs in each (tightened) box that keep within the limit.

        All but one number are the smallest, and that one is as large as
        the budget allows or the error asks.
        """
        if self.cheapest:
            end = smallest_numbers(self.error, self.allowed, low)
            end = np.maximum(low, end)
        elif isinstance(self.cost, Terms):
            end = high
        else:
            return low
        corners = np.repeat(low[:, None, :], low.shape[1], axis=1)
        facets = np.arange(low.shape[1])
        corners[:, facets, facets] = end
        return corners[end <= high]


def search(
    problem: Problem, low: ArrayLike, high: ArrayLike
) -> np.ndarray | None:
    """The best whole-number design in a box, exactly.

    Designs that tie on what is minimised (to a relative 1e-12) are told
    apart by the other of error and cost, then by the fewest levels of
    the last facet, then of the one before it, and so on.

    Parameters
    ----------
    problem : Problem
    low, high : sequences of float, one per facet
        Smallest and largest number of each, infinity where unbounded.

    Returns
    -------
    array of int (facets,), or None when no design keeps the limit.

    Raises
    ------
    ValueError
        When a number without a bound costs nothing.
    """
    most = np.where(idle_facets(problem, low, high), low, high)
    least = np.array([low], dtype=float)
    most = _enclose(problem, least, most[None].astype(float))
    best, waiting = None, [] if most is None else [(least, most)]
    while waiting:
        start, end = problem.tighten(*waiting.pop())
        if not len(start):
            continue
        corners = problem.corners(start, end)
        if len(corners):
            best = _choose(problem, best, corners)
        bound = problem.bound(start, end)
        keep = (start < end).any(1)
        if best is not None:
            keep &= bound <= problem.score(best)[0] * (1 + TIE)
        order = np.argsort(bound[keep])
        start, end = _halve(problem, start[keep][order], end[keep][order])
        for first in reversed(range(0, len(start), BATCH)):
            piece = slice(first, first + BATCH)
            waiting.append((start[piece], end[piece]))
    return None if best is None else best[0].astype(np.int64)


def _choose(problem, best, numbers):
    """The better of the best so far and some new designs, ties broken."""
    if best is not None:
        numbers = np.concatenate([best, numbers])
    value, other = problem.score(numbers)
    tied = np.flatnonzero(value <= value.min() * (1 + TIE))
    tied = tied[other[tied] <= other[tied].min() * (1 + TIE)]
    return numbers[tied[np.lexsort(numbers[tied].T)[:1]]]


def _halve(problem, low, high):
    """Cut each box in two across its longest side, on a log scale."""
    rows, side = np.arange(len(low)), np.argmax(high / low, axis=1)
    cut = np.floor(np.sqrt(low[rows, side] * high[rows, side]))
    left, right = high.copy(), low.copy()
    left[rows, side], right[rows, side] = cut, cut + 1
    if isinstance(problem.cost, PriceFunction):
        problem.cost.check_rising(low, right)
    pairs = np.stack([low, right], 1), np.stack([left, high], 1)
    return tuple(pair.reshape(-1, low.shape[1]) for pair in pairs)


def idle_facets(
    problem: Problem, low: ArrayLike, high: ArrayLike
) -> np.ndarray:
    """Which numbers stay at their smallest, whatever the limit.

    One that divides no error; or one that another number makes needless,
    by dividing every error that it divides and meeting no price that it
    does not meet: that other one does the same work for the same money.

    Returns
    -------
    bool array (facets,)
    """
    error = problem.error.members
    low, high = np.asarray(low), np.asarray(high)
    free = np.array(high > low)
    idle = np.array(~error.any(0))
    for facet in reversed(range(len(free))):
        if isinstance(problem.cost, PriceFunction) or low[facet] > 1:
            continue
        cost = problem.cost.members
        for other in np.flatnonzero(np.isinf(high) & ~idle):
            idle[facet] |= (
                other != facet
                and (error[:, other] >= error[:, facet]).all()
                and (cost[:, other] <= cost[:, facet]).all()
            )
    return idle & free


def affordable_designs(
    problem: Problem, low: ArrayLike, high: ArrayLike, most: int
) -> np.ndarray | None:
    """Every design within the budget that could be worth its price.

    Parameters
    ----------
    problem : Problem
    low, high : sequences of float, one per facet
    most : int
        Stop when there are more designs than this.

    Returns
    -------
    array (designs, facets), or None where there are more than `most`
        In the order of the last facet, then of the one before it, ...
    """
    high = np.where(idle_facets(problem, low, high), low, high)
    high = np.minimum(high, np.add(low, most))
    designs = np.array([low], dtype=float)
    designs = designs[problem.cost.total(designs) <= problem.allowed]
    for facet, end in enumerate(high):
        count = _how_many(problem, designs, facet, end)
        if count.sum() > most:
            return None
        rows = np.repeat(np.arange(len(designs)), count)
        first = np.repeat(np.cumsum(count) - count, count)
        designs = designs[rows]
        designs[:, facet] += np.arange(len(rows)) - first
    return designs[np.lexsort(designs.T)]


def _how_many(problem, designs, facet, high):
    """How many numbers of a facet each design can have, from its own up."""
    start = designs[:, facet]
    if isinstance(problem.cost, Terms):
        end = largest_numbers(problem.cost, problem.allowed, designs)
        end = np.minimum(np.floor(end[:, facet] * (1 + TIE)), high)
    else:
        end, going = start.copy(), np.flatnonzero(start < high)
        while len(going):
            ahead = designs[going]
            ahead[:, facet] = end[going] + 1
            going = going[problem.cost.total(ahead) <= problem.allowed]
            end[going] += 1
            going = going[end[going] < high]
    return (end - start + 1).astype(np.int64)


def _enclose(problem, low, high):
    """Finite upper bounds, or None when no number is large enough."""
    if not problem.cheapest:
        return _affordable(problem.cost, problem.allowed, low, high)
    enough = low.copy()
    while (
        problem.error.shared(enough)[0] > problem.limit
        and (enough < high).any()
    ):
        if enough.max() > LARGEST:
            return None
        enough = np.minimum(2 * enough, high)
    if isinstance(problem.cost, PriceFunction):
        problem.cost.check_rising(low, enough)
    cost = problem.cost.total(enough)[0] * (1 + TIE)
    return _affordable(problem.cost, cost, low, high)


def _affordable(cost, limit, low, high):
    """Largest number of each facet, the others at their smallest."""
    if isinstance(cost, Terms):
        most = np.floor(largest_numbers(cost, limit, low) * (1 + TIE))
    else:
        most = np.array([_doublings(cost, limit, low, high)])
    most = np.minimum(most, high)
    if (most > LARGEST).any():
        raise Unbounded(int(np.argmax(most[0])))
    return most


def _doublings(cost, limit, low, high):
    most = low[0].copy()
    for facet in range(low.shape[1]):
        step = low.copy()
        while step[0, facet] <= min(high[0, facet], LARGEST) and (
            cost.total(step)[0] <= limit
        ):
            step[0, facet] *= 2
        most[facet] = step[0, facet]
    return most
