"""Tests of all pairs: beside loops, and where all systems are equal."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gtlib as gt
from book.support.simulations import (
    bootstrap_pairs,
    pair_trials,
    swapped_and_wrong,
    tukey_pairs,
)

RNG = np.random.default_rng(4)
SCORES = RNG.normal([[0.3], [0.35], [0.5], [0.1]], 0.1, (4, 60))
TABLE = pd.DataFrame(SCORES, ["a", "b", "c", "d"])


def test_the_bootstrap_is_that_of_a_loop():
    rng = np.random.default_rng(0)
    drawn = rng.integers(60, size=(200, 60))
    z = SCORES[0] - SCORES[1]
    seen = stats.ttest_1samp(z, 0).statistic
    shifted = (z - z.mean())[drawn]
    star = stats.ttest_1samp(shifted, 0, axis=1).statistic
    p, required = bootstrap_pairs(SCORES, trials=200)
    assert p[0] == pytest.approx((np.abs(star) >= np.abs(seen)).mean())
    assert len(p) == 6 and 0 < required < 0.2


def test_tukey_s_test_raises_few_alarms_among_equals():
    alarms = [
        (tukey_pairs(RNG.normal(size=(6, 20)), trials=100)[0] < 0.05).any()
        for _ in range(60)
    ]
    assert np.mean(alarms) < 0.15
    p, required = tukey_pairs(SCORES)
    gap = np.ptp(SCORES.mean(axis=1))
    assert p.min() == 0 and required < gap


def test_trials_count_the_swaps_of_swap_rates():
    counts = pair_trials(TABLE, [0.03, 0.05], size=10, trials=300)
    rates = gt.swap_rates(TABLE, [10], n_resamples=2000).rate.loc[10]
    share = counts["swaps"] / counts["pairs"]
    for low in counts.index:
        assert share[low] == pytest.approx(rates[low], abs=0.12)
    assert (counts["as much"] <= counts["swaps"]).all()
    assert (counts["sure swaps"] <= counts["sure"]).all()


def test_fewer_are_wrong_than_are_contradicted():
    made = RNG.normal(0, 0.02, (8, 1)) + RNG.normal(0, 0.1, (8, 200))
    made = pd.DataFrame(made)
    shares = swapped_and_wrong(made, [0.02], size=20, trials=100)
    assert 0 < shares.loc[0.02, "wrong"] < shares.loc[0.02, "swapped"]
