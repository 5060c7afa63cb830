"""Random samples of judgments, and estimates of AP from them."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.runs import Pool

# Strategies of `judge` that draw documents at random.
SAMPLES = ("random", "sampling", "stratified")

_FEWEST = 4  # documents drawn from a stratum, so that pairs are drawn too
_EPSILON = 1e-5  # infAP's, as in trec_eval


def sampling_weights(ranks: ArrayLike) -> np.ndarray:
    """Weigh documents by what they can contribute to AP in all systems.

    The weight of rank r in a run of length n is (1 + 1/r + ... + 1/n)
    over 2n, the prior of Aslam, Pavlu & Yilmaz (2006), "A statistical
    method for system evaluation using incomplete judgments", SIGIR: the
    sum of its share in every precision at or below it.

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
        retrieved = np.isfinite(row)
        order = np.argsort(row[retrieved])
        below = np.cumsum(1 / row[retrieved][order][::-1])[::-1]
        share = np.empty(retrieved.sum())
        share[order] = 1 + below
        weights[retrieved] += share / (share.sum() or 1)
    return weights / weights.sum()


def cut_strata(
    weights: ArrayLike, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Cut documents into strata of similar weights, with a number to draw
    from each.

    In the order of their weights, heaviest first, the documents are cut
    into ``size // 4`` strata (or one) of the same total weight, as nearly
    as the counts allow; each gives the same number of the `size` draws,
    and none fewer documents than that.

    Parameters
    ----------
    weights : array_like, shape (documents,)
    size : int
        How many documents are drawn, at most all.

    Returns
    -------
    stratum : numpy.ndarray, shape (documents,)
        Number of each document's stratum.
    drawn : numpy.ndarray, shape (strata,)
        How many documents of each are drawn, at random.

    References
    ----------
    Pavlu & Aslam (2007), "A practical sampling strategy for efficient
    retrieval evaluation", whose strata are buckets of a fixed size.

    Examples
    --------
    >>> stratum, drawn = cut_strata([8, 4, 2, 2, 2, 2, 1, 1, 1, 1], 8)
    >>> stratum.tolist(), drawn.tolist()
    ([0, 0, 0, 0, 1, 1, 1, 1, 1, 1], [4, 4])
    """
    weights = np.asarray(weights, dtype=float)
    order = np.argsort(-weights, kind="stable")
    share = np.cumsum(weights[order])
    size = left = min(size, len(weights))
    drawn: list[int] = []
    start = 0
    stratum = np.zeros(len(weights), dtype=int)
    for groups in range(max(1, size // _FEWEST), 0, -1):
        quota = left // groups
        left -= quota
        end = len(weights)
        if groups > 1:
            before = share[start - 1] if start else 0.0
            goal = before + (share[-1] - before) / groups
            cut = max(np.searchsorted(share, goal) + 1, start + quota)
            end = min(cut, end - left)
        stratum[order[start:end]] = len(drawn)
        drawn.append(quota)
        start = end
    return stratum, np.array(drawn)


def inclusion_probabilities(
    ranks: ArrayLike, size: int, strategy: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probability that a document, or a pair, is drawn.

    Parameters
    ----------
    ranks : array_like, shape (systems, documents)
        Of the systems whose documents are drawn from, on one topic; every
        document retrieved by one of them or more.
    size : int
        How many documents are drawn.
    strategy : {"random", "sampling", "stratified"}
        As in `judge`. Of ``sampling`` the probabilities are very nearly
        right, and a pair's is the product of two; see `sampled_ap`.

    Returns
    -------
    single : numpy.ndarray, shape (documents,)
    pair : numpy.ndarray, shape (documents, documents)
        With ``single`` on its diagonal.

    Raises
    ------
    ValueError
        If the strategy does not draw by chance.

    Notes
    -----
    Of N documents of a stratum n are drawn: a document with probability
    n / N, two with n (n - 1) / (N (N - 1)). Strata are drawn from
    independently. ``random`` is one stratum.

    Examples
    --------
    >>> single, pair = inclusion_probabilities([[1, 2, 3, 4]], 2, "random")
    >>> float(single[0]), round(float(pair[0, 1]), 4)
    (0.5, 0.1667)
    """
    if strategy not in SAMPLES:
        raise ValueError(
            f"{strategy} draws nothing by chance, so its judgments speak "
            "for themselves only: take estimate='not relevant', or judge "
            f"by {', '.join(SAMPLES)}."
        )
    weights = sampling_weights(ranks)
    if strategy == "sampling":
        single = _proportional_inclusion(weights, size)
        pair = np.outer(single, single)
    else:
        if strategy == "stratified":
            stratum, drawn = cut_strata(weights, size)
        else:  # all in one stratum
            stratum = np.zeros(len(weights), int)
            drawn = np.array([size])
        n = drawn[stratum]
        stratum_size = np.bincount(stratum)[stratum]
        single = n / stratum_size
        factor = (
            (n - 1) * stratum_size / np.maximum((stratum_size - 1) * n, 1)
        )
        within = np.where(stratum == stratum[:, None], factor, 1.0)
        pair = np.outer(single, single) * within
    np.fill_diagonal(pair, single)
    return single, pair


def sampled_ap(
    pool: Pool,
    judged: pd.DataFrame,
    strategy: str = "sampling",
    contributors: Pool | None = None,
    certain: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Estimate AP from a sample of judgments (statAP).

    A relevant document that was drawn with probability pi counts 1 / pi
    times in R, and two that were drawn together with probability pi_ij
    count 1 / pi_ij times in S (Horvitz & Thompson).

    Parameters
    ----------
    pool : Pool
        The systems to score.
    judged : DataFrame
        Drawn by `judge` with the strategy; of ``random`` and ``sampling``
        also its first steps.
    strategy : {"random", "sampling", "stratified"}
        The strategy of `judge` that drew the documents.
    contributors : Pool, optional
        The pool that was drawn from, if not `pool`: some of its systems,
        or what they retrieved that was not judged before.
    certain : DataFrame, optional
        Judgments that were made before, with the columns of `judged`, of
        documents that `contributors` has not: each counts once.

    Returns
    -------
    DataFrame, systems x topics
        Estimates of AP.

    Notes
    -----
    S and R are unbiased where the probabilities are exact (``random`` and
    ``stratified``, from two documents a stratum); their ratio has a bias
    of the order of one over the number drawn.

    For ``sampling``, `judge` draws by sequential Poisson sampling (Ohlsson
    1998): first come the documents with the smallest u / w, u uniform and
    w from `sampling_weights`; the first k of them have inclusion
    probabilities of very nearly min(1, c w), with c such that they add up
    to k.

    References
    ----------
    Pavlu & Aslam (2007), "A practical sampling strategy for efficient
    retrieval evaluation".

    Examples
    --------
    >>> import gtlib as gt
    >>> from gtlib.judging import sampled_ap
    >>> drawn = gt.synthetic_collection(systems=4, topics=3, documents=40)
    >>> pool = gt.pool_runs(drawn.runs)
    >>> judged = gt.judge(pool, drawn.qrels, "stratified", per_topic=9)
    >>> sampled_ap(pool, judged, "stratified").shape
    (4, 3)
    """
    known = pool.labels(judged).to_numpy()
    before = np.zeros(len(known), dtype=bool)
    if certain is not None:
        before = pool.labels(certain).to_numpy() == 1
    columns = []
    for part, eligible in _drawable_documents(pool, contributors):
        relevance = known[part][eligible]
        drawn_by = (contributors or pool).ranks[:, part][:, eligible]
        size = int((~np.isnan(relevance)).sum())
        single, pair = inclusion_probabilities(drawn_by, size, strategy)
        drawn = np.flatnonzero(relevance == 1)
        sure = np.setdiff1d(np.flatnonzero(before[part]), eligible)
        ranks = pool.ranks[:, part][:, [*eligible[drawn], *sure]]
        single = np.append(single[drawn], np.ones(len(sure)))
        together = np.outer(single, single)
        together[: len(drawn), : len(drawn)] = pair[np.ix_(drawn, drawn)]
        lower = np.maximum(ranks[:, None], ranks[:, :, None])
        twice = (1 / lower / together).sum(axis=(1, 2))
        s = (twice + (1 / ranks / single).sum(axis=1)) / 2
        r = (1 / single).sum()
        columns.append(s / r if r else np.zeros(len(ranks)))
    return pd.DataFrame(np.transpose(columns), pool.systems, pool.topics)


def inferred_ap(
    pool: Pool, judged: pd.DataFrame, contributors: Pool | None = None
) -> pd.DataFrame:
    """Estimate AP from a random sample of judgments (infAP).

    The precision at a relevant document that was drawn is inferred: the
    share of relevant documents among those above it that might have been
    drawn is taken to be that among those that were. Others are not
    relevant.

    Parameters
    ----------
    pool : Pool
        The systems to score.
    judged : DataFrame
        Drawn by `judge` with the strategy ``random``, or its first steps.
    contributors : Pool, optional
        The pool that was drawn from, if not `pool`: some of its systems.

    Returns
    -------
    DataFrame, systems x topics
        Estimates of AP.

    References
    ----------
    Yilmaz & Aslam (2006), "Estimating average precision with incomplete
    and imperfect judgments", with the smoothing of trec_eval.

    Examples
    --------
    >>> import gtlib as gt
    >>> from gtlib.judging import inferred_ap
    >>> drawn = gt.synthetic_collection(systems=4, topics=3, documents=40)
    >>> pool = gt.pool_runs(drawn.runs)
    >>> judged = gt.judge(pool, drawn.qrels, "random", per_topic=9)
    >>> inferred_ap(pool, judged).shape
    (4, 3)
    """
    known = pool.labels(judged).to_numpy()
    columns = []
    for part, eligible in _drawable_documents(pool, contributors):
        ranks = pool.ranks[:, part][:, eligible]
        order = np.argsort(ranks, axis=1, kind="stable")
        relevance = known[part][eligible][order]
        place = np.take_along_axis(ranks, order, axis=1)
        relevant, not_relevant = relevance == 1, relevance == 0
        relevant_above = np.cumsum(relevant, axis=1) - relevant
        not_relevant_above = np.cumsum(not_relevant, axis=1) - not_relevant
        drawn_above = relevant_above + not_relevant_above
        rate = (relevant_above + _EPSILON) / (drawn_above + 2 * _EPSILON)
        precision = relevant * (1 + np.arange(len(eligible)) * rate) / place
        columns.append(precision.sum(axis=1) / max(relevant[0].sum(), 1))
    return pd.DataFrame(np.transpose(columns), pool.systems, pool.topics)


def _drawable_documents(pool, contributors):
    """Yield each topic's documents, and which of them might be drawn."""
    retrieved = np.isfinite((contributors or pool).ranks).any(axis=0)
    return (
        (part, np.flatnonzero(retrieved[part])) for part in pool.parts()
    )


def _proportional_inclusion(weights, size):
    """min(1, c w) with c such that the sum is `size`."""
    certain = np.zeros(len(weights), dtype=bool)
    while True:
        left = size - certain.sum()
        rest = weights[~certain].sum()
        chance = np.where(certain, 1.0, weights * left / (rest or 1))
        too_likely = (chance > 1) & ~certain
        if not too_likely.any():
            return chance
        certain |= too_likely
