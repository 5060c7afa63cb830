"""Rates by topic-set size and bin of observed difference.

What swap rates and their p-value variant share: draw topic sets, sort the
pairs of systems into bins, and keep each trial's counts, from which a rate
and its Monte-Carlo error follow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from tqdm import tqdm

from gtlib.swaps.topic_sets import draw_topics
from gtlib.tables import as_wide, checks, drop_worst

_ROUNDING = 1e-9


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


@dataclass(frozen=True)
class Trials:
    """Random topic sets of every size: the arguments of `swap_rates`."""

    collections: object
    sizes: Sequence[int] | None
    bins: Sequence[float] | None
    n_resamples: int
    seed: int
    drop: float


def binned_rates(
    trials: Trials,
    measure: Callable[..., np.ndarray],
    sets: int,
    least: int,
) -> BinnedRates:
    """What `measure` finds, averaged over the pairs of systems.

    ``measure(scores, drawn, edges)`` gets a systems x topics array, the
    topics as sets x trials x size, and the left edges of the bins. It
    returns an array, 2 x trials x bins: pairs, and the sum over the pairs
    of what is to be averaged. A trial takes `sets` disjoint sets of at
    least `least` topics.
    """
    n = checks.whole_number(trials.n_resamples, "n_resamples")
    tables = _tables(trials.collections, trials.drop)
    edges = bin_edges(trials.bins)
    sizes = checked_sizes(trials.sizes, tables, sets, least)
    counts = np.zeros((2, len(tables), len(sizes), n, len(edges) + 1))
    exact = np.zeros((len(tables), len(sizes), 1), dtype=bool)
    generators = np.random.default_rng(trials.seed).spawn(len(tables))
    for c, scores in enumerate(tables.values()):
        rng, topics = generators[c], scores.shape[1]
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
        joint = np.nansum(rate, axis=0) / used, np.sqrt(squares) / used
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
        table[name], overall[name] = x[..., :-1].ravel(), x[..., -1].ravel()
    means, errors = (pd.DataFrame(x[:, :-1], rows, bins) for x in joint)
    return BinnedRates(means, errors, table, overall)


def bin_edges(bins: Sequence[float] | None = None) -> np.ndarray:
    """Left edges of the bins: by default 0, .01, ..., .20, as Voorhees'."""
    edges = np.arange(21) / 100 if bins is None else np.asarray(bins, float)
    ascend = edges.ndim == 1 and (np.diff(edges) > 0).all()
    if not (ascend and edges.size and edges[0] == 0):
        raise ValueError(
            "bins must be edges that begin at 0 and ascend; these do not: "
            f"{bins}."
        )
    return edges


def bin_of(difference: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The bin of each |difference|; a value on an edge belongs above it."""
    size = np.abs(difference)
    width = edges[-1] / max(1, len(edges) - 1)
    if width and np.ptp(np.diff(edges)) < _ROUNDING * width:
        size *= 1 / width  # evenly spaced: faster than a search
        size += _ROUNDING
        return np.minimum(size, len(edges) - 1, out=size).astype(np.intp)
    return np.searchsorted(edges - _ROUNDING, size, "right") - 1


def _tables(collections, drop):
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


def checked_sizes(
    sizes: Sequence[int] | None,
    tables: Mapping[str, np.ndarray],
    sets: int,
    least: int,
) -> Sequence[int]:
    """The sizes of disjoint topic sets, from `least` to what the tables
    allow; all of these by default."""
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
            f"set{'s' * (sets > 1)} of {max(sizes)}. Ask for at most "
            f"{most}."
        )
    return sizes
