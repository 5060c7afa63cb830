"""At least as good, and equivalent: what is told within a margin."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gtlib as gt


def pair(seed, worse, topics=60):
    """Two systems on topics that they share; the new one is worse by so
    much in truth."""
    rng = np.random.default_rng(seed)
    merit = rng.normal(0.5, 0.2, topics)
    noise = rng.normal(0, 0.1, (2, topics))
    scores = np.stack([merit - worse, merit]) + noise
    return pd.DataFrame(scores, ["new", "old"])


def asked(seed, worse, margin=0.03, topics=60):
    table = pair(seed, worse, topics)
    return gt.compare(table, "new", "old", margin=margin).iloc[0]


@pytest.mark.parametrize("seed", range(20))
def test_answers_are_those_of_one_sided_t_tests(seed):
    margin = 0.03
    new, old = pair(seed, 0.02 * (seed % 4)).to_numpy()
    found = asked(seed, 0.02 * (seed % 4), margin)
    above = stats.ttest_1samp(new - old, -margin, alternative="greater")
    below = stats.ttest_1samp(new - old, margin, alternative="less")
    worse = stats.ttest_1samp(new - old, -margin, alternative="less")
    expected = "cannot be told"
    if above.pvalue < 0.05:
        expected = "enough"
    elif worse.pvalue < 0.05:
        expected = "not enough"
    assert found["at_least"] == expected
    same = max(above.pvalue, below.pvalue) < 0.05
    assert (found["equivalent"] == "enough") == same


def test_what_is_told_needs_no_more_topics():
    assert asked(0, 0, margin=0.5)["more_at_least"] == 0
    assert asked(0, 0, margin=0.5)["equivalent"] == "enough"
    assert asked(1, 0.5, margin=0.01)["at_least"] == "not enough"
    open_ = asked(2, 0.03)
    assert open_["at_least"] == "cannot be told"
    assert open_["more_at_least"] > 0


def test_without_a_margin_nothing_is_added():
    table = gt.compare(pair(0, 0), "new", "old")
    assert "at_least" not in table


@pytest.mark.slow
def test_what_is_worse_by_the_margin_passes_once_in_twenty():
    passed = [asked(s, 0.03)["at_least"] == "enough" for s in range(2000)]
    assert 0.035 < np.mean(passed) < 0.065


@pytest.mark.slow
def test_two_halves_of_one_system_are_equivalent_as_often_as_planned():
    """A t-test of this power, on both sides."""
    told = [
        asked(s, 0, margin=0.05)["equivalent"] == "enough"
        for s in range(1000)
    ]
    rng = np.random.default_rng(0)
    means = rng.normal(0, 0.1 * np.sqrt(2 / 60), 100_000)
    errors = 0.1 * np.sqrt(2 / 60 * rng.chisquare(59, 100_000) / 59)
    end = 0.05 - stats.t.ppf(0.95, 59) * errors
    assert np.mean(told) == pytest.approx(
        np.mean(np.abs(means) < end), abs=0.04
    )


@pytest.mark.slow
def test_further_topics_tell_it_in_four_of_five_studies():
    told = []
    for seed in range(400):
        worse = np.random.default_rng(seed).normal(0, 0.03)
        table = pair(seed, worse, 3000)
        first = gt.compare(table.iloc[:, :40], "new", "old", margin=0.03)
        more = first["more_at_least"].iloc[0]
        if 0 < more <= 2960:
            later = table.iloc[:, : 40 + int(more)]
            then = gt.compare(later, "new", "old", margin=0.03).iloc[0]
            told.append(then["at_least"] != "cannot be told")
    assert len(told) > 100
    assert np.mean(told) > 0.7
