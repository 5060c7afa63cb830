"""The frontier of cost against reliability."""

import numpy as np
import pandas as pd

from gtlib.allocation import error_terms
from gtlib.allocation.constraints import (
    read_budget,
    read_cost,
    read_numbers,
)
from gtlib.allocation.search import Problem, affordable_designs
from gtlib.allocation.terms import TIE
from gtlib.dstudy import COEFFICIENTS, check_coefficient, plan

MOST_DESIGNS = 4_000_000
"""`pareto` looks at no more designs than this."""


def pareto(
    g,
    cost=None,
    *,
    budget,
    coefficient="dependability",
    design=None,
    fixed=(),
    **levels,
):
    """Every design that no cheaper or equally dear one surpasses.

    Parameters
    ----------
    g : GStudy
    budget : float > 0
        The frontier is drawn up to this cost.
    cost, coefficient, design, fixed, **levels : as in `best_allocation`

    Returns
    -------
    DataFrame, a row per design, from the cheapest to the best
        The number of each facet, ``cost``, ``generalizability`` and
        ``dependability``.

    Raises
    ------
    ValueError
        As `best_allocation`; also when the budget buys more than four
        million designs.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 9,
    ...      "system x topic": 12, "system x assessor": 4,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> frontier = pareto(g, budget=8)
    >>> frontier[["topic", "assessor"]].values.tolist()
    [[1, 1], [2, 1], [3, 1], [4, 1], [5, 1], [3, 2], [4, 2]]
    """
    check_coefficient(coefficient)
    budget = read_budget(budget)
    ready = plan(g, design, fixed=fixed)
    numbers = read_numbers(g, ready, levels)
    error = error_terms(ready, numbers, coefficient)
    price = read_cost(ready.design, list(numbers), cost)
    problem = Problem(error, price, budget)
    low, high = zip(*numbers.values(), strict=True)
    designs = affordable_designs(problem, low, high, MOST_DESIGNS)
    if designs is None:
        raise ValueError(
            f"budget={budget:g} buys more than {MOST_DESIGNS:,} designs; "
            "lower it, or bound a facet, for instance "
            f"{list(numbers)[-1]}=(1, 10)."
        )
    kept = designs[_undominated(*problem.score(designs))]
    levels = dict(zip(numbers, kept.T.astype(int), strict=True))
    values = ready.coefficients(levels)
    return pd.DataFrame(
        {
            **levels,
            "cost": price.total(kept),
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
