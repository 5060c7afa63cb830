"""Errors and costs as sums of terms over numbers of levels.

An error is a sum of variance components, each divided by a product of
numbers; a cost is a sum of prices, each times a product of numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

TIE = 1e-12
"""Relative difference under which two errors or two costs are equal."""

LARGEST = 2.0**50
"""No number of levels goes beyond this."""


@dataclass(frozen=True, eq=False)
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
    def over(
        cls, facets: Sequence[str], weights: Mapping[tuple[str, ...], float]
    ) -> "Terms":
        """Terms from ``{(facet, ...): weight}``; zero weights fall out."""
        kept = {key: w for key, w in weights.items() if w > 0}
        members = [[f in key for f in facets] for key in kept]
        return cls(
            np.array(list(kept.values()), dtype=float),
            np.array(members, dtype=bool).reshape(-1, len(facets)),
        )

    def products(self, numbers: np.ndarray) -> np.ndarray:
        """Product of each term's numbers: (n, facets) -> (n, terms)."""
        return _products(numbers, self.members)

    def total(self, numbers: np.ndarray) -> np.ndarray:
        """The price of each design: sum of weight times product."""
        return self.products(numbers) @ self.weights

    def shared(self, numbers: np.ndarray) -> np.ndarray:
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


def largest_numbers(
    limited: Terms, limit: float, low: np.ndarray
) -> np.ndarray:
    """Largest value of each number while the others stay at `low`."""
    spent = limited.products(low) * limited.weights
    has = limited.members.astype(float)
    rest, each = limit - spent @ (1 - has), spent @ has / low
    most = np.full(low.shape, np.inf)
    np.divide(rest, each, out=most, where=each > 0)
    return np.where(rest >= 0, most, 0.0)


def smallest_numbers(
    error: Terms, limit: float, high: np.ndarray
) -> np.ndarray:
    """Smallest value that each number needs, the others at `high`."""
    most = largest_numbers(error, limit, 1 / high)
    with np.errstate(divide="ignore"):
        return np.maximum(1, np.ceil((1 - TIE) / most))


def least_sum(
    shared: Terms,
    limited: Terms,
    limit: float,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
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

    def __init__(self, facets: Sequence[str], price: Callable[..., float]):
        self.facets = facets
        self.price = price
        self.known: dict[tuple[int, ...], float] = {}

    def total(self, numbers: np.ndarray) -> np.ndarray:
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

    def check_rising(self, low: np.ndarray, high: np.ndarray) -> None:
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
