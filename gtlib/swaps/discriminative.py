"""Discriminative power: how many pairs of systems can be told apart?

Two tests of every pair on the topics at hand, without splitting them:
Sakai's paired bootstrap, a pair at a time, and the randomised Tukey HSD,
which allows for there being many pairs.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib.comparisons.paired import r_squared, t_of
from gtlib.swaps.topic_sets import pair_blocks, paired_t, topic_counts
from gtlib.tables import as_wide, checks

_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class DiscriminativePower:
    """Which pairs of systems a collection tells apart.

    Attributes
    ----------
    power : float
        Share of the pairs with a p-value below `alpha`.
    required_difference : float
        Difference of mean scores that is needed to reach `alpha`.
    p_values : DataFrame
        systems x systems, symmetric, 1 on the diagonal: the achieved
        significance level (ASL) of each pair.
    alpha : float
    method : str
    """

    power: float
    required_difference: float
    p_values: pd.DataFrame
    alpha: float
    method: str


def discriminative_power(
    scores: pd.DataFrame | ArrayLike,
    alpha: float = 0.05,
    n_resamples: int = 1000,
    seed: int = 0,
    *,
    method: str = "bootstrap",
) -> DiscriminativePower:
    """Share of the pairs of systems that a test tells apart.

    ``"bootstrap"``: for a pair with differences z over n topics, t = mean
    (z) / (sd / sqrt(n)). Topics are drawn again with replacement from w =
    z - mean(z), which obeys the null hypothesis; ASL is the share of the
    t* of the resamples with \\|t*\\| >= \\|t\\|. The required difference is
    the largest over pairs of the \\|mean(w*)\\| of the resample whose
    \\|t*\\| is (level x resamples)-th from the top.

    ``"tukey"``: the systems' labels are shuffled within every topic. A
    pair's p-value is the share of the shuffles in which the best and the
    worst system differ by at least as much; the required difference is
    the 1 - `alpha` quantile of that range. Over all pairs together, a
    false alarm has probability `alpha`.

    Parameters
    ----------
    scores : score table
        Wide (systems x topics) or long.
    alpha : float in (0, 1)
        Significance level.
    n_resamples : int
        At least 1 / alpha.
    seed : int
    method : {"bootstrap", "tukey"}

    Returns
    -------
    DiscriminativePower

    Raises
    ------
    ValueError
        If an argument is out of its range.

    References
    ----------
    Sakai (2006), "Evaluating evaluation metrics based on the bootstrap",
    SIGIR, figures 1, 3 and 6. Carterette (2012), "Multiple testing in
    statistical analysis of systems-based information retrieval
    experiments", ACM TOIS 30(1).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> merit = np.array([[0.2], [0.2], [0.4]])
    >>> scores = merit + rng.normal(0, 0.1, (3, 50))
    >>> for method in ("bootstrap", "tukey"):
    ...     result = discriminative_power(scores, method=method)
    ...     print(round(result.power, 2), result.required_difference < 0.1)
    0.67 True
    0.67 True
    """
    alpha = checks.significance_level(alpha)
    least = int(np.ceil(1 / alpha - 1e-9))
    n_resamples = checks.whole_number(n_resamples, "n_resamples", least)
    checks.one_of(method, "method", _METHODS)
    wide = as_wide(scores)
    rng = np.random.default_rng(seed)
    p, required = _METHODS[method](wide.to_numpy(), alpha, n_resamples, rng)
    square = scipy.spatial.distance.squareform(p)
    np.fill_diagonal(square, 1)
    return DiscriminativePower(
        power=float((p < alpha).mean()),
        required_difference=float(required),
        p_values=pd.DataFrame(square, wide.index, wide.index),
        alpha=alpha,
        method=method,
    )


def _bootstrap(scores, alpha, n_resamples, rng):
    systems, topics = scores.shape
    drawn = rng.integers(topics, size=(n_resamples, topics))
    times = topic_counts(drawn, topics).T
    rank = int(alpha * n_resamples + 1e-9) - 1
    observed = np.abs(paired_t(scores)[1])
    p, needed, done = np.empty(len(observed)), 0.0, 0
    for i, j in pair_blocks(systems, n_resamples, 2**18):
        z = scores[i] - scores[j]
        w = np.round(z - z.mean(axis=1, keepdims=True), 12)
        total = w @ times
        t = t_of(r_squared(total, (w * w) @ times, topics), topics)
        block = slice(done, done := done + len(i))
        p[block] = (t >= observed[block, None]).mean(axis=1)
        at = np.argpartition(-t, rank, axis=1)[:, rank, None]
        sums = np.abs(np.take_along_axis(total, at, 1))
        needed = max(needed, sums.max() / topics)
    return p, needed


def _tukey(scores, alpha, n_resamples, rng):
    drawn = (rng.permuted(scores, axis=0) for _ in range(n_resamples))
    ranges = np.sort([np.ptp(shuffled.mean(axis=1)) for shuffled in drawn])
    difference = np.abs(paired_t(scores)[0])
    below = np.searchsorted(ranges, difference - _ROUNDING)
    return 1 - below / n_resamples, np.quantile(ranges, 1 - alpha)


_METHODS = {"bootstrap": _bootstrap, "tukey": _tukey}
