"""Pools of runs, and scores and confidence over their topics."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt

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


def test_average_precision_is_ir_measures():
    drawn = gt.synthetic_collection(systems=3, topics=4, documents=40)
    pool = gt.pool_runs(drawn.runs)
    ours = pool.average_precision(pool.labels(drawn.qrels, 0))
    theirs = gt.as_wide(
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
    both = pool.delta_map(p)
    assert both.mean[0, 2] == pytest.approx(
        np.mean([m.mean for m in topics])
    )
    assert both.variance[0, 2] == pytest.approx(
        sum(m.variance for m in topics) / 16
    )
    c = pool.confidence(p)
    assert c.iloc[0, 2] == pytest.approx(gt.confidence(topics))
    truth = pool.labels(drawn.qrels)
    certain = pool.expected_map(truth)
    pd.testing.assert_series_equal(
        certain,
        pool.average_precision(truth).mean(axis=1),
        check_names=False,
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"document": ["x", "x", "y", "z", "x"]}, "retrieved twice"),
        ({"rank": [1, 1, 1, 2, 1]}, "rank given twice"),
        ({"rank": [1, np.nan, 1, 2, 1]}, "missing"),
    ],
)
def test_bad_runs_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        gt.pool_runs(RUNS.assign(**change))


def test_bad_judgments_are_named():
    pool = gt.pool_runs(RUNS)
    judged = pd.DataFrame(
        {"topic": "1", "document": ["x", "x"], "relevance": [0, 1]}
    )
    with pytest.raises(ValueError, match="document x of topic 1"):
        pool.labels(judged)
    with pytest.raises(ValueError, match="missing"):
        pool.labels(judged.assign(relevance=np.nan))
    with pytest.raises(ValueError, match="no column"):
        pool.labels(judged.drop(columns="topic"))
    with pytest.raises(ValueError, match="no system 'c'"):
        pool.only(["a", "c"])
    with pytest.raises(ValueError, match="no column"):
        gt.pool_runs(RUNS.drop(columns="rank"))
    with pytest.raises(ValueError, match="shape"):
        pool.expected_map([0.5])
    with pytest.raises(ValueError, match="not a probability"):
        pool.confidence([0.5, 0.5, 1.5, 0.5])


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
