"""Calibration: whether conclusions are right as often as they claim."""

from collections.abc import Sequence

import numpy as np
import pandas as pd


def calibration_bins(
    trials: pd.DataFrame,
    edges: Sequence[float] = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1),
) -> pd.DataFrame:
    """Count how often conclusions of a given confidence are right.

    Parameters
    ----------
    trials : DataFrame
        Pairs of one model, as `ordered_pairs` gives them, with a column
        ``repeat`` that tells trials apart.
    edges : sequence of float
        Bounds of the bins; the last bin includes its upper bound.

    Returns
    -------
    DataFrame
        A row per bin that is not empty: ``low``, ``high``, ``pairs``, the
        mean ``confidence``, the share ``right`` and its standard
        ``error``, with the repeats as clusters (pairs of one repeat share
        systems and judgments).

    Raises
    ------
    ValueError
        If the edges are fewer than two or do not rise.

    Examples
    --------
    >>> trials = pd.DataFrame({"repeat": [0, 0, 1, 1],
    ...                        "confidence": [0.9, 0.7, 0.75, 0.7],
    ...                        "right": [True, True, True, False]})
    >>> calibration_bins(trials, [0.5, 0.8, 1])["right"].round(2).tolist()
    [0.67, 1.0]
    """
    bounds = np.asarray(edges, dtype=float)
    if len(bounds) < 2 or not (np.diff(bounds) > 0).all():
        raise ValueError("edges needs two numbers or more, rising.")
    place = np.searchsorted(bounds, trials["confidence"], side="right") - 1
    place = np.clip(place, 0, len(bounds) - 2)
    rows = [
        {
            "low": bounds[k],
            "high": bounds[k + 1],
            "pairs": len(part),
            "confidence": part["confidence"].mean(),
            "right": part["right"].mean(),
            "error": clustered_error(part["right"], part["repeat"]),
        }
        for k, part in trials.groupby(place)
    ]
    return pd.DataFrame(rows)


def calibration_scores(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the Brier and the log score of confidence, and what they rest
    on.

    Parameters
    ----------
    trials : DataFrame
        Pairs as `ordered_pairs` gives them, with the columns ``repeat``,
        ``effort`` (judgments per topic) and ``model``.

    Returns
    -------
    DataFrame
        Indexed by effort and model: ``brier``, mean of
        (confidence - right)^2, and ``log``, mean of -log of the
        probability given to what was true (never below 0.0001); low is
        good. Mean ``confidence``, share ``right``, and the standard
        ``error`` of their difference with repeats as clusters.

    Examples
    --------
    >>> trials = pd.DataFrame({"repeat": [0, 1], "confidence": [0.8, 0.6],
    ...                        "right": [True, False],
    ...                        "effort": 5, "model": "uniform"})
    >>> scores = calibration_scores(trials)
    >>> scores.loc[(5, "uniform"), ["brier", "right"]].round(3).tolist()
    [0.2, 0.5]
    """
    gap = trials["right"] - trials["confidence"]
    log = -np.log(np.maximum(1 - gap.abs(), 1e-4))
    each = trials.assign(gap=gap, brier=gap**2, log=log)
    groups = each.groupby(["effort", "model"], sort=False)
    scores = groups[["brier", "log", "confidence", "right"]].mean()
    return scores.assign(
        error=[clustered_error(t["gap"], t["repeat"]) for _, t in groups]
    )


def ordered_pairs(
    confidence: pd.DataFrame, truth: pd.Series
) -> pd.DataFrame:
    """Return every pair of systems once, in the order that confidence
    favours.

    Parameters
    ----------
    confidence : DataFrame
        P(row below column), as `Pool.confidence` gives.
    truth : Series
        Full MAP, indexed by system.

    Returns
    -------
    DataFrame
        Columns ``a``, ``b``, ``confidence`` (at least 1/2) and ``right``
        (whether the truth has the favoured order). Pairs whose truth is
        equal are left out.

    Examples
    --------
    >>> systems = pd.Index(["x", "y"])
    >>> c = pd.DataFrame([[0.5, 0.2], [0.8, 0.5]], systems, systems)
    >>> ordered_pairs(c, pd.Series([0.4, 0.3], systems))
       a  b  confidence  right
    0  x  y         0.8   True
    """
    truth = truth[confidence.index]
    i, j = np.triu_indices(len(truth), 1)
    below = confidence.to_numpy()[i, j]
    gap = truth.to_numpy()[j] - truth.to_numpy()[i]
    table = pd.DataFrame(
        {
            "a": truth.index[i],
            "b": truth.index[j],
            "confidence": np.maximum(below, 1 - below),
            "right": (below >= 0.5) == (gap > 0),
        }
    )
    return table[gap != 0]


def clustered_error(values: pd.Series, clusters: pd.Series) -> float:
    """Return the standard error of a mean whose values come in clusters.

    The ratio estimator: cluster totals about the mean, over the number of
    values. With one cluster the error is NaN.

    Examples
    --------
    >>> names = pd.Series(["a", "a", "b", "b"])
    >>> clustered_error(pd.Series([1, 1, 0, 0]), names)
    0.5
    """
    totals = (values - values.mean()).groupby(clusters).sum()
    return float(totals.sem() * len(totals) / len(values))
