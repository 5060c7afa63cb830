"""The expert model against its check values, scipy and known truths."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

import gtlib as gt
from gtlib import experts
from gtlib.experts import AGGREGATORS


def test_check_values_of_the_rank_opinions():
    plain, judged = experts.rank_opinions(4, [0, 1], [0, 2])
    np.testing.assert_allclose(
        plain, [0.81809, 0.66533, 0.5, 0.33467, 0.18191], atol=5e-6
    )
    np.testing.assert_allclose(
        judged, [0.60812, 0.5, 0.39537, 0.29534, 0.20117], atol=5e-6
    )


@given(
    st.integers(1, 60),
    st.integers(0, 300),
    st.integers(0, 300),
)
def test_mean_opinion_is_the_prior_share(depth, hits, misses):
    """The invariant in the notes; and a lower rank is never preferred."""
    (q,) = experts.rank_opinions(depth, [hits], [misses])
    share = (1 + hits) / (2 + hits + misses)
    assert q.mean() == pytest.approx(share, rel=1e-9)
    assert (np.diff(q) < 0).all()


def test_rank_opinions_against_a_general_optimiser():
    hits, misses = 2, 5

    def loss(theta):
        total = 0.0
        for r in range(len(theta)):
            for s in range(r + 1, len(theta)):
                total += np.log1p(np.exp(theta[s] - theta[r]))
            total += (1 + hits) * np.log1p(np.exp(-theta[r]))
            total += (1 + misses) * np.log1p(np.exp(theta[r]))
        return total

    found = minimize(loss, np.zeros(7), tol=1e-10).x
    (q,) = experts.rank_opinions(6, [hits], [misses])
    np.testing.assert_allclose(q, expit(found), atol=1e-5)


def test_topics_with_equal_counts_share_one_fit():
    q = experts.rank_opinions(5, [1, 3, 1], [2, 0, 2])
    np.testing.assert_allclose(q[0], q[2])
    assert (q[1] > q[0]).all()


def test_a_line_against_a_general_optimiser():
    rng = np.random.default_rng(0)
    x = rng.random(30)
    no, yes = 1 + rng.integers(0, 4, (2, 30))

    def loss(b):
        z = b[0] + b[1] * x
        return np.sum(yes * np.logaddexp(0, -z) + no * np.logaddexp(0, z))

    both = np.column_stack([np.ones(30), x])
    line = experts.logistic(both, yes, no, "a line")
    found = minimize(loss, np.zeros(2), tol=1e-10).x
    np.testing.assert_allclose(line, found, atol=1e-5)


def small_pool(seed=1):
    drawn = gt.synthetic_collection(
        systems=4, topics=3, documents=30, depth=12, seed=seed
    )
    return gt.pool_runs(drawn.runs), drawn


def test_the_three_steps_written_out():
    """The model by loops over cells, systems and folds."""
    pool, drawn = small_pool()
    judged = drawn.qrels.iloc[::4]
    model = gt.ExpertModel().fit(pool, judged)
    told = {(t, d): y for t, d, y in judged.itertuples(index=False)}
    q = np.zeros((len(pool.systems), len(pool.documents)))
    for j in range(len(pool.systems)):
        rows = []
        features = {}
        for topic in pool.topics:
            inside = [
                i for i, (t, _) in enumerate(pool.documents) if t == topic
            ]
            known = [told.get(pool.documents[i]) for i in inside]
            (level,) = experts.rank_opinions(
                12, [known.count(1)], [known.count(0)]
            )
            cells = {r: [1, 1] for r in range(1, 13)}
            cells[np.inf] = [1, 1]
            for i, y in zip(inside, known, strict=True):
                rank = pool.ranks[j, i]
                features[i] = 0 if rank == np.inf else level[int(rank) - 1]
                if y is not None:
                    cells[rank][y] += 1
            for rank, (no, yes) in cells.items():
                f = 0 if rank == np.inf else level[int(rank) - 1]
                rows.append((f, no, yes))
        f, no, yes = np.array(rows).T
        both = np.column_stack([np.ones(len(f)), f])
        b0, b1 = experts.logistic(both, yes, no, "a line")
        for i, value in features.items():
            q[j, i] = expit(b0 + b1 * value)
    np.testing.assert_allclose(model.opinions, q, atol=1e-9)
    known = [i for i, key in enumerate(pool.documents) if key in told]
    y = np.array([told[pool.documents[i]] for i in known])
    weights = []
    for k in range(5):
        kept = np.arange(len(known)) % 5 != k
        weights.append(fitted(q[:, known].T[kept], y[kept]))
    np.testing.assert_allclose(
        model.weights, np.mean(weights, 0), atol=1e-4
    )
    p = expit(np.mean(weights, 0) @ q)
    p[known] = y
    np.testing.assert_allclose(model.predict(), p, atol=1e-4)


def fitted(x, y):
    def loss(w):
        z = x @ w
        data = np.sum(
            y * np.logaddexp(0, -z) + (1 - y) * np.logaddexp(0, z)
        )
        return data + np.sum(np.logaddexp(0, w) + np.logaddexp(0, -w))

    return minimize(loss, np.zeros(x.shape[1]), tol=1e-12).x


@pytest.mark.parametrize("aggregator", AGGREGATORS)
def test_without_judgments_every_document_has_even_odds(aggregator):
    pool, drawn = small_pool()
    p = gt.ExpertModel(aggregator).fit(pool, drawn.qrels[:0]).predict()
    np.testing.assert_allclose(p, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("aggregator", AGGREGATORS)
def test_judged_documents_are_certain(aggregator):
    pool, drawn = small_pool()
    p = gt.ExpertModel(aggregator).fit(pool, drawn.qrels).predict()
    truth = pool.labels(drawn.qrels)
    pd.testing.assert_series_equal(p, truth, check_names=False)


@pytest.mark.parametrize("aggregator", AGGREGATORS)
@pytest.mark.parametrize("answer", [0, 1])
def test_judgments_that_all_agree(aggregator, answer):
    pool, drawn = small_pool()
    judged = drawn.qrels.iloc[::5].assign(relevance=answer)
    p = gt.ExpertModel(aggregator).fit(pool, judged).estimates()
    assert ((p > 0.5) == answer).all()


@pytest.mark.parametrize(
    ("aggregator", "share"), [("experts", 1.01), ("logistic", 0.95)]
)
def test_learns_what_the_systems_know(aggregator, share):
    """Squared error on unjudged documents, as a share of the base rate's.

    The paper's model learns little more than the base rate here: its
    calibration counts every rank of every topic once each way.
    """
    drawn = gt.synthetic_collection(systems=8, topics=20, seed=4)
    pool = gt.pool_runs(drawn.runs)
    judged = gt.judge(pool, drawn.qrels, "random", per_topic=60)
    p = gt.ExpertModel(aggregator).fit(pool, judged).estimates()
    truth = pool.labels(drawn.qrels).to_numpy()
    open_ = pool.labels(judged).isna().to_numpy()
    loss = np.mean((p - truth)[open_] ** 2)
    assert loss < share * truth[open_].var() < 0.2
    assert p[open_].mean() == pytest.approx(truth[open_].mean(), abs=0.05)


def test_no_convergence_says_so():
    def value(x):
        return -np.sqrt(1 + x @ x)

    def slope(x):
        return np.array([1.0]), np.array([[1.0]])

    with pytest.raises(RuntimeError, match="gradient is still"):
        experts.maximise(np.zeros(1), value, slope, "it")
