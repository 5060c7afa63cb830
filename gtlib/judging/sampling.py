"""A weighted sample of judgments, and the MAP that it says (statAP)."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.pool import Pool


def sampling_weights(ranks: ArrayLike) -> np.ndarray:
    """How much each document can contribute to AP, summed over systems.

    The weight of rank r in a run of length n is (1 + 1/r + ... + 1/n)
    over 2n, statAP's prior (Aslam & Pavlu 2008): the sum of its share in
    every precision at or below it.

    Parameters
    ----------
    ranks : array_like, shape (systems, documents)

    Returns
    -------
    numpy.ndarray, shape (documents,)
        Weights that add up to 1.

    Examples
    --------
    >>> sampling_weights([[1, 2, float("inf")]]).round(3).tolist()
    [0.625, 0.375, 0.0]
    """
    ranks = np.asarray(ranks, dtype=float)
    weights = np.zeros(ranks.shape[1])
    for row in ranks:
        found = np.isfinite(row)
        order = np.argsort(row[found])
        below = np.cumsum(1 / row[found][order][::-1])[::-1]
        share = np.empty(found.sum())
        share[order] = 1 + below
        weights[found] += share / (share.sum() or 1)
    return weights / weights.sum()


def sampled_map(pool: Pool, judged: pd.DataFrame) -> pd.Series:
    """MAP of every system from a sample of judgments (as statAP does).

    A relevant document that was drawn with probability pi counts 1 / pi
    times, and a pair of them 1 / (pi_i pi_j) times, in S and in R.

    Parameters
    ----------
    pool : Pool
        The pool that the sample was drawn from.
    judged : DataFrame
        Drawn by `judge` with the strategy ``sampling``, or its first
        steps.

    Returns
    -------
    Series
        Indexed by system.

    Notes
    -----
    `judge` draws by sequential Poisson sampling (Ohlsson 1998): first
    come the documents with the smallest u / w, u uniform and w from
    `sampling_weights`; the first k of them have inclusion probabilities
    of very nearly min(1, c w), with c such that they add up to k.

    References
    ----------
    Aslam & Pavlu (2008), "A practical sampling strategy for efficient
    retrieval evaluation".

    Examples
    --------
    >>> from gtlib import judge, pool_runs, synthetic_collection
    >>> drawn = synthetic_collection(systems=4, topics=3, documents=40)
    >>> pool = pool_runs(drawn.runs)
    >>> judged = judge(pool, drawn.qrels, strategy="sampling", per_topic=5)
    >>> sampled_map(pool, judged).index.tolist() == list(pool.systems)
    True
    """
    weight = pool.labels(judged, otherwise=0).to_numpy(copy=True)
    topic = pool.topic_of
    drawn = judged["topic"].astype(str).value_counts()
    for t, name in enumerate(pool.topics):
        part = topic == t
        chance = _inclusion(
            sampling_weights(pool.ranks[:, part]), drawn.get(name, 0)
        )
        weight[part] /= np.maximum(chance, 1e-300)
    return pool.weighted_map(weight)


def _inclusion(weights, size):
    """min(1, c w) with c such that the sum is `size`."""
    certain = np.zeros(len(weights), dtype=bool)
    while True:
        left = size - certain.sum()
        rest = weights[~certain].sum()
        chance = np.where(certain, 1.0, weights * left / (rest or 1))
        more = (chance > 1) & ~certain
        if not more.any():
            return chance
        certain |= more
