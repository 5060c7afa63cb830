"""Swap rates: how often do other topics turn a comparison round?

Two disjoint topic sets of the same size are drawn; of the pairs of systems
that differ by so much on the first, how many change places on the second
(Voorhees & Buckley 2002; Voorhees 2006)? Each trial's counts are kept, by
topic-set size and bin of observed difference; a rate and its Monte-Carlo
error follow from them, and so do those of p-values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from tqdm import tqdm

from gtlib.comparisons import p_value
from gtlib.swaps.topic_sets import draw_topics, paired_t, set_means
from gtlib.tables import as_wide, checks, drop_worst

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
        2 if matched else 4,
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
    n = checks.whole_number(n_resamples, "n_resamples")
    tables = _score_arrays(collections, drop)
    edges = _bin_edges(bins)
    sizes = check_sizes(sizes, tables, sets, least)
    counts = np.zeros((2, len(tables), len(sizes), n, len(edges) + 1))
    exact = np.zeros((len(tables), len(sizes), 1), dtype=bool)
    generators = np.random.default_rng(seed).spawn(len(tables))
    for c, scores in enumerate(tables.values()):
        rng = generators[c]
        topics = scores.shape[1]
        for s, size in enumerate(tqdm(sizes, disable=None, leave=False)):
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
    edges = np.arange(21) / 100 if bins is None else np.asarray(bins, float)
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
    sizes = range(least, most + 1) if sizes is None else sizes
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
