"""Trials of confidence: scores by hand, and truths that are known."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.judging import (
    calibration_bins,
    calibration_scores,
    confidence_trials,
    effort_trials,
    ordered_pairs,
    relevance_estimates,
    trust,
)

TRIALS = pd.DataFrame(
    {
        "repeat": [0, 0, 1, 1, 2],
        "model": ["m"] * 5,
        "effort": [5] * 5,
        "confidence": [0.5, 0.6, 0.6, 0.9, 1.0],
        "right": [True, False, True, True, False],
    }
)


def test_scores_by_hand():
    row = calibration_scores(TRIALS).loc[(5, "m")]
    gaps = [0.5, 0.6, 0.4, 0.1, 1.0]
    assert row["brier"] == pytest.approx(np.mean(np.square(gaps)))
    given = [0.5, 0.4, 0.6, 0.9, 1e-4]
    assert row["log"] == pytest.approx(-np.mean(np.log(given)))
    assert row["confidence"] == pytest.approx(0.72)
    assert row["right"] == pytest.approx(0.6)


def test_bins_by_hand():
    bins = calibration_bins(TRIALS, [0.5, 0.6, 0.9, 1.0])
    assert bins["pairs"].tolist() == [1, 2, 2]
    assert bins["right"].tolist() == [1, 0.5, 0.5]
    assert bins["confidence"].tolist() == pytest.approx([0.5, 0.6, 0.95])
    empty = calibration_bins(TRIALS[:2], [0.5, 0.55, 0.58, 0.7])
    assert empty["low"].tolist() == [0.5, 0.58]


def test_the_clustered_error_is_that_of_cluster_means():
    """Clusters of one size: the error of the mean of their means."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=40)
    values = pd.Series(np.repeat(means, 5))
    clusters = pd.Series(np.repeat(range(40), 5))
    error = trust.clustered_error(values, clusters)
    assert error == pytest.approx(means.std(ddof=1) / np.sqrt(40))
    assert np.isnan(trust.clustered_error(values[:2], clusters[:2]))


@pytest.fixture(scope="module")
def drawn():
    collection = gt.synthetic_collection(
        systems=8, topics=15, documents=80, depth=25, seed=9
    )
    return gt.pool_runs(collection.runs), collection.qrels


def test_trials_are_complete_and_repeat_with_the_seed(drawn):
    sizes = {
        "efforts": (3, 30),
        "n_resamples": 2,
        "evaluated": 5,
        "seed": 4,
    }
    trials = confidence_trials(*drawn, **sizes)
    assert len(trials) == 2 * 2 * 3 * 10
    assert trials["confidence"].between(0.5, 1).all()
    pd.testing.assert_frame_equal(
        trials, confidence_trials(*drawn, **sizes)
    )
    judged_less = calibration_scores(trials)
    assert (
        judged_less.loc[(30, "logistic"), "brier"]
        < judged_less.loc[(3, "logistic"), "brier"]
    )


def test_with_everything_judged_confidence_is_certain_and_right(drawn):
    pool, qrels = drawn
    everything = gt.judge(pool, qrels, per_topic=10**6)
    p = relevance_estimates(pool, everything, "uniform")
    truth = pool.average_precision(p).mean(axis=1)
    pairs = ordered_pairs(pool.confidence(p), truth)
    assert pairs["right"].all()
    assert (pairs["confidence"] == 1).all()


def test_correlation_reaches_one_with_everything_judged(drawn):
    choices = [
        ("mtc", "experts"),
        ("pooling", "not relevant"),
        ("random", "logistic"),
        ("sampling", "sampled"),
    ]
    table = effort_trials(
        *drawn, choices, efforts=(5, 10**4), n_resamples=2
    )
    end = table[table["effort"] == 10**4]
    np.testing.assert_allclose(end["tau"], 1)
    assert table.groupby("strategy").size().to_dict() == {
        "mtc": 2,
        "pooling": 2,
        "random": 4,
        "sampling": 4,
    }


def test_bad_input_is_named(drawn):
    pool, qrels = drawn
    with pytest.raises(ValueError, match="more than the pool's 8"):
        confidence_trials(pool, qrels, evaluated=7)
    with pytest.raises(ValueError, match="estimate"):
        effort_trials(pool, qrels, [("mtc", "guess")])
    with pytest.raises(ValueError, match="model is"):
        relevance_estimates(pool, qrels, "guess")
    with pytest.raises(ValueError, match="efforts is empty"):
        confidence_trials(pool, qrels, [], evaluated=5)
    for edges in ([0.5], [0.5, 1, 0.9], [0.5, 0.5]):
        with pytest.raises(ValueError, match="edges needs two"):
            calibration_bins(TRIALS, edges)
    for wrong in ({"n_resamples": 0}, {"efforts": (5, 2.5)}):
        with pytest.raises(ValueError, match="a whole number of at least"):
            effort_trials(pool, qrels, [("mtc", "experts")], **wrong)
        with pytest.raises(ValueError, match="a whole number of at least"):
            confidence_trials(pool, qrels, evaluated=5, **wrong)
    with pytest.raises(ValueError, match="evaluated=1"):
        confidence_trials(pool, qrels, evaluated=1)
