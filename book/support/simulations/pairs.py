"""Tests of all pairs of systems, and what a second set of topics says."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist

from gtlib import drop_worst
from gtlib.comparisons import critical_t


def bootstrap_pairs(
    scores: ArrayLike,
    alpha: float = 0.05,
    trials: int = 1000,
    seed: int = 0,
) -> tuple[np.ndarray, float]:
    """Test each pair of systems by Sakai's paired bootstrap (2006).

    Parameters
    ----------
    scores : array_like
        A row per system.
    alpha : float
        The level of the tests.
    trials, seed : int
        How often topics are drawn, and from which seed.

    Returns
    -------
    p : ndarray
        The achieved significance level of each pair.
    required : float
        The difference of means that is significant for every pair.
    """
    scores = np.asarray(scores)
    n = scores.shape[1]

    def squared(total, squares):
        # t² / (t² + n - 1) orders as |t| does, and is 0 if all z are
        return total**2 / np.maximum(n * squares, 1e-300)

    drawn = np.random.default_rng(seed).integers(n, size=(trials, n))
    times = np.array([np.bincount(row, minlength=n) for row in drawn]).T
    z = np.vstack([one - scores[i + 1 :] for i, one in enumerate(scores)])
    w = (z - z.mean(axis=1, keepdims=True)).round(12)
    total = w @ times
    star = squared(total, w**2 @ times)
    seen = squared(z.sum(axis=1), (z**2).sum(axis=1))[:, None]
    at = np.argsort(-star)[:, [round(alpha * trials) - 1]]
    least = np.abs(np.take_along_axis(total, at, axis=1)) / n
    return (star >= seen).mean(axis=1), float(least.max())


def tukey_pairs(
    scores: ArrayLike,
    alpha: float = 0.05,
    trials: int = 1000,
    seed: int = 0,
) -> tuple[np.ndarray, float]:
    """Test all pairs of systems together by the randomised Tukey HSD.

    Parameters and what is returned are those of `bootstrap_pairs`.
    """
    scores = np.asarray(scores)
    rng = np.random.default_rng(seed)
    shuffled = (rng.permuted(scores, axis=0) for _ in range(trials))
    ranges = np.sort([np.ptp(table.mean(axis=1)) for table in shuffled])
    seen = pdist(scores.mean(axis=1)[:, None])
    below = np.searchsorted(ranges, seen - 1e-12)
    return 1 - below / trials, float(np.quantile(ranges, 1 - alpha))


def pair_trials(
    table: pd.DataFrame,
    bins: Sequence[float],
    size: int = 25,
    trials: int = 1000,
    seed: int | np.random.Generator = 0,
) -> pd.DataFrame:
    """Count pairs by their difference on one set of topics, and what they
    do on a second one.

    Parameters
    ----------
    table : DataFrame
        Scores, a row per system; the worst quarter is left out.
    bins : sequence of float
        Where bins of observed differences begin, each .01 wide.
    size : int
        Topics in each of the two sets.
    trials : int
        How often sets are drawn.
    seed : int or Generator
        What draws them.

    Returns
    -------
    DataFrame
        A row per bin: `pairs`; of these, `swaps`, those with the other
        system ahead by `as much`, those that are `sure`, with a paired
        t-test's p below .05, and the swaps among these.
    """
    y = drop_worst(table).to_numpy()
    z = np.subtract(*y[np.array(np.triu_indices(len(y), 1))])
    rng = np.random.default_rng(seed)
    drawn = np.array([rng.permutation(y.shape[1]) for _ in range(trials)])
    place = np.argsort(drawn, axis=1)  # of each topic, in each trial
    first, second = place < size, (place >= size) & (place < 2 * size)
    d, other = (np.round(z @ held.T / size, 12) for held in (first, second))
    variance = (z**2 @ first.T / size - d**2) / (size - 1)
    sure = np.abs(d) > critical_t(size, 0.05) * np.sqrt(variance)
    back = -np.sign(d) * other
    counts = {}
    for low in bins:
        inside = (np.abs(d) >= low) & (np.abs(d) < low + 0.01)
        counts[low] = {
            "pairs": inside.sum(),
            "swaps": (inside & (back > 0)).sum(),
            "as much": (inside & (back >= low)).sum(),
            "sure": (inside & sure).sum(),
            "sure swaps": (inside & sure & (back > 0)).sum(),
        }
    return pd.DataFrame(counts).T
