"""The paired t-test and its power: scipy, simulation and the paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

import gtlib as gt
from gtlib.comparisons import (
    critical_t,
    f_power,
    p_value,
    r_squared,
    r_squared_from_t,
    t_from_r_squared,
    t_statistic,
)

PAPER = gt.load("carterette-2010")["value"]
SIZES = PAPER["apl/baseline-topics"], PAPER["apl/reuse-topics"]


class TestPaper:
    """An effect size that prints as .260 gives the printed powers."""

    effect = 0.2604

    def test_powers_of_the_apl_pair(self):
        base, reuse = gt.paired_t_power(self.effect, SIZES)
        cells = {
            "power-baseline": base,
            "power-reuse": reuse,
            "pair/both": base * reuse,
            "pair/baseline-only": base * (1 - reuse),
            "pair/reuse-only": (1 - base) * reuse,
            "pair/neither": (1 - base) * (1 - reuse),
        }
        assert round(self.effect, 3) == PAPER["apl/effect-size"]
        for key, value in cells.items():
            assert round(value, 3) == PAPER[f"apl/{key}"], key

    def test_powers_from_the_rounded_mean_and_deviation(self):
        effect = PAPER["apl/mean-difference"] / PAPER["apl/sd"]
        powers = gt.paired_t_power(effect, SIZES)
        assert powers == pytest.approx([0.9649, 0.3563], abs=5e-5)


class TestPower:
    @pytest.mark.parametrize(
        "effect, topics, alpha",
        [
            (0.26, 39, 0.05),
            (0.4, 3, 0.05),
            (20, 2, 0.01),
            (1.5, 60, 0.01),
            (2, 300, 0.05),
        ],
    )
    def test_is_the_integral_over_the_standard_deviation(
        self, effect, topics, alpha
    ):
        df = topics - 1
        bound = stats.t.isf(alpha / 2, df)
        shift = effect * np.sqrt(topics)

        def part(chi2):
            width = bound * np.sqrt(chi2 / df)
            outside = stats.norm.sf(width - shift) + stats.norm.cdf(
                -width - shift
            )
            return outside * stats.chi2.pdf(chi2, df)

        middle = [df / 2, df, 2 * df]
        whole = integrate.quad(part, 0, 12 * df + 60, points=middle)[0]
        assert gt.paired_t_power(effect, topics, alpha) == pytest.approx(
            whole, abs=1e-7
        )

    @given(st.floats(0, 50), st.integers(2, 2000))
    def test_is_a_probability_that_grows_with_the_effect(self, d, n):
        power = gt.paired_t_power(d, n)
        assert 0.05 - 1e-9 <= power <= 1
        assert gt.paired_t_power(d * 1.1, n) >= power - 1e-9
        assert gt.paired_t_power(-d, n) == pytest.approx(power)

    @pytest.mark.parametrize(
        "effect, topics", [(26.39397993311037, 5), (9.265384615384615, 20)]
    )
    def test_where_scipy_has_no_number_for_a_tail(self, effect, topics):
        assert gt.paired_t_power(effect, topics) == pytest.approx(1)

    @given(
        st.floats(-20, 3.3),
        st.integers(1, 40),
        st.integers(1, 10**5),
        st.floats(-6, -0.1),
    )
    def test_of_an_f_test_is_a_poisson_mixture(self, log, df, error, level):
        """Of central ones; near a noncentrality of 0 scipy has a hole."""
        half, alpha = 10**log / 2, 10**level
        k = np.arange(int(half + 12 * np.sqrt(half + 1) + 40))
        y = special.betaincinv(error / 2, df / 2, alpha)
        power = special.betainc(error / 2, df / 2 + k, y)
        power = stats.poisson.pmf(k, half) @ power
        found = f_power(2 * half, df, error, alpha)
        assert found == pytest.approx(power, abs=1e-9)

    def test_of_an_infinite_effect_is_1(self):
        assert gt.paired_t_power([np.inf, 0], 2).tolist() == pytest.approx(
            [1, 0.05]
        )

    def test_needs_two_topics_and_a_level(self):
        assert gt.paired_t_power(0.3, 2) > 0.05


def sums(z):
    """What `t_statistic` is given, of rows of differences."""
    z = np.asarray(z, dtype=float)
    return z.sum(axis=1), (z * z).sum(axis=1), z.shape[1]


class TestTTest:
    @pytest.mark.parametrize("topics", [2, 3, 15])
    def test_is_scipys(self, topics):
        rng = np.random.default_rng(0)
        a, b = rng.random((2, 6, topics))
        theirs = stats.ttest_rel(a, b, axis=1)
        t = t_statistic(*sums(a - b))
        assert t == pytest.approx(theirs.statistic)
        assert p_value(t, topics) == pytest.approx(theirs.pvalue)
        assert (np.sign(t) == np.sign((a - b).mean(axis=1))).all()

    def test_sums_are_left_as_they_were(self):
        total, squares, size = sums([[0.1, 0.3], [0.2, -0.1]])
        before = total.copy(), squares.copy()
        t_statistic(total, squares, size)
        assert (total == before[0]).all() and (squares == before[1]).all()

    def test_of_constant_differences(self):
        t = t_statistic(*sums([[0.1] * 3, [-0.7] * 3, [0, 0, 0]]))
        assert t.tolist() == [np.inf, -np.inf, 0]
        assert p_value(t, 3).tolist() == [0, 0, 1]

    def test_of_nearly_constant_differences_is_finite(self):
        """By hand: mean 1, standard deviation .001, so t = 1000 sqrt(3)."""
        (t,) = t_statistic(*sums([[0.999, 1, 1.001]]))
        assert t == pytest.approx(1000 * np.sqrt(3), rel=1e-6)

    def test_a_critical_t_has_the_p_value_alpha(self):
        for size, alpha in ((5, 0.05), (40, 0.001), (2, 0.3)):
            t = critical_t(size, alpha)
            assert t == pytest.approx(stats.t.isf(alpha / 2, size - 1))
            assert p_value(t, size) == pytest.approx(alpha)


class TestRSquared:
    def test_is_the_share_that_a_constant_explains(self):
        """1 less the residual sum of squares over that about zero."""
        rng = np.random.default_rng(1)
        z = rng.normal(0.3, 1, (5, 9))
        found = r_squared(*sums(z))
        for row, r2 in zip(z, found, strict=True):
            residual = np.linalg.lstsq(np.ones((9, 1)), row)[1].item()
            assert r2 == pytest.approx(1 - residual / (row @ row))

    def test_lies_between_0_and_1(self):
        assert r_squared(*sums([[0, 0], [1e-30, -1e-30]])).tolist() == [
            0,
            0,
        ]
        rounded = r_squared(np.array([3.0]), np.array([2.9]), 3)
        assert rounded.tolist() == [1]

    def test_keeps_small_numbers_small(self):
        """In 32 bits, as the shuffles have them, 0 / 0 is 0 as well."""
        total, squares, size = sums([[0.0, 0.0], [0.5, 0.5]])
        found = r_squared(
            total.astype(np.float32), squares.astype(np.float32), size
        )
        assert found.dtype == np.float32
        assert found.tolist() == [0, 1]

    @given(st.floats(0, 50), st.integers(2, 300))
    def test_and_t_belong_to_each_other(self, t, size):
        found = t_from_r_squared(
            np.asarray(r_squared_from_t(t, size)), size
        )
        assert found == pytest.approx(t, rel=1e-6, abs=1e-9)
