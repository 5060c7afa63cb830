"""Discriminative power, against loops, known truth and TREC-3."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gtlib as gt


def simulated(systems=6, topics=25, spread=0.05, seed=1):
    rng = np.random.default_rng(seed)
    merit = rng.normal(0.3, spread, (systems, 1))
    return merit + rng.normal(0, 0.1, (systems, topics))


def test_bootstrap_against_a_loop():
    scores, alpha, n_resamples = simulated(), 0.1, 200
    n = scores.shape[1]
    drawn = np.random.default_rng(7).integers(n, size=(n_resamples, n))
    result = gt.discriminative_power(scores, alpha, n_resamples, seed=7)
    needed, significant = [], []
    for i in range(6):
        for j in range(i + 1, 6):
            z = scores[i] - scores[j]
            t = stats.ttest_1samp(z, 0).statistic
            w = (z - z.mean())[drawn]
            star = np.abs(stats.ttest_1samp(w, 0, axis=1).statistic)
            asl = np.mean(star >= abs(t))
            assert result.p_values.iloc[i, j] == pytest.approx(asl)
            significant.append(asl < alpha)
            at = np.argsort(-star)[int(alpha * n_resamples) - 1]
            needed.append(abs(w[at].mean()))
    assert result.power == np.mean(significant)
    assert result.required_difference == pytest.approx(max(needed))


def test_bootstrap_and_t_test_agree():
    scores = simulated(topics=60)
    asl = gt.discriminative_power(scores, n_resamples=4000).p_values
    for i in range(6):
        for j in range(i):
            p = stats.ttest_rel(scores[i], scores[j]).pvalue
            assert asl.iloc[i, j] == pytest.approx(p, abs=0.04)


def test_tukey_of_two_systems_is_the_randomisation_test():
    scores = simulated(systems=2, topics=9)
    result = gt.discriminative_power(
        scores, n_resamples=20_000, method="tukey"
    )
    exact = stats.permutation_test(
        tuple(scores),
        lambda a, b, axis: np.abs((a - b).mean(axis=axis)),
        permutation_type="samples",
        vectorized=True,
        alternative="greater",
        n_resamples=np.inf,
    ).pvalue
    assert result.p_values.iloc[0, 1] == pytest.approx(exact, abs=0.015)


def test_tukey_keeps_the_level_over_all_pairs_and_bootstrap_does_not():
    alarms = {"tukey": [], "bootstrap": []}
    for seed in range(150):
        scores = simulated(spread=0, seed=seed)
        for method, seen in alarms.items():
            result = gt.discriminative_power(
                scores, 0.1, 100, seed=seed, method=method
            )
            seen.append(result.power > 0)
    assert np.mean(alarms["tukey"]) == pytest.approx(0.1, abs=0.06)
    assert np.mean(alarms["bootstrap"]) > 0.25


@pytest.mark.parametrize("method", ["bootstrap", "tukey"])
class TestBoth:
    def test_identical_and_distant_systems(self, method):
        one = simulated(systems=1)
        scores = np.vstack([one, one, one + 0.5, simulated(1, seed=2) + 9])
        result = gt.discriminative_power(scores, method=method)
        assert result.p_values.iloc[0, 1] == 1
        assert (result.p_values.iloc[3, :3] < 0.05).all()

    def test_labels_and_symmetry(self, method):
        scores = pd.DataFrame(simulated(), index=list("abcdef"))
        p = gt.discriminative_power(scores, method=method).p_values
        assert p.index.tolist() == p.columns.tolist() == list("abcdef")
        np.testing.assert_array_equal(p, p.T)
        assert (np.diag(p) == 1).all()

    def test_power_grows_with_the_topics(self, method):
        scores = simulated(topics=200)
        few = gt.discriminative_power(scores[:, :20], method=method)
        many = gt.discriminative_power(scores, method=method)
        assert many.power > few.power
        assert many.required_difference < few.required_difference

    def test_bad_input(self, method):
        with pytest.raises(ValueError, match="alpha=5"):
            gt.discriminative_power(simulated(), 5, method=method)
        with pytest.raises(ValueError, match="at least 20"):
            gt.discriminative_power(simulated(), n_resamples=10)
        with pytest.raises(ValueError, match="choose from"):
            gt.discriminative_power(simulated(), method=method + "!")


def test_trec_3():
    tables = gt.load_available("trec3")
    if tables.missing:
        pytest.skip("TREC-3 is not here")
    best = gt.drop_worst(*tables.values())
    result = gt.discriminative_power(best)
    assert result.power == pytest.approx(0.66, abs=0.01)
    assert result.required_difference == pytest.approx(0.064, abs=0.004)
