"""Average precision as a random variable, against brute force."""

from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gtlib as gt
from gtlib import ap as quadratic
from gtlib.ap import RATIOS, Moments, ap_gains, confidence

INF = np.inf


# The oracle: every judgment listed, AP as the textbook defines it.


def textbook_ap(ranks, x):
    """Mean precision at the ranks of relevant documents."""
    relevant = [r for r, hit in zip(ranks, x, strict=True) if hit]
    if not relevant:
        return 0.0
    precision = [
        sum(other <= r for other in relevant) / r if r < INF else 0.0
        for r in relevant
    ]
    return sum(precision) / len(relevant)


def worlds(p):
    for x in product((0, 1), repeat=len(p)):
        chance = 1.0
        for hit, pi in zip(x, p, strict=True):
            chance *= pi if hit else 1 - pi
        yield x, chance


def mean_and_variance(score, p):
    pairs = [(score(x), chance) for x, chance in worlds(p)]
    mean = sum(v * c for v, c in pairs)
    return mean, sum((v - mean) ** 2 * c for v, c in pairs)


@st.composite
def topics(draw, systems):
    """Ranks with gaps and unretrieved documents, and p with 0 and 1."""
    n = draw(st.integers(1, 10 if systems == 1 else 9))
    places = st.permutations([*range(1, n + 3)])
    ranks = []
    for _ in range(systems):
        lost = draw(st.lists(st.booleans(), min_size=n, max_size=n))
        row = draw(places)[:n]
        ranks.append(
            [INF if gone else r for r, gone in zip(row, lost, strict=True)]
        )
    p = draw(
        st.lists(
            st.one_of(
                st.sampled_from([0.0, 0.5, 1.0]),
                st.floats(0.001, 0.999),
            ),
            min_size=n,
            max_size=n,
        )
    )
    return *ranks, p


def form_of(score, p):
    """The moments of S, p being in no order."""
    return score.form(p[score.order])


@given(topics(systems=1))
def test_one_ranking_against_all_worlds(topic):
    ranks, p = topic

    def s(x):
        return textbook_ap(ranks, x) * sum(x)

    form = form_of(quadratic.ranking(np.array(ranks)), np.array(p))
    mean, variance = mean_and_variance(s, p)
    assert form.s_mean == pytest.approx(mean, abs=1e-12)
    assert form.s_var == pytest.approx(variance, abs=1e-12)
    if sum(p):
        plugin = gt.ap_moments(ranks, p, "plugin")
        mu = sum(p)
        assert plugin.mean * mu == pytest.approx(mean, abs=1e-12)
        assert plugin.variance * mu**2 == pytest.approx(variance, abs=1e-12)
    exact = gt.ap_moments(ranks, p)
    mean, variance = mean_and_variance(lambda x: textbook_ap(ranks, x), p)
    assert exact.mean == pytest.approx(mean, abs=1e-12)
    assert exact.variance == pytest.approx(variance, abs=1e-12)


@pytest.fixture(params=[0, 200], ids=["merge", "matrix"])
def crossed_terms(request, monkeypatch):
    """Both ways to sum the cross term, whatever the size."""
    monkeypatch.setattr(quadratic, "_FEW", request.param)


@given(topics(systems=2))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_difference_against_all_worlds(crossed_terms, topic):
    a, b, p = topic

    def delta(x):
        return textbook_ap(a, x) - textbook_ap(b, x)

    score = quadratic.difference(np.array(a), np.array(b))
    form = form_of(score, np.array(p))
    mean, variance = mean_and_variance(lambda x: delta(x) * sum(x), p)
    assert form.s_mean == pytest.approx(mean, abs=1e-12)
    assert form.s_var == pytest.approx(variance, abs=1e-12)
    exact = gt.delta_ap_moments(a, b, p)
    mean, variance = mean_and_variance(delta, p)
    assert exact.mean == pytest.approx(mean, abs=1e-12)
    assert exact.variance == pytest.approx(variance, abs=1e-12)
    pairs = quadratic.pair_moments(np.array([a, b]), np.array(p), "exact")
    assert pairs.mean[0, 1] == pytest.approx(mean, abs=1e-12)
    assert pairs.variance[0, 1] == pytest.approx(variance, abs=1e-12)
    both = quadratic.pair_forms(np.array([a, b]), np.array(p))
    assert both.s_mean[0, 1] == pytest.approx(form.s_mean, abs=1e-12)
    assert both.s_var[0, 1] == pytest.approx(form.s_var, abs=1e-12)


@st.composite
def beliefs(draw, systems):
    """Rankings, and p of any size, tiny ones too, and of a few sizes."""
    n = draw(st.integers(1, 40))
    sizes = st.floats(-12, 0).map(lambda power: 10**power)
    some = draw(st.lists(sizes, min_size=1, max_size=4))
    p = draw(
        st.lists(
            st.one_of(sizes, st.sampled_from([*some, 0.0, 1.0])),
            min_size=n,
            max_size=n,
        )
    )
    seed = draw(st.integers(0, 2**32))
    rows = np.random.default_rng(seed).permuted(
        np.tile(np.arange(1.0, 2 * n + 1), (systems, 1)), axis=1
    )[:, :n]
    return np.where(rows > draw(st.integers(n, 2 * n)), INF, rows), p


@given(beliefs(systems=1))
def test_moments_are_those_of_a_number_from_zero_to_one(belief):
    (ranks,), p = belief
    m = gt.ap_moments(ranks, p)
    assert 0 <= m.mean <= 1 + 1e-12
    assert 0 <= m.variance <= m.mean * (1 - m.mean) + 1e-12
    if sum(p) < 1e-8:  # then relevance of two is as good as impossible
        assert m.variance == pytest.approx(np.divide(1, ranks) ** 2 @ p)


@given(beliefs(systems=2))
def test_moments_of_a_difference_are_those_of_one_from_minus_one(belief):
    ranks, p = belief
    one = gt.delta_ap_moments(*ranks, p)
    of_pairs = quadratic.pair_moments(ranks, np.array(p), "exact")
    for mean, variance in (
        (one.mean, one.variance),
        (of_pairs.mean[0, 1], of_pairs.variance[0, 1]),
    ):
        assert abs(mean) <= 1 + 1e-12
        assert 0 <= variance <= 1 - mean**2 + 1e-12
    assert of_pairs.variance[0, 1] == pytest.approx(one.variance, abs=1e-12)


def matrix_form(a, b, p):
    """The same moments by the formula's letter, with n x n matrices."""
    c = 1 / np.maximum.outer(a, a) - 1 / np.maximum.outer(b, b)
    v = p * (1 - p)
    off = c - np.diag(np.diag(c))
    g = np.diag(c) + off @ p
    mean = np.diag(c) @ p + p @ off @ p / 2
    return mean, v @ g**2 + v @ off**2 @ v / 2, v @ g


@pytest.mark.parametrize("n", [65, 300])
@pytest.mark.parametrize("kind", ["even", "sure", "mixed", "sparse"])
def test_exact_moments_of_many_documents_against_another_integral(n, kind):
    """The trapezoid rule in log x, t = exp(-x), a matrix for each node."""
    rng = np.random.default_rng(n)
    a, b = (rng.permutation(2 * n)[:n] + 1.0 for _ in range(2))
    p = {
        "even": np.full(n, 0.5),
        "sure": np.full(n, 0.999),
        "mixed": np.where(rng.random(n) < 0.3, 1, rng.beta(0.3, 1, n)),
        "sparse": rng.random(n) / n / 10,
    }[kind]
    first, second = 0, 0
    theta = gt.delta_ap_moments(a, b, p).mean
    for x in np.exp(np.arange(-36 - np.log(n), 3.7, 0.3)):
        t = np.exp(-x)
        weight = 0.3 * x * np.prod(1 - p + p * t)
        q = p * t / (1 - p + p * t)
        mean, variance, cov = matrix_form(a, b, q)
        rest = variance - 2 * theta * cov + theta**2 * (q * (1 - q)).sum()
        first += weight * mean
        second += weight * x * (rest + (mean - theta * q.sum()) ** 2)
    second += theta**2 * np.prod(1 - p)
    exact = gt.delta_ap_moments(a, b, p)
    assert exact.mean == pytest.approx(first, abs=1e-12)
    assert exact.variance == pytest.approx(second, abs=1e-12)


def sparse_topics():
    """Ten topics that favour one system, and five that expect nothing."""
    rng = np.random.default_rng(12)
    n = 200
    rank = np.arange(1.0, n + 1)
    fall = rank**-0.7 / np.sum(rank**-0.7)
    for expected in [10] * 10 + [0.05] * 5:
        worse = np.argsort(np.argsort(rank + rng.normal(0, 40, n))) + 1.0
        yield rank, worse, expected * fall


def test_topics_that_expect_nothing_do_not_hide_what_others_say():
    """The plugin's variance of them is above that of all the others."""
    topics = [*sparse_topics()]

    def sure(topics, ratio):
        return confidence(
            [gt.delta_ap_moments(b, a, p, ratio) for a, b, p in topics]
        )

    assert sure(topics[:10], "plugin") > 0.999
    assert sure(topics, "exact") > 0.9995
    assert sure(topics, "plugin") < 0.95
    assert gt.ap_moments(*topics[-1][::2], "plugin").variance > 1


@given(topics(systems=1), st.data())
def test_average_precision_is_the_textbooks(topic, data):
    ranks, p = topic
    x = data.draw(st.lists(st.sampled_from([0, 1]), min_size=len(p)))[
        : len(p)
    ]
    assert gt.average_precision(ranks, x) == pytest.approx(
        textbook_ap(ranks, x), abs=1e-14
    )


@given(topics(systems=1))
def test_the_distribution_lists_all_worlds(topic):
    ranks, p = topic
    values, chances = gt.ap_distribution(ranks, p)
    mean, variance = mean_and_variance(lambda x: textbook_ap(ranks, x), p)
    assert chances.sum() == pytest.approx(1)
    assert values @ chances == pytest.approx(mean, abs=1e-10)
    assert (values - mean) ** 2 @ chances == pytest.approx(
        variance, abs=1e-10
    )


@given(topics(systems=2))
def test_judging_a_document_leaves_v_minus_its_weight(topic):
    """The law of total variance behind MTC (facts: V - v g^2)."""
    a, b, p = (np.array(x, float) for x in topic)
    score = quadratic.difference(a, b)
    before = form_of(score, p)
    gain = ap_gains(a, p) - ap_gains(b, p)
    for i in range(len(p)):
        after = []
        for answer in (0, 1):
            told = p.copy()
            told[i] = answer
            after.append(form_of(score, told))
        left = (1 - p[i]) * after[0].s_var + p[i] * after[1].s_var
        weight = p[i] * (1 - p[i]) * gain[i] ** 2
        assert left == pytest.approx(before.s_var - weight, abs=1e-12)
        jump = after[1].s_mean - after[0].s_mean
        assert gain[i] == pytest.approx(jump, abs=1e-12)


@pytest.mark.parametrize("n", [2, 3, 64, 65, 500])
def test_large_rankings_against_the_matrix_form(crossed_terms, n):
    rng = np.random.default_rng(n)
    rows = np.stack([rng.permutation(2 * n)[:n] + 1.0 for _ in range(4)])
    rows[rng.random(rows.shape) < 0.2] = INF
    p = rng.beta(0.5, 2, n)
    p[rng.random(n) < 0.2] = 1
    all_pairs = quadratic.pair_forms(rows, p)
    for i in range(4):
        for j in range(4):
            mean, variance, cov = matrix_form(rows[i], rows[j], p)
            form = form_of(quadratic.difference(rows[i], rows[j]), p)
            for ours in (form, Cell(all_pairs, i, j)):
                assert ours.s_mean == pytest.approx(mean, abs=1e-12)
                assert ours.s_var == pytest.approx(variance, abs=1e-11)
                assert ours.cov == pytest.approx(cov, abs=1e-12)


def certain_swaps(rng, n, systems):
    """Rankings that differ only in where sure documents stand."""
    first = rng.permutation(n) + 1.0
    p = rng.random(n)
    sure = rng.permutation(n)[: n // 3]
    p[sure] = 1
    ranks = np.tile(first, (systems, 1))
    for row in ranks[1:]:
        row[sure] = first[rng.permutation(sure)]
    return ranks, p


@pytest.mark.parametrize("seed", range(20))
def test_no_variance_is_negative(crossed_terms, seed):
    """What is zero but for rounding is not below it."""
    rng = np.random.default_rng(seed)
    ranks, p = certain_swaps(rng, 61, 17)
    form = form_of(quadratic.difference(*ranks[:2]), p)
    every = quadratic.pair_forms(ranks, p)
    assert 0 <= form.s_var < 1e-12
    assert every.s_var.min() == 0
    assert every.s_var.max() < 1e-12
    assert (np.diag(every.s_var) == 0).all()
    np.testing.assert_allclose(every.s_mean, -every.s_mean.T)
    for rank in range(1, 20):
        for ratio in ("delta", "exact"):
            m = gt.ap_moments([rank], p[:1], ratio)
            assert 0 <= m.variance < 1


class Cell:
    def __init__(self, form, i, j):
        self.s_mean = form.s_mean[i, j]
        self.s_var = form.s_var[i, j]
        self.cov = form.cov[i, j]


def test_the_toy_example():
    """Printed in Carterette (2007), section 2; corrections in the notes."""
    ranks, p = [2, 1, 3], [0.4, 0.8, 0.7]
    values, chances = gt.ap_distribution(ranks, p)
    law = dict(zip(values.round(9), chances, strict=True))
    assert gt.average_precision(ranks, [0, 1, 1]) == pytest.approx(5 / 6)
    assert law[0.0] == pytest.approx(0.036)
    assert law[round(7 / 12, 9)] == pytest.approx(0.056)
    assert law[0.5] == pytest.approx(0.024)
    exact = gt.ap_moments(ranks, p)
    assert exact.mean == pytest.approx(0.816667, abs=5e-7)
    assert exact.variance == pytest.approx(0.064778, abs=5e-7)
    plugin = gt.ap_moments(ranks, p, "plugin")
    assert plugin.mean == pytest.approx(0.880702, abs=5e-7)
    assert plugin.variance == pytest.approx(0.212976, abs=5e-7)


def test_published_numbers_agree_with_the_toy():
    printed = gt.load("carterette-2007")["value"].astype(float)
    law = dict(
        zip(*gt.ap_distribution([2, 1, 3], [0.4, 0.8, 0.7]), strict=True)
    )
    toy = gt.average_precision([2, 1, 3], [0, 1, 1])
    assert printed["section-2/toy-ap"] == pytest.approx(toy, abs=5e-5)
    assert printed["section-2/p-ap-0"] == pytest.approx(law[0])
    misprint = printed["section-2/p-ap-half"]
    assert misprint == pytest.approx(law[round(7 / 12, 12)])
    assert law[0.5] == pytest.approx(0.024)


@pytest.mark.slow
@pytest.mark.parametrize("decaying", [False, True])
def test_how_good_the_approximations_are(decaying):
    """n = 1000: facts say 2.5 and 1.7 times for AP, and 1 for delta."""
    n = 1000
    rng = np.random.default_rng(1)
    ranks = np.arange(1.0, n + 1)
    p = 0.6 / ranks**0.4 if decaying else np.full(n, 0.5)
    exact = gt.ap_moments(ranks, p)
    ratio = gt.ap_moments(ranks, p, "plugin").variance / exact.variance
    assert 1.5 < ratio < 3
    delta = gt.ap_moments(ranks, p, ratio="delta")
    assert delta.variance / exact.variance == pytest.approx(1, abs=0.01)
    assert delta.mean == pytest.approx(exact.mean, rel=1e-3)
    draws = rng.random((4000, n)) < p
    ap = gt.average_precision(ranks, draws)
    error = ap.std() / np.sqrt(len(ap))
    assert exact.mean == pytest.approx(ap.mean(), abs=4 * error)
    assert exact.variance == pytest.approx(ap.var(), rel=0.1)


@pytest.mark.parametrize(
    ("n", "even", "falling"), [(200, 2.58, 1.93), (1000, 2.52, 1.59)]
)
def test_the_plugins_factor_stays_at_even_odds_only(n, even, falling):
    """Chapter 6's factors of one AP; at even odds the limit is 5/2."""
    ranks = np.arange(1.0, n + 1)
    beliefs = {even: np.full(n, 0.5), falling: 0.6 / ranks**0.4}
    for factor, p in beliefs.items():
        exact = gt.ap_moments(ranks, p).variance
        plugin = gt.ap_moments(ranks, p, "plugin").variance
        assert plugin / exact == pytest.approx(factor, abs=0.005)


@pytest.mark.parametrize("p", [0.2, 0.5])
def test_the_footnotes_error_is_no_power_of_two(p):
    """Carterette (2007) says O(n 2^-n): it is (1 - p) / n for the mean."""
    for n in (100, 400, 1600):
        ranks, belief = np.arange(1.0, n + 1), np.full(n, p)
        plugin, exact = (
            gt.ap_moments(ranks, belief, ratio=kind)
            for kind in ("plugin", "exact")
        )
        error = n * (plugin.mean - exact.mean)
        assert error == pytest.approx(1 - p, rel=8 / n)
        assert n * (plugin.variance - exact.variance) > 0.4


def test_the_printed_triples_need_both_others_apart():
    """Carterette (2007): k > j != i is right only if k is not i either."""
    rng = np.random.default_rng(3)
    n = 5
    ranks, p = rng.permutation(n) + 1.0, rng.random(n)
    a = 1 / np.maximum.outer(ranks, ranks)

    def variance(may_be):
        q = 1 - p
        value = np.sum(np.diag(a) ** 2 * p * q)
        for i, j in product(range(n), repeat=2):
            both = p[i] * p[j]
            if j > i:
                value += a[i, j] ** 2 * both * (1 - both)
            if j != i:
                value += 2 * a[i, i] * a[i, j] * both * q[i]
        for i, j, k in product(range(n), repeat=3):
            if k > j and j != i and may_be(i, k):
                value += 2 * a[i, j] * a[i, k] * p[i] * p[j] * p[k] * q[i]
        return value

    def s(x):
        return np.triu(a * np.outer(x, x)).sum()

    _, exact = mean_and_variance(s, p)
    assert variance(lambda i, k: k != i) == pytest.approx(exact)
    assert variance(lambda i, k: True) > 1.05 * exact


def test_tied_documents_spread_more_than_the_corollary_says():
    """The same p for each document, but documents tied in pairs."""
    above, below = np.array([1, 2, 5, 6]), np.array([5, 6, 1, 2])
    p = np.full(4, 0.5)
    told = gt.delta_ap_moments(above, below, p).variance

    def difference(x, y):
        x = (x, x, y, y)
        return textbook_ap(above, x) - textbook_ap(below, x)

    tied = np.var([difference(x, y) for x in (0, 1) for y in (0, 1)])
    assert tied > 1.3 * told


def test_confidence_is_the_normal_tail_of_the_sum_over_topics():
    topics = [Moments(0.2, 0.01), Moments(-0.5, 0.03)]
    z = 0.15 / (np.sqrt(0.04) / 2)
    assert confidence(topics) == pytest.approx(NormalDist().cdf(z))


def test_confidence_without_variance_is_certain():
    assert confidence([Moments(-0.1, 0.0)]) == 1
    assert confidence([Moments(0.1, 0.0)]) == 0
    assert confidence([Moments(0.0, 0.0)]) == 0.5


def test_confidence_of_all_pairs_is_antisymmetric():
    rng = np.random.default_rng(2)
    ranks = np.stack([rng.permutation(30) + 1 for _ in range(5)])
    c = confidence(
        [quadratic.pair_moments(ranks, rng.random(30), "exact")] * 3
    )
    np.testing.assert_allclose(c + c.T, 1)


@pytest.mark.slow
def test_calibrated_when_p_is_the_truth():
    """Confidence means what it says when p does, within Monte Carlo."""
    rng = np.random.default_rng(3)
    claimed, right = [], []
    topics, n, systems = 10, 60, 6
    for _ in range(60):
        moments, truth = [], np.zeros(systems)
        for _ in range(topics):
            odds = rng.normal(-1, 1.5, n)
            p = 1 / (1 + np.exp(-odds))
            noisy = odds + rng.normal(0, 2, (systems, n))
            ranks = np.argsort(np.argsort(-noisy, axis=1), axis=1) + 1
            moments.append(quadratic.pair_moments(ranks, p, "exact"))
            truth += gt.average_precision(ranks, rng.random(n) < p)
        upper = np.triu_indices(systems, 1)
        claimed.append(confidence(moments)[upper])
        right.append((truth[:, None] < truth)[upper])
    claimed, right = np.concatenate(claimed), np.concatenate(right)
    for low in np.arange(0, 1, 0.2):
        inside = (claimed >= low) & (claimed < low + 0.2)
        gap = right[inside].mean() - claimed[inside].mean()
        error = np.sqrt(0.25 / inside.sum())
        assert abs(gap) < 4 * error


@pytest.mark.parametrize("ratio", RATIOS)
def test_a_topic_without_relevant_documents_scores_zero(ratio):
    m = gt.delta_ap_moments([1, 2], [2, 1], [0, 0], ratio)
    assert (m.mean, m.variance) == (0, 0)
    m = gt.ap_moments([INF, INF], [0, 1], ratio)
    assert (m.mean, m.variance) == (0, 0)


@pytest.mark.parametrize("ratio", RATIOS)
def test_equal_rankings_do_not_differ(ratio):
    ranks = np.arange(1, 101)
    m = gt.delta_ap_moments(ranks, ranks, np.linspace(0, 1, 100), ratio)
    assert m.mean == pytest.approx(0, abs=1e-14)
    assert m.variance == pytest.approx(0, abs=1e-14)


def test_results_can_be_compared():
    one, other = (gt.ap_moments([1, 2], [0.5, 0.5]) for _ in range(2))
    assert one == one
    assert one != other
