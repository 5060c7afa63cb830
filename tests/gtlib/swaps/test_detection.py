"""Topics to detect a difference, against simulation and statsmodels."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import FTestAnovaPower, TTestPower

import gtlib as gt


def study(system=0.003, topic=0.03, interaction=0.01):
    return gt.GStudy.from_components(
        "system x topic",
        {"system": system, "topic": topic, "system x topic": interaction},
    )


def effect(difference, topics, systems, rng, matched=True):
    """Scores of systems of which the best and the worst differ."""
    shape = (4000, systems, topics)
    topic = np.sqrt(0.03) * rng.normal(
        size=(4000, 1 if matched else systems, topics)
    )
    scores = topic + rng.normal(0, 0.1, shape)
    scores[:, 0] += difference / 2
    scores[:, -1] -= difference / 2
    return scores


def two_way_p(scores):
    """Of the F-test of systems on the same topics, from scratch."""
    _, m, n = scores.shape
    system = scores.mean(axis=2, keepdims=True)
    grand = scores.mean(axis=(1, 2), keepdims=True)
    rest = scores - system - scores.mean(axis=1, keepdims=True) + grand
    between = n * np.square(system - grand).sum(axis=(1, 2)) / (m - 1)
    within = np.square(rest).sum(axis=(1, 2)) / (m - 1) / (n - 1)
    return stats.f.sf(between / within, m - 1, (m - 1) * (n - 1))


class TestTopicsToDetect:
    @pytest.mark.parametrize("difference", [0.1, 0.2, 0.3])
    @pytest.mark.parametrize("matched", [True, False])
    def test_a_t_test_has_the_power(self, difference, matched):
        """And with a topic less it has not; 4000 trials, s.e. .006."""
        n = gt.topics_to_detect(study(), difference, matched=matched)
        scores = effect(difference, n, 2, np.random.default_rng(0), matched)
        test = stats.ttest_rel if matched else stats.ttest_ind
        p = test(scores[:, 0], scores[:, 1], axis=1).pvalue
        assert (p < 0.05).mean() > 0.8 - 0.025
        p = test(scores[:, 0, 1:], scores[:, 1, 1:], axis=1).pvalue
        assert (p < 0.05).mean() < 0.8 + 0.025

    @pytest.mark.parametrize("matched", [True, False])
    def test_an_analysis_of_variance_has_the_power(self, matched):
        options = {"systems": 6, "matched": matched}
        n = gt.topics_to_detect(study(), 0.15, **options)
        scores = effect(0.15, n, 6, np.random.default_rng(1), matched)
        p = two_way_p(scores)
        if not matched:
            p = stats.f_oneway(*np.moveaxis(scores, 1, 0), axis=1).pvalue
        assert (p < 0.05).mean() == pytest.approx(0.82, abs=0.04)

    @pytest.mark.parametrize("difference", [0.02, 0.05, 0.1, 0.2])
    @pytest.mark.parametrize("alpha, power", [(0.05, 0.8), (0.01, 0.95)])
    def test_statsmodels_agrees(self, difference, alpha, power):
        theirs = TTestPower().solve_power(
            difference / np.sqrt(0.02), alpha=alpha, power=power
        )
        n = gt.topics_to_detect(study(), difference, alpha, power)
        assert n == np.ceil(theirs)
        for systems in (2, 3, 10, 40):
            theirs = FTestAnovaPower().solve_power(
                difference / np.sqrt(2 * systems * 0.04),
                alpha=alpha,
                power=power,
                k_groups=systems,
            )
            n = gt.topics_to_detect(
                study(),
                difference,
                alpha,
                power,
                systems=systems,
                matched=False,
            )
            assert n == np.ceil(theirs / systems)

    def test_sakais_table_of_noncentralities(self):
        """His lines are near the curves, and too high for two or three."""
        printed = gt.load("sakai-2018")["value"]
        g = study(topic=0.5, interaction=0.5)
        for alpha, beta in product((0.01, 0.05), (0.1, 0.2, 0.3, 0.4, 0.5)):
            at = f"alpha-{alpha:.2f}/beta-{beta:.1f}".replace("-0", "-")
            constant = printed[f"table-6.4/constant/{at}"]
            slope = printed[f"table-6.4/slope/{at}"]
            for systems in (2, 5, 10, 30, 100):
                n = gt.topics_to_detect(
                    g,
                    0.004,
                    alpha,
                    1 - beta,
                    systems=systems,
                    matched=False,
                )
                line = constant + slope * np.sqrt(systems - 1)
                ratio = n * 0.004**2 / 2 / line
                low, high = (0.92, 0.96) if systems == 2 else (0.99, 1.006)
                assert low < ratio < high

    @given(
        st.floats(-2.5, 0),
        st.floats(0.001, 0.3),
        st.floats(0.3, 0.99),
        st.integers(2, 30),
        st.booleans(),
    )
    def test_is_the_least_number(self, log, alpha, power, m, matched):
        d, variance = 10**log, 0.01 if matched else 0.04
        n = gt.topics_to_detect(
            study(), d, alpha, power, systems=m, matched=matched
        )
        sizes = np.array([n - 1, n]) if n > 2 else np.array([n])
        df = (sizes - 1) * (m - 1 if matched else m)
        found = stats.ncf.sf(
            stats.f.isf(alpha, m - 1, df),
            m - 1,
            df,
            sizes * d**2 / 2 / variance,
        )
        assert found[-1] >= power - 1e-9
        assert n == 2 or found[0] < power + 1e-9

    def test_unmatched_costs_the_ratio_of_variances(self):
        one = gt.topics_to_detect(study(), 0.001)
        other = gt.topics_to_detect(study(), 0.001, matched=False)
        assert other / one == pytest.approx(4, rel=1e-4)

    def test_at_the_edge(self):
        assert gt.topics_to_detect(study(interaction=0), 0.1) == 2
        assert gt.topics_to_detect(study(), 1e9) == 2
        n = gt.topics_to_detect(study(), 1e-5)
        z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
        assert n == pytest.approx(0.02 * (z / 1e-5) ** 2, rel=1e-5)
