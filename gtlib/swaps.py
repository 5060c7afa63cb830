"""Swap rates and leaderboards: how often would other topics disagree?"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib import checks
from gtlib.allocation import smallest_satisfying
from gtlib.checks import as_text, list_some, progress
from gtlib.comparisons import (
    Means,
    betting_limits,
    critical_t,
    estimate_means,
    f_power,
    holm,
    mixture_limits,
    nearly_constant,
    p_value,
    ranks,
    shrink_means,
    t_statistic,
    tau_ap,
    total_error,
    wilson_limits,
)
from gtlib.design import Design
from gtlib.gtheory import GStudy, gstudy
from gtlib.scores import (
    as_wide,
    drop_worst,
    require_cells,
)

__all__ = [
    "compare",
    "extrapolate_swaps",
    "leaderboard",
    "split_half",
    "swap_rates",
    "topics_to_detect",
]

# Every pair of systems on random topic sets.


def draw_topics(
    rng: np.random.Generator, topics: int, size: int, trials: int, sets: int
) -> np.ndarray:
    """Draw random topic sets, as positions: (sets, trials, size).

    The sets of one trial are disjoint: a permutation of the topics, cut.
    """
    drawn = np.array([rng.permutation(topics) for _ in range(trials)])
    drawn = drawn[:, : sets * size]
    return drawn.reshape(trials, sets, size).swapaxes(0, 1)


def set_means(scores: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Average each system on each topic set: (systems, trials).

    `scores` is a systems x topics array, `drawn` one set a row. Rounded
    to 12 decimals, so that the order of summation makes no ties and
    breaks none.
    """
    held = np.zeros((len(drawn), scores.shape[1]))
    np.put_along_axis(held, drawn, 1, axis=1)
    return np.round(scores @ held.T / drawn.shape[1], 12)


def paired_t(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the difference and the paired t of every pair."""
    i, j = np.triu_indices(len(scores), 1)
    size = scores.shape[1]
    centred = scores - scores.mean(axis=0)
    means = centred.mean(axis=1)
    difference = np.round(means[i] - means[j], 12)
    products = centred @ centred.T
    own = np.diag(products)
    squares = own[i] + own[j] - 2 * products[i, j]
    return difference, t_statistic(size * difference, squares, size)


# Swap rates: how often do other topics turn a comparison round?
#
# Two disjoint topic sets of the same size are drawn; of the pairs of
# systems that differ by so much on the first, how many change places on the
# second (Voorhees & Buckley 2002; Voorhees 2006)? Each trial's counts are
# kept, by topic-set size and bin of observed difference; a rate and its
# Monte-Carlo error follow from them, and so do those of p-values.

_ROUNDING = 1e-9
_CELLS = 2**15  # pairs x trials held at once: they stay in the cache


@dataclass(frozen=True, eq=False)
class BinnedRates:
    """A rate for each topic-set size and bin of observed difference.

    Attributes
    ----------
    rate : DataFrame
        Rows = sizes, columns = bins (intervals, closed on the left), so
        ``rate.loc[25, 0.03]`` is the rate of 25 topics and differences
        from .03 to below .04. NaN where no pair fell into the bin.
    error : DataFrame
        Monte-Carlo standard error of each rate: what another seed would
        change. It says nothing about other topics or other systems.
    table : DataFrame
        The same for each collection and bin: collection, size, low, high,
        pairs (how many comparisons the rate stands on), rate, error.
    overall : DataFrame
        For each collection, over all bins: collection, size, pairs, rate,
        error.
    """

    rate: pd.DataFrame
    error: pd.DataFrame
    table: pd.DataFrame
    overall: pd.DataFrame


def swap_rates(
    collections: pd.DataFrame | ArrayLike | Mapping[str, pd.DataFrame],
    sizes: Sequence[int] | None = None,
    bins: Sequence[float] | None = None,
    n_resamples: int = 50,
    seed: int = 0,
    *,
    drop: float = 0.25,
    matched: bool = True,
) -> BinnedRates:
    """Count how often a difference changes its sign on other topics.

    A trial draws two disjoint topic sets of one size. Each pair of systems
    falls into a bin by the absolute difference of their means on the first
    set; it is a swap if the difference on the second set has the other
    sign. A tie on either set orders nothing and counts as half a swap.
    The rate of a bin is swaps / pairs over all trials; of several
    collections, the mean of their rates, each counting alike.

    Parameters
    ----------
    collections : score table, or dict of name -> score table
        Each wide (systems x topics) or long.
    sizes : sequence of int, optional
        Topic-set sizes; by default 1 to half of the smallest collection.
    bins : sequence of float, optional
        Left edges of the bins, ascending from 0; the last bin is open.
        By default the 21 bins 0, .01, ..., .20.
    n_resamples : int
        Trials, for each size and collection.
    seed : int
        Every collection is drawn with a generator of its own, spawned
        from this seed in their order, so that adding a collection at the
        end changes no other's rates.
    drop : float in [0, 1)
        Share of the systems left out of each collection, worst first.
    matched : bool
        If False, the two systems of a pair are measured on different
        topics: a trial takes four disjoint sets.

    Returns
    -------
    BinnedRates
        The rates and their Monte-Carlo errors.

    Raises
    ------
    ValueError
        If the topics do not suffice for the sizes, or an argument is out
        of its range.

    References
    ----------
    Voorhees & Buckley (2002), "The effect of topic set size on retrieval
    experiment error", SIGIR. Voorhees' slides (2006) name 50 trials and
    print bins that are .01 wide; that sets are disjoint, which systems are
    left out and how collections count is not on them.

    Examples
    --------
    >>> import numpy as np
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(1)
    >>> merit = np.linspace(0.2, 0.4, 8)[:, None]
    >>> scores = merit + rng.normal(0, 0.1, (8, 40))
    >>> rates = gt.swap_rates(scores, sizes=[5, 20], drop=0)
    >>> rates.rate.loc[[5, 20], 0.05].round(2).tolist()
    [0.37, 0.01]
    """
    return _binned_rates(
        _swaps,
        2 if checks.flag(matched, "matched") else 4,
        1,
        collections,
        sizes,
        bins,
        n_resamples,
        seed,
        drop,
    )


def p_value_rates(
    collections: pd.DataFrame | ArrayLike | Mapping[str, pd.DataFrame],
    sizes: Sequence[int] | None = None,
    bins: Sequence[float] | None = None,
    n_resamples: int = 50,
    seed: int = 0,
    *,
    drop: float = 0.25,
) -> BinnedRates:
    """Average the p-values of the pairs in each bin of difference.

    Bodoff & Li's statistical version of the swap rate: the same pairs in
    the same bins, but each carries the p-value of a t-test on its own topic
    set. They say "a parametric t-test"; that it is paired and two-sided is
    our reading. No second set is needed, so sizes may go up to the whole
    collection (where there is one set, hence one trial).

    Parameters
    ----------
    collections, sizes, bins, n_resamples, seed, drop
        As in `swap_rates`.

    Returns
    -------
    BinnedRates
        ``rate`` holds the mean p-values.

    Raises
    ------
    ValueError
        As `swap_rates`; or if a size is below two topics.

    References
    ----------
    Bodoff & Li (2007), "Test theory for assessing IR test collections",
    SIGIR, figure 1.

    Examples
    --------
    >>> import numpy as np
    >>> from gtlib.swaps import p_value_rates
    >>> rng = np.random.default_rng(1)
    >>> merit = np.linspace(0.2, 0.4, 8)[:, None]
    >>> scores = merit + rng.normal(0, 0.1, (8, 40))
    >>> rates = p_value_rates(scores, sizes=[5, 40], drop=0)
    >>> rates.rate.loc[[5, 40], 0.05].round(2).tolist()
    [0.29, 0.01]
    """
    return _binned_rates(
        _p_values, 1, 2, collections, sizes, bins, n_resamples, seed, drop
    )


def _swaps(scores, drawn, edges):
    """Pairs and swaps of each trial and bin: 2 x trials x bins."""
    means = [set_means(scores, topic_set) for topic_set in drawn]
    if len(means) == 2:  # both systems of a pair on the same topics
        means = [means[0], means[0], means[1], means[1]]
    a, b, c, d = means
    trials, bins = a.shape[1], len(edges)
    offset = bins * np.arange(trials)
    counts = np.zeros((2, trials * bins))
    pairs = np.stack(np.triu_indices(len(scores), 1))
    step = max(1, _CELLS // trials)
    for start in range(0, pairs.shape[1], step):
        i, j = pairs[:, start : start + step]
        first, second = a[i] - b[j], c[i] - d[j]
        cell = (_bin_numbers(first, edges) + offset).ravel()
        swapped = 0.5 - 0.5 * np.sign(first * second).ravel()
        counts[0] += np.bincount(cell, minlength=trials * bins)
        counts[1] += np.bincount(cell, swapped, trials * bins)
    return counts.reshape(2, trials, bins)


def _p_values(scores, drawn, edges):
    """Pairs and summed p-values of each trial and bin."""
    counts = np.zeros((2, drawn.shape[1], len(edges)))
    for trial, topics in enumerate(drawn[0]):
        difference, t = paired_t(scores[:, topics])
        cell, bins = _bin_numbers(difference, edges), len(edges)
        counts[0, trial] = np.bincount(cell, minlength=bins)
        p = p_value(t, len(topics))
        counts[1, trial] = np.bincount(cell, p, bins)
    return counts


def _binned_rates(
    measure, sets, least, collections, sizes, bins, n_resamples, seed, drop
):
    """Average over the pairs of systems what `measure` finds.

    ``measure(scores, drawn, edges)`` gets a systems x topics array, the
    topics as sets x trials x size, and the left edges of the bins. It
    returns an array, 2 x trials x bins: pairs, and the sum over the pairs
    of what is to be averaged. A trial takes `sets` disjoint sets of at
    least `least` topics.
    """
    n = checks.resamples(n_resamples)
    seed = checks.seed(seed)
    drop = checks.share_below_one(drop, "drop")
    tables = _score_arrays(collections, drop)
    edges = _bin_edges(bins)
    sizes = check_sizes(sizes, tables, sets, least)
    counts = np.zeros((2, len(tables), len(sizes), n, len(edges) + 1))
    exact = np.zeros((len(tables), len(sizes), 1), dtype=bool)
    generators = np.random.default_rng(seed).spawn(len(tables))
    for c, scores in enumerate(tables.values()):
        rng = generators[c]
        topics = scores.shape[1]
        for s, size in enumerate(progress(sizes, "sizes")):
            exact[c, s] = sets == 1 and size == topics
            times = 1 if exact[c, s] else n
            drawn = draw_topics(rng, topics, size, times, sets)
            counts[:, c, s, :times, :-1] = measure(scores, drawn, edges)
    counts[..., -1] = counts.sum(axis=-1)  # the last bin is all
    pairs, hits = counts.sum(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = hits / pairs
        # Of a sum over n trials, the standard error is n sd / sqrt(n - 1)
        off = counts[1] - rate[..., None, :] * counts[0]
        error = off.std(axis=-2) * n / np.sqrt(n - 1.0) / pairs
        error[exact & (pairs > 0)] = 0
        used = (pairs > 0).sum(axis=0)
        squares = np.where(pairs > 0, error**2, 0).sum(axis=0)
        joint_rate = np.nansum(rate, axis=0) / used
        joint_error = np.sqrt(squares) / used
    rows = pd.Index(sizes, name="size")
    bins = pd.IntervalIndex.from_breaks(
        [*edges, np.inf], closed="left", name="difference"
    )
    table = pd.MultiIndex.from_product(
        [tables, sizes, edges], names=["collection", "size", "low"]
    ).to_frame(index=False)
    overall = table[["collection", "size"]].drop_duplicates()
    overall = overall.reset_index(drop=True)
    table["high"] = np.tile(bins.right, len(overall))
    for name, x in {"pairs": pairs, "rate": rate, "error": error}.items():
        table[name] = x[..., :-1].ravel()
        overall[name] = x[..., -1].ravel()
    return BinnedRates(
        rate=pd.DataFrame(joint_rate[:, :-1], rows, bins),
        error=pd.DataFrame(joint_error[:, :-1], rows, bins),
        table=table,
        overall=overall,
    )


def _bin_edges(bins):
    """Left edges of the bins: by default 0, .01, ..., .20."""
    edges = np.arange(21) / 100
    if bins is not None:
        edges = checks.number_array(bins, "bins")
    ascend = edges.ndim == 1 and (np.diff(edges) > 0).all()
    if not (ascend and edges.size and edges[0] == 0):
        raise ValueError(
            "bins must be edges that begin at 0 and ascend; these do not: "
            f"{bins}."
        )
    return edges


def _bin_numbers(difference, edges):
    """The bin of each |difference|; a value on an edge belongs above it."""
    size = np.abs(difference)
    width = edges[-1] / max(1, len(edges) - 1)
    if width and np.ptp(np.diff(edges)) < _ROUNDING * width:
        size *= 1 / width  # evenly spaced: faster than a search
        size += _ROUNDING
        return np.minimum(size, len(edges) - 1, out=size).astype(np.intp)
    return np.searchsorted(edges - _ROUNDING, size, "right") - 1


def _score_arrays(collections, drop):
    if not isinstance(collections, Mapping):
        collections = {"collection": collections}
    if not collections:
        raise ValueError("There is no collection; at least one is needed.")
    tables = {}
    for name, scores in collections.items():
        try:
            tables[name] = drop_worst(as_wide(scores), drop).to_numpy()
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return tables


def check_sizes(
    sizes: Sequence[int] | None,
    tables: Mapping[str, np.ndarray],
    sets: int,
    least: int,
) -> Sequence[int]:
    """Check the sizes of disjoint topic sets, from `least` to what the
    tables allow; by default return all of these."""
    smallest = min(tables, key=lambda name: tables[name].shape[1])
    topics = tables[smallest].shape[1]
    most = topics // sets
    if sizes is None:
        sizes = range(least, most + 1)
    sizes = checks.several(sizes, "sizes", "numbers of topics")
    sizes = [checks.whole_number(size, "size", least) for size in sizes]
    if not sizes:
        raise ValueError("sizes is empty; name a number of topics.")
    if max(sizes) > most:
        raise ValueError(
            f"{smallest} has {topics} topics: too few for {sets} disjoint "
            f"{'set' if sets == 1 else 'sets'} of {max(sizes)}. Ask for at "
            f"most {most}."
        )
    return sizes


# Exponential curves through swap rates, and whether they hold.


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """Exponential curves through rates, continued to other sizes.

    Attributes
    ----------
    rate : DataFrame
        The fitted curve; rows = sizes, columns = bins.
    low : DataFrame
    high : DataFrame
        Its 95% confidence limits, of the same shape.
    """

    rate: pd.DataFrame
    low: pd.DataFrame
    high: pd.DataFrame


def extrapolate_swaps(
    rates: BinnedRates, sizes: Sequence[int] = (50,)
) -> Extrapolation:
    """Fit ``rate = A exp(-B size)`` to each bin and continue the curve.

    Ordinary least squares on the rates, bin by bin, as Voorhees & Buckley
    extrapolated from sets of at most 25 topics to 50. The interval is that
    of the fitted curve (delta method on its logarithm): it is right only
    if an exponential is, so hold it against rates observed at the size.

    Parameters
    ----------
    rates : BinnedRates
        With at least three sizes in every bin that is to be fitted.
    sizes : sequence of int
        Where to read the curves off.

    Returns
    -------
    Extrapolation
        Without the bins that have fewer than three rates above zero.

    Raises
    ------
    ValueError
        If no bin can be fitted, or a size is no whole number above zero.

    Examples
    --------
    >>> import numpy as np
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(1)
    >>> merit = np.linspace(0.2, 0.4, 8)[:, None]
    >>> scores = merit + rng.normal(0, 0.1, (8, 40))
    >>> curves = gt.extrapolate_swaps(gt.swap_rates(scores, drop=0), [25])
    >>> round(float(curves.rate.loc[25, 0.05]), 2)
    0.01
    """
    checks.instance(rates, "rates", BinnedRates, "swap_rates")
    sizes = checks.several(sizes, "sizes", "numbers of topics")
    if not sizes:
        raise ValueError("sizes is empty; name a number of topics.")
    numbers = [checks.whole_number(size, "size") for size in sizes]
    rows = pd.Index(numbers, name="size")
    fits = {
        edge: _fit_exponential(column.dropna(), rows.to_numpy(float))
        for edge, column in rates.rate.items()
        if (column > 0).sum() >= 3
    }
    if not fits:
        raise ValueError(
            "No bin has three rates above zero: measure more sizes."
        )
    columns = pd.IntervalIndex(list(fits), name="difference")
    rate, low, high = np.stack([*fits.values()], axis=-1)
    return Extrapolation(
        pd.DataFrame(rate, rows, columns),
        pd.DataFrame(low, rows, columns),
        pd.DataFrame(high, rows, columns),
    )


def _fit_exponential(rates, sizes):
    """The curve through rates by size, low and high, at other `sizes`."""

    def curve(x, log_a, b):
        return np.exp(log_a - b * x)

    x, y = rates.index.to_numpy(float), rates.to_numpy()
    slope, start = np.polyfit(x[y > 0], np.log(y[y > 0]), 1)
    fit = scipy.optimize.curve_fit(curve, x, y, p0=(start, -slope))
    (log_a, b), covariance = fit
    log_rate = log_a - b * sizes
    gradient = np.stack([np.ones(len(sizes)), -sizes])
    spread = np.sqrt((gradient * (covariance @ gradient)).sum(axis=0))
    spread *= scipy.special.stdtrit(len(x) - 2, 0.975)
    return np.exp([log_rate, log_rate - spread, log_rate + spread])


# Would other topics rank the systems alike? The topics split in two.


def split_half(
    scores: pd.DataFrame | ArrayLike,
    sizes: Sequence[int] | None = None,
    n_resamples: int = 50,
    seed: int = 0,
    *,
    drop: float = 0.25,
) -> pd.DataFrame:
    """Split the topics: rank correlations, conflicts and sensitivity.

    A trial draws two disjoint topic sets. Between them: Kendall's tau and
    tau_AP,b of the systems' means (a tie is no order: it counts 0 in tau
    and is left out of tau_AP,b); power, the share of the pairs of systems
    with a paired t-test significant at .05 on the first set; of these, the
    shares that turn round on the second set, there not significant (minor
    conflicts) or significant (major); absolute and relative sensitivity,
    the least difference on the first set (relative: to the better system)
    such that of all pairs that differ as much or more at most 5 % turn
    round; and the root mean squared error of the first set's means as
    estimates of the second's.

    Parameters
    ----------
    scores : score table
        Wide (systems x topics) or long.
    sizes : sequence of int, optional
        From 2; by default half of the topics.
    n_resamples, seed, drop
        As in `swap_rates`.

    Returns
    -------
    DataFrame
        A row per size and trial; columns tau, tau_ap, power,
        minor_conflicts, major_conflicts, absolute_sensitivity,
        relative_sensitivity and rmse.

    Raises
    ------
    ValueError
        If the topics do not suffice, or an argument is out of its range.

    References
    ----------
    Urbano, Marrero & Martín (2013); Urbano & Marrero (2017) for tau_AP,b;
    Voorhees (2009) for the conflicts.

    Examples
    --------
    >>> import numpy as np
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(1)
    >>> merit = np.linspace(0.2, 0.4, 8)[:, None]
    >>> scores = merit + rng.normal(0, 0.1, (8, 40))
    >>> trials = gt.split_half(scores, [10, 20], drop=0)
    >>> trials.groupby("size")["tau"].mean().round(2).tolist()
    [0.75, 0.84]
    """
    n_resamples = checks.resamples(n_resamples)
    seed = checks.seed(seed)
    drop = checks.share_below_one(drop, "drop")
    scores = drop_worst(as_wide(scores), drop).to_numpy()
    sizes = [scores.shape[1] // 2] if sizes is None else sizes
    sizes = check_sizes(sizes, {"The table": scores}, sets=2, least=2)
    (rng,) = np.random.default_rng(seed).spawn(1)  # as swap_rates does
    rows = {}
    for size in sizes:
        critical = critical_t(size, 0.05)
        drawn = draw_topics(rng, scores.shape[1], size, n_resamples, sets=2)
        for trial, (first, second) in enumerate(zip(*drawn, strict=True)):
            halves = scores[:, first], scores[:, second]
            rows[size, trial] = _agreement(*halves, critical)
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table.rename_axis(["size", "trial"])


def _agreement(first, second, critical):
    means = np.round(first.mean(axis=1), 12)
    means_again = np.round(second.mean(axis=1), 12)
    difference, t = paired_t(first)
    difference_again, t_again = paired_t(second)
    sign = np.sign(difference * difference_again)
    significant = np.abs(t) > critical
    turned = significant & (sign < 0)
    significant_again = np.abs(t_again) > critical
    i, j = np.triu_indices(len(first), 1)
    better = np.maximum(means[i], means[j])
    relative = np.abs(difference) / np.where(better > 0, better, np.inf)
    n_significant = significant.sum() or np.nan
    return {
        "tau": sign.mean(),
        "tau_ap": tau_ap(means, means_again, ties="b"),
        "power": significant.mean(),
        "minor_conflicts": (turned & ~significant_again).sum()
        / n_significant,
        "major_conflicts": (turned & significant_again).sum()
        / n_significant,
        "absolute_sensitivity": _sensitivity(np.abs(difference), sign),
        "relative_sensitivity": _sensitivity(relative, sign),
        "rmse": np.sqrt(((means - means_again) ** 2).mean()),
    }


def _sensitivity(difference, sign):
    order = np.argsort(-difference, kind="stable")
    wrong = np.cumsum(sign[order] < 0)
    decided = np.cumsum(sign[order] != 0)
    good = np.flatnonzero(wrong <= 0.05 * decided)
    return difference[order[good[-1]]] if len(good) else np.nan


# Leaderboards: which systems differ, and which ranks are possible.
#
# Means, ranks and tiers with their uncertainty, all from the errors of the
# declared design (`gtlib.comparisons.estimate_means`). Scores that are 0 or
# 1, solved or not, are tested as what they are. `rank_limits` is the only
# one to allow for there being many pairs: it takes the p-values of the
# pairs, and does not ask where they come from.


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
        ranks at once; ``may_be_best``, which are those of the first tier;
        and ``tier``, the systems that tie for a place.
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
    taken : str
        What the table was taken for, such as ``"9 systems (rows) x 50
        topics (columns)"``.
    """

    table: pd.DataFrame
    p_values: pd.DataFrame
    told_apart: float
    ordered_neighbours: int
    test: str
    drawn: tuple[str, ...]
    alpha: float
    confidence_level: float
    taken: str = ""


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

    The p-values of pairs are adjusted by Holm (1979); ``rank_limits`` says
    what follows for the ranks, and who may be the best.  These are the
    first tier.  Each other tier begins with the best system that is not in
    the tier before it, and holds those that may be the best from there on.
    Who has a higher mean has never a worse tier, or worse limits of his
    rank.  That systems share a tier does not make them equal.  The limits
    of ranks hold for all systems at once and are wider: a system may have
    1 among its ranks, and yet not be among those that may be the best.

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
    cells = require_cells(study.cells, "Ranks need")
    in_given_order = rounded.iloc[cells.given[study.design.object]]
    order = in_given_order.sort_values(ascending=False, kind="stable").index
    position = means.value.index.get_indexer(order)
    first, second = np.triu_indices(len(position), 1)
    first, second = position[first], position[second]
    pairs, test = pairwise_tests(study, means, first, second)
    p, best, worst, tier = rank_limits(pairs, alpha)
    if len(fixed) == 0:
        universe = shrink_means(study, means.value)["estimate"]
    else:  # Kelley's, of means over all the levels that there are
        squared = means.differences(first, second).typical.sum()
        error = max(squared, 0) / 2
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
        "may_be_best": tier == 1,
        "tier": tier,
    }
    return Leaderboard(
        table=pd.DataFrame(columns, order),
        p_values=pd.DataFrame(p, order, order),
        told_apart=float(np.tril(p < alpha).sum() / len(pairs)),
        ordered_neighbours=int(np.sum(np.diag(p, 1) < alpha)),
        test=test,
        drawn=means.drawn,
        alpha=alpha,
        confidence_level=level,
        taken=cells.axes.describe(study.levels),
    )


def as_study(
    scores: GStudy | pd.DataFrame | ArrayLike, design: str | Design
) -> GStudy:
    """Return a study as it is, or estimate that of a score table."""
    if isinstance(scores, GStudy):
        return scores
    return gstudy(scores, design)


def pairwise_tests(
    study: GStudy, means: Means, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, str]:
    """Test pairs, given by position: return p-values and which test."""
    nesting = study.design.nesting
    cells = require_cells(study.cells, "Tests of pairs need")
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
    """Find the limits of all ranks at once, and tiers, from the p-values
    of pairs.

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
    often.  These are the first tier.  The second is found likewise from
    the systems that are left, as if these were all, and so on: there is
    one notion of a tie, which is that each may be the best of those from
    there on.

    Each pair has an error of its own.  So a system whose scores vary
    little may be told apart from the first, and one below it, whose scores
    vary much, may not.  A system with a higher mean has never a worse
    place here than one with a lower mean: where the lower one may be the
    best, so may all above it.  That adds systems to a tier and ranks to
    the limits, and takes none away; so it makes no error more likely.
    """
    square = scipy.spatial.distance.squareform
    adjusted = square(holm(p))
    np.fill_diagonal(adjusted, 1)
    different = adjusted < alpha
    best = 1 + np.tril(different).sum(axis=1)
    best = np.minimum.accumulate(best[::-1])[::-1]
    worst = len(different) - np.triu(different).sum(axis=1)
    worst = np.maximum.accumulate(worst)
    return adjusted, best, worst, _tiers(square(p), different, alpha)


def _tiers(p, different, alpha):
    """Number the tiers: from the head of each on, those that may be the
    best of the systems that are left, and all above them."""
    tier = np.zeros(len(p), dtype=int)
    head = 0
    while head < len(p):
        left = slice(head, None)
        rivals = len(p) - head - 1
        beaten = (rivals * p[left, left] / 2 < alpha) | different[
            left, left
        ]
        may_be_best = ~np.tril(beaten, -1).any(axis=1)
        last = head + np.flatnonzero(may_be_best)[-1]
        tier[head : last + 1] = tier.max() + 1
        head = last + 1
    return tier


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


# One system beside another: is A better than B, and by how much?

POWER = 0.8


def compare(
    scores: GStudy | pd.DataFrame | ArrayLike,
    a: Hashable | None = None,
    b: Hashable | None = None,
    design: str | Design = "system x topic",
    *,
    fixed: str | Sequence[str] = (),
    weights: Mapping | None = None,
    confidence_level: float = 0.95,
    any_time: bool = False,
    margin: float | None = None,
) -> pd.DataFrame:
    """Compare systems: is a better than b, by how much, and how surely?

    Parameters
    ----------
    scores : score table, or GStudy
        Wide (systems x topics), or long, where a row that is missing was
        not observed.  A study has its own design.
    a, b : labels of systems
        The two systems to compare.  Without `a`, every other system is
        compared with the baseline `b`; without `b`, `a` with every other.
    design, fixed, weights
        As `leaderboard` takes them.
    confidence_level : float in (0, 1)
        Confidence level of each single interval.
    any_time : bool
        Give intervals and p-values that hold however often one looks while
        topics are added: `betting_limits`, if all scores lie in [0, 1],
        else `mixture_limits`. Topics are taken in the order of the table.
        They are wider, and there is no `more`.
    margin : float, optional
        Also ask whether a is at least as good as b, but for so much, and
        whether the two are equivalent: no farther apart than that.

    Returns
    -------
    DataFrame, a row per pair, the best other system first
        ``a``, ``b``; ``difference`` of their means, a less b, with its
        ``standard_error``, ``df``, ``low`` and ``high``, in units of the
        score (``df`` is at most that of the rows' mean squared error, so
        that a pair asked for alone may have more); ``p_value`` of this
        pair alone, and ``p_adjusted`` by Holm's
        method for all rows; ``effect_size``, the difference in standard
        deviations of a topic's difference; ``same_order``, the probability
        that as many other topics order the two alike (said and come true
        on thirteen collections: chapter 9); and ``more``, how
        many further topics would settle it, less surely for the first
        and the next after it (chapter 9).  ``attrs["unit"]`` says what is
        a topic here: the outermost drawn facet with most levels;
        ``attrs["taken"]``, what the table was taken for.  With a margin
        also ``at_worst`` and ``at_best``, the ends that count beside it;
        ``at_least`` and ``equivalent``: "enough", "not enough" or
        "cannot be told"; and ``more_at_least``, how many further topics
        would tell the first.

    Raises
    ------
    ValueError
        If there is no such system, or as of `leaderboard`; or, with
        `any_time`, if the table is not systems x topics without gaps.

    Notes
    -----
    With topics alone, the test is the paired t-test; where each system and
    topic has one score of 0 or 1, p is that of McNemar's exact test, and
    may differ from what the interval says when both are close to the line.

    Other topics order two systems alike if the difference there has the
    same sign.  With V the squared error of the difference, and true
    differences that have a normal distribution with the variance that the
    systems of the table show, 2 σ²(τ), the probability is

        T(ρ d / sqrt(V (1 + ρ))),   ρ = 2 σ²(τ) / (2 σ²(τ) + V),

    where T is Student's, with the degrees of freedom of V.  Two systems do
    not show such a variance: then ρ = 1, as if any true difference were as
    likely.  A few systems show it badly: of
    five on ten topics, pairs with .987 had the same order again in .96, and
    of three on five topics in .72 (simulated normal scores).

    It would be settled by so many topics that the difference over all of
    them, old and new, is significant with the probability .8; NaN if none
    are enough, as where a few assessors set the error.  The observed
    difference d is not taken for the true one, from which it lies apart by
    chance, and away from zero more often than not.  With U the part of V
    that falls with topics, a difference on all topics has the mean r d and
    the variance r U, r = (2 σ²(τ) + V - U) / (2 σ²(τ) + V).  On n topics
    and m others, where w = m / (n + m), it is then normal with

        mean d (1 - w + w r),   variance w U (1 - w + w r),

    beside an error with the square V - U + (1 - w) U.

    Within a margin, one end of the interval counts (non-inferiority), or
    each of both (equivalence by two one-sided tests, Schuirmann 1987): with
    a level of .95 each end is one-sided, as that of an interval of .90 is.
    It is enough where the end lies within the margin, and not enough where
    the whole interval lies beyond it.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(1)
    >>> merit = pd.Series([0.2, 0.21, 0.4], ["old", "new", "best"])
    >>> scores = rng.normal(0, 0.1, (3, 50)) + merit.to_numpy()[:, None]
    >>> table = gt.compare(pd.DataFrame(scores, merit.index), "best", "new")
    >>> table[["difference", "low", "high"]].round(2).to_numpy().tolist()
    [[0.19, 0.16, 0.23]]
    """
    level = checks.confidence_level(confidence_level)
    any_time = checks.flag(any_time, "any_time")
    if margin is not None:
        margin = checks.positive(margin, "margin")
    if a is not None:
        checks.label(a, "a")
    if b is not None:
        checks.label(b, "b")
    study = as_study(scores, design)
    means = estimate_means(study, fixed, weights)
    names = means.value.index
    if a is None and b is None:
        raise ValueError("Name a system, a or b, to compare others with.")
    for name in (a, b):
        if name is not None and name not in names:
            raise ValueError(unknown_system(name, names))
    if a == b:
        raise ValueError(f"{as_text(a)} is compared with itself.")
    others = means.value.sort_values(ascending=False, kind="stable").index
    pairs = product(
        others.drop(b) if a is None else [a],
        others.drop(a) if b is None else [b],
    )
    first, second = zip(*pairs, strict=True)
    first_position, second_position = (
        names.get_indexer(first),
        names.get_indexer(second),
    )
    estimate = means.differences(first_position, second_position)
    p = pairwise_tests(study, means, first_position, second_position)[0]
    numbers = {s: m.number for s, m in means.moves.items() if len(s) == 1}
    unit = max(numbers, key=lambda s: numbers[s].mean())
    present_topics = 2 / (
        1 / numbers[unit][first_position]
        + 1 / numbers[unit][second_position]
    )
    with_unit = np.array([unit <= s for s in means.moves])
    topic_variance = estimate.parts[with_unit].sum(axis=0) * present_topics
    topic_variance = np.maximum(topic_variance, 0)
    gap = np.abs(estimate.value)
    slope = np.ones(len(first_position))
    if len(names) > 2:
        squared = max(estimate.typical.sum(), 0)
        true = max(2 * means.value.var() - squared, 0)
        total = true + estimate.error**2
        slope = np.divide(true, total, out=slope, where=total > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = estimate.value / np.sqrt(topic_variance)
        z = slope * gap / (estimate.error * np.sqrt(1 + slope))
    same = np.where(gap > 0, scipy.special.stdtr(estimate.df, z), 0.5)

    # With a negative estimate the whole error may be less than this part.
    unit_variance = np.minimum(
        topic_variance / present_topics, estimate.error**2
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        shrunk = 1 - (1 - slope) * unit_variance / estimate.error**2

    def further_topics(row, told, away=0.0, tail=(1 - level) / 2):
        """Return how many more topics would tell on which side of -away the
        difference of a row lies, if it is not told."""
        if told:
            return 0.0
        if not (away or gap[row] > 0):
            return np.nan

        def enough(further):
            times = np.where(
                with_unit, 1 + further / present_topics[row], 1
            )
            error, df = total_error(
                [*means.moves],
                (estimate.free[:, row] + 1) * times - 1,
                estimate.parts[:, row] / times,
                estimate.typical / times,
            )
            new = further / (present_topics[row] + further)
            kept = 1 - new + new * shrunk[row]
            critical = scipy.special.stdtrit(df, 1 - tail) * error
            spread = np.sqrt(new * unit_variance[row] * kept)
            mean = kept * estimate.value[row] + away
            ends = np.array([mean, -mean]) - critical
            return scipy.special.ndtr(ends / spread).sum() >= POWER

        return float(smallest_satisfying(enough) or np.nan)

    low, high = estimate.limits(level)
    more = np.array([*map(further_topics, range(len(p)), p < 1 - level)])
    if any_time:
        scores = _topic_scores(study)
        differences = scores[first_position] - scores[second_position]
        bounded = scores.min() >= 0 and scores.max() <= 1
        limits = betting_limits if bounded else mixture_limits
        low, high, p = limits(differences, level)
        more = np.full(len(first), np.nan)
    columns = {
        "a": first,
        "b": second,
        "difference": estimate.value,
        "standard_error": estimate.error,
        "df": estimate.df,
        "low": low,
        "high": high,
        "p_value": p,
        "p_adjusted": holm(p),
        "effect_size": effect,
        "same_order": same,
        "more": more,
    }
    if margin is not None:
        if not any_time:  # each end alone
            low, high = estimate.limits(2 * level - 1)
        told = (low > -margin) | (high < -margin)
        columns |= {
            "at_worst": low,
            "at_best": high,
            "at_least": _answer(low > -margin, high < -margin),
            "equivalent": _answer(
                (low > -margin) & (high < margin),
                (low > margin) | (high < -margin),
            ),
            "more_at_least": [
                further_topics(row, known, margin, 1 - level)
                for row, known in enumerate(told)
            ],
        }
    table = pd.DataFrame(columns)
    (table.attrs["unit"],) = unit
    table.attrs["margin"] = margin
    cells = require_cells(study.cells, "Differences need")
    table.attrs["taken"] = cells.axes.describe(study.levels)
    return table


def _answer(enough, not_enough):
    answers = ["enough", "not enough"]
    return np.select([enough, not_enough], answers, "cannot be told")


def _topic_scores(study):
    """Return systems x topics, topics in the order of the table."""
    cells = require_cells(study.cells, "any_time=True needs")
    facets = study.design.facets
    crossed = len(facets) == 2 and not any(study.design.nesting.values())
    if not crossed or not cells.balanced:
        gaps = "" if cells.balanced else ", with gaps"
        raise ValueError(
            "any_time=True takes a table of systems x topics without gaps: "
            f"this one is {study.design}{gaps}."
        )
    scores = cells.scores.reshape(cells.shape)
    (topic,) = {*facets} - {study.design.object}
    if facets[0] == topic:
        scores = scores.T
    return scores[:, cells.given[topic]]


def unknown_system(name: object, names: pd.Index) -> str:
    """Say that there is no such system, or what the index calls it, and
    which have similar names."""
    similar = get_close_matches(str(name), map(str, names)) or names
    list_of_names = list_some(map(repr, map(str, similar)), 3)
    return (
        f"There is no {names.name} {list_some([repr(name)])}; there is "
        f"{list_of_names}."
    )


# Numbers of topics that show a difference: the power of tests.

_MOST = 10**12  # topics that are looked for
_MOST_SYSTEMS = 10**9  # for which the distribution of F is computed well


def topics_to_detect(
    g: GStudy,
    difference: float,
    alpha: float = 0.05,
    power: float = 0.8,
    *,
    systems: int = 2,
    matched: bool = True,
) -> int:
    """Plan the topics on which a difference is likely to be significant.

    Parameters
    ----------
    g : GStudy
        Of the design ``system x topic``.
    difference : float > 0
        Between the best and the worst of the systems, in units of the
        score.
    alpha : float in (0, 1)
        Significance level of the test.
    power : float in (0, 1)
        Probability of significance, if the difference is true.
    systems : int
        How many are compared: two by a t-test, more by an analysis of
        variance.
    matched : bool
        Whether all systems are measured on the same topics.

    Returns
    -------
    int
        Topics of each system, two or more.

    Raises
    ------
    ValueError
        If the study has other effects, a number is out of its range, or
        more than 10¹² topics are needed.

    Notes
    -----
    Sakai's topic set size design (2016), with the exact noncentral F in
    place of approximations. The m systems have λ = n difference² / (2 σ²)
    at least, since that is what the best and the worst contribute. On the
    same topics σ² is the interaction of system and topic, and F has m - 1
    and (m - 1)(n - 1) degrees of freedom; with two systems that is the
    paired t-test, of differences whose variance is 2 σ². On different
    topics, n each, the topics' own variance is added, and the degrees of
    freedom are m - 1 and m (n - 1): his one-way design, which he advises
    (2018) for systems on the same topics too, to be on the safe side.

    References
    ----------
    Sakai (2016), "Topic set size design", Information Retrieval Journal
    19; (2018), "Topic set size design for paired and unpaired data",
    ICTIR. Robertson (1990), for matched and non-matched pairs.

    Examples
    --------
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_components("system x topic", {"system": 0.003,
    ...     "topic": 0.03, "system x topic": 0.01})
    >>> gt.topics_to_detect(g, 0.05)
    65
    >>> gt.topics_to_detect(g, 0.05, matched=False)
    253
    >>> gt.topics_to_detect(g, 0.05, systems=10)
    127
    """
    checks.instance(g, "g", GStudy, "gstudy")
    matched = checks.flag(matched, "matched")
    alpha = checks.significance_level(alpha)
    difference = checks.positive(difference, "difference")
    power = checks.fraction(power, "power", ".8")
    systems = checks.whole_number(systems, "systems", 2, _MOST_SYSTEMS)
    if len(g.design.facets) != 2 or any(g.design.nesting.values()):
        raise ValueError(
            "This needs a G-study of systems crossed with topics and no "
            f"other facet; this one is {g.design}."
        )
    topic, interaction = g.variance.drop(g.design.object)
    if g.variance[g.design.object] + interaction == 0:
        raise ValueError("Neither systems nor errors vary: no prediction.")
    error = interaction if matched else interaction + topic
    with np.errstate(divide="ignore"):
        each = np.square(difference) / np.multiply(2, error)
    between = systems - 1
    errors = between if matched else systems

    def enough(fewer):
        n = fewer + 1
        return f_power(n * each, between, errors * fewer, alpha) >= power

    fewest = smallest_satisfying(enough)
    if fewest is None or fewest > _MOST:
        raise ValueError(f"More than {_MOST:.0e} topics are needed.")
    return fewest + 1
