"""Pools of runs, and scores and confidence over their topics."""

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.ap import confidence
from gtlib.scores import as_wide

RUNS = pd.DataFrame(
    {
        "system": ["a", "a", "b", "b", "b"],
        "topic": ["1", "1", "1", "1", "2"],
        "document": ["x", "y", "y", "z", "x"],
        "rank": [1, 2, 1, 4, 1],
    }
)


def test_ranks_and_gaps():
    pool = gt.pool_runs(RUNS)
    assert [*pool.documents] == [
        ("1", "x"),
        ("1", "y"),
        ("1", "z"),
        ("2", "x"),
    ]
    inf = np.inf
    assert pool.ranks.tolist() == [[1, 2, inf, inf], [inf, 1, 2, 1]]
    assert pool.starts.tolist() == [0, 3, 4]
    assert pool.topic_of.tolist() == [0, 0, 0, 1]
    assert len(gt.pool_runs(RUNS, depth=1).documents) == 3
    assert pool.only(["b"]).ranks.tolist() == [[inf, 1, 2, 1]]


def test_order_and_names():
    """Systems as they come; topics, and documents in them, by name."""
    runs = RUNS.iloc[::-1].assign(topic=[10, 9, 9, 9, 9])
    pool = gt.pool_runs(runs)
    assert pool.systems.tolist() == ["b", "a"]
    assert pool.topics.tolist() == ["10", "9"]
    assert [*pool.documents] == [
        ("10", "x"),
        ("9", "x"),
        ("9", "y"),
        ("9", "z"),
    ]
    assert pool.systems.name == "system"
    assert pool.topics.name == "topic"
    assert pool.documents.names == ["topic", "document"]
    assert repr(pool) == "Pool of 4 documents: 2 systems, 2 topics"


def test_some_of_the_systems():
    pool = gt.pool_runs(RUNS)
    turned = pool.only(["b", "a"])
    assert turned.systems.tolist() == ["b", "a"]
    assert turned.ranks.tolist() == pool.ranks[::-1].tolist()
    assert turned.documents is pool.documents


def test_ranks_are_numbers_and_not_their_text():
    runs = RUNS.assign(rank=["9", "10", "9", "10", "1"])
    assert (
        gt.pool_runs(runs).ranks.tolist()
        == gt.pool_runs(RUNS).ranks.tolist()
    )


def test_depth_counts_after_gaps_are_closed():
    runs = RUNS.assign(rank=[3, 5, 2, 9, 7])
    pool = gt.pool_runs(runs, depth=1)
    inf = np.inf
    assert pool.ranks.tolist() == [[1, inf, inf], [inf, 1, 1]]
    assert (
        gt.pool_runs(runs, depth=2).ranks.tolist()
        == gt.pool_runs(RUNS).ranks.tolist()
    )


def test_pools_can_be_compared():
    one, other = gt.pool_runs(RUNS), gt.pool_runs(RUNS)
    assert one == one
    assert one != other
    with pytest.raises(FrozenInstanceError):
        one.ranks = other.ranks


def test_expected_ap_by_hand():
    """Documents at ranks 1 and 2, relevant at even odds, worked out.

    Neither, the second, the first, or both may be relevant, and AP is then
    0, 1/2, 1 or 1. A second topic has one document, and an AP of 1.
    """
    runs = pd.DataFrame(
        {
            "system": "a",
            "topic": ["1", "1", "2"],
            "document": ["x", "y", "z"],
            "rank": [1, 2, 1],
        }
    )
    pool = gt.pool_runs(runs)
    found = pool.expected_ap([0.5, 0.5, 1])
    assert found.loc["a"].to_dict() == pytest.approx({"1": 5 / 8, "2": 1})


@pytest.mark.parametrize("scale", [1, 0.1, 0.001])
def test_expected_ap_and_its_variance_by_listing_all_judgments(scale):
    """Also where hardly any document is expected to be relevant."""
    drawn = gt.synthetic_collection(systems=2, topics=2, documents=9)
    pool = gt.pool_runs(drawn.runs)
    p = scale * drawn.p[pool.documents].to_numpy()
    expected = pool.expected_ap(p)
    half_variances = []
    for topic, part in zip(pool.topics, pool.parts(), strict=True):
        n = part.stop - part.start
        x = np.arange(2**n)[:, None] >> np.arange(n) & 1
        chance = np.where(x, p[part], 1 - p[part]).prod(axis=1)
        ap = [gt.average_precision(r, x) for r in pool.ranks[:, part]]
        means = ap @ chance
        assert expected[topic].to_numpy() == pytest.approx(means, rel=1e-9)
        gap = np.subtract(*ap)
        half = (gap**2 @ chance - (gap @ chance) ** 2) / 2
        half_variances.append(half)
    found = pool.unjudged_variance(p)
    assert found == pytest.approx(np.mean(half_variances), rel=1e-9)


def test_average_precision_is_ir_measures():
    drawn = gt.synthetic_collection(systems=3, topics=4, documents=40)
    pool = gt.pool_runs(drawn.runs)
    ours = pool.average_precision(pool.labels(drawn.qrels, 0))
    theirs = as_wide(
        gt.read_runs(drawn.runs, drawn.qrels, "AP").drop(columns="measure")
    )
    pd.testing.assert_frame_equal(
        ours, theirs.loc[ours.index, ours.columns], check_names=False
    )


def test_moments_over_topics():
    drawn = gt.synthetic_collection(systems=3, topics=4, documents=30)
    pool = gt.pool_runs(drawn.runs)
    p = drawn.p[pool.documents].to_numpy()
    topics = []
    for t in range(4):
        part = pool.topic_of == t
        topics.append(
            gt.delta_ap_moments(
                pool.ranks[0, part], pool.ranks[2, part], p[part]
            )
        )
    c = pool.confidence(p)
    assert c.iloc[0, 2] == pytest.approx(confidence(topics))
    assert c.index.tolist() == pool.systems.tolist()
    assert c.columns.tolist() == pool.systems.tolist()
    assert (c.index.name, c.columns.name) == ("system", "below")
    pd.testing.assert_frame_equal(c, pool.confidence(p, "exact"))
    for ratio in ("delta", "plugin"):
        away = (c - pool.confidence(p, ratio)).abs().max(axis=None)
        assert 1e-6 < away < 0.05
    truth = pool.labels(drawn.qrels)
    certain = pool.expected_ap(truth)
    pd.testing.assert_frame_equal(
        certain, pool.average_precision(truth), check_names=False
    )


def test_labels():
    pool = gt.pool_runs(RUNS)
    judged = pd.DataFrame(
        {
            "topic": ["1", "1", "1", "9"],
            "document": ["x", "y", "y", "x"],
            "relevance": [2, 0, 0, 1],
        }
    )
    labels = pool.labels(judged, otherwise=0.25)
    assert labels.tolist() == [1, 0, 0.25, 0.25]
    assert labels.index.equals(pool.documents)
    assert pool.labels(judged, otherwise=0).dtype == float
    assert pool.labels(judged[:0], [0.1, 0.2, 0.3, 0.4]).tolist() == [
        0.1,
        0.2,
        0.3,
        0.4,
    ]
    assert pool.labels(judged[:1]).isna().tolist() == [False] + 3 * [True]


def test_a_pool_without_a_system_on_some_topics():
    drawn = gt.synthetic_collection(systems=3, topics=5, documents=40)
    pool = gt.pool_runs(drawn.runs, depth=10)
    out = pd.DataFrame(False, pool.systems[::-1], pool.topics[::-1])
    out.loc["system 02", "004"] = True
    part = pool.topic_of == 3
    left = pool.without(out).ranks
    assert np.isinf(left[1, part]).all()
    np.testing.assert_array_equal(left[:, ~part], pool.ranks[:, ~part])
    np.testing.assert_array_equal(left[[0, 2]], pool.ranks[[0, 2]])
    with pytest.raises(ValueError, match="does not know '001'"):
        pool.without(out.drop(columns="001"))
    with pytest.raises(ValueError, match="Every system is held out"):
        pool.without(~out | out)


@pytest.mark.slow
def test_half_the_variance_of_a_difference():
    drawn = gt.synthetic_collection(systems=4, topics=5, documents=40)
    pool = gt.pool_runs(drawn.runs)
    p = drawn.p[pool.documents].to_numpy()
    rng = np.random.default_rng(0)
    ap = np.stack(
        [pool.average_precision(rng.random(len(p)) < p) for _ in range(400)]
    )
    relative = ap - ap.mean(axis=1, keepdims=True)
    seen = relative.var(axis=0, ddof=1).sum(axis=0).mean() / 3
    assert pool.unjudged_variance(p) == pytest.approx(seen, rel=0.1)
    certain = pool.unjudged_variance(np.round(p))
    assert certain == pytest.approx(0, abs=1e-12)
