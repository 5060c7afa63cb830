"""What docstrings say of intervals where failures are rare."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt

pytestmark = pytest.mark.slow

MEAN = 0.95 * 30 / 32


def drawn(shape, rng):
    failed = rng.random(shape) < 0.05
    return np.where(failed, 0, rng.beta(30, 2, shape))


@pytest.mark.parametrize(
    ("n", "total", "low", "high", "alone"),
    [
        (20, 100, 0.65, 0.84, 0.66),
        (40, 200, 0.80, 0.91, 0.85),
        (100, 400, 0.93, 0.97, 0.94),
    ],
)
def test_prediction_powered_means(n, total, low, high, alone):
    rng = np.random.default_rng(n)
    held = []
    for like in (0.3, 0.9):
        people = drawn((2000, total), rng)
        machine = like * people + (1 - like) * drawn(people.shape, rng)
        found = gt.prediction_powered(
            pd.DataFrame(people).iloc[:, :n], pd.DataFrame(machine)
        )
        held.append(
            ((found["low"] <= MEAN) & (found["high"] >= MEAN)).mean()
        )
        by_people = found["human_low"].le(MEAN) & found["human_high"].ge(
            MEAN
        )
        assert by_people.mean() == pytest.approx(alone, abs=0.035)
    assert held == pytest.approx([low, high], abs=0.035)


@pytest.mark.parametrize(
    ("topics", "coverage"), [(25, 0.73), (50, 0.90), (100, 0.94)]
)
def test_means_of_a_leaderboard(topics, coverage):
    rng = np.random.default_rng(topics)
    held = []
    for _ in range(10):
        board = gt.leaderboard(pd.DataFrame(drawn((60, topics), rng))).table
        held.append(
            ((board["low"] <= MEAN) & (board["high"] >= MEAN)).mean()
        )
    assert np.mean(held) == pytest.approx(coverage, abs=0.04)


def test_five_topics_and_a_machine_that_knows_nothing():
    rng = np.random.default_rng(0)
    people = (0.5 + 0.1 * rng.normal(size=(3000, 100))).clip(0, 1)
    machine = (0.5 + 0.1 * rng.normal(size=people.shape)).clip(0, 1)
    found = gt.prediction_powered(
        pd.DataFrame(people).iloc[:, :5], pd.DataFrame(machine)
    )
    width = found["high"] - found["low"]
    alone = found["human_high"] - found["human_low"]
    assert (width / alone).median() == pytest.approx(1.28, abs=0.03)
