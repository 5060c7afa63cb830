"""How far an allocation hangs on components that are only estimates."""

import numpy as np
import pandas as pd

from gtlib.allocation import (
    best_allocation,
    divided_alone,
    error_terms,
    optimal_ratio,
    solve,
)
from gtlib.allocation.constraints import (
    read_budget,
    read_cost,
    read_numbers,
)
from gtlib.allocation.search import Problem
from gtlib.dstudy import plan
from gtlib.intervals import Interval
from gtlib.intervals.replicates import (
    known_mean_squares,
    parametric,
    pivotal,
)


def optimal_ratio_interval(
    g,
    error="absolute",
    level=0.95,
    *,
    design=None,
    fixed=(),
    replicates=2000,
    seed=0,
):
    """Interval of the optimal ratio of the first facet to the second.

    Parameters
    ----------
    g, error, design, fixed : as in `optimal_ratio`
    level : float in (0, 1)
    replicates, seed : int

    Returns
    -------
    Interval
        Its upper limit is infinite when the component that the second
        facet divides may well be zero.

    Notes
    -----
    Quantiles over components that could have led to the observed mean
    squares (``gtlib.intervals.replicates``), or, in a study with gaps, over
    estimates from simulated studies.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic x assessor",
    ...     {"system": 40, "topic": 100, "assessor": 4},
    ...     {"system": 2.3, "topic": 3.6, "assessor": 4.4,
    ...      "system x topic": 0.04, "system x assessor": 0.015,
    ...      "topic x assessor": 0.17, "system x topic x assessor": 0.002})
    >>> ratio = optimal_ratio_interval(g)
    >>> ratio.low < ratio.estimate < ratio.high
    True
    """
    estimate = optimal_ratio(g, error, design=design, fixed=fixed)
    coefficient = (
        "dependability" if error == "absolute" else "generalizability"
    )
    ready = plan(g, design, fixed=fixed)
    drawn = _drawn(g, replicates, seed)
    _, (first, second) = divided_alone(g, ready, coefficient, drawn)
    ratios = np.full(first.shape, np.inf)
    np.divide(first, second, out=ratios, where=second > 0)
    low, high = np.quantile(
        ratios, [(1 - level) / 2, (1 + level) / 2], method="nearest"
    )
    reason = ""
    if np.isinf(high):
        reason = "no upper limit: the second facet may bring no error"
    return Interval(
        float(low), float(high), estimate, level, _method(g), reason
    )


def allocation_sensitivity(
    g,
    budget,
    cost=None,
    *,
    coefficient="dependability",
    design=None,
    fixed=(),
    replicates=300,
    seed=0,
    **levels,
):
    """The best design for a budget, were the components otherwise.

    Parameters
    ----------
    g, budget, cost, coefficient, design, fixed, **levels
        As in `best_allocation`.
    replicates, seed : int

    Returns
    -------
    DataFrame, a row per replicate of the components
        The best number of each facet; ``best``, the coefficient that it
        has; ``planned``, that of the design chosen from the estimates;
        and ``loss``, what that choice costs.

    Raises
    ------
    ValueError
        As `best_allocation`.

    Notes
    -----
    Components are drawn as in `optimal_ratio_interval`.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic x assessor",
    ...     {"system": 40, "topic": 100, "assessor": 4},
    ...     {"system": 2.3, "topic": 3.6, "assessor": 4.4,
    ...      "system x topic": 0.04, "system x assessor": 0.015,
    ...      "topic x assessor": 0.17, "system x topic x assessor": 0.002})
    >>> table = allocation_sensitivity(g, 400, replicates=50)
    >>> bool((table["loss"] >= -1e-12).all())
    True
    """
    asked = {"coefficient": coefficient, "design": design, "fixed": fixed}
    chosen = best_allocation(g, budget, cost, **asked, **levels)
    ready = plan(g, design, fixed=fixed)
    numbers = read_numbers(g, ready, levels)
    price = read_cost(ready.design, list(numbers), cost)
    drawn = _drawn(g, replicates, seed)
    found = [
        solve(
            Problem(
                error_terms(ready, numbers, coefficient, components),
                price,
                read_budget(budget),
            ),
            numbers,
        )
        for components in drawn.T
    ]
    best = dict(zip(numbers, np.array(found).T, strict=True))
    planned = {
        facet: np.full(len(found), n) for facet, n in chosen.levels.items()
    }
    reached, kept = (
        ready.coefficients(choice, drawn)[coefficient]
        for choice in (best, planned)
    )
    return pd.DataFrame(
        {**best, "best": reached, "planned": kept, "loss": reached - kept}
    )


def _method(g):
    return "parametric" if known_mean_squares(g) is None else "pivotal"


def _drawn(g, replicates, seed):
    draw = {"parametric": parametric, "pivotal": pivotal}[_method(g)]
    return draw(g, replicates, seed)
