"""Expected agreement of rankings: split halves, the arcsine, refusals."""

from itertools import product

import numpy as np
import pytest

import gtlib as gt
from book.support.simulations import Population
from gtlib.comparisons import _resampling_sampler

HALVES = ["cf-ap", "trec3", "trec8"]


@pytest.mark.slow
@pytest.mark.parametrize("name", HALVES)
def test_resampling_agrees_with_the_halves_of_the_topics(name):
    """Two halves of the topics were really drawn; the mean of 200 such
    splits has a standard error of about .005."""
    scores = gt.load(name)
    half = scores.shape[1] // 2
    split = gt.split_half(scores, n_resamples=200, drop=0).mean()
    found = gt.gstudy(scores).plan(topic=half).ranking_agreement()
    assert found.method == "resampling"
    assert found.tau == pytest.approx(split["tau"], abs=0.025)
    assert found.tau_ap == pytest.approx(split["tau_ap"], abs=0.035)


def test_the_drawn_error_is_that_of_the_plan():
    """Between two draws of topics the systems' differences vary as twice
    the relative error: of three topics every pair of draws is tried."""

    class EveryDraw:
        def __init__(self):
            self.pairs = product(product(range(3), repeat=3), repeat=2)

        def integers(self, topics, size):
            return np.array(next(self.pairs)).reshape(size)

    for systems in (2, 3, 10):
        rng = np.random.default_rng(5)
        g = gt.gstudy(rng.normal(size=(systems, 3)), method="anova")
        draw = _resampling_sampler(g.plan(), EveryDraw())
        gaps = [
            np.var(a - b, ddof=1) for a, b in (draw() for _ in range(27**2))
        ]
        expected = 2 * g.plan().relative_error
        assert np.mean(gaps) == pytest.approx(expected, rel=1e-9)


def test_a_plan_of_another_design_is_not_resampled_as_crossed():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(20, 1)) + 2 * rng.normal(size=30)
    g = gt.gstudy(scores + rng.normal(size=(20, 30)))
    nested = g.plan("topic:system", topic=5)
    found = nested.ranking_agreement(n_resamples=10)
    assert found.method == "normal"
    assert found.tau == pytest.approx(nested.expected_tau)


def test_normal_scores_agree_as_the_arcsine_says():
    """Both ways, and fresh collections of the same systems."""
    components = {"system": 1.0, "topic": 2.0, "system x topic": 9.0}
    population = Population.normal(components)
    scores = population.scores(400, 36, seed=1)
    plan = gt.gstudy(scores).plan()
    normal = plan.ranking_agreement(method="normal", n_resamples=20)
    other = plan.ranking_agreement(n_resamples=20)
    assert other.method == "resampling"
    assert normal.tau == pytest.approx(plan.expected_tau)
    assert other.tau == pytest.approx(normal.tau, abs=0.02)
    assert other.tau_ap == pytest.approx(normal.tau_ap, abs=0.02)
    assert normal.low < normal.tau < normal.high


def test_the_range_holds_nine_of_ten_pairs():
    g = gt.GStudy.from_components(
        "system x topic",
        {"system": 1, "topic": 1, "system x topic": 4},
        levels={"system": 12, "topic": 40},
    )
    found = g.plan().ranking_agreement(n_resamples=700)
    rng = np.random.default_rng(8)
    true = rng.normal(size=(700, 12))
    pairs = [x + rng.normal(size=(2, 12)) * (4 / 40) ** 0.5 for x in true]
    taus = np.array([gt.kendall_tau(*pair) for pair in pairs])
    inside = np.mean((taus >= found.low) & (taus <= found.high))
    assert inside == pytest.approx(0.9, abs=0.03)


@pytest.mark.slow
def test_the_objects_may_be_the_columns():
    scores = Population.ap_like().scores(10, 30, seed=2)
    one = gt.gstudy(scores, "system x topic").plan()
    other = gt.gstudy(scores, gt.Design("topic x system", object="system"))
    assert other.plan().ranking_agreement() == one.ranking_agreement()


def test_ties_are_ties_in_other_units():
    """Of right and wrong answers many means are equal, but for the last
    digit of a sum, which processors see in another way."""
    rng = np.random.default_rng(0)
    scores = (rng.random((30, 1)) > rng.random((30, 24))).astype(float)
    found = [
        gt.gstudy(scores * unit).plan().ranking_agreement(n_resamples=50)
        for unit in (1, 0.1, 100 / 3)
    ]
    assert found[0] == found[1] == found[2]


def test_without_differences_the_rankings_agree_by_chance():
    g = gt.GStudy.from_components(
        "system x topic",
        {"system": 0, "topic": 1, "system x topic": 1},
        levels={"system": 10, "topic": 9},
    )
    found = g.plan().ranking_agreement()
    assert found.tau == 0
    assert found.low < 0 < found.high
