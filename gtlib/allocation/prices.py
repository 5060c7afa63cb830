"""The costs and errors of many designs at once.

An error is a sum of variance components, each divided by a product of
numbers of levels; a cost is a sum of prices, each times a product of
numbers.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from gtlib.tables import Design, list_some

Cost = Mapping[str, float] | None

# The key of the price of judging one topic by one assessor.
JUDGMENT = "judgment"
# Relative difference under which two errors or two costs are equal.
TIE = 1e-12


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
    def from_weights(
        cls,
        facets: Sequence[str],
        involved: Iterable[Container[str]],
        weights: Iterable[float],
    ) -> "Terms":
        """Return a term for each weight above zero."""
        members = [[f in own for f in facets] for own in involved]
        sizes = np.array([*weights], dtype=float)
        table = np.array(members, dtype=bool).reshape(-1, len(facets))
        return cls(sizes[sizes > 0], table[sizes > 0])

    def total(self, numbers: np.ndarray) -> np.ndarray:
        """Return the cost of designs (n, facets): sums of weight x
        product."""
        return self._parts(numbers).sum(axis=1)

    def shared(self, numbers: np.ndarray) -> np.ndarray:
        """Return the error of designs (n, facets): sums of weight /
        product."""
        return self.total(1 / numbers)

    def largest(
        self, limit: float, low: np.ndarray, high: np.ndarray, facet: int
    ) -> np.ndarray:
        """Return the largest number of a facet, up to `high`, at which a
        cost keeps the limit while the other numbers are `low`."""
        most = self._room(limit, low, facet) * (1 + TIE)
        return np.minimum(np.floor(most), high[:, facet])

    def smallest(
        self, limit: float, low: np.ndarray, high: np.ndarray, facet: int
    ) -> np.ndarray:
        """Return the smallest number of a facet, from `low`, at which an
        error keeps the limit while the other numbers are `high`."""
        room = np.maximum(self._room(limit, 1 / high, facet), 0)
        with np.errstate(divide="ignore"):
            least = (1 - TIE) / room
        return np.clip(np.ceil(least), low[:, facet], high[:, facet] + 1)

    def _parts(self, numbers):
        parts = self.weights
        for facet, members in enumerate(self.members.T):
            parts = parts * np.where(members, numbers[:, [facet]], 1.0)
        return parts

    def _room(self, limit, numbers, facet):
        """Return where the sum, linear in each number, meets a limit."""
        parts = self._parts(numbers)
        rising = self.members[:, facet]
        left = limit * (1 + TIE) - parts @ ~rising
        each = parts @ rising / numbers[:, facet]
        unlimited = np.where(left >= 0, np.inf, 0.0)
        return np.divide(left, each, out=unlimited, where=each > 0)


def read_cost(
    design: Design, facets: Sequence[str], cost: Cost = None
) -> Terms:
    """Return the cost of a D-study's numbers, in the form that the search
    takes.

    Parameters
    ----------
    design : Design
        Of the D-study: a nested facet's levels are as many as its number
        times those of the facets that it is nested in.
    facets : sequence of str
        The facets that have a number, in order.
    cost : mapping, optional
        As in `gtlib.Plan.best`.

    Raises
    ------
    ValueError
        For a price that is negative or belongs to no facet.

    Examples
    --------
    >>> import numpy as np
    >>> from gtlib.allocation import read_cost
    >>> from gtlib.tables.design import Design
    >>> nested = Design("system x (assessor:topic)")
    >>> price = read_cost(nested, ["topic", "assessor"], {"assessor": 30})
    >>> float(price.total(np.array([[50.0, 2.0]]))[0])
    3000.0
    """
    if cost is None:
        cost = {JUDGMENT: 1.0}
    if not isinstance(cost, Mapping):
        raise ValueError(
            f"cost={cost!r}: give prices such as {{'judgment': 1, "
            f"{facets[0]!r}: 20}}."
        )
    for name, price in cost.items():
        if name != JUDGMENT and name not in facets:
            raise ValueError(
                f"cost has a price for {list_some([repr(name)])}; there "
                f"are prices for {', '.join([JUDGMENT, *facets])}."
            )
        if not (isinstance(price, Real) and 0 <= float(price) < np.inf):
            raise ValueError(
                f"the price of {name} is {price!r}; a price is a number, "
                "zero or more."
            )
    facets_of_price = [
        facets if name == JUDGMENT else design.closure([name])
        for name in cost
    ]
    return Terms.from_weights(facets, facets_of_price, cost.values())
