"""Swap rates: how often do other topics turn a comparison round?

Two disjoint topic sets of the same size are drawn; of the pairs of systems
that differ by so much on the first, how many change places on the second
(Voorhees & Buckley 2002; Voorhees 2006)?
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.compare import p_value
from gtlib.swaps.binned import BinnedRates, Trials, bin_of, binned_rates
from gtlib.swaps.topic_sets import pair_blocks, paired_t, set_means


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
    """Rate at which a difference changes its sign on other topics.

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

    Raises
    ------
    ValueError
        If the topics do not suffice for the sizes, or an argument is out
        of its range.

    References
    ----------
    Voorhees & Buckley (2002), "The effect of topic set size on retrieval
    experiment error", SIGIR; the bins and the trials are those of
    Voorhees' slides (2006).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> merit = np.linspace(0.2, 0.4, 8)[:, None]
    >>> scores = merit + rng.normal(0, 0.1, (8, 40))
    >>> rates = swap_rates(scores, sizes=[5, 20], drop=0)
    >>> rates.rate.loc[[5, 20], 0.05].round(2).tolist()
    [0.37, 0.01]
    """
    trials = Trials(collections, sizes, bins, n_resamples, seed, drop)
    return binned_rates(trials, _swaps, 2 if matched else 4, least=1)


def p_value_rates(
    collections: pd.DataFrame | ArrayLike | Mapping[str, pd.DataFrame],
    sizes: Sequence[int] | None = None,
    bins: Sequence[float] | None = None,
    n_resamples: int = 50,
    seed: int = 0,
    *,
    drop: float = 0.25,
) -> BinnedRates:
    """Mean p-value of the pairs of systems in each bin of difference.

    Bodoff & Li's statistical version of the swap rate: the same pairs in
    the same bins, but each carries the two-sided p-value of a paired t-test
    on its own topic set. No second set is needed, so sizes may go up to
    the whole collection (where there is one set, hence one trial).

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
    >>> rng = np.random.default_rng(1)
    >>> merit = np.linspace(0.2, 0.4, 8)[:, None]
    >>> scores = merit + rng.normal(0, 0.1, (8, 40))
    >>> rates = p_value_rates(scores, sizes=[5, 40], drop=0)
    >>> rates.rate.loc[[5, 40], 0.05].round(2).tolist()
    [0.29, 0.01]
    """
    trials = Trials(collections, sizes, bins, n_resamples, seed, drop)
    return binned_rates(trials, _p_values, sets=1, least=2)


def _swaps(scores, drawn, edges):
    """Pairs and swaps of each trial and bin: 2 x trials x bins."""
    means = [set_means(scores, one) for one in drawn]
    a, b, c, d = means if len(means) == 4 else np.repeat(means, 2, axis=0)
    trials, bins = a.shape[1], len(edges)
    offset = bins * np.arange(trials)
    counts = np.zeros((2, trials * bins))
    for i, j in pair_blocks(len(scores), trials):
        first, second = a[i] - b[j], c[i] - d[j]
        cell = (bin_of(first, edges) + offset).ravel()
        swapped = 0.5 - 0.5 * np.sign(first * second).ravel()
        counts[0] += np.bincount(cell, minlength=trials * bins)
        counts[1] += np.bincount(cell, swapped, trials * bins)
    return counts.reshape(2, trials, bins)


def _p_values(scores, drawn, edges):
    """Pairs and summed p-values of each trial and bin."""
    counts = np.zeros((2, drawn.shape[1], len(edges)))
    for trial, topics in enumerate(drawn[0]):
        difference, t = paired_t(scores[:, topics])
        cell, bins = bin_of(difference, edges), len(edges)
        counts[0, trial] = np.bincount(cell, minlength=bins)
        p = p_value(t, len(topics))
        counts[1, trial] = np.bincount(cell, p, bins)
    return counts
