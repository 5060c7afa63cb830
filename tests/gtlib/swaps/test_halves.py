"""Split-half indicators, against definitions written out as loops."""

import numpy as np
import pytest
from scipy import stats

import gtlib as gt
from tests.cases import first


def simulated(systems=9, topics=30, seed=1):
    rng = np.random.default_rng(seed)
    merit = rng.normal(0.3, 0.05, (systems, 1))
    return merit + rng.normal(0, 0.1, (systems, topics))


def indicators(one, other, alpha):
    a, b = one.mean(axis=1), other.mean(axis=1)
    pairs = []
    for i in range(len(a)):
        for j in range(i + 1, len(a)):
            d, e = a[i] - a[j], b[i] - b[j]
            p = stats.ttest_rel(one[i], one[j]).pvalue
            q = stats.ttest_rel(other[i], other[j]).pvalue
            pairs.append((abs(d), d * e < 0, p < alpha, q < alpha, i, j))
    found = [x for x in pairs if x[2]]
    n = len(found) or np.nan
    seen = {
        "tau": stats.kendalltau(a, b).statistic,
        "tau_ap": (gt.tau_ap(a, b) + gt.tau_ap(b, a)) / 2,
        "power": len(found) / len(pairs),
        "minor_conflicts": sum(x[1] and not x[3] for x in found) / n,
        "major_conflicts": sum(x[1] and x[3] for x in found) / n,
        "rmse": np.sqrt(np.mean((a - b) ** 2)),
    }
    for name, scale in (("absolute", 0), ("relative", 1)):
        sizes = [
            (x[0] / max(a[x[4]], a[x[5]]) ** scale, x[1]) for x in pairs
        ]
        good = [
            d
            for d, _ in sizes
            if np.mean([swap for size, swap in sizes if size >= d]) <= 0.05
        ]
        seen[f"{name}_sensitivity"] = min(good) if good else np.nan
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("size", first(1, [4, 15]))
def test_against_loops(size):
    scores = simulated()
    (rng,) = np.random.default_rng(4).spawn(1)
    expected = []
    for _ in range(12):
        order = rng.permutation(30)
        one, other = order[:size], order[size : 2 * size]
        expected.append(indicators(scores[:, one], scores[:, other], 0.05))
    split = gt.split_half(scores, [size], n_resamples=12, seed=4, drop=0)
    assert list(split.index) == [(size, trial) for trial in range(12)]
    for name in expected[0]:
        values = [trial[name] for trial in expected]
        np.testing.assert_allclose(split[name], values, atol=1e-12)


def test_the_same_systems_in_another_order():
    scores = simulated()
    one = gt.split_half(scores, [10])
    other = gt.split_half(scores[::-1], [10])
    np.testing.assert_allclose(one, other)


def test_perfect_and_useless_collections():
    apart = simulated() + np.arange(9)[:, None]
    best = gt.split_half(apart, drop=0).mean()
    assert (best[["tau", "tau_ap", "power"]] == 1).all()
    assert (best[["minor_conflicts", "major_conflicts"]] == 0).all()
    noise = np.random.default_rng(0).normal(0, 1, (60, 200))
    worst = gt.split_half(noise, drop=0, n_resamples=20).mean()
    assert abs(worst["tau"]) < 0.15
    assert worst["power"] == pytest.approx(0.05, abs=0.03)


def test_tau_agrees_with_the_overall_swap_rate():
    scores = simulated(20, 40)
    tau = gt.split_half(scores, [20], seed=3)["tau"].mean()
    rate = gt.swap_rates(scores, [20], seed=3).overall["rate"].item()
    assert tau == pytest.approx(1 - 2 * rate)
