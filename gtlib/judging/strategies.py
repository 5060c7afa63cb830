"""Ways to choose the documents that are judged."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.ap import ap_gains
from gtlib.judging import sampling
from gtlib.judging.experts import AGGREGATORS, MODELS, relevance_estimates
from gtlib.runs import Pool
from gtlib.tables import one_of, whole_number

STRATEGIES = ("mtc", "bandit", "pooling", *sampling.SAMPLES)
# How `estimated_ap` treats documents that were not judged.
ESTIMATES = ("not relevant", "sampled", "inferred", *AGGREGATORS)


def mtc_weights(ranks: ArrayLike, p: ArrayLike) -> np.ndarray:
    """Return the expected drop in variance from judging each document.

    With gains g_i (see `ap_gains`) of the difference of two systems and
    v_i = p_i (1 - p_i), learning X_i leaves an expected Var S of
    V - v_i g_i^2, exactly. Of more than two systems the drops of all
    pairs are added.

    Parameters
    ----------
    ranks : array_like, shape (systems, documents)
        Two systems or more; ``numpy.inf`` where not retrieved.
    p : array_like, shape (documents,)
        Probability of relevance; a judged document weighs 0.

    Returns
    -------
    numpy.ndarray, shape (documents,)
        Judge the document with the largest weight.

    Raises
    ------
    ValueError
        As `ap_moments`, and if there are fewer than two systems.

    Examples
    --------
    >>> from gtlib.judging import mtc_weights
    >>> weights = mtc_weights([[1, 2, 3], [3, 2, 1]], [0.5, 0.5, 0.5])
    >>> weights.round(4).tolist()
    [0.1406, 0.0, 0.1406]
    """
    if np.ndim(ranks) != 2 or np.shape(ranks)[0] < 2:
        raise ValueError(
            "mtc_weights compares systems: give the ranks of two or more, "
            f"a row each; the shape is {np.shape(ranks)}."
        )
    p = np.asarray(p, dtype=float)
    return _variance_drops(ap_gains(ranks, p), p, np.shape(ranks)[0])


def judge(
    pool: Pool,
    qrels: pd.DataFrame,
    strategy: str = "mtc",
    per_topic: int = 10,
    until: float | None = None,
    seed: int | Sequence[int] = 0,
    prior: str = "uniform",
) -> pd.DataFrame:
    """Judge documents of a pool one by one, in the order of a strategy.

    Replays a judging round: which document is judged next depends on the
    judgments so far, and `qrels` gives the answer.  Every round judges one
    document in each topic.

    Parameters
    ----------
    pool : Pool
        The systems to compare; ``pool.only([...])`` for some of them.
        Documents that none of them retrieved are never judged.
    qrels : DataFrame
        Columns ``topic``, ``document``, ``relevance``. A document that it
        lacks is not relevant, as in TREC.
    strategy : str
        ``mtc``: the document whose judgment should lower the variance
        of the differences most, by the `prior` of the unjudged, between
        the systems that retrieved something on the topic.
        ``bandit``: the best document left of the system that has been
        right most often, (1 + relevant) / (2 + judged) of what it
        retrieved being highest (the max-mean of Losada, Parapar &
        Barreiro 2016; here a judgment is known to every system that
        retrieved the document, and ties go to the first).
        ``pooling``: from rank 1 down, the systems in turn.
        ``random``: any retrieved document.
        ``sampling``: at random in proportion to what the document can
        contribute to AP, as statAP does.
        ``stratified``: documents with similar contributions form a
        stratum, and a fixed number is drawn from each, in random order
        (the sample is complete only after `per_topic` documents).
        `sampled_ap` and `inferred_ap` score what was drawn.
    per_topic : int
        Most documents judged in a topic.
    until : float, optional
        Stop once every pair of systems is ordered with this confidence,
        by the `prior` of the unjudged.
    seed : int or sequence of int
        Seed of the strategies that draw at random.
    prior : {"uniform", "experts", "logistic"}
        How probable it is that an unjudged document is relevant: 1/2, or
        what an `ExpertModel` of the pool's systems learns from the
        judgments so far, fitted anew in every round, as Carterette (2007,
        section 3) proposes.

    Returns
    -------
    DataFrame
        Columns ``topic``, ``document``, ``relevance`` and ``step``, in
        the order of judging; ``step`` counts within the topic from 1.

    Raises
    ------
    ValueError
        If the strategy or the prior is unknown, `per_topic` is no whole
        number from 1, `until` is not between 1/2 and 1, or a `prior` is
        given though neither the strategy nor `until` uses it.

    Examples
    --------
    >>> import gtlib as gt
    >>> drawn = gt.synthetic_collection(systems=2, topics=3, documents=40)
    >>> pool = gt.pool_runs(drawn.runs)
    >>> judged = gt.judge(pool, drawn.qrels, per_topic=2)
    >>> judged["step"].tolist()
    [1, 1, 1, 2, 2, 2]
    """
    one_of(strategy, "strategy", STRATEGIES)
    one_of(prior, "prior", MODELS)
    per_topic = whole_number(per_topic, "per_topic")
    if until is not None and not 0.5 <= until < 1:
        raise ValueError(f"until is {until}; it must be in [0.5, 1).")
    if strategy != "mtc" and until is None and prior != "uniform":
        raise ValueError(
            f"prior={prior!r} changes nothing here: only the strategy "
            "'mtc' and `until` use it. Leave it out, or give one of them."
        )
    answers = pool.labels(qrels, otherwise=0).to_numpy()
    known = np.full(len(answers), np.nan)
    belief = _beliefs(pool, known, prior)
    rounds = _ordered_rounds(pool, strategy, per_topic, answers, seed)
    if strategy == "mtc":
        rounds = _mtc_rounds(pool, belief, answers, prior == "uniform")
    chosen = []
    for documents, _ in zip(rounds, range(per_topic), strict=False):
        known[documents] = answers[documents]
        belief[:] = _beliefs(pool, known, prior)  # which the rounds read
        chosen.append(documents)
        if until is not None and _is_settled(pool, belief, until):
            break
    steps = np.repeat(np.arange(1, len(chosen) + 1), [*map(len, chosen)])
    documents = np.concatenate(chosen)
    table = pool.documents[documents].to_frame(index=False)
    return table.assign(
        relevance=answers[documents].astype(int), step=steps
    )


def estimated_ap(
    pool: Pool,
    judged: pd.DataFrame,
    strategy: str,
    estimate: str,
    contributors: Pool | None = None,
) -> pd.DataFrame:
    """Estimate AP of every system, with documents that are not judged.

    Parameters
    ----------
    pool : Pool
        The systems to score.
    judged : DataFrame
        What `judge` returned, or its first steps.
    strategy : str
        The one that it was judged with.
    estimate : str
        Unjudged documents are ``not relevant``; or the sample speaks for
        them, ``sampled`` (`sampled_ap`) or ``inferred`` (`inferred_ap`);
        or an `ExpertModel` does, ``experts`` or ``logistic``.
    contributors : Pool, optional
        The pool that was judged, if not `pool`.

    Returns
    -------
    DataFrame, systems x topics
        Estimates of AP.

    Raises
    ------
    ValueError
        If the estimate is unknown, or does not fit the strategy.

    Examples
    --------
    >>> import gtlib as gt
    >>> from gtlib.judging import estimated_ap
    >>> drawn = gt.synthetic_collection(systems=4, topics=3, documents=40)
    >>> pool = gt.pool_runs(drawn.runs)
    >>> judged = gt.judge(pool, drawn.qrels, "random", 5)
    >>> estimated_ap(pool, judged, "random", "inferred").shape
    (4, 3)
    """
    one_of(estimate, "estimate", ESTIMATES)
    if estimate == "not relevant":
        return pool.average_precision(pool.labels(judged, otherwise=0))
    if estimate == "sampled":
        return sampling.sampled_ap(pool, judged, strategy, contributors)
    if estimate == "inferred":
        if strategy != "random":
            raise ValueError("infAP needs the strategy 'random'.")
        return sampling.inferred_ap(pool, judged, contributors)
    return pool.expected_ap(relevance_estimates(pool, judged, estimate))


def _beliefs(pool, known, prior):
    """Return the probability of relevance of each document; `known` is
    NaN where nothing is judged."""
    if prior == "uniform":
        return np.where(np.isnan(known), 0.5, known)
    judged = ~np.isnan(known)
    table = pool.documents[judged].to_frame(index=False)
    table["relevance"] = known[judged]
    return relevance_estimates(pool, table, prior).to_numpy(copy=True)


def _variance_drops(gains, p, systems):
    """Return the drop in variance over all pairs; systems come first."""
    total = np.sum(gains, axis=0)
    pairs = systems * np.sum(gains**2, axis=0) - total**2
    return p * (1 - p) * np.maximum(pairs, 0)


def _mtc_rounds(pool, belief, answers, apart):
    """Judge the best document of every topic, again and again.

    If beliefs are held `apart`, a judgment changes p_i by d, no other p,
    and so every gain by a_ij d: no sorting after the first round. Topics
    run side by side, filled up to the widest with documents that no
    system retrieved.
    """
    retrieved = np.flatnonzero(np.isfinite(pool.ranks).any(axis=0))
    topic = pool.topic_of[retrieved]
    slot = np.arange(len(topic)) - np.searchsorted(topic, topic)
    topics = len(pool.topics)
    width = slot.max() + 1
    where = np.full((topics, width), -1)
    where[topic, slot] = retrieved
    p = np.where(where >= 0, belief[where], 0)
    ranks = np.where(where >= 0, pool.ranks[:, where], np.inf)
    gains = ap_gains(ranks, p)
    w = 1 / ranks
    systems = np.isfinite(ranks).any(axis=2).sum(axis=0)[:, None]
    systems = np.where(systems < 2, len(ranks), systems)
    open_ = where >= 0
    rows = np.arange(topics)
    while open_.any():
        weight = np.where(open_, _variance_drops(gains, p, systems), -1)
        best = weight.argmax(axis=1)
        rows = rows[open_[rows].any(axis=1)]
        best = best[rows]
        documents = where[rows, best]
        yield documents
        open_[rows, best] = False
        if apart:
            change = answers[documents] - p[rows, best]
            pair_gains = np.minimum(
                w[:, rows], w[:, rows, best][:, :, None]
            )
            gains[:, rows] += pair_gains * change[:, None]
            p[rows, best] = answers[documents]
        else:
            p = np.where(where >= 0, belief[where], 0)
            gains = ap_gains(ranks, p)


def _ordered_rounds(pool, strategy, per_topic, answers, seed):
    """Yield the rounds of strategies that order one topic at a time."""
    rng = np.random.default_rng(seed)
    orders = []
    for part in pool.parts():
        ranks = pool.ranks[:, part]
        retrieved = np.flatnonzero(np.isfinite(ranks).any(axis=0))
        ranks = ranks[:, retrieved]
        if strategy == "bandit":
            order = _bandit_order(
                ranks, answers[part][retrieved], per_topic
            )
        elif strategy == "stratified":
            order = _stratified_order(ranks, per_topic, rng)
        elif strategy == "pooling":
            turn = ranks + np.arange(len(ranks))[:, None] / len(ranks)
            order = np.argsort(turn.min(axis=0))
        else:
            key = rng.random(len(retrieved))
            if strategy == "sampling":
                key /= sampling.sampling_weights(ranks)
            order = np.argsort(key)
        orders.append(part.start + retrieved[order])
    for step in range(max(map(len, orders))):
        yield np.array([o[step] for o in orders if step < len(o)])


def _bandit_order(ranks, answers, most):
    """Order documents: the next is always of the best-looking system."""
    retrieved = np.isfinite(ranks)
    hits = np.ones(len(ranks))
    judged = np.full(len(ranks), 2.0)
    ahead = ranks.copy()
    order = []
    for _ in range(min(most, ranks.shape[1])):
        first = ahead.argmin(axis=1)
        left = np.isfinite(ahead[np.arange(len(ahead)), first])
        best = first[np.where(left, hits / judged, -1).argmax()]
        order.append(best)
        ahead[:, best] = np.inf
        hits += retrieved[:, best] * answers[best]
        judged += retrieved[:, best]
    return order


def _stratified_order(ranks, size, rng):
    stratum, drawn = sampling.cut_strata(
        sampling.sampling_weights(ranks), size
    )
    chosen = [
        rng.choice(np.flatnonzero(stratum == h), n, replace=False)
        for h, n in enumerate(drawn)
    ]
    return rng.permutation(np.concatenate(chosen))


def _is_settled(pool, belief, until):
    c = pool.confidence(belief).to_numpy()
    pairs = np.triu_indices(len(c), 1)
    return np.maximum(c, 1 - c)[pairs].min() >= until
