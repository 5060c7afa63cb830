"""The paired t-test and its power: scipy, simulation and the paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import gtlib as gt
from gtlib.reuse.power import paired_t_test

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
        "effect, topics", [(0.0, 10), (0.3, 12), (0.9, 4), (0.2, 200)]
    )
    def test_is_how_often_a_simulated_test_rejects(self, effect, topics):
        rng = np.random.default_rng(1)
        z = rng.normal(effect, 1, (20000, topics))
        rate = np.mean(paired_t_test(z)[2] < 0.05)
        power = gt.paired_t_power(effect, topics)
        assert abs(rate - power) < 4 * np.sqrt(power * (1 - power) / 20000)

    @pytest.mark.parametrize(
        "effect, topics, alpha",
        [(0.26, 39, 0.05), (0.4, 3, 0.05), (1.5, 60, 0.01), (2, 300, 0.05)],
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

    @settings(deadline=None)
    @given(st.floats(0, 50), st.integers(2, 2000))
    def test_is_a_probability_that_grows_with_the_effect(self, d, n):
        power = gt.paired_t_power(d, n)
        assert 0.05 - 1e-9 <= power <= 1
        assert gt.paired_t_power(d * 1.1, n) >= power - 1e-9
        assert gt.paired_t_power(-d, n) == power

    def test_of_an_infinite_effect_is_1(self):
        assert gt.paired_t_power([np.inf, 0], 2).tolist() == pytest.approx(
            [1, 0.05]
        )

    def test_needs_two_topics(self):
        with pytest.raises(ValueError, match="at least two topics"):
            gt.paired_t_power(0.3, [5, 1])


class TestTTest:
    def test_is_scipys(self):
        rng = np.random.default_rng(0)
        a, b = rng.random((2, 6, 15))
        theirs = stats.ttest_rel(a, b, axis=1)
        mean, effect, p = paired_t_test(a - b)
        assert p == pytest.approx(theirs.pvalue)
        assert effect * np.sqrt(15) == pytest.approx(theirs.statistic)
        assert mean == pytest.approx((a - b).mean(axis=1))

    def test_of_constant_differences(self):
        _, effect, p = paired_t_test([[0.1, 0.1, 0.1], [0, 0, 0]])
        assert effect.tolist() == [np.inf, 0]
        assert p.tolist() == [0, 1]
