"""A leaderboard that says what its topics can order.

Means, ranks and tiers with their uncertainty, from a table of systems x
topics. Scores that are 0 or 1, solved or not, are tested as what they are.
`places` is the only one to allow for there being many pairs: it takes the
p-values of the pairs, and does not ask where they come from.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib.compare import alike, critical_t, holm, p_value, ranks, wilson
from gtlib.gtheory import gstudy
from gtlib.swaps.topic_sets import paired_t, set_means
from gtlib.tables import as_wide, checks


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Systems in the order of their means, and what is sure of it.

    Attributes
    ----------
    table : DataFrame, a row per system, the best first
        ``mean`` with ``low`` and ``high``; ``universe_score``, the mean
        moved towards that of all systems as far as it is unreliable;
        ``rank`` with ``best_rank`` and ``worst_rank``, the limits of all
        ranks at once, and ``own_best_rank`` and ``own_worst_rank``, those
        of this system's rank alone; ``may_be_best``; ``tier``, and
        ``same_as``: the first system with the very same scores.
    p_values : DataFrame
        systems x systems, in that order: of each pair, adjusted by Holm's
        method for all pairs.
    told_apart : float
        Share of the pairs that differ significantly.
    ordered_neighbours : int
        How many pairs of neighbours differ significantly.
    test : str
        ``"paired t"``, or ``"exact McNemar"`` where all scores are 0 or 1.
    alpha, confidence_level : float
    """

    table: pd.DataFrame
    p_values: pd.DataFrame
    told_apart: float
    ordered_neighbours: int
    test: str
    alpha: float
    confidence_level: float


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
        Of the tests of all pairs together, and so of the ranks: all of
        them are right at once with confidence 1 - `alpha`.  Who may be the
        best is said of each system by itself: one that is truly the best
        is left out with probability `alpha` at most, and of several equal
        ones some are left out more often.
    confidence_level : float in (0, 1)
        Of the intervals of means and of own ranks, each by itself.
    n_resamples, seed : int
        Sets of topics drawn with replacement for the own ranks.

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
    of a topic with that of all systems is added to it.  Where all scores
    of a system but two (or a third, if that is fewer) are the same, they
    tell nothing of the others, and the factor is 1: Wilson's own interval.
    Scores beyond 0 and 1 have Student's interval.  In simulations of
    skewed scores between 0 and 1 intervals of 95% held 93 of a hundred
    means or more, from 25 topics on (Student's 90 to 95); where one topic
    of all differs from the rest, 92, as Wilson's own do.

    Pairs are tested by the paired t-test, or by the exact form of
    McNemar's (1947), and adjusted by Holm (1979).

    `places` says what follows for the ranks, and who may be the best.  A
    system's own ranks are the middle share of its ranks on the resampled
    topic sets; equal means share the better rank.  Among systems of
    nearly equal means they are too narrow: in a simulation of seven equal
    leaders they held the true rank in about three of four.  A tier begins
    with the best system that is not in the tier before it, and holds those
    from there on that do not differ from it significantly.  That two
    systems cannot be told apart does not make them equal.

    The tests hold as far as their p-values do.  In simulations of 10 to
    100 systems on 10 and 50 topics, with crossed normal, AP-like and 0/1
    scores, all ranks were right on .94 of the boards or more where all
    systems were equal, and on practically all where none were.  The t-test
    fails where systems with equal means are skewed very differently: with
    lognormal scores, .80 of the boards of 30 systems and 50 topics.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> merit = np.array([[0.2], [0.21], [0.4]])
    >>> found = leaderboard(merit + rng.normal(0, 0.1, (3, 50)))
    >>> found.table["tier"].tolist(), found.ordered_neighbours
    ([1, 2, 2], 1)
    >>> found.table[["best_rank", "worst_rank"]].to_numpy().tolist()
    [[1, 1], [2, 3], [2, 3]]
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
    pairs = (_mcnemar if binary else _t_test)(values)
    p, best, worst, may_be_best = places(pairs, alpha)
    low, high = _limits(values, level, binary)
    own_best, own_worst = _own_ranks(values, level, n_resamples, seed)
    study = gstudy(wide, "system x topic").universe_scores()
    columns = {
        "mean": values.mean(axis=1),
        "low": low,
        "high": high,
        "universe_score": study["estimate"][wide.index].to_numpy(),
        "rank": ranks(means),
        "best_rank": best,
        "worst_rank": worst,
        "own_best_rank": own_best,
        "own_worst_rank": own_worst,
        "may_be_best": may_be_best,
        "tier": _tiers(p >= alpha),
        "same_as": _duplicates(wide),
    }
    return Leaderboard(
        pd.DataFrame(columns, wide.index),
        pd.DataFrame(p, wide.index, wide.index),
        float((best - 1).sum() / len(pairs)),
        int(np.sum(np.diag(p, 1) < alpha)),
        "exact McNemar" if binary else "paired t",
        alpha,
        level,
    )


def places(p: np.ndarray, alpha: float) -> tuple[np.ndarray, ...]:
    """What the p-values of all pairs say of the ranks, all at once.

    Parameters
    ----------
    p : array, a value per pair i < j
        Two-sided, of systems in the order of their means, the best first.
    alpha : float in (0, 1)

    Returns
    -------
    adjusted : array, systems x systems
        p-values by Holm's (1979) method, 1 on the diagonal.
    best, worst : arrays, a rank per system
        1 + the number of systems that are significantly better, and the
        number of those that are not significantly worse.
    may_be_best : array of bool, a value per system

    Notes
    -----
    If no pair is decided wrongly, which has probability 1 - `alpha`, all
    true ranks lie within these limits (Klein, Wright & Wieczorek 2020;
    Mogstad, Romano, Shaikh & Wilhelm 2024).  Equal systems have all the
    ranks between them.

    Whether a system may be the best takes its comparisons with the n - 1
    others only, one-sided (Hsu 1984): it may not if for one that is better
    (n - 1) p / 2 < `alpha`, Bonferroni's bound in place of Dunnett's
    quantile, or if its best rank is not 1.  A system that is truly the
    best is left out with probability `alpha` at most; that holds for each
    system by itself, and of several equal ones some are left out more
    often.

    Examples
    --------
    >>> _, best, worst, may_be_best = places(np.array([.2, .01, .04]), .05)
    >>> best.tolist(), worst.tolist(), may_be_best.tolist()
    ([1, 1, 2], [2, 3, 3], [True, True, False])
    """
    square = scipy.spatial.distance.squareform
    adjusted = square(holm(p))
    np.fill_diagonal(adjusted, 1)
    told = adjusted < alpha
    best = 1 + np.tril(told).sum(axis=1)
    worst = len(told) - np.triu(told).sum(axis=1)
    beaten = np.tril(square(p * (len(told) - 1) / 2 < alpha))
    return adjusted, best, worst, (best == 1) & ~beaten.any(axis=1)


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
    share = np.where(alike(values), 1, share)
    # Wilson's, with so much less variance at whatever the true mean is
    square = scipy.special.chdtri(1, 1 - level) if binary else reach**2
    return wilson(mean, square * share / topics)


def _own_ranks(values, level, n_resamples, seed):
    """The best and the worst rank of each system on resampled topics."""
    rng, topics = np.random.default_rng(seed), values.shape[1]
    step, found = max(1, 2**22 // max(values.shape)), []  # held at once
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start), topics
        means = set_means(values, rng.integers(topics, size=size))
        found.append(scipy.stats.rankdata(-means, "min", axis=0))
    tails = np.array([1 - level, 1 + level]) / 2
    return np.quantile(np.hstack(found), tails, axis=1, method="nearest")


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
    heads = [0]
    for system in range(1, len(same)):
        heads.append(heads[-1] if same[heads[-1], system] else system)
    return pd.factorize(np.array(heads))[0] + 1


def _duplicates(wide):
    """The first system with the very same scores, or nothing."""
    first: dict = {}
    rows = zip(map(tuple, wide.to_numpy()), wide.index, strict=True)
    found = [(first.setdefault(row, name), name) for row, name in rows]
    return ["" if same == name else same for same, name in found]
