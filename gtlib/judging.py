"""Which document next: strategies, samples, simulated judging."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib import checks
from gtlib.ap import ap_gains
from gtlib.checks import one_of, whole_number
from gtlib.experts import AGGREGATORS, MODELS, relevance_estimates
from gtlib.runs import Pool

__all__ = ["judge", "synthetic_collection"]

# Random samples of judgments, and estimates of AP from them.

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

    Pavlu & Aslam (2007), "A practical sampling strategy for efficient
    retrieval evaluation", whose strata are buckets of a fixed size.
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

    Of N documents of a stratum n are drawn: a document with probability
    n / N, two with n (n - 1) / (N (N - 1)). Strata are drawn from
    independently. ``random`` is one stratum.
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


# Ways to choose the documents that are judged.

STRATEGIES = ("mtc", "bandit", "pooling", *SAMPLES)
# How `estimated_ap` treats documents that were not judged.
ESTIMATES = ("not relevant", "sampled", "inferred", *AGGREGATORS)


def mtc_weights(ranks: ArrayLike, p: ArrayLike) -> np.ndarray:
    """Return the expected drop in variance from judging each document.

    With gains g_i (see `ap_gains`) of the difference of two systems and
    v_i = p_i (1 - p_i), learning X_i leaves an expected Var S of
    V - v_i g_i^2, exactly. Of more than two systems the drops of all
    pairs are added. It only chooses, so Var S is enough: a confidence that
    is told has the exact variance of AP.
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
    checks.instance(pool, "pool", Pool, "pool_runs")
    per_topic = whole_number(per_topic, "per_topic")
    seed = checks.seed(seed)
    if until is not None:
        until = checks.number(until, "until")
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
        return sampled_ap(pool, judged, strategy, contributors)
    if estimate == "inferred":
        if strategy != "random":
            raise ValueError("infAP needs the strategy 'random'.")
        return inferred_ap(pool, judged, contributors)
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

    What it lowers is Var S, as in the paper: it only chooses, and whatever
    confidence is told is exact. If beliefs are held `apart`, a judgment
    changes p_i by d, no other p, and so every gain by a_ij d: no sorting
    after the first round. Topics run side by side, filled up to the widest
    with documents that no system retrieved.
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
                key /= sampling_weights(ranks)
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
    stratum, drawn = cut_strata(sampling_weights(ranks), size)
    chosen = [
        rng.choice(np.flatnonzero(stratum == h), n, replace=False)
        for h, n in enumerate(drawn)
    ]
    return rng.permutation(np.concatenate(chosen))


def _is_settled(pool, belief, until):
    c = pool.confidence(belief).to_numpy()
    pairs = np.triu_indices(len(c), 1)
    return np.maximum(c, 1 - c)[pairs].min() >= until


# Synthetic collections whose truth is known.


class SyntheticCollection(NamedTuple):
    """A synthetic collection, as `synthetic_collection` draws it.

    Attributes
    ----------
    runs : DataFrame
        Columns ``system``, ``topic``, ``document``, ``rank``, ``score``.
    qrels : DataFrame
        Columns ``topic``, ``document``, ``relevance``: every document.
    p : Series
        The probability that each document was drawn relevant with,
        indexed by topic and document.
    """

    runs: pd.DataFrame
    qrels: pd.DataFrame
    p: pd.Series


def synthetic_collection(
    systems: int = 12,
    topics: int = 50,
    documents: int = 200,
    depth: int = 100,
    seed: int = 0,
) -> SyntheticCollection:
    """Draw a synthetic collection: relevant documents, and runs of systems.

    A document has log-odds of relevance, normal around a topic's own mean,
    and is relevant with that probability. A system sees the log-odds
    through noise, in part common to all systems (they share stemmers and
    stop lists), in part its own; better systems have less of it. Given the
    log-odds, ranks say nothing more about relevance.

    Parameters
    ----------
    systems, topics, documents : int
        Sizes; `documents` per topic.
    depth : int
        Length of a run on a topic.
    seed : int
        For `numpy.random.default_rng`.

    Returns
    -------
    SyntheticCollection
        The runs, and the judgments of all documents.

    Raises
    ------
    ValueError
        If a size is no whole number from 1.

    Examples
    --------
    >>> import gtlib as gt
    >>> drawn = gt.synthetic_collection(systems=3, topics=2, documents=30)
    >>> len(drawn.qrels), drawn.runs["system"].nunique()
    (60, 3)
    """
    rng = np.random.default_rng(checks.seed(seed))
    systems = whole_number(systems, "systems")
    topics = whole_number(topics, "topics")
    documents = whole_number(documents, "documents")
    depth = min(whole_number(depth, "depth"), documents)
    shape = topics, documents
    odds = rng.normal(-2.5, 0.7, (topics, 1)) + rng.normal(0, 1.8, shape)
    p = scipy.special.expit(odds)
    relevance = (rng.random(p.shape) < p).astype(int)
    noise = rng.uniform(1, 4, (systems, 1, 1))
    shared = rng.normal(0, 1.5, shape)
    own = rng.normal(size=(systems, topics, documents))
    scores = odds + shared + noise * own
    best = np.argsort(-scores, axis=2)[:, :, :depth]
    system = [f"system {s + 1:02d}" for s in range(systems)]
    topic = [f"{t + 1:03d}" for t in range(topics)]
    document = np.array([f"d{d + 1:05d}" for d in range(documents)])
    ranked = pd.MultiIndex.from_product(
        [system, topic, range(1, depth + 1)],
        names=["system", "topic", "rank"],
    )
    runs = ranked.to_frame(index=False)
    runs.insert(2, "document", document[best].ravel())
    runs["score"] = np.take_along_axis(scores, best, axis=2).ravel()
    pairs = pd.MultiIndex.from_product(
        [topic, document], names=["topic", "document"]
    )
    qrels = pairs.to_frame(index=False).assign(relevance=relevance.ravel())
    probability = pd.Series(p.ravel(), pairs, name="p")
    return SyntheticCollection(runs, qrels, probability)
