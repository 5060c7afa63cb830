"""Rates by topic-set size and bin of observed difference.

What swap rates and their p-value variant share: draw topic sets, sort the
pairs of systems into bins, and keep the sums from which a rate and its
Monte-Carlo error follow. Memory does not grow with the trials.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from tqdm import tqdm

from gtlib.swaps.pairs import draw_topics
from gtlib.tables import checks
from gtlib.tables.scores import as_wide, drop_worst

_TRIALS_AT_ONCE = 64
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


def binned_rates(
    collections: object,
    measure: Callable[..., np.ndarray],
    *,
    sets: int,
    least: int,
    sizes: Sequence[int] | None,
    bins: Sequence[float] | None,
    n_resamples: int,
    seed: int,
    drop: float,
    average: str,
) -> BinnedRates:
    """Run `measure` on random topic sets of every size.

    ``measure(scores, drawn, edges)`` gets a systems x topics array, the
    topics as sets x trials x size, and the left edges of the bins. It
    returns an array, 2 x trials x bins: pairs, and the sum over the pairs
    of what is to be averaged. A trial takes `sets` disjoint sets of at
    least `least` topics; the rest is as in `swap_rates`.
    """
    checks.one_of(average, "average", ("mean", "pooled"))
    n_resamples = checks.whole_number(n_resamples, "n_resamples")
    tables = _tables(collections, drop)
    edges = bin_edges(bins)
    sizes = checked_sizes(sizes, tables, sets, least)
    sums = np.zeros((len(tables), len(sizes), len(edges) + 1, 6))
    exact = np.zeros(sums.shape[:3], dtype=bool)
    generators = np.random.default_rng(seed).spawn(len(tables))
    for c, (scores, rng) in enumerate(
        zip(tables.values(), generators, strict=True)
    ):
        topics = scores.shape[1]
        for s, size in enumerate(tqdm(sizes, disable=None, leave=False)):
            exact[c, s] = sets == 1 and size == topics
            left = 1 if exact[c, s].all() else n_resamples
            while left > 0:
                batch = min(left, _TRIALS_AT_ONCE)
                drawn = draw_topics(rng, topics, size, batch, sets)
                sums[c, s] += _moments(*measure(scores, drawn, edges))
                left -= batch
    return _results(list(tables), sizes, edges, sums, exact, average)


def bin_edges(bins: Sequence[float] | None = None) -> np.ndarray:
    """Left edges of the bins: by default 0, .01, ..., .20, as Voorhees'."""
    if bins is None:
        return np.arange(21) / 100
    edges = np.asarray(bins, dtype=float)
    if edges.ndim != 1 or not edges.size or edges[0] != 0:
        raise ValueError(
            "bins must be a sequence of edges that begins at 0."
        )
    if not (np.diff(edges) > 0).all():
        raise ValueError(f"bins must ascend; these do not: {list(bins)}.")
    return edges


def bin_intervals(edges: np.ndarray) -> pd.IntervalIndex:
    """The bins as a labelled index; the last is open to the right."""
    return pd.IntervalIndex.from_breaks(
        [*edges, np.inf], closed="left", name="difference"
    )


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


def _moments(pairs, hits):
    """Sums over trials that rates and errors need; the last bin is all."""
    m = np.column_stack([pairs, pairs.sum(axis=1)])
    s = np.column_stack([hits, hits.sum(axis=1)])
    terms = np.ones_like(m), m, s, m * m, s * m, s * s
    return np.stack(terms, axis=-1).sum(axis=0)


def _spread(sums, rate, exact):
    """Monte-Carlo variance of the sum of hits - rate * pairs."""
    n, m, s, mm, sm, ss = np.moveaxis(sums, -1, 0)
    squares = ss - 2 * rate * sm + rate**2 * mm - (s - rate * m) ** 2 / n
    return np.where(exact, 0, np.maximum(squares, 0) * n / (n - 1))


def _average(sums, exact, average):
    """Rate and error over the first axis, the collections."""
    m, s = sums[..., 1], sums[..., 2]
    if average == "pooled":
        pairs = m.sum(axis=0)
        rate = s.sum(axis=0) / pairs
        spread = _spread(sums, rate, exact).sum(axis=0)
        return rate, np.sqrt(spread) / pairs
    each = s / m
    variance = np.where(m > 0, _spread(sums, each, exact) / m**2, 0)
    used = (m > 0).sum(axis=0)
    rate = np.where(m > 0, each, 0).sum(axis=0) / used
    return rate, np.sqrt(variance.sum(axis=0)) / used


def _results(names, sizes, edges, sums, exact, average):
    with np.errstate(divide="ignore", invalid="ignore"):
        joint = _average(sums, exact, average)
        apart = sums[..., 1], *_average(sums[None], exact[None], "pooled")
    rows, bins = pd.Index(sizes, name="size"), bin_intervals(edges)
    rate, error = (pd.DataFrame(part[:, :-1], rows, bins) for part in joint)
    table = pd.MultiIndex.from_product(
        [names, sizes, edges], names=["collection", "size", "low"]
    ).to_frame(index=False)
    table["high"] = np.tile(bins.right, len(table) // len(bins))
    overall = table[["collection", "size"]].drop_duplicates(
        ignore_index=True
    )
    for name, part in zip(("pairs", "rate", "error"), apart, strict=True):
        table[name] = part[..., :-1].ravel()
        overall[name] = part[..., -1].ravel()
    return BinnedRates(rate, error, table, overall)
