"""Replicates of the normal model: their moments, known exactly."""

import numpy as np
import pytest
from scipy import stats

import gtlib as gt
from gtlib import intervals
from gtlib.design import Design
from gtlib.intervals import batches
from gtlib.uncertainty import is_balanced, replicate, study_mean_squares
from tests import oracle

PLAIN = Design("system x topic")
CROSSED = Design("system x topic x assessor")
NESTED = Design("system x (assessor:topic)")
N = 4000


def plain(squares=(2.0, 3.0, 1.0), systems=9, topics=8):
    """A study of system x topic with these mean squares."""
    levels = {"system": systems, "topic": topics}
    squares = dict(zip(PLAIN.labels, squares, strict=True))
    return gt.GStudy.from_mean_squares(PLAIN, levels, squares)


def gappy(design, seed=0):
    """A study with a tenth of its scores missing, and one component that
    is estimated below zero."""
    rng = np.random.default_rng(seed)
    levels = {"system": 5, "topic": 6, "assessor": 3}
    components = dict.fromkeys(design.labels, 1.0)
    components[design.labels[1]] = 0
    while True:
        long = oracle.table(design, levels, rng, components)
        long = long[rng.random(len(long)) >= 0.1]
        g = gt.gstudy(long, design, method="henderson")
        if len(g.negative) == 1:
            return g, long


def check_moments(drawn, mean, covariance):
    """Within five standard errors of the mean; spread within a tenth."""
    error = np.sqrt(np.diag(covariance) / drawn.shape[1])
    assert (np.abs(drawn.mean(axis=1) - mean) < 5 * error).all()
    sd = np.sqrt(np.diag(covariance))
    found = np.cov(drawn) / np.outer(sd, sd)
    assert found == pytest.approx(covariance / np.outer(sd, sd), abs=0.1)


# ---- which mean squares a study has -----------------------------------


def test_mean_squares_of_a_balanced_study_are_those_of_its_anova():
    long = oracle.table(NESTED, {"system": 4, "topic": 3, "assessor": 2})
    expected = gt.gstudy(long, NESTED).mean_squares
    for method in ("anova", "henderson"):
        g = gt.gstudy(long, NESTED, method=method)
        assert study_mean_squares(g) == pytest.approx(expected)


def test_mean_squares_behind_components_negative_ones_too():
    """system: 0.01 + 5 x -0.001; topic: 0.01 + 4 x 0.02."""
    components = dict(zip(PLAIN.labels, (-0.001, 0.02, 0.01), strict=True))
    levels = {"system": 4, "topic": 5}
    g = gt.GStudy.from_components(PLAIN, components, levels=levels)
    assert study_mean_squares(g) == pytest.approx([0.005, 0.09, 0.01])
    unknown = gt.GStudy.from_components(PLAIN, components)
    assert not is_balanced(unknown)


def test_a_study_with_gaps_has_no_mean_squares():
    g, _ = gappy(CROSSED)
    assert not is_balanced(g)


# ---- pivotal ----------------------------------------------------------


def test_pivotal_components_are_of_inverse_chi_squares():
    """A mean square S of n degrees gives S n / chi-square."""
    g = plain(systems=21, topics=31)
    squares, df = np.array([2.0, 3.0, 1.0]), np.array([20, 30, 600])
    solve = np.array([[1, 0, -1], [0, 1, -1], [0, 0, 1]]) / [
        [31],
        [21],
        [1],
    ]
    inverse = [stats.invgamma(n / 2, scale=n / 2) for n in df]
    mean = squares * [x.mean() for x in inverse]
    variance = squares**2 * [x.var() for x in inverse]
    drawn = replicate(g, "pivotal", N, 1)
    assert drawn.shape == (3, N)
    check_moments(drawn, solve @ mean, (solve * variance) @ solve.T)


# ---- seeds and batches ------------------------------------------------


def test_a_seed_repeats_itself():
    one, again, other = (
        replicate(plain(), "pivotal", 5, seed) for seed in (1, 1, 2)
    )
    assert (one == again).all()  # the same bits: of one seed
    assert (one != other).any()


def test_batches_hold_no_more_than_they_may(monkeypatch):
    monkeypatch.setattr(intervals, "HELD", 100)
    assert [*batches(11, 25)] == [slice(0, 4), slice(4, 8), slice(8, 11)]
    assert [*batches(8, 25)] == [slice(0, 4), slice(4, 8)]
    assert [*batches(3, 25)] == [slice(0, 3)]
    assert [*batches(2, 101)] == [slice(0, 1), slice(1, 2)]


def test_no_progress_is_shown_in_a_log():
    assert batches(5, 1).disable


def test_mean_squares_are_those_of_the_scores_whatever_the_estimator():
    """Components at the edge, as REML has them, do not lead back there."""
    scores = np.random.default_rng(4).normal(size=(6, 7))
    anova, reml = (gt.gstudy(scores, method=m) for m in ("anova", "reml"))
    assert anova.negative
    assert (reml.estimate >= 0).all()
    assert study_mean_squares(reml) == pytest.approx(
        anova.mean_squares.to_numpy()
    )
