"""The error of a mean and of a difference, against what others compute."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import gtlib as gt
from gtlib.comparisons import estimate_means


def long_of(y, names):
    index = np.indices(y.shape).reshape(y.ndim, -1)
    table = pd.DataFrame(index.T, columns=names)
    return table.assign(score=y.ravel())


def three(rng, systems=5, topics=12, assessors=4):
    """Scores systems x topics x assessors in which everything varies."""
    shapes = [(systems, topics, assessors), (systems, topics, 1)]
    shapes += [(systems, 1, assessors), (1, topics, 1), (1, 1, assessors)]
    y = sum(rng.normal(size=shape) for shape in shapes)
    return y, long_of(y, ["system", "topic", "assessor"])


def questions(rng, sizes, systems=4):
    """Scores with questions of passages, of the sizes that are given."""
    passage = np.repeat(np.arange(len(sizes)), sizes)
    y = rng.normal(size=len(sizes))[passage]
    y = y + 0.7 * rng.normal(size=(systems, len(sizes)))[:, passage]
    y = y + rng.normal(size=(systems, len(passage)))
    long = long_of(y, ["system", "topic"])
    long["passage"] = passage[long["topic"]]
    return y, passage, long


def pairs_of(means):
    return np.triu_indices(len(means.value), 1)


def test_with_topics_alone_they_are_those_of_the_t_tests():
    x = np.random.default_rng(0).normal(size=(6, 20))
    means = estimate_means(gt.gstudy(x))
    i, j = pairs_of(means)
    found = means.differences(i, j)
    expected = stats.ttest_rel(x[i], x[j], axis=1)
    assert found.p_value == pytest.approx(expected.pvalue)
    limits = np.transpose(expected.confidence_interval(0.9))
    assert pytest.approx(limits) == found.limits(0.9).T
    assert means.errors().error == pytest.approx(stats.sem(x, axis=1))
    assert means.value.to_numpy() == pytest.approx(x.mean(axis=1))


def test_crossed_facets_by_mean_squares():
    y, long = three(np.random.default_rng(1))
    means = estimate_means(gt.gstudy(long, "system x topic x assessor"))
    found = means.differences(*pairs_of(means))
    for row, (i, j) in enumerate(zip(*pairs_of(means), strict=True)):
        z = y[i] - y[j]
        rest = z - z.mean(0) - z.mean(1)[:, None] + z.mean()
        topics = 4 * z.mean(1).var(ddof=1)
        assessors = 12 * z.mean(0).var(ddof=1)
        both = (rest**2).sum() / 33
        expected = max(topics + assessors - both, both) / 48
        assert found.error[row] ** 2 == pytest.approx(expected)


def test_degrees_of_freedom_are_no_more_than_all_pairs_show():
    y, long = three(np.random.default_rng(13), 6, 12, 3)
    means = estimate_means(gt.gstudy(long, "system x topic x assessor"))
    found = means.differences(*pairs_of(means))
    of_pairs = []
    for i, j in zip(*pairs_of(means), strict=True):
        z = y[i] - y[j]
        rest = z - z.mean(0) - z.mean(1)[:, None] + z.mean()
        both = (rest**2).sum() / 22
        topics = 3 * z.mean(1).var(ddof=1)
        assessors = 12 * z.mean(0).var(ddof=1)
        of_pairs.append([assessors - both, topics - both, both])
    typical = np.mean(of_pairs, axis=0) / 36
    assert (typical > 0).all()
    assert found.typical == pytest.approx(typical)

    def satterthwaite(a, t, both):
        spread = (a + both) ** 2 / 2 + (t + both) ** 2 / 11 + both**2 / 22
        return (a + t + both) ** 2 / spread

    own = satterthwaite(*found.parts)
    least = np.minimum(own, satterthwaite(*typical))
    assert found.df == pytest.approx(least)
    assert (least < own).any()
    alone = long[long["system"] < 2]
    two = estimate_means(gt.gstudy(alone, "system x topic x assessor"))
    one = two.differences(*pairs_of(two))
    assert one.df == pytest.approx(own[:1])


def without_interaction(rng, systems, topics, assessors):
    """Scores that assessors move alike for all systems, so that half of
    the estimates of system x assessor are below zero."""
    y = rng.normal(size=(systems, topics, 1))
    y = y + 0.5 * rng.normal(size=(1, 1, assessors))
    y = y + rng.normal(size=(systems, topics, assessors))
    return y, long_of(y, ["system", "topic", "assessor"])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_squared_errors_of_all_pairs_are_those_of_the_plan(seed):
    """The mean over pairs is 2σ²(δ), with components of either sign."""
    rng = np.random.default_rng(seed)
    negative = 0
    for _ in range(20):
        _, long = without_interaction(rng, 4, 8, 2)
        g = gt.gstudy(long, "system x topic x assessor")
        means = estimate_means(g)
        found = means.differences(*pairs_of(means))
        sums = g.plan().sums()
        squared = 2 * sums["relative_error"]
        assert found.parts.sum(axis=0).mean() == pytest.approx(squared)
        assert found.typical.sum() == pytest.approx(squared)
        own = means.errors().parts.sum(axis=0).mean()
        assert own == pytest.approx(sums["absolute_error"])
        negative += g.estimate["system x assessor"] < 0
    assert 5 < negative < 15


def test_the_standardized_difference_is_that_over_topics():
    """Whatever the sign of what assessors add."""
    rng = np.random.default_rng(14)
    for _ in range(10):
        y, long = without_interaction(rng, 3, 12, 2)
        g = gt.gstudy(long, "system x topic x assessor")
        found = gt.compare(g, 0, 1)
        z = y[0].mean(axis=1) - y[1].mean(axis=1)
        expected = z.mean() / z.std(ddof=1)
        assert found["effect_size"].iloc[0] == pytest.approx(expected)


@pytest.mark.slow
def test_squared_errors_are_right_on_average_and_never_zero():
    """With components that are cut off before they are added they are too
    high; a sum that may be zero claims to know a difference."""
    rng = np.random.default_rng(15)
    topics, assessors = 20, 3
    true = 2 * (1 / topics + 1 / (topics * assessors))
    signed, cut, held = [], [], []
    for _ in range(1000):
        _, long = without_interaction(rng, 4, topics, assessors)
        g = gt.gstudy(long, "system x topic x assessor")
        means = estimate_means(g)
        found = means.differences(*pairs_of(means))
        assert (found.error > 0).all()
        signed.append((found.error**2).mean())
        cut.append(np.maximum(found.parts, 0).sum(axis=0).mean())
        low, high = found.limits(0.95)
        held.append(((low <= 0) & (high >= 0)).mean())
    assert np.mean(signed) == pytest.approx(true, rel=0.02)
    assert np.mean(cut) > 1.07 * true
    assert 0.945 < np.mean(held) < 0.99


def test_even_nests_by_the_means_of_the_outer_levels():
    y, _, long = questions(np.random.default_rng(2), [10] * 15)
    g = gt.gstudy(long, "system x (topic:passage)")
    x = y.reshape(4, 15, 10).mean(axis=2)
    means = estimate_means(g)
    i, j = pairs_of(means)
    expected = stats.ttest_rel(x[i], x[j], axis=1)
    assert means.differences(i, j).p_value == pytest.approx(expected.pvalue)


def test_uneven_nests_are_cluster_robust():
    from statsmodels.regression.linear_model import OLS

    sizes = np.random.default_rng(3).integers(2, 20, 25)
    y, passage, long = questions(np.random.default_rng(4), sizes)
    means = estimate_means(gt.gstudy(long, "system x (topic:passage)"))
    i, j = pairs_of(means)
    found = means.differences(i, j)
    w = sizes / sizes.sum()  # where passages, not questions, vary
    form = np.diag(w) @ (np.eye(25) - w)
    form = form @ form.T
    kept = np.trace(form) / (w**2).sum()
    df = np.trace(form) ** 2 / np.trace(form @ form)
    assert found.df == pytest.approx(np.full(len(i), df))
    for row, z in enumerate(y[i] - y[j]):
        fit = OLS(z, np.ones_like(z)).fit(
            cov_type="cluster",
            cov_kwds={"groups": passage, "use_correction": False},
        )
        expected = fit.bse[0] ** 2 / kept
        assert found.error[row] ** 2 == pytest.approx(expected)
        assert found.value[row] == pytest.approx(z.mean())


def test_seeds_of_each_system_are_not_shared():
    y, long = three(np.random.default_rng(5))
    names = long["system"].astype(str) + "/" + long["assessor"].astype(str)
    long = long.drop(columns="assessor").assign(seed=names)
    means = estimate_means(gt.gstudy(long, "(seed:system) x topic"))
    found = means.differences(*pairs_of(means))
    own = y.mean(axis=1).var(axis=1, ddof=1) / 4
    rest = y - y.mean(axis=1, keepdims=True) - y.mean(axis=2)[..., None]
    rest = rest + y.mean(axis=(1, 2))[:, None, None]
    both = (rest**2).sum(axis=(1, 2)) / 33 / 48
    for row, (i, j) in enumerate(zip(*pairs_of(means), strict=True)):
        topics = (y[i] - y[j]).mean(axis=1).var(ddof=1) / 12
        last = both[i] + both[j]
        parts = [topics - last, own[i] + own[j] - last, last]
        expected = np.maximum(parts, 0).sum()
        assert found.error[row] ** 2 == pytest.approx(expected)


@pytest.mark.parametrize("weights", [None, {"a": 3, "b": 1}])
def test_fixed_strata_by_the_textbook(weights):
    rng = np.random.default_rng(6)
    x = {"a": rng.normal(size=(3, 12)), "b": rng.normal(1, 2, (3, 12))}
    long = pd.concat(
        long_of(y, ["system", "topic"]).assign(subject=name)
        for name, y in x.items()
    )
    long["topic"] = long["subject"] + long["topic"].astype(str)
    g = gt.gstudy(long, "system x (topic:subject)")
    means = estimate_means(g, "subject", weights)
    share = (
        dict.fromkeys(x, 0.5) if weights is None else {"a": 0.75, "b": 0.25}
    )
    expected = sum(share[h] * x[h].mean(axis=1) for h in x)
    assert means.value.to_numpy() == pytest.approx(expected)
    square = sum(share[h] ** 2 * x[h].var(axis=1, ddof=1) / 12 for h in x)
    assert means.errors().error ** 2 == pytest.approx(square)


def test_gaps_by_dense_least_squares():
    x = np.random.default_rng(9).normal(size=(5, 15))
    long = long_of(x, ["system", "topic"]).sample(frac=0.7, random_state=1)
    g = gt.gstudy(long, "system x topic")
    systems, topics = (
        pd.get_dummies(long[f]).to_numpy(float) for f in ("system", "topic")
    )
    _, shared, own = g.variance
    v = shared * topics @ topics.T + own * np.eye(len(long))
    weight = systems.T @ np.linalg.inv(v)
    expected = np.linalg.solve(weight @ systems, weight @ long["score"])
    assert estimate_means(g).value.to_numpy() == pytest.approx(expected)


@pytest.mark.slow
@given(st.integers(0, 2**31), st.sampled_from([1.0, 0.7]))
def test_units_and_order_change_nothing(seed, part):
    rng = np.random.default_rng(seed)
    _, long = three(rng, 4, 6, 3)
    long = long.sample(frac=part, random_state=seed % 1000)
    if long.groupby("system").size().min() < 6:
        return
    design = {"design": "system x topic x assessor", "method": "henderson"}
    one = estimate_means(gt.gstudy(long, **design))
    moved = long.sample(frac=1, random_state=1)
    moved["score"] = 8 * moved["score"] + 4
    other = estimate_means(gt.gstudy(moved, **design))
    i, j = pairs_of(one)
    a, b = one.differences(i, j), other.differences(i, j)
    assert 8 * a.value == pytest.approx(b.value, abs=1e-7)
    assert 8 * a.error == pytest.approx(b.error, rel=1e-6, nan_ok=True)
    assert other.value.to_numpy() == pytest.approx(8 * one.value + 4)


def held(draw, design, true, studies=60):
    """How often 95% intervals of means and of differences hold."""
    rng = np.random.default_rng(10)
    of_means, of_pairs = [], []
    for _ in range(studies):
        means = estimate_means(
            gt.gstudy(draw(rng), design, method="henderson")
        )
        low, high = means.errors().limits(0.95)
        of_means.append(((low <= true) & (true <= high)).mean())
        i, j = pairs_of(means)
        low, high = means.differences(i, j).limits(0.95)
        gap = true[i] - true[j]
        of_pairs.append(((low <= gap) & (gap <= high)).mean())
    return np.mean(of_means), np.mean(of_pairs)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["nests", "uneven", "gaps", "assessors"])
def test_intervals_hold_the_truth(kind):
    def draw(rng):
        if kind == "assessors":
            return three(rng, 6, 20, 5)[1]
        if kind == "gaps":
            x = rng.normal(size=30) + rng.normal(size=(6, 30))
            long = long_of(x, ["system", "topic"])
            return long.sample(frac=0.7, random_state=rng.integers(2**31))
        sizes = rng.integers(2, 19, 20) if kind == "uneven" else [8] * 20
        return questions(rng, sizes, 6)[2]

    design = {
        "gaps": "system x topic",
        "assessors": "system x topic x assessor",
    }
    nests = "system x (topic:passage)"
    found = held(draw, design.get(kind, nests), np.zeros(6))
    assert all(0.91 < share < 0.99 for share in found), found


@pytest.mark.slow
def test_lost_scores_widen_the_errors_and_turn_no_sure_order():
    rng = np.random.default_rng(11)
    wider, sure, turned = [], 0, 0
    for _ in range(20):
        x = np.linspace(0, 1.5, 8)[:, None] + rng.normal(size=30)
        long = long_of(x + rng.normal(size=(8, 30)), ["system", "topic"])
        part = long.sample(frac=0.75, random_state=rng.integers(2**31))
        whole, less = (
            estimate_means(gt.gstudy(t, "system x topic"))
            for t in (long, part)
        )
        a, b = (m.differences(*pairs_of(m)) for m in (whole, less))
        wider.append((b.error**2).mean() / (a.error**2).mean())
        both = (a.p_value < 0.01) & (b.p_value < 0.01)
        sure += both.sum()
        turned += (both & (a.value * b.value < 0)).sum()
    assert 1.2 < np.mean(wider) < 1.6  # 1 / .75 where nothing is shared
    assert sure > 100
    assert turned == 0
