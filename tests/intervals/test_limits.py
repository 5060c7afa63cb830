"""Closed-form limits: exact cases, and coverage where they are not."""

import numpy as np
import pytest
from scipy import stats

from gtlib.intervals.limits import (
    arteaga,
    feldt,
    modified_large_sample,
    satterthwaite,
)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("method", [modified_large_sample, satterthwaite])
def test_one_mean_square_is_a_chi_square(method, level):
    low, high = method(np.array([3.0]), np.array([17.0]), level)
    tail = (1 - level) / 2
    assert low == pytest.approx(51 / stats.chi2.ppf(1 - tail, 17))
    assert high == pytest.approx(51 / stats.chi2.ppf(tail, 17))


def test_feldt_is_an_f_distribution():
    low, high = feldt((6.0, 1.5), (9, 36), 5, 0.9)
    assert low == pytest.approx((4 / stats.f.ppf(0.95, 9, 36) - 1) / 5)
    assert high == pytest.approx((4 / stats.f.ppf(0.05, 9, 36) - 1) / 5)


def test_arteaga_by_hand():
    """The formula, written out with scipy's quantiles."""
    ms, mq, me, ns, nq = 0.37, 1.1, 0.011, 40, 50
    for found, p in zip(
        arteaga((ms, mq, me), (39, 49, 1911), (ns, nq), 0.95),
        (0.975, 0.025),
        strict=True,
    ):
        q = stats.chi2.ppf(p, 39) / 39
        qe, qq = stats.f.ppf(p, 39, 1911), stats.f.ppf(p, 39, 49)
        n = ms**2 - q * ms * me + (q - qe) * qe * me**2
        d = (ns - 1) * q * ms * me + qq * ms * mq
        phi = ns * (n / d) / (ns * (n / d) + nq)
        assert found == pytest.approx(phi / (1 - phi))


def test_a_difference_touches_zero_where_the_f_test_does():
    f = stats.f.ppf(0.975, 8, 30)
    df = np.array([8.0, 30.0])
    low, _ = modified_large_sample(np.array([f, -1.0]), df, 0.95)
    assert low == pytest.approx(0, abs=1e-12)
    low, _ = modified_large_sample(np.array([1.01 * f, -1.0]), df, 0.95)
    assert low > 0
    f = stats.f.ppf(0.975, 30, 8)
    _, high = modified_large_sample(np.array([1.0, -f]), df, 0.95)
    assert high == pytest.approx(0, abs=1e-12)


def test_the_limits_of_a_difference_reversed_are_reversed():
    terms, df = np.array([4.0, 0.5, -1.0]), np.array([9.0, 40.0, 20.0])
    low, high = modified_large_sample(terms, df, 0.9)
    reverse = modified_large_sample(-terms, df, 0.9)
    assert reverse == pytest.approx((-high, -low))


@pytest.mark.parametrize(
    "expected",
    [
        [1.0, 1.0],
        [5.0, 0.2, 1.0],
        [1.0, 1.0, -0.8],
        [3.0, -0.5, -0.7],
        [2.0, 0.3, -0.2, -1.0],
    ],
)
def test_coverage_of_sums_and_differences(expected):
    rng = np.random.default_rng(8)
    expected = np.array(expected)
    df = np.array([9.0, 29.0, 14.0, 60.0])[: len(expected)]
    trials = 2000
    terms = expected * rng.chisquare(df, (trials, len(df))) / df
    limits = np.array([modified_large_sample(t, df, 0.95) for t in terms])
    truth = expected.sum()
    covered = (limits[:, 0] <= truth) & (truth <= limits[:, 1])
    assert 0.94 < covered.mean() < 0.985


def test_satterthwaite_needs_a_positive_sum():
    found = satterthwaite(np.array([1.0, -1.0]), np.array([3.0, 4.0]), 0.9)
    assert np.isnan(found).all()


def test_satterthwaite_matches_two_moments():
    """The chi-square it takes has the sum's mean and variance."""
    terms, df = np.array([2.0, 1.0]), np.array([10.0, 5.0])
    effective = 9 / (4 / 10 + 1 / 5)
    low, high = satterthwaite(terms, df, 0.95)
    assert low == pytest.approx(
        3 * effective / stats.chi2.ppf(0.975, effective)
    )
    assert high == pytest.approx(
        3 * effective / stats.chi2.ppf(0.025, effective)
    )
