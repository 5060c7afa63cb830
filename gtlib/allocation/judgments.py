"""More topics, or more judgments on each?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gtlib.allocation.choice import best
from gtlib.allocation.constraints import JUDGMENT
from gtlib.allocation.problem import best_for_budget
from gtlib.checks import whole_number

if TYPE_CHECKING:
    from gtlib.plan import Plan


def best_by_judgments(
    plan: Plan,
    unjudged: Mapping[int, float] | pd.Series,
    budget: float,
    cost: Mapping[str, float] | None = None,
    *,
    coefficient: str = "dependability",
) -> pd.DataFrame:
    """The best design that a budget buys, for each number of judgments.

    Parameters
    ----------
    unjudged : mapping of int to float, or Series
        The variance of what is not judged, for each number of documents
        judged a topic: see `Plan` and `Pool.unjudged_variance`.
    budget, coefficient : as in `Plan.best`
    cost : mapping of str to float, optional
        Prices as in `Plan.best`; here ``judgment`` is the price of one
        document, judged by one assessor. By default 1, and nothing else.

    Returns
    -------
    DataFrame, a row per number of judgments that the budget allows
        The best numbers of the other facets, ``cost``, both coefficients
        and ``relative_error``. The row with the largest coefficient is
        the best of all: for each number of judgments `Plan.best` is
        exact, and all numbers given are tried.

    Raises
    ------
    ValueError
        As `Plan.best`, or if no number of judgments can be paid.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> unjudged = {n: 0.2 / n for n in (5, 10, 20, 40)}
    >>> prices = {"judgment": 1, "topic": 20}
    >>> table = g.plan().best_by_judgments(unjudged, 2000, prices)
    >>> table["topic"].to_dict()
    {5: 80, 10: 66, 20: 50, 40: 33}
    >>> int(table["generalizability"].idxmax())
    20
    """
    prices = {JUDGMENT: 1.0} if cost is None else dict(cost)
    smallest = np.array([[low for low, _ in plan.bounds.values()]], float)
    rows = {}
    for documents, variance in dict(unjudged).items():
        n = whole_number(documents, "the number of judgments")
        priced = {**prices, JUDGMENT: n * prices.get(JUDGMENT, 0)}
        planned = plan.study.plan(
            plan.design,
            fixed=plan.fixed,
            unjudged=variance,
            levels=plan.given,
        )
        problem = best_for_budget(planned, budget, priced, coefficient)
        if problem.cost.total(smallest)[0] <= budget:
            found = best(planned, budget, priced, coefficient=coefficient)
            error = {"relative_error": found.plan.relative_error}
            rows[n] = found.row | error
    if not rows:
        raise ValueError(
            f"budget={budget:g} buys no design with any of the numbers of "
            "judgments given."
        )
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(
        "judgments"
    )
