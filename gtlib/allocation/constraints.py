"""What a plan may cost: its budget, its prices."""

from collections.abc import Mapping
from numbers import Real

import numpy as np

from gtlib.allocation.terms import PriceFunction, Terms
from gtlib.tables.checks import positive
from gtlib.tables.wording import some

JUDGMENT = "judgment"
"""The key of the price of judging one topic by one assessor."""


def read_cost(design, facets, cost=None):
    """The cost of a D-study's numbers, in the form that the search takes.

    Parameters
    ----------
    design : Design
        Of the D-study: a nested facet's levels are as many as its number
        times those of the facets that it is nested in.
    facets : sequence of str
        The facets that have a number, in order.
    cost : None, mapping or callable
        As in `gtlib.Plan.best`.

    Returns
    -------
    Terms or PriceFunction

    Raises
    ------
    ValueError
        For a price that is negative or belongs to no facet.

    Examples
    --------
    >>> from gtlib.tables.design import Design
    >>> nested = Design("system x (assessor:topic)")
    >>> price = read_cost(nested, ["topic", "assessor"], {"assessor": 30})
    >>> float(price.total(np.array([[50.0, 2.0]]))[0])
    3000.0
    """
    if cost is None:
        cost = {JUDGMENT: 1.0}
    if callable(cost):
        return PriceFunction(facets, cost)
    if not isinstance(cost, Mapping):
        raise ValueError(
            f"cost={cost!r}: give prices such as {{'judgment': 1, "
            f"{facets[0]!r}: 20}}, or a function of the numbers."
        )
    weights: dict[tuple[str, ...], float] = {}
    for name, price in cost.items():
        if name != JUDGMENT and name not in facets:
            raise ValueError(
                f"cost has a price for {some([repr(name)])}; there are "
                f"prices for {', '.join([JUDGMENT, *facets])}."
            )
        if not (isinstance(price, Real) and 0 <= float(price) < np.inf):
            raise ValueError(
                f"the price of {name} is {price!r}; a price is a number, "
                "zero or more."
            )
        counted = facets if name == JUDGMENT else design.closure([name])
        key = tuple(f for f in facets if f in counted)
        weights[key] = weights.get(key, 0.0) + float(price)
    return Terms.over(facets, weights)


def read_budget(budget):
    """`budget` as a float above zero, or a ValueError."""
    return positive(budget, "budget")
