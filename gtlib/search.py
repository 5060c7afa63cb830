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

TIE = 1e-12
"""Relative difference under which two errors or two costs are equal."""

LARGEST = 2.0**50
"""No number of levels goes beyond this."""

BATCH = 4096
"""Boxes looked at in one vectorised step."""


@dataclass(frozen=True)
class Terms:
    """A sum of terms, each a weight and the facets that it involves.

    Parameters
    ----------
    weights : array (terms,), all > 0
    members : bool array (terms, facets)
    """

    weights: np.ndarray
    members: np.ndarray

    @classmethod
    def over(cls, facets, weights):
        """Terms from ``{(facet, ...): weight}``; zero weights fall out."""
        kept = {key: w for key, w in weights.items() if w > 0}
        members = [[f in key for f in facets] for key in kept]
        return cls(
            np.array(list(kept.values()), dtype=float),
            np.array(members, dtype=bool).reshape(-1, len(facets)),
        )

    def products(self, numbers):
        """Product of each term's numbers: (n, facets) -> (n, terms)."""
        return _products(numbers, self.members)

    def total(self, numbers):
        """The price of each design: sum of weight times product."""
        return self.products(numbers) @ self.weights

    def shared(self, numbers):
        """The error of each design: sum of weight over product."""
        return (1 / self.products(numbers)) @ self.weights


def _products(numbers, members):
    out = np.ones((len(numbers), len(members)))
    for facet in range(numbers.shape[1]):
        out *= np.where(members[:, facet], numbers[:, [facet]], 1.0)
    return out


def _room(limited, limit, low):
    """Largest product that each limited term may have, others at `low`."""
    spent = limited.products(low) * limited.weights
    others = spent.sum(1, keepdims=True) - spent
    return (limit - others) / limited.weights


def largest_numbers(limited, limit, low):
    """Largest value of each number while the others stay at `low`."""
    spent = limited.products(low) * limited.weights
    has = limited.members.astype(float)
    rest, each = limit - spent @ (1 - has), spent @ has / low
    most = np.full(low.shape, np.inf)
    np.divide(rest, each, out=most, where=each > 0)
    return np.where(rest >= 0, most, 0.0)


def smallest_numbers(error, limit, high):
    """Smallest value that each number needs, the others at `high`."""
    most = largest_numbers(error, limit, 1 / high)
    with np.errstate(divide="ignore"):
        return np.maximum(1, np.ceil((1 - TIE) / most))


def least_sum(shared, limited, limit, low, high):
    """A sum of weight over product that no design in the box goes under.

    Each product is at most its value at the upper corner, and at most
    what the limit leaves it, term by term, with the rest at the lower.
    """
    most = shared.products(high)
    room = _room(limited, limit, low)
    for term, members in enumerate(limited.members):
        beyond = _products(high, shared.members & ~members)
        within = _products(low, members & ~shared.members)
        most = np.minimum(most, room[:, [term]] * beyond / within)
    return np.where(most > 0, 1 / np.maximum(most, 1e-300), np.inf) @ (
        shared.weights
    )


class PriceFunction:
    """A price written by the reader: ``price(**numbers)``, remembered.

    Raises
    ------
    ValueError
        When a price is not a number, or falls while a number rises:
        then no search but an exhaustive one would be exact.
    """

    def __init__(self, facets, price):
        self.facets = facets
        self.price = price
        self.known = {}

    def total(self, numbers):
        """The price of each design: (n, facets) -> (n,)."""
        rows = map(tuple, numbers.astype(np.int64).tolist())
        return np.array([self._one(row) for row in rows], dtype=float)

    def _one(self, row):
        if row not in self.known:
            named = dict(zip(self.facets, row, strict=True))
            price = float(self.price(**named))
            if not np.isfinite(price) or price < 0:
                raise ValueError(
                    f"the cost of {named} is {price}; a cost must be a "
                    "finite number, zero or more"
                )
            self.known[row] = price
        return self.known[row]

    def check_rising(self, low, high):
        """Refuse a price that is lower for `high` than for `low`."""
        falls = self.total(low) > self.total(high) * (1 + TIE) + TIE
        if falls.any():
            a, b = (
                dict(zip(self.facets, x[falls][0].astype(int), strict=True))
                for x in (low, high)
            )
            raise ValueError(
                f"the cost falls from {a} to {b}; a cost may never fall "
                "when a number rises"
            )


@dataclass(frozen=True)
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

    def score(self, numbers):
        """(minimised, other) of each design; lower is better for both."""
        error = self.error.shared(numbers)
        cost = self.cost.total(numbers)
        return (cost, error) if self.cheapest else (error, cost)

    def tighten(self, low, high):
        """Shrink boxes to what the limit allows; drop the empty ones."""
        allowed = self.limit * (1 + TIE)
        if self.cheapest:
            low = np.maximum(low, smallest_numbers(self.error, allowed, high))
        elif isinstance(self.cost, Terms):
            most = largest_numbers(self.cost, allowed, low)
            high = np.minimum(high, np.floor(most * (1 + TIE)))
        else:
            high = np.where(self.cost.total(low)[:, None] > allowed, 0, high)
        fits = (low <= high).all(1)
        return low[fits], high[fits]

    def bound(self, low, high):
        """What no design in the box can be better than."""
        allowed = self.limit * (1 + TIE)
        if not self.cheapest and isinstance(self.cost, Terms):
            return least_sum(self.error, self.cost, allowed, low, high)
        if not self.cheapest:
            return self.error.shared(high)
        if isinstance(self.cost, Terms):
            return least_sum(
                self.cost, self.error, allowed, 1 / high, 1 / low
            )
        return self.cost.total(low)

    def corners(self, low, high):
        """Designs in each (tightened) box that keep within the limit.

        All but one number are the smallest, and that one is as large as
        the budget allows or the error asks.
        """
        allowed = self.limit * (1 + TIE)
        if self.cheapest:
            end = np.maximum(low, smallest_numbers(self.error, allowed, low))
        elif isinstance(self.cost, Terms):
            end = high
        else:
            return low
        corners = np.repeat(low[:, None, :], low.shape[1], axis=1)
        facets = np.arange(low.shape[1])
        corners[:, facets, facets] = end
        return corners[end <= high]


def search(problem, low, high):
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
    low = np.array([low], dtype=float)
    high = _pin_idle(problem, low, np.array([high], dtype=float))
    high = _enclose(problem, low, high)
    best, waiting = None, [] if high is None else [(low, high)]
    while waiting:
        low, high = problem.tighten(*waiting.pop())
        if not len(low):
            continue
        corners = problem.corners(low, high)
        if len(corners):
            best = _choose(problem, best, corners)
        bound = problem.bound(low, high)
        keep = (low < high).any(1)
        if best is not None:
            keep &= bound <= problem.score(best)[0] * (1 + TIE)
        order = np.argsort(bound[keep])
        low, high = _halve(problem, low[keep][order], high[keep][order])
        for start in reversed(range(0, len(low), BATCH)):
            piece = slice(start, start + BATCH)
            waiting.append((low[piece], high[piece]))
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


def _pin_idle(problem, low, high):
    """Hold at its smallest a number that cannot pay for itself.

    It cannot if it divides no error; nor if another number divides every
    error that it divides and meets no price that it does not meet, for
    then that other one does the same work for the same money.
    """
    high = high.copy()
    error, facets = problem.error.members, range(low.shape[1])
    for idle in reversed(facets):
        if not error[:, idle].any():
            high[0, idle] = low[0, idle]
        if isinstance(problem.cost, PriceFunction) or low[0, idle] > 1:
            continue
        cost = problem.cost.members
        for other in facets:
            if (
                other != idle
                and np.isinf(high[0, other])
                and (error[:, other] >= error[:, idle]).all()
                and (cost[:, other] <= cost[:, idle]).all()
            ):
                high[0, idle] = low[0, idle]
    return high


def _enclose(problem, low, high):
    """Finite upper bounds, or None when no design keeps the limit."""
    if not problem.cheapest:
        if problem.cost.total(low)[0] > problem.limit * (1 + TIE):
            return None
        return _affordable(problem.cost, problem.limit, low, high)
    if not problem.error.shared(high)[0] < problem.limit * (1 + TIE):
        return None
    enough = low.copy()
    while problem.error.shared(enough)[0] > problem.limit:
        if enough.max() > LARGEST:
            return None
        enough = np.minimum(2 * enough, high)
    for facet in reversed(range(low.shape[1])):
        needed = smallest_numbers(problem.error, problem.limit, enough)
        enough[:, facet] = np.maximum(low, needed)[:, facet]
    cost = problem.cost.total(enough)[0]
    return _affordable(problem.cost, cost, low, high)


def _affordable(cost, limit, low, high):
    """Largest number of each facet, the others at their smallest."""
    limit = limit * (1 + TIE)
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


class Unbounded(ValueError):
    """A number without an upper bound costs nothing."""

    def __init__(self, facet):
        super().__init__(f"facet {facet} has no bound and costs nothing")
        self.facet = facet
