"""Exact search over whole-number designs.

With all numbers but one given, the last needs no search. More of it lowers
the error and raises the cost, so the best is the largest that the budget
pays, or the smallest that reaches the target.

All values of the other numbers are tried, but in blocks: all the designs
between a lowest and a highest one. This leaves the last number a range.
With less of it even the highest others have more error than a design that
was found before; with more of it even the lowest others cost more than the
budget. (Of the cheapest design: more than a design that was found before;
and with less of it they miss the target.) A block without a range is
dropped, and the others are halved until each is a single design: branch and
bound of all blocks at once, in one dimension less. Nothing is rounded, so
the answer is the one that trying every design would give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gtlib.allocation.prices import TIE, Cost, Terms, read_cost
from gtlib.dstudy import DStudy
from gtlib.dstudy.d_study import smallest_satisfying
from gtlib.estimates import COEFFICIENTS
from gtlib.tables import one_of, positive


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise the error under a budget, or the cost under an error.

    Attributes
    ----------
    bounds : mapping of facet to (low, high)
        Smallest and largest number of each, infinity where unbounded.
    error : Terms
        Variance components and the facets that divide them.
    cost : Terms
    limit : float
        The budget, or the largest error allowed if `cheapest`.
    cheapest : bool
        Which of the two is minimised.
    """

    bounds: Mapping[str, tuple[float, float]]
    error: Terms
    cost: Terms
    limit: float
    cheapest: bool = False

    @classmethod
    def from_plan(
        cls,
        plan: DStudy,
        limit: float,
        cost: Cost,
        coefficient: str,
        cheapest: bool = False,
    ) -> Problem:
        """Return a plan's question: for a budget, or for a largest error.

        Raises
        ------
        ValueError
            For a coefficient, a budget or a price that makes no sense.
        """
        one_of(coefficient, "coefficient", COEFFICIENTS)
        error = error_terms(plan, coefficient)
        paid = read_cost(plan.design, list(plan.bounds), cost)
        limit = limit if cheapest else positive(limit, "budget")
        return cls(plan.bounds, error, paid, limit, cheapest)

    @property
    def corners(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest numbers, each an array (1, facets)."""
        low, high = np.array([*self.bounds.values()], dtype=float).T
        return low[None], np.where(self.idle, low, high)[None]

    @property
    def idle(self) -> np.ndarray:
        """The numbers that stay at their smallest, whatever the limit.

        Such a number divides no error; or another number, which may grow
        without end, divides every error that it divides and has no price
        that it does not have: that other one does the same work for no
        more money.
        """
        low, high = np.array([*self.bounds.values()]).T
        error = self.error.members
        idle = np.array(~error.any(axis=0))
        for facet in reversed(np.flatnonzero(low == 1)):
            divides_as_much = error >= error[:, [facet]]
            costs_no_more = (
                self.cost.members <= self.cost.members[:, [facet]]
            )
            unbounded = np.isinf(high) & (np.arange(len(low)) != facet)
            serves = unbounded & ~idle & divides_as_much.all(axis=0)
            idle[facet] |= (serves & costs_no_more.all(axis=0)).any()
        return idle & (low < high)

    def minimised(self, numbers: np.ndarray) -> np.ndarray:
        """Return the cost or the error of designs (n, facets)."""
        if self.cheapest:
            return self.cost.total(numbers)
        return self.error.shared(numbers)


def error_terms(
    plan: DStudy, coefficient: str, components: np.ndarray | None = None
) -> Terms:
    """Return a coefficient's error as a sum over products of the numbers.

    `components`, an array (effects,), replaces the G-study's own.
    """
    ones = dict.fromkeys(plan.bounds, 1)
    counted = plan.effects.errors(coefficient)
    divisors = plan.effects.table["divisors"][counted]
    mean = plan.effects.mean_variance(ones, components)[counted]
    return Terms.from_weights(list(plan.bounds), divisors, mean)


def search(problem: Problem) -> np.ndarray | None:
    """Find the best whole-number design within the bounds, exactly.

    Designs that tie on what is minimised (to a relative 1e-12) are told
    apart by the other of error and cost, then by the fewest levels of
    the last facet, then of the one before it, and so on.

    Returns
    -------
    array of int (facets,), or None when no design keeps the limit.

    Raises
    ------
    ValueError
        When a number without a bound costs nothing.
    """
    blocks = _whole(problem)
    least_so_far = np.inf
    if blocks is None or (blocks[0] > blocks[1]).any():
        return None
    last = int(np.argmax(blocks[1] / blocks[0]))
    while True:
        blocks = _with_range(problem, blocks, last, least_so_far)
        # Of each block one design that keeps the limit.
        corner, other_corner = blocks[::-1] if problem.cheapest else blocks
        design = corner.copy()
        design[:, last] = other_corner[:, last]
        least_so_far = min(
            least_so_far, problem.minimised(design).min(initial=np.inf)
        )
        sides = blocks[1] / blocks[0]
        sides[:, last] = 0
        if (sides <= 1).all():
            break
        blocks = _halves(problem, blocks, sides)
    blocks = _with_range(problem, blocks, last, least_so_far)
    return _untied(problem, blocks, last) if blocks.size else None


def _whole(problem):
    """One block within finite bounds, (2, 1, facets): lowest, highest.

    None where no number, however large, reaches the target.
    """
    low, high = problem.corners
    budget = problem.limit
    if problem.cheapest:

        def enough(n):
            error = problem.error.shared(np.clip(n, low, high))[0]
            return error <= problem.limit or n >= high.max()

        n = smallest_satisfying(enough)
        if n is None:
            return None
        budget = problem.cost.total(np.clip(n, low, high))[0]
    for place, facet in enumerate(problem.bounds):
        high[:, place] = problem.cost.largest(budget, low, high, place)
        if np.isinf(high[0, place]):
            raise ValueError(
                f"More of {facet} costs nothing, so there is no best "
                "number of it: give it a price, or a bound such as "
                f"{facet}=(1, 100)."
            )
    return np.array([low, high])


def _with_range(problem, blocks, last, least_so_far):
    """Give each block the range of the last number in which its designs
    may keep the limit and be no worse than the best so far, and drop the
    blocks without such a range."""
    low, high = blocks
    if problem.cheapest:
        error, cost = problem.limit, least_so_far
    else:
        error, cost = least_so_far, problem.limit
    low[:, last] = problem.error.smallest(error, low, high, last)
    high[:, last] = problem.cost.largest(cost, low, high, last)
    return blocks[:, low[:, last] <= high[:, last]]


def _halves(problem, blocks, sides):
    """Cut each block in two across its longest side, on a log scale."""
    place = np.arange(len(sides)), np.argmax(sides, axis=1)
    cut = np.floor(np.sqrt(blocks[0][place] * blocks[1][place]))
    lower, upper = blocks.copy(), blocks.copy()
    lower[1][place] = cut
    upper[0][place] = cut + 1
    parted = (upper[0] <= upper[1]).all(axis=1)
    return np.concatenate([lower, upper[:, parted]], axis=1)


def _untied(problem, blocks, last):
    """Choose among blocks that leave only the last number open: the least
    error, then the least cost, then the fewest levels."""
    low, high = blocks
    left = problem.error.shared(high)
    tied = left <= left.min() * (1 + TIE)
    low, high = low[tied], high[tied]
    low[:, last] = problem.error.smallest(left.min(), low, high, last)
    paid = problem.cost.total(low)
    low = low[paid <= paid.min() * (1 + TIE)]
    return low[np.lexsort(low.T)[0]].astype(np.int64)
