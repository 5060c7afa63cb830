"""Intervals of variance components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import gtlib.checks as checks
from gtlib.intervals.limits import modified_large_sample, satterthwaite
from gtlib.intervals.methods import (
    DRAWN,
    check_method,
    percentiles,
    replicate,
)
from gtlib.intervals.replicates import is_balanced, mean_squares_of

if TYPE_CHECKING:
    from gtlib.study import GStudy

CLOSED_FORMS = {
    "mls": modified_large_sample,
    "satterthwaite": satterthwaite,
}


def component_intervals(
    g: GStudy,
    *,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Confidence intervals of the variance components.

    Parameters
    ----------
    confidence_level : float in (0, 1)
    method : str
        ``"mls"``: modified large sample, for sums and differences of mean
        squares (Ting et al. 1990; Graybill & Wang 1980).
        ``"satterthwaite"``: as if the estimate were one chi-square; only
        good for components much larger than their error.  ``"pivotal"``,
        ``"parametric"``, ``"bootstrap"``: see `Plan.interval`.
        ``"auto"``: ``"mls"`` for a balanced study, else ``"parametric"``.
    n_resamples, seed : as in `Plan.interval`

    Returns
    -------
    DataFrame, a row per effect
        ``estimate``, ``low``, ``high`` (NaN without an interval, never
        below zero), ``method`` and ``note``: of an estimate that is not
        above zero, why there is no interval, and how large the component
        may be all the same.

    Raises
    ------
    ValueError
        If the method does not fit the study, or an argument is not right.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> table = g.component_intervals()
    >>> table[["low", "high"]].round(4).values.tolist()
    [[0.0017, 0.0052], [0.0194, 0.0437], [0.0093, 0.0108]]
    """
    level = checks.confidence_level(confidence_level)
    if method == "auto":
        method = "mls" if is_balanced(g) else "parametric"
    check_method(g, method, (*CLOSED_FORMS, *DRAWN))
    estimates = g.estimate.to_numpy()
    if method in DRAWN:
        drawn = replicate(g, method, n_resamples, seed)
        limits: list = [
            percentiles(row, level, method, estimate)
            for row, estimate in zip(drawn, estimates, strict=True)
        ]
    else:
        solve = g.design.mean_squares_to_components(g.levels)
        df = g.design.degrees_of_freedom(g.levels)
        limits = [
            CLOSED_FORMS[method](row[row != 0], df[row != 0], level)
            for row in solve * mean_squares_of(g)
        ]
    low, high = np.maximum(np.transpose(limits), 0)
    none = estimates <= 0
    return pd.DataFrame(
        {
            "estimate": estimates,
            "low": np.where(none, np.nan, low),
            "high": np.where(none, np.nan, high),
            "method": method,
            "note": [
                _why_none(limit) if gone else ""
                for gone, limit in zip(none, high, strict=True)
            ],
        },
        index=g.estimate.index,
    )


def _why_none(limit):
    why = "no interval: the estimate is not above zero"
    if limit > 0:
        return f"{why}; the component may be as large as {limit:.3g}"
    return f"{why}, nor is the upper limit"
