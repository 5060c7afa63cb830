"""What confidence claims: scores by hand, and truths that are known."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support.simulations import (
    calibration_bins,
    calibration_scores,
    ordered_pairs,
)
from book.support.simulations.confidence import clustered_error
from gtlib.experts import relevance_estimates

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
    error = clustered_error(values, clusters)
    assert error == pytest.approx(means.std(ddof=1) / np.sqrt(40))
    assert np.isnan(clustered_error(values[:2], clusters[:2]))


@pytest.fixture(scope="module")
def drawn():
    collection = gt.synthetic_collection(
        systems=8, topics=15, documents=80, depth=25, seed=9
    )
    return gt.pool_runs(collection.runs), collection.qrels


def test_with_everything_judged_confidence_is_certain_and_right(drawn):
    pool, qrels = drawn
    everything = gt.judge(pool, qrels, per_topic=10**6)
    p = relevance_estimates(pool, everything, "uniform")
    truth = pool.average_precision(p).mean(axis=1)
    pairs = ordered_pairs(pool.confidence(p), truth)
    assert pairs["right"].all()
    assert (pairs["confidence"] == 1).all()


@pytest.mark.slow
def test_confidence_grows_better_with_judgments(drawn):
    """Of the model that learns: its Brier score over all pairs."""
    pool, qrels = drawn
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    trials = []
    for effort in (3, 30):
        told = gt.judge(pool, qrels, per_topic=effort)
        p = relevance_estimates(pool, told, "logistic")
        pairs = ordered_pairs(pool.confidence(p), truth)
        assert len(pairs) == 28
        assert pairs["confidence"].between(0.5, 1).all()
        row = pairs.assign(repeat=0, effort=effort, model="logistic")
        trials.append(row)
    brier = calibration_scores(pd.concat(trials))["brier"]
    assert brier[30, "logistic"] < brier[3, "logistic"]


def test_bad_input_is_named(drawn):
    with pytest.raises(ValueError, match="model is"):
        relevance_estimates(*drawn, "guess")
    for edges in ([0.5], [0.5, 1, 0.9], [0.5, 0.5]):
        with pytest.raises(ValueError, match="edges needs two"):
            calibration_bins(TRIALS, edges)
