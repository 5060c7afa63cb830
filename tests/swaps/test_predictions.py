"""What theory says of swaps, against simulation and known numbers."""

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

import gtlib as gt


def study(system=0.003, topic=0.03, interaction=0.01):
    return gt.GStudy.from_components(
        "system x topic",
        {"system": system, "topic": topic, "system x topic": interaction},
    )


class TestSwapRates:
    @pytest.mark.parametrize("matched", [True, False])
    def test_simulated_pairs(self, matched):
        rng = np.random.default_rng(0)
        true = rng.normal(0, np.sqrt(2 * 0.003), 2_000_000)
        error = 0.01 if matched else 0.04
        scale = np.sqrt(2 * error / 25)
        first = true + rng.normal(0, scale, true.size)
        second = true + rng.normal(0, scale, true.size)
        bins = np.minimum(np.abs(first) // 0.01, 20).astype(int)
        seen = np.bincount(bins, first * second < 0) / np.bincount(bins)
        rates = gt.predicted_swap_rates(study(), [25], matched=matched)
        np.testing.assert_allclose(rates.loc[25], seen, atol=0.004)

    def test_integrated_over_the_bin(self):
        scale = np.sqrt(2 * (0.003 + 0.01 / 10))
        rho = 0.003 / 0.004
        slope = rho / scale / np.sqrt(1 - rho**2)

        def density(d):
            return stats.norm.pdf(d, scale=scale)

        def swapped(d):
            return density(d) * stats.norm.cdf(-slope * d)

        rates = gt.predicted_swap_rates(study(), [10], [0, 0.03, 0.1])
        edges = [0, 0.03, 0.1, 2]
        for low, high, rate in zip(
            edges, edges[1:], rates.loc[10], strict=False
        ):
            swaps, pairs = (
                integrate.quad(f, low, high)[0] for f in (swapped, density)
            )
            assert rate == pytest.approx(swaps / pairs, rel=1e-8)

    def test_data_that_obey_the_model(self):
        rng = np.random.default_rng(1)
        rates = []
        for seed in range(30):
            scores = (
                rng.normal(0, np.sqrt(0.003), (40, 1))
                + rng.normal(0, np.sqrt(0.03), 60)
                + rng.normal(0, 0.1, (40, 60))
            )
            once = gt.swap_rates(
                scores, [20], n_resamples=10, seed=seed, drop=0
            )
            rates.append(once.rate.loc[20])
        expected = gt.predicted_swap_rates(study(), [20]).loc[20]
        np.testing.assert_allclose(np.mean(rates, 0), expected, atol=0.02)

    def test_limits(self):
        equal = gt.predicted_swap_rates(study(system=0), [1, 100])
        np.testing.assert_allclose(equal, 0.5)
        exact = gt.predicted_swap_rates(study(interaction=0), [1])
        np.testing.assert_allclose(exact, 0)
        far = gt.predicted_swap_rates(study(system=1e-6), [10_000])
        assert far.notna().all(axis=None)

    def test_negative_components_count_as_zero(self):
        below = gt.predicted_swap_rates(study(system=-0.001), [10])
        np.testing.assert_allclose(below, 0.5)


class TestTau:
    def test_simulated_rankings(self):
        rng = np.random.default_rng(0)
        true = rng.normal(0, np.sqrt(0.003), 3000)
        one, other = true + rng.normal(0, np.sqrt(0.01 / 30), (2, 3000))
        seen = stats.kendalltau(one, other).statistic
        rho = study().plan(topic=30).generalizability
        assert gt.predicted_tau(rho) == pytest.approx(seen, abs=0.02)

    def test_agrees_with_the_swap_rate_of_all_pairs(self):
        rho = study().plan(topic=25).generalizability
        (rate,) = gt.predicted_swap_rates(study(), [25], [0]).loc[25]
        assert gt.predicted_tau(rho) == pytest.approx(
            1 - 2 * rate, abs=1e-4
        )

    def test_keeps_a_series(self):
        tau = gt.predicted_tau(pd.Series([0.0, 1.0], ["none", "all"]))
        assert tau.to_dict() == {"none": 0, "all": 1}


class TestTopicsToDetect:
    @pytest.mark.parametrize("matched", [True, False])
    def test_a_t_test_has_the_power(self, matched):
        n = gt.topics_to_detect(study(), 0.03, matched=matched)
        rng = np.random.default_rng(0)
        shape = (1000, n)
        topic = rng.normal(0, np.sqrt(0.03), (2, *shape))
        if matched:
            topic[1] = topic[0]
        one, other = topic + rng.normal(0, 0.1, topic.shape)
        test = stats.ttest_rel if matched else stats.ttest_ind
        p = test(one + 0.03, other, axis=1).pvalue
        assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.04)

    def test_unmatched_costs_the_ratio_of_variances(self):
        one = gt.topics_to_detect(study(), 0.001)
        other = gt.topics_to_detect(study(), 0.001, matched=False)
        assert other / one == pytest.approx(4, rel=1e-4)


class TestPublishedFits:
    def test_the_package_s_own_examples(self):
        fits = gt.published_fits(0.95, 0.8).iloc[0]
        assert fits["tau"] == pytest.approx(0.86412, abs=5e-6)
        assert fits["relative_sensitivity"] == pytest.approx(
            0.12389, abs=5e-6
        )

    def test_a_perfect_collection(self):
        fits = gt.published_fits(1.0, 1.0).iloc[0]
        perfect = ["tau", "tau_ap", "power"]
        assert (fits[perfect] == 1).all()
        assert (fits.drop(perfect) == 0).all()

    def test_keeps_the_index(self):
        e = pd.Series([0.8, 0.9], ["a", "b"])
        assert gt.published_fits(e, e).index.tolist() == ["a", "b"]


class TestBadInput:
    def test_another_design(self):
        g = gt.GStudy.from_components(
            "topic:system", {"system": 1, "topic:system": 1}
        )
        with pytest.raises(ValueError, match="system x topic"):
            gt.predicted_swap_rates(g, [10])

    def test_no_variance(self):
        with pytest.raises(ValueError, match="no prediction"):
            gt.predicted_swap_rates(study(0, 0.1, 0), [10])

    @pytest.mark.parametrize(
        "options", [{"difference": 0}, {"alpha": 5}, {"power": 1}]
    )
    def test_topics_to_detect(self, options):
        with pytest.raises(ValueError, match=next(iter(options))):
            gt.topics_to_detect(study(), **{"difference": 0.1, **options})

    def test_published_fits(self):
        with pytest.raises(ValueError, match="dependability"):
            gt.published_fits(0.9, 1.1)

    def test_predicted_tau(self):
        with pytest.raises(ValueError, match="between 0 and 1"):
            gt.predicted_tau([0.5, 1.5])
