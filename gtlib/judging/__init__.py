"""Which document should be judged next?

`mtc_weights` says what each judgment would do for the comparison of the
systems (minimal test collections, Carterette, Allan & Sitaraman 2006);
`judge` runs a whole judging round with known judgments, to compare ways to
choose; `gtlib.judging.session` is for a person who really judges.
"""

import numpy as np

from gtlib.ap import ap_gains

STRATEGIES = ("mtc", "pooling", "random", "sampling")


def mtc_weights(ranks, p):
    """Expected drop in variance from judging each document of a topic.

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
    >>> weights = mtc_weights([[1, 2, 3], [3, 2, 1]], [0.5, 0.5, 0.5])
    >>> weights.round(4).tolist()
    [0.1406, 0.0, 0.1406]
    """
    if np.ndim(ranks) != 2 or len(ranks) < 2:
        raise ValueError(
            "mtc_weights compares systems: give the ranks of two or more, "
            f"a row each; the shape is {np.shape(ranks)}."
        )
    p = np.asarray(p, dtype=float)
    return _drops(ap_gains(ranks, p), p)


def judge(
    pool, qrels, strategy="mtc", per_topic=10, p=0.5, until=None, seed=0
):
    """Judge documents of a pool one by one, with the answers of `qrels`.

    Every round judges one document in each topic.

    Parameters
    ----------
    pool : Pool
        The systems to compare; ``pool.only([...])`` for some of them.
        Documents that none of them retrieved are never judged.
    qrels : DataFrame
        Columns ``topic``, ``document``, ``relevance``. A document that it
        lacks is not relevant, as in TREC.
    strategy : {"mtc", "pooling", "random", "sampling"}
        ``mtc``: the largest `mtc_weights`. ``pooling``: from rank 1
        down, the systems in turn. ``random``: any retrieved document.
        ``sampling``: at random in proportion to what the document can
        contribute to AP, as statAP does (see `sampling_weights`).
    per_topic : int
        Most documents judged in a topic.
    p : float or array_like, shape (documents,)
        Probability of relevance of the unjudged, for ``mtc`` and `until`.
    until : float, optional
        Stop once every pair of systems is ordered with this confidence.
    seed : int or sequence of int
        For the strategies that draw.

    Returns
    -------
    DataFrame
        Columns ``topic``, ``document``, ``relevance`` and ``step``, in
        the order of judging; ``step`` counts within the topic from 1.

    Raises
    ------
    ValueError
        If the strategy is unknown, `per_topic` is below 1, or `until` is
        not between 1/2 and 1.

    Examples
    --------
    >>> from gtlib import pool_runs, synthetic_collection
    >>> drawn = synthetic_collection(systems=2, topics=3, documents=40)
    >>> judged = judge(pool_runs(drawn.runs), drawn.qrels, per_topic=2)
    >>> judged["step"].tolist()
    [1, 1, 1, 2, 2, 2]
    """
    if strategy not in STRATEGIES:
        raise ValueError(
            f"strategy is one of {STRATEGIES}, not {strategy!r}."
        )
    if per_topic < 1:
        raise ValueError(f"per_topic is {per_topic}; it must be 1 or more.")
    if until is not None and not 0.5 <= until < 1:
        raise ValueError(f"until is {until}; it must be in [0.5, 1).")
    answers = pool.labels(qrels, otherwise=0).to_numpy()
    belief = np.full(len(answers), p, dtype=float)
    rounds = (
        _mtc_rounds(pool, belief, answers)
        if strategy == "mtc"
        else _fixed_rounds(pool, strategy, np.random.default_rng(seed))
    )
    chosen = []
    for told, _ in zip(rounds, range(per_topic), strict=False):
        belief[told] = answers[told]
        chosen.append(told)
        if until is not None and _settled(pool, belief, until):
            break
    steps = np.repeat(np.arange(1, len(chosen) + 1), [*map(len, chosen)])
    told = np.concatenate(chosen)
    table = pool.documents[told].to_frame(index=False)
    return table.assign(relevance=answers[told].astype(int), step=steps)


def sampling_weights(ranks):
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


def sampled_map(pool, judged):
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
    >>> from gtlib import pool_runs, synthetic_collection
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


def _drops(gains, p):
    """Drop in variance summed over pairs; systems on the first axis."""
    total = np.sum(gains, axis=0)
    pairs = len(gains) * np.sum(gains**2, axis=0) - total**2
    return p * (1 - p) * np.maximum(pairs, 0)


def _mtc_rounds(pool, belief, answers):
    """The best document of every topic, judged; again and again.

    A judgment changes p_i by d and so every gain by a_ij d: no sorting
    after the first round. Topics run side by side, filled up to the
    widest with documents that no system retrieved.
    """
    retrieved = np.flatnonzero(np.isfinite(pool.ranks).any(axis=0))
    topic = pool.topic_of[retrieved]
    slot = np.arange(len(topic)) - np.searchsorted(topic, topic)
    topics, width = len(pool.topics), slot.max() + 1
    where = np.full((topics, width), -1)
    where[topic, slot] = retrieved
    p = np.where(where >= 0, belief[where], 0)
    ranks = np.where(where >= 0, pool.ranks[:, where], np.inf)
    gains, w = ap_gains(ranks, p), 1 / ranks
    open_ = where >= 0
    rows = np.arange(topics)
    while open_.any():
        weight = np.where(open_, _drops(gains, p), -1)
        best = weight.argmax(axis=1)
        rows = rows[open_[rows].any(axis=1)]
        best = best[rows]
        told = where[rows, best]
        yield told
        change = answers[told] - p[rows, best]
        near = np.minimum(w[:, rows], w[:, rows, best][:, :, None])
        gains[:, rows] += near * change[:, None]
        p[rows, best] = answers[told]
        open_[rows, best] = False


def _fixed_rounds(pool, strategy, rng):
    """Rounds of the strategies whose order needs no judgments."""
    orders = []
    for start, end in zip(pool.starts, pool.starts[1:], strict=False):
        ranks = pool.ranks[:, start:end]
        found = np.flatnonzero(np.isfinite(ranks).any(axis=0))
        ranks = ranks[:, found]
        if strategy == "pooling":
            turn = ranks + np.arange(len(ranks))[:, None] / len(ranks)
            key = turn.min(axis=0)
        elif strategy == "random":
            key = rng.random(len(found))
        else:
            key = rng.random(len(found)) / sampling_weights(ranks)
        orders.append(start + found[np.argsort(key)])
    for step in range(max(map(len, orders))):
        yield np.array([o[step] for o in orders if step < len(o)])


def _settled(pool, belief, until):
    c = pool.confidence(belief).to_numpy()
    pairs = np.triu_indices(len(c), 1)
    return np.maximum(c, 1 - c)[pairs].min() >= until
