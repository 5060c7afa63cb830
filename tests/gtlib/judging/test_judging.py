"""Choosing documents, and judging them."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.ap import pair_forms
from gtlib.experts import relevance_estimates
from gtlib.judging import (
    STRATEGIES,
    mtc_weights,
    sampled_ap,
    sampling_weights,
)
from tests.cases import first


def collection(**sizes):
    sizes = {"systems": 4, "topics": 3, "documents": 60, "seed": 3} | sizes
    drawn = gt.synthetic_collection(**sizes)
    return gt.pool_runs(drawn.runs, depth=20), drawn.qrels


@pytest.mark.slow
def test_synthetic_collections():
    one = gt.synthetic_collection(systems=3, topics=5, documents=50, seed=1)
    again = gt.synthetic_collection(
        systems=3, topics=5, documents=50, seed=1
    )
    pd.testing.assert_frame_equal(one.runs, again.runs)
    many = gt.synthetic_collection(topics=200, documents=500, seed=2)
    truth = many.qrels.set_index(["topic", "document"])["relevance"]
    gap = truth - many.p
    assert gap.mean() == pytest.approx(0, abs=0.005)
    for low in np.arange(0, 1, 0.2):
        inside = many.p.between(low, low + 0.2)
        assert gap[inside].mean() == pytest.approx(0, abs=0.02)


def test_weights_are_the_expected_drops_of_all_pairs():
    rng = np.random.default_rng(0)
    ranks = np.stack([rng.permutation(8) + 1.0 for _ in range(3)])
    ranks[rng.random(ranks.shape) < 0.3] = np.inf
    p = rng.random(8)
    p[2] = 1
    weights = mtc_weights(ranks, p)

    def spread(p):
        return sum(
            pair_forms(ranks[[a, b]], p).s_var[0, 1]
            for a in range(3)
            for b in range(a)
        )

    for i in range(8):
        left = 0
        for answer, chance in ((0, 1 - p[i]), (1, p[i])):
            told = p.copy()
            told[i] = answer
            left += chance * spread(told)
        assert weights[i] == pytest.approx(spread(p) - left, abs=1e-12)
    assert weights[2] == 0


@pytest.mark.parametrize("systems", [2, 4])
def test_every_round_judges_the_largest_weight(systems):
    """The loop with incremental gains against weights made anew."""
    pool, qrels = collection(systems=systems)
    judged = gt.judge(pool, qrels, per_topic=15)
    truth = pool.labels(qrels, 0).to_numpy()
    for t, topic in enumerate(pool.topics):
        part = slice(*pool.starts[t : t + 2])
        names = [d for _, d in pool.documents[part]]
        p = np.full(len(names), 0.5)
        mine = judged[judged["topic"] == topic]
        assert mine["step"].tolist() == [*range(1, 16)]
        for name, told in zip(
            mine["document"], mine["relevance"], strict=True
        ):
            weights = mtc_weights(pool.ranks[:, part], p)
            i = names.index(name)
            assert weights[i] == pytest.approx(weights.max(), rel=1e-9)
            assert told == truth[part][i]
            p[i] = told


def variances_left(ranks, p):
    """Variance of S that judging each document is expected to leave,
    summed over pairs of systems, by listing all sets of judgments."""
    x = np.array([*product([0, 1], repeat=len(p))])
    chance = np.where(x, p, 1 - p).prod(axis=1)
    left = np.zeros(len(p))
    for a, b in combinations(ranks, 2):
        c = 1 / np.maximum.outer(a, a) - 1 / np.maximum.outer(b, b)
        s = ((x @ np.triu(c)) * x).sum(axis=1)
        for i in range(len(p)):
            for answer in (0, 1):
                w = chance * (x[:, i] == answer)
                if w.sum() > 0:
                    mean = w @ s / w.sum()
                    left[i] += w @ (s - mean) ** 2
    return left


@pytest.mark.slow
@pytest.mark.parametrize("prior", ["uniform", "experts", "logistic"])
@pytest.mark.parametrize("systems", first(1, [3, 2]))
def test_the_prior_steers_what_is_judged(prior, systems):
    """Every round against a list of all judgments that may follow, with
    the probabilities fitted to the judgments of the rounds before."""
    drawn = gt.synthetic_collection(systems, 4, 12, 4, seed=5)
    pool = gt.pool_runs(drawn.runs)
    judged = gt.judge(pool, drawn.qrels, per_topic=5, prior=prior)
    assert judged["relevance"].nunique() == 2
    for step, chosen in judged.groupby("step"):
        told = judged[judged["step"] < step]
        p = relevance_estimates(pool, told, prior).to_numpy()
        unjudged = pool.labels(told).isna().to_numpy()
        asked = pool.labels(chosen).notna().to_numpy()
        for part in pool.parts():
            left = variances_left(pool.ranks[:, part], p[part])
            least = left[unjudged[part]].min()
            if asked[part].any():
                assert left[asked[part]] == pytest.approx(least, abs=1e-12)


def test_the_experts_choose_other_documents():
    pool, qrels = collection(topics=8)
    even, steered = (
        gt.judge(pool, qrels, prior=prior)
        for prior in ("uniform", "experts")
    )
    key, first = ["topic", "document"], 8  # nobody has learnt yet
    even, steered = (t[key].to_numpy().tolist() for t in (even, steered))
    assert even[:first] == steered[:first]
    assert even != steered


@pytest.mark.slow
def test_stops_at_the_target_of_the_prior():
    pool, qrels = collection(systems=2, topics=12)
    judged = gt.judge(
        pool, qrels, "pooling", 10**6, until=0.8, prior="experts"
    )

    def sure(rounds):
        told = judged[judged["step"] <= rounds]
        p = relevance_estimates(pool, told, "experts")
        c = pool.confidence(p).iloc[0, 1]
        return max(c, 1 - c)

    last = judged["step"].max()
    assert sure(last) >= 0.8 > sure(last - 1)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_everything_is_judged_once_in_the_end(strategy):
    pool, qrels = collection()
    two = pool.only(pool.systems[:2])
    judged = gt.judge(two, qrels, strategy, per_topic=10**6)
    assert not judged.duplicated(["topic", "document"]).any()
    assert len(judged) == np.isfinite(two.ranks).any(axis=0).sum()
    told = pool.labels(judged)
    truth = pool.labels(qrels)
    assert (told[told.notna()] == truth[told.notna()]).all()


def test_pooling_goes_down_the_ranks():
    pool, qrels = collection()
    judged = gt.judge(pool, qrels, "pooling", per_topic=30)
    place = pool.documents.get_indexer(
        pd.MultiIndex.from_frame(judged[["topic", "document"]])
    )
    judged = judged.assign(best=pool.ranks[:, place].min(axis=0))
    for _, topic in judged.groupby("topic"):
        assert topic["best"].is_monotonic_increasing


@pytest.mark.parametrize("strategy", ["random", "sampling"])
def test_draws_follow_the_seed(strategy):
    pool, qrels = collection()
    draws = [
        gt.judge(pool, qrels, strategy, seed=seed)["document"].tolist()
        for seed in (1, 1, 2)
    ]
    assert draws[0] == draws[1] != draws[2]


def test_sampled_ap_is_exact_once_everything_is_judged():
    pool, qrels = collection(topics=6, documents=40, seed=5)
    judged = gt.judge(pool, qrels, "sampling", 10**6)
    truth = pool.average_precision(pool.labels(qrels, 0))
    pd.testing.assert_frame_equal(
        sampled_ap(pool, judged), truth, check_names=False
    )


@pytest.mark.slow
def test_sampled_ap_is_right_on_average():
    """Within Monte-Carlo error."""
    pool, qrels = collection(topics=6, documents=40, seed=5)
    truth = pool.average_precision(pool.labels(qrels, 0))
    draws = []
    for seed in range(75):
        judged = gt.judge(pool, qrels, "sampling", 20, seed=seed)
        draws.append(sampled_ap(pool, judged).mean(axis=1))
    mean = np.mean(draws, axis=0)
    np.testing.assert_allclose(mean, truth.mean(axis=1), rtol=0.12)


def test_sampling_weights_are_statap():
    inf = np.inf
    weights = sampling_weights([[2, 1, 3, inf], [1, inf, inf, inf]])
    first = np.array([1 + 1 / 2 + 1 / 3, 1 + 1 + 1 / 2 + 1 / 3, 1 + 1 / 3])
    expected = np.r_[first / 6, 0] / 2 + np.array([0.5, 0, 0, 0])
    np.testing.assert_allclose(weights, expected)


def test_stops_at_the_target():
    pool, qrels = collection(systems=2, topics=12)
    judged = gt.judge(pool, qrels, per_topic=10**6, until=0.8)
    assert len(judged) < np.isfinite(pool.ranks).any(axis=0).sum()

    def sure(rounds):
        told = judged[judged["step"] <= rounds]
        c = pool.confidence(pool.labels(told, otherwise=0.5)).iloc[0, 1]
        return max(c, 1 - c)

    last = judged["step"].max()
    assert sure(last) >= 0.8 > sure(last - 1)
