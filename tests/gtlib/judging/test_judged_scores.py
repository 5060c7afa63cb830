"""Scores under a way of judging, with systems that had no say."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.judging import SAMPLES, STRATEGIES, estimated_ap

DRAWN = gt.synthetic_collection(systems=6, topics=4, documents=60, seed=2)
POOL = gt.pool_runs(DRAWN.runs, depth=20)
NOBODY = pd.DataFrame(False, POOL.systems, POOL.topics)


def judged_scores(
    pool, qrels, strategy, per_topic=10, estimate=None, held_out=None
):
    """As chapter 13 does it: those held out have no say, and scores."""
    by_chance = "sampled" if strategy in SAMPLES else "not relevant"
    judged = pool if held_out is None else pool.without(held_out)
    told = gt.judge(judged, qrels, strategy, per_topic)
    return estimated_ap(pool, told, strategy, estimate or by_chance, judged)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_all_judgments_give_the_full_scores(strategy):
    truth = POOL.average_precision(POOL.labels(DRAWN.qrels, 0))
    for held_out in (None, NOBODY):
        found = judged_scores(
            POOL, DRAWN.qrels, strategy, 10**6, held_out=held_out
        )
        pd.testing.assert_frame_equal(
            found, truth, check_names=False, check_index_type=False
        )


@pytest.mark.parametrize("strategy", ["mtc", "bandit", "pooling"])
def test_with_nobody_held_out_topics_are_judged_as_together(strategy):
    found = [
        judged_scores(POOL, DRAWN.qrels, strategy, 6, held_out=out)
        for out in (None, NOBODY)
    ]
    pd.testing.assert_frame_equal(*found, check_names=False)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_held_out_system_has_no_say(strategy):
    """Its own ranking may be anything: nobody else's scores change."""
    out = NOBODY.copy()
    out.loc["system 03", ["001", "004"]] = True
    other = DRAWN.runs.copy()
    its = (other["system"] == "system 03") & out.loc["system 03"][
        other["topic"]
    ].to_numpy()
    other.loc[its, "document"] = [f"new{i}" for i in range(its.sum())]
    tables = [
        judged_scores(
            gt.pool_runs(runs, depth=20),
            DRAWN.qrels,
            strategy,
            8,
            held_out=out,
        )
        for runs in (DRAWN.runs, other)
    ]
    rest = POOL.systems.drop("system 03")
    pd.testing.assert_frame_equal(*(t.loc[rest] for t in tables))
    assert (tables[1].loc["system 03", ["001", "004"]] == 0).all()


@pytest.mark.parametrize(
    ("strategy", "estimate"),
    [
        ("mtc", "experts"),
        ("pooling", "not relevant"),
        ("random", "logistic"),
        ("random", "inferred"),
        ("sampling", "sampled"),
    ],
)
def test_all_judgments_leave_nothing_to_estimate(strategy, estimate):
    truth = POOL.average_precision(POOL.labels(DRAWN.qrels, 0))
    told = gt.judge(POOL, DRAWN.qrels, strategy, 10**6)
    found = estimated_ap(POOL, told, strategy, estimate)
    np.testing.assert_allclose(found, truth, atol=1e-4)


def test_topics_without_a_judgment_score_zero():
    some = DRAWN.qrels[DRAWN.qrels["topic"] != "002"]
    found = judged_scores(POOL, some, "mtc", 5, held_out=NOBODY)
    assert (found["002"] == 0).all()
    assert np.isfinite(found.to_numpy()).all()


def test_mtc_compares_the_systems_that_are_not_held_out():
    """As in a pool of these systems alone, topic by topic."""
    out = NOBODY.copy()
    out.loc[["system 01", "system 05"], "002"] = True
    judged = gt.judge(POOL.without(out), DRAWN.qrels, "mtc", 12)
    four = POOL.only(POOL.systems.drop(["system 01", "system 05"]))
    for topic, contributors in (("002", four), ("003", POOL)):
        alone = gt.judge(contributors, DRAWN.qrels, "mtc", 12)
        assert (
            alone.loc[alone["topic"] == topic, "document"].tolist()
            == judged.loc[judged["topic"] == topic, "document"].tolist()
        )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_contributors_may_have_nothing_on_a_topic(strategy):
    """One system alone has a second topic, and it is held out of it."""
    runs = pd.DataFrame(
        {
            "system": list("aabb") + ["c"] * 3,
            "topic": ["1"] * 6 + ["2"],
            "document": ["x", "y", "y", "z", "z", "x", "w"],
            "rank": [1, 2, 1, 2, 1, 2, 1],
        }
    )
    qrels = pd.DataFrame(
        {"topic": ["1", "2"], "document": ["x", "w"], "relevance": 1}
    )
    out = pd.DataFrame(False, list("abc"), ["1", "2"])
    out.loc["c", "2"] = True
    found = judged_scores(
        gt.pool_runs(runs), qrels, strategy, 5, held_out=out
    )
    assert found["1"].tolist() == [1.0, 0.0, 0.5]
    assert found["2"].tolist() == [0.0, 0.0, 0.0]
