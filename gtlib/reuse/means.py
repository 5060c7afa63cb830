"""Scores where a system contributed, and where it was held out."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.compare.rankings import lined_up
from gtlib.reuse.assignment import Assignment
from gtlib.reuse.heldout import HeldOutScores


def site_scores(
    scores: pd.DataFrame | ArrayLike,
    sites: pd.Series | Mapping[str, str],
    assignment: Assignment,
) -> pd.DataFrame:
    """Each system's mean score where it contributed and where it did not.

    Parameters
    ----------
    scores, sites, assignment
        As for `significance_agreement`.

    Returns
    -------
    DataFrame
        A row per system: ``site``; ``baseline`` and ``reuse``, the means
        over the topics that its site contributed to and was held out from
        (NaN if none).

    Examples
    --------
    >>> from gtlib.reuse.assignment import Assignment
    >>> held = pd.DataFrame({"A": [1, 0, 0], "B": [0, 0, 1]}) == 1
    >>> table = pd.DataFrame([[0.1, 0.2, 0.4], [0.3, 0.3, 0.2]], ["a", "b"])
    >>> means = site_scores(table, {"a": "A", "b": "B"}, Assignment(held))
    >>> means[["baseline", "reuse"]].round(2).values.tolist()
    [[0.3, 0.1], [0.3, 0.2]]
    """
    data = HeldOutScores.of(scores, sites, assignment)
    held = data.held[data.site_of]
    return pd.DataFrame(
        {
            "site": data.names[data.site_of],
            "baseline": data.scores.mask(held).mean(axis=1),
            "reuse": data.scores.where(held).mean(axis=1),
        },
        index=data.scores.index,
    )


def score_rmse(baseline: ArrayLike, reuse: ArrayLike) -> float:
    """Root mean square difference between two scores of each system.

    Parameters
    ----------
    baseline, reuse : Series or array, one score per system

    Returns
    -------
    float
        In the units of the measure. Carterette et al. 2010, section 3.2.3.

    Raises
    ------
    ValueError
        If the systems differ or a score is missing.

    Examples
    --------
    >>> round(score_rmse([0.3, 0.2], [0.3, 0.1]), 6)
    0.070711
    """
    first, second = lined_up(baseline, reuse)
    return float(np.sqrt(np.mean((first - second) ** 2)))
