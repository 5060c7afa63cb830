"""A leaderboard that says what its topics can order.

Means, ranks and tiers with their uncertainty, from a table of systems x
topics. Scores that are 0 or 1, solved or not, are tested as what they are.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib.compare import critical_t, holm, p_value, ranks
from gtlib.gtheory import gstudy
from gtlib.swaps.topic_sets import paired_t
from gtlib.tables import as_wide, checks

_HELD = 2**22  # numbers held at once


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Systems in the order of their means, and what is sure of it.

    Attributes
    ----------
    table : DataFrame, a row per system, the best first
        ``mean`` with ``low`` and ``high``; ``universe_score``, the mean
        moved towards that of all systems as far as it is unreliable;
        ``rank`` with ``best_rank`` and ``worst_rank``; ``tier``, and
        ``same_as``: the first system with the very same scores.
    p_values : DataFrame
        systems x systems, in that order: of each pair, adjusted by Holm's
        method for all pairs.
    ordered_neighbours : int
        How many pairs of neighbours differ significantly.
    test : str
        ``"paired t"``, or ``"exact McNemar"`` where all scores are 0 or 1.
    alpha, confidence_level : float
    n_resamples : int
    """

    table: pd.DataFrame
    p_values: pd.DataFrame
    ordered_neighbours: int
    test: str
    alpha: float
    confidence_level: float
    n_resamples: int


def leaderboard(
    scores: pd.DataFrame | ArrayLike,
    *,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Leaderboard:
    """Rank the systems, and say how sure each place is.

    Parameters
    ----------
    scores : score table
        Wide (systems x topics) or long; every system on every topic.
    alpha : float in (0, 1)
        Of the tests of all pairs together.
    confidence_level : float in (0, 1)
        Of the intervals of means and ranks, each by itself.
    n_resamples, seed : int
        Sets of topics drawn with replacement for the intervals of ranks.

    Returns
    -------
    Leaderboard

    Raises
    ------
    ValueError
        If the table is not right or has gaps, or an argument is out of its
        range.

    Notes
    -----
    Means of 0/1 scores have Wilson's (1927) interval.  So have those of
    other scores between 0 and 1, with Student's t, and with a variance
    that is less than p (1 - p) by the same factor whatever the true mean
    p: none leaves the bounds.  The factor is the system's own; a quarter
    of a topic with that of all systems stands in where a system's scores
    are alike.  Scores beyond 0 and 1 have Student's interval.  In
    simulations of skewed scores between 0 and 1 intervals of 95% held 94
    of a hundred means or more, from 25 topics on (Student's 90 to 95);
    where one topic of all differs from the rest, 92, as Wilson's own do.

    A rank's interval holds the middle share of its ranks on the resampled
    topic sets; equal means share the better rank.
    Pairs are tested by the paired t-test, or by the exact form of
    McNemar's (1947), and adjusted by Holm (1979).  A tier begins with the
    best system that is not in the tier before it, and holds those from
    there on that do not differ from it significantly.  That two systems
    cannot be told apart does not make them equal.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> merit = np.array([[0.2], [0.21], [0.4]])
    >>> found = leaderboard(merit + rng.normal(0, 0.1, (3, 50)))
    >>> found.table["tier"].tolist(), found.ordered_neighbours
    ([1, 2, 2], 1)
    """
    alpha = checks.significance_level(alpha)
    level = checks.confidence_level(confidence_level)
    n_resamples = checks.whole_number(n_resamples, "n_resamples")
    wide = as_wide(scores)
    means = wide.mean(axis=1).round(12)  # sums in any order tie alike
    means = means.sort_values(ascending=False, kind="stable")
    wide = wide.loc[means.index]
    values = wide.to_numpy()
    binary = bool(np.isin(values, (0, 1)).all())
    pairs = _mcnemar(values) if binary else _t_test(values)
    p = scipy.spatial.distance.squareform(holm(pairs))
    np.fill_diagonal(p, 1)
    low, high = _limits(values, level, binary)
    best, worst = _rank_limits(values, level, n_resamples, seed)
    study = gstudy(wide, "system x topic").universe_scores()
    columns = {
        "mean": values.mean(axis=1),
        "low": low,
        "high": high,
        "universe_score": study["estimate"][wide.index].to_numpy(),
        "rank": ranks(means),
        "best_rank": best,
        "worst_rank": worst,
        "tier": _tiers(p >= alpha),
        "same_as": _duplicates(wide),
    }
    return Leaderboard(
        pd.DataFrame(columns, wide.index),
        pd.DataFrame(p, wide.index, wide.index),
        int(np.sum(np.diag(p, 1) < alpha)),
        "exact McNemar" if binary else "paired t",
        alpha,
        level,
        n_resamples,
    )


def _limits(values, level, binary):
    """Limits of each mean, between 0 and 1 if the scores are."""
    mean, topics = values.mean(axis=1), values.shape[1]
    reach = critical_t(topics, 1 - level)
    if values.min() < 0 or values.max() > 1:
        reach = reach * scipy.stats.sem(values, axis=1)
        return mean - reach, mean + reach
    # Each variance as a share of the most that its mean allows, with a
    # quarter of a topic more that has the share of the whole table
    most = mean * (1 - mean)
    variance = np.minimum(values.var(axis=1, ddof=1), most)
    of_all = variance.sum() / most.sum() if most.any() else 1
    share = (topics * variance + of_all / 4) / (topics * most + 1 / 4)
    # Wilson's, with so much less variance at whatever the true mean is
    square = scipy.special.chdtri(1, 1 - level) if binary else reach**2
    square = square * share / topics
    reach = np.sqrt(square * (most + square / 4))
    limits = np.stack([mean - reach, mean + reach]) + square / 2
    return np.clip(limits / (1 + square), 0, 1)


def _rank_limits(values, level, n_resamples, seed):
    """The best and the worst rank of each system on resampled topics."""
    systems, topics = values.shape
    rng = np.random.default_rng(seed)
    drawn = np.empty((n_resamples, systems), dtype=np.int32)
    step = max(1, _HELD // max(systems, topics))
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        times = rng.multinomial(topics, np.full(topics, 1 / topics), size)
        means = np.round(times @ values.T / topics, 12)
        found = scipy.stats.rankdata(-means, "min", axis=1)
        drawn[start : start + size] = found
    tails = np.array([1 - level, 1 + level]) / 2
    return np.quantile(drawn, tails, axis=0, method="nearest")


def _t_test(values):
    """p-values of the paired t-test, one per pair."""
    return p_value(paired_t(values)[1], values.shape[1])


def _mcnemar(values):
    """p-values of McNemar's exact test, one per pair."""
    only = values @ (1 - values).T
    i, j = np.triu_indices(len(values), 1)
    one, other = only[i, j].astype(int), only[j, i].astype(int)
    half = scipy.special.bdtr(np.minimum(one, other), one + other, 0.5)
    return np.minimum(2 * half, 1)


def _tiers(same):
    """The tier of each system, from what does not differ from what."""
    tier = np.zeros(len(same), dtype=int)
    head = 0
    for system in range(len(same)):
        if not same[head, system]:
            head = system
        tier[system] = tier[head] if system != head else tier.max() + 1
    return tier


def _duplicates(wide):
    """The first system with the very same scores, or nothing."""
    first: dict = {}
    rows = zip(map(tuple, wide.to_numpy()), wide.index, strict=True)
    found = [(first.setdefault(row, name), name) for row, name in rows]
    return ["" if same == name else same for same, name in found]
