"""The frontier of cost against reliability."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gtlib.allocation.problem import Cost, best_for_budget
from gtlib.allocation.search import affordable_designs
from gtlib.allocation.terms import TIE
from gtlib.dstudy.numbers import Numbers
from gtlib.estimates.coefficients import COEFFICIENTS

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
    problem = best_for_budget(self, budget, cost, coefficient)
    low, high = zip(*self.bounds.values(), strict=True)
    designs = affordable_designs(problem, low, high, MOST_DESIGNS)
    if designs is None:
        raise ValueError(
            f"budget={budget:g} buys more than {MOST_DESIGNS:,} designs; "
            "lower it, or bound a facet, for instance "
            f"{list(self.bounds)[-1]}=(1, 10)."
        )
    kept = designs[_undominated(*problem.score(designs))]
    levels = dict(zip(self.bounds, kept.T.astype(int), strict=True))
    values = self.sources.coefficients(levels)
    return pd.DataFrame(
        {
            **levels,
            "cost": problem.cost.total(kept),
            **{name: values[name] for name in COEFFICIENTS},
        }
    )


def _undominated(error, cost):
    """Rows where the error is lower than at any cost not above theirs."""
    order = np.lexsort((_coarse(error), _coarse(cost)))
    before = np.minimum.accumulate(np.r_[np.inf, error[order][:-1]])
    return order[error[order] < before * (1 - TIE)]


def _coarse(values):
    """Twelve significant digits, so that rounding makes no difference."""
    digits = np.ceil(np.log10(np.maximum(values, 1e-300)))
    scale = 10.0 ** (12 - digits)
    return np.round(values * scale) / scale
