"""The frontier of cost against reliability."""

import numpy as np
import pandas as pd

from gtlib.allocation.prices import TIE, Cost
from gtlib.allocation.search import Problem
from gtlib.dstudy import Numbers
from gtlib.estimates import COEFFICIENTS

MOST_DESIGNS = 4_000_000
"""`pareto` looks at no more designs than this."""


def pareto(
    self: Numbers,
    budget: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
) -> pd.DataFrame:
    """Every design that no cheaper or equally dear one surpasses.

    Parameters
    ----------
    budget : float > 0
        The frontier is drawn up to this cost.
    cost, coefficient : as in `Plan.best`

    Returns
    -------
    DataFrame, a row per design, from the cheapest to the best
        The number of each facet, ``cost``, ``generalizability`` and
        ``dependability``.

    Raises
    ------
    ValueError
        As `Plan.best`; also when the budget buys more than four
        million designs.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 9,
    ...      "system x topic": 12, "system x assessor": 4,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> frontier = g.plan().pareto(8)
    >>> frontier[["topic", "assessor"]].values.tolist()
    [[1, 1], [2, 1], [3, 1], [4, 1], [5, 1], [3, 2], [4, 2]]
    """
    problem = Problem.of(self, budget, cost, coefficient)
    designs = affordable_designs(problem, MOST_DESIGNS)
    if designs is None:
        raise ValueError(
            f"budget={budget:g} buys more than {MOST_DESIGNS:,} designs; "
            "lower it, or bound a facet, for instance "
            f"{list(self.bounds)[-1]}=(1, 10)."
        )
    paid = problem.cost.total(designs)
    kept = _undominated(problem.error.shared(designs), paid)
    levels = dict(
        zip(self.bounds, designs[kept].T.astype(int), strict=True)
    )
    values = self.sources.coefficients(levels)
    return pd.DataFrame(
        {
            **levels,
            "cost": paid[kept],
            **{name: values[name] for name in COEFFICIENTS},
        }
    )


def affordable_designs(problem: Problem, most: int) -> np.ndarray | None:
    """Every design within the budget that could be worth its price.

    Returns
    -------
    array (designs, facets), or None where there are more than `most`
        In the order of the last facet, then of the one before it, ...
    """
    designs, high = problem.corners
    for facet in range(designs.shape[1]):
        ends = np.broadcast_to(high, designs.shape)
        end = problem.cost.largest(problem.limit, designs, ends, facet)
        count = np.maximum(end - designs[:, facet] + 1, 0)
        if count.sum() > most:
            return None
        count = count.astype(int)
        first = np.repeat(np.cumsum(count) - count, count)
        designs = np.repeat(designs, count, axis=0)
        designs[:, facet] += np.arange(len(designs)) - first
    return designs[np.lexsort(designs.T)]


def _undominated(error, cost):
    """Rows where the error is lower than at any cost not above theirs."""
    order = np.lexsort((_coarse(error), _coarse(cost)))
    before = np.minimum.accumulate(np.r_[np.inf, error[order][:-1]])
    return order[error[order] < before * (1 - TIE)]


def _coarse(values):
    """Twelve digits, so that rounding makes no difference."""
    digits, power = np.frexp(values)
    return np.ldexp(digits.round(12), power)
