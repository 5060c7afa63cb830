"""How far an allocation hangs on components that are only estimates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from gtlib.allocation.choice import best
from gtlib.allocation.problem import (
    Cost,
    best_for_budget,
    error_terms,
    solve,
)
from gtlib.allocation.ratio import drawn_components
from gtlib.dstudy.numbers import Numbers


def sensitivity(
    self: Numbers,
    budget: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
    n_resamples: int = 300,
    seed: int = 0,
) -> pd.DataFrame:
    """The best design for a budget, were the components otherwise.

    Parameters
    ----------
    budget, cost, coefficient : as in `Plan.best`
    n_resamples, seed : int

    Returns
    -------
    DataFrame, a row per draw of the components
        The best number of each facet; ``best``, the coefficient that it
        has; ``planned``, that of the design chosen from the estimates;
        and ``loss``, what that choice costs.

    Raises
    ------
    ValueError
        As `Plan.best`.

    Notes
    -----
    Components are drawn as in `Plan.optimal_ratio_interval`.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic x assessor",
    ...     {"system": 40, "topic": 100, "assessor": 4},
    ...     {"system": 2.3, "topic": 3.6, "assessor": 4.4,
    ...      "system x topic": 0.04, "system x assessor": 0.015,
    ...      "topic x assessor": 0.17, "system x topic x assessor": 0.002})
    >>> table = g.plan().sensitivity(400, n_resamples=50)
    >>> bool((table["loss"] >= -1e-12).all())
    True
    """
    chosen = best(self, budget, cost, coefficient=coefficient)
    problem = best_for_budget(self, budget, cost, coefficient)
    _, drawn = drawn_components(self.study, n_resamples, seed)
    found = [
        solve(
            self,
            replace(
                problem, error=error_terms(self, coefficient, components)
            ),
        )
        for components in drawn.T
    ]
    numbers = dict(zip(self.bounds, np.array(found).T, strict=True))
    reached, kept = (
        self.sources.coefficients(choice, drawn)[coefficient]
        for choice in (numbers, chosen.levels)
    )
    return pd.DataFrame(
        {
            **numbers,
            "best": reached,
            "planned": kept,
            "loss": reached - kept,
        }
    )
