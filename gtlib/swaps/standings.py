"""Leaderboards: which systems differ, and which ranks are possible.

Means, ranks and tiers with their uncertainty, all from the errors of the
declared design (`gtlib.comparisons.estimate_means`). Scores that are 0 or
1, solved or not, are tested as what they are. `rank_limits` is the only
one to allow for there being many pairs: it takes the p-values of the
pairs, and does not ask where they come from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib.comparisons import (
    Means,
    estimate_means,
    holm,
    nearly_constant,
    ranks,
    shrink_means,
    wilson_limits,
)
from gtlib.estimates import require_cells
from gtlib.gtheory import GStudy, gstudy
from gtlib.tables import Design, checks


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Systems in the order of their means, with the ranks that are
    possible.

    Attributes
    ----------
    table : DataFrame, a row per system, the best first
        ``mean`` with its ``standard_error``, ``low`` and ``high``;
        ``universe_score``, the mean
        moved towards that of all systems as far as it is unreliable;
        ``rank`` with ``best_rank`` and ``worst_rank``, the limits of all
        ranks at once; ``may_be_best``; and ``tier``.
    p_values : DataFrame
        systems x systems, in that order: of each pair, adjusted by Holm's
        method for all pairs.
    told_apart : float
        Share of the pairs that differ significantly.
    ordered_neighbours : int
        How many pairs of neighbours differ significantly.
    test : str
        ``"t"``, or ``"exact McNemar"`` where each cell has one score of 0
        or 1.
    drawn : tuple of str
        The facets that errors draw anew; of nests the outermost.
    alpha, confidence_level : float
    """

    table: pd.DataFrame
    p_values: pd.DataFrame
    told_apart: float
    ordered_neighbours: int
    test: str
    drawn: tuple[str, ...]
    alpha: float
    confidence_level: float


def leaderboard(
    scores: GStudy | pd.DataFrame | ArrayLike,
    design: str | Design = "system x topic",
    *,
    fixed: str | Sequence[str] = (),
    weights: Mapping | None = None,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
) -> Leaderboard:
    """Rank the systems, and say how sure each place is.

    Parameters
    ----------
    scores : score table, or GStudy
        Wide (systems x topics), or long, where a row that is missing was
        not observed.  A study has its own design.
    design : str or Design
        Which facets are crossed or nested, as in `gstudy`:
        ``"system x (item:passage)"`` for items that belong to passages.
    fixed : str or sequence of str
        Facets whose levels are all there are; others are drawn anew.
    weights : mapping of level to float, optional
        The weight of each level of the one fixed facet; equal by default.
    alpha : float in (0, 1)
        Significance level of the tests of all pairs together: all ranges
        of ranks hold at once with confidence 1 - `alpha`.  Each system is
        tested by itself for being the best: one that truly is the best is
        left out with probability `alpha` at most; where several are
        equally good, it is more likely that one of them is left out.
    confidence_level : float in (0, 1)
        Confidence level of the interval of each single mean.

    Returns
    -------
    Leaderboard
        ``table`` has a row per system, best first, with its mean, interval,
        range of ranks and tier; ``p_values`` are those of all pairs.

    Raises
    ------
    ValueError
        If the table is not right, the design does not fit it, `fixed` or
        `weights` are not possible, or an argument is out of its range.

    Notes
    -----
    Errors of means and of differences are those of the declared design: see
    ``gtlib.comparisons.estimate_means``. They are about other topics, with
    these systems: groups of a study make no difference here. Of systems
    crossed with topics alone, every one on every topic, they are those of
    the t-tests. Where scores are missing, a mean is that of the least
    squares estimate, which charges a system for how hard its topics were.

    Means of 0/1 scores, one of each system and topic, have Wilson's (1927)
    interval, and pairs of such systems McNemar's (1947) exact test.  Means
    of other scores between 0 and 1 have Wilson's interval, too, with
    Student's t, and with a variance that is less than p (1 - p) by the
    same factor whatever the true mean p: none leaves the bounds.  The
    factor is the system's own; a quarter of a topic with that of all
    systems is added to it.  Where all scores of a system but two (or a
    third, if that is fewer) are the same, they tell nothing of the others,
    and the factor is 1: Wilson's own interval.  Scores beyond 0 and 1 have
    Student's interval.  In simulations of skewed scores between 0 and 1
    intervals of 95% held 93 of a hundred means or more, from 25 topics on
    (Student's 90 to 95); where one topic of all differs from the rest, 92,
    as Wilson's own do.  They are not to be trusted where failures are rare
    and topics few: of scores that are 0 one time in twenty and else
    beta(30, 2), 73 of a hundred held at 25 topics, 90 at 50, 94 at 100.

    The p-values of pairs are adjusted by Holm (1979); `rank_limits` says
    what follows for the ranks, and who may be the best.  A tier begins
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
    >>> import numpy as np
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(1)
    >>> merit = np.array([[0.2], [0.21], [0.4]])
    >>> board = gt.leaderboard(merit + rng.normal(0, 0.1, (3, 50)))
    >>> board.table["tier"].tolist(), board.ordered_neighbours
    ([1, 2, 2], 1)
    >>> board.table[["best_rank", "worst_rank"]].to_numpy().tolist()
    [[1, 1], [2, 3], [2, 3]]
    """
    alpha = checks.significance_level(alpha)
    level = checks.confidence_level(confidence_level)
    study = as_study(scores, design)
    means = estimate_means(study, fixed, weights)
    # Rounded, so that sums taken in another order still tie; tied systems
    # keep the order of the table.
    rounded = (means.value / (means.value.abs().max() or 1)).round(12)
    cells = require_cells(study, "Ranks need")
    in_given_order = rounded.iloc[cells.given[study.design.object]]
    order = in_given_order.sort_values(ascending=False, kind="stable").index
    position = means.value.index.get_indexer(order)
    first, second = np.triu_indices(len(position), 1)
    first, second = position[first], position[second]
    pairs, test = test_pairs(study, means, first, second)
    p, best, worst, may_be_best = rank_limits(pairs, alpha)
    if not fixed:
        universe = shrink_means(study, means.value)["estimate"]
    else:  # Kelley's, of means over all the levels that there are
        error = means.differences(first, second).typical.sum() / 2
        slope = max(1 - error / means.value.var(), 0)
        universe = (1 - slope) * means.value.mean() + slope * means.value
    low, high = _mean_limits(study, means, level, test != "t")[:, position]
    columns = {
        "mean": means.value[order],
        "standard_error": means.errors().error[position],
        "low": low,
        "high": high,
        "universe_score": universe[order],
        "rank": ranks(rounded[order]),
        "best_rank": best,
        "worst_rank": worst,
        "may_be_best": may_be_best,
        "tier": _tiers(p >= alpha),
    }
    return Leaderboard(
        table=pd.DataFrame(columns, order),
        p_values=pd.DataFrame(p, order, order),
        told_apart=float((best - 1).sum() / len(pairs)),
        ordered_neighbours=int(np.sum(np.diag(p, 1) < alpha)),
        test=test,
        drawn=means.drawn,
        alpha=alpha,
        confidence_level=level,
    )


def as_study(
    scores: GStudy | pd.DataFrame | ArrayLike, design: str | Design
) -> GStudy:
    """Return a study as it is, or estimate that of a score table."""
    if isinstance(scores, GStudy):
        return scores
    if np.ndim(scores) or isinstance(scores, Mapping):
        scores = pd.DataFrame(scores)
    return gstudy(scores, design)


def test_pairs(
    study: GStudy, means: Means, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, str]:
    """Test pairs, given by position: return p-values and which test."""
    nesting = study.design.nesting
    cells = require_cells(study, "Tests of pairs need")
    binary = np.isin(cells.scores, (0, 1)).all() and cells.balanced
    if not binary or len(nesting) > 2 or any(nesting.values()):
        return means.differences(first, second).p_value, "t"
    solved = cells.scores.reshape(cells.shape)
    if study.design.facets[0] != study.design.object:
        solved = solved.T
    solved_alone = (solved @ (1 - solved).T).astype(int)
    first_alone, second_alone = (
        solved_alone[first, second],
        solved_alone[second, first],
    )
    fewer = np.minimum(first_alone, second_alone)
    half = scipy.special.bdtr(fewer, first_alone + second_alone, 0.5)
    return np.minimum(2 * half, 1), "exact McNemar"


def rank_limits(p: np.ndarray, alpha: float) -> tuple[np.ndarray, ...]:
    """Find the limits of all ranks at once, from the p-values of pairs.

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
    >>> p = np.array([.2, .01, .04])
    >>> _, best, worst, may_be_best = rank_limits(p, .05)
    >>> best.tolist(), worst.tolist(), may_be_best.tolist()
    ([1, 1, 2], [2, 3, 3], [True, True, False])
    """
    square = scipy.spatial.distance.squareform
    adjusted = square(holm(p))
    np.fill_diagonal(adjusted, 1)
    different = adjusted < alpha
    best = 1 + np.tril(different).sum(axis=1)
    worst = len(different) - np.triu(different).sum(axis=1)
    is_beaten = np.tril(square(p * (len(different) - 1) / 2 < alpha))
    return adjusted, best, worst, (best == 1) & ~is_beaten.any(axis=1)


def _mean_limits(study, means, level, binary):
    """Limits of each mean, between 0 and 1 if the scores are."""
    cells = study.cells
    estimate = means.errors()
    if cells.scores.min() < 0 or cells.scores.max() > 1:
        return estimate.limits(level)
    # Each variance as a share of the most that its mean allows, with a
    # quarter of a topic more that has the share of the whole table
    mean = estimate.value.round(12)
    topics = estimate.df + 1
    most = mean * (1 - mean)
    variance = np.minimum(topics * estimate.error**2, most)
    # A single score has no error.
    most_known = most[estimate.error >= 0].sum()
    overall_share = np.nansum(variance) / most_known if most_known else 1
    more = overall_share / 4
    share = (topics * variance + more) / (topics * most + 1 / 4)
    system = cells.codes[means.value.index.name]
    if cells.balanced:
        by_system = cells.scores[np.argsort(system, kind="stable")]
        same = nearly_constant(by_system.reshape(len(mean), -1))
    else:
        of_each = pd.Series(cells.scores).groupby(system)
        constant = [
            nearly_constant(own.to_numpy()[None]) for _, own in of_each
        ]
        same = np.concatenate(constant)
    share = np.where(same, 1, share)
    # Wilson's, with so much less variance at whatever the true mean is
    square = scipy.special.stdtrit(estimate.df, (1 + level) / 2) ** 2
    if binary:
        square = scipy.special.chdtri(1, 1 - level)
    return wilson_limits(mean, square * share / topics)


def _tiers(same):
    """Number the tiers, from which systems may tie with which."""
    heads = [0]
    for system in range(1, len(same)):
        heads.append(heads[-1] if same[heads[-1], system] else system)
    return pd.factorize(np.array(heads))[0] + 1
