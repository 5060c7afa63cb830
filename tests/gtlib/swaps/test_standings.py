"""Leaderboards, against statsmodels, scipy and loops."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

import gtlib as gt
from gtlib.comparisons import wilson_limits
from gtlib.scores import as_long
from gtlib.swaps import leaderboard, rank_limits


def table(binary, systems=7, topics=30, seed=4):
    rng = np.random.default_rng(seed)
    merit = np.linspace(0.3, 0.7, systems)[:, None]
    if binary:
        scores = (rng.random((systems, topics)) < merit).astype(int)
    else:
        scores = 2 + merit + rng.normal(0, 0.4, (systems, topics))
    return pd.DataFrame(scores, [f"s{i}" for i in range(systems)])


@pytest.mark.parametrize("binary", [False, True])
def test_p_values_are_those_of_other_libraries(binary):
    scores = table(binary)
    found = leaderboard(scores).p_values
    pairs, p = list(combinations(scores.index, 2)), []
    for one, other in pairs:
        a, b = scores.loc[one], scores.loc[other]
        if binary:
            counts = pd.crosstab(a, b).reindex([0, 1])
            counts = counts.reindex(columns=[0, 1]).fillna(0)
            p.append(mcnemar(counts, exact=True).pvalue)
        else:
            p.append(scipy.stats.ttest_rel(a, b).pvalue)
    adjusted = multipletests(p, method="holm")[1]
    for (one, other), expected in zip(pairs, adjusted, strict=True):
        assert found.loc[one, other] == pytest.approx(expected)
        # the same bits: the pair is tested once
        assert found.loc[other, one] == found.loc[one, other]


def test_a_table_in_other_forms_has_the_same_board():
    scores = table(binary=False)
    board = leaderboard(scores).table.to_numpy(float)
    for same in (scores.to_numpy(), [*scores.to_numpy()]):
        found = leaderboard(same).table.to_numpy(float)
        np.testing.assert_allclose(found, board, rtol=1e-9)


def test_intervals_of_means():
    for binary in (False, True):
        scores = table(binary)
        found = leaderboard(scores, confidence_level=0.9)
        for name, row in found.table.iterrows():
            x = scores.loc[name]
            if binary:
                expected = proportion_confint(
                    x.sum(), len(x), alpha=0.1, method="wilson"
                )
            else:
                expected = scipy.stats.t.interval(
                    0.9, len(x) - 1, x.mean(), scipy.stats.sem(x)
                )
            assert (row["low"], row["high"]) == pytest.approx(expected)


def test_solved_by_all_or_none_has_an_interval_within_bounds():
    scores = table(True)
    scores.loc["s0"], scores.loc["s6"] = 0, 1
    found = leaderboard(scores).table
    assert found.loc["s6", ["low", "high"]].tolist() == pytest.approx(
        [30 / (30 + scipy.stats.chi2.ppf(0.95, 1)), 1]
    )
    assert found.loc["s0", "low"] == 0 < found.loc["s0", "high"] < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("n", [25, 50])
@pytest.mark.parametrize(
    "mean, drawn",
    [
        (0.25, lambda rng, size: rng.beta(0.9, 2.7, size)),
        (1 / 11, lambda rng, size: rng.beta(0.3, 3, size)),
        (10 / 11, lambda rng, size: rng.beta(2, 0.2, size)),
        (0.1, lambda rng, size: 1.0 * (rng.random(size) < 0.1)),
        (0.98, lambda rng, size: 1 - (rng.random(size) < 0.04) / 2),
    ],
)
def test_intervals_of_bounded_means_hold_them(n, mean, drawn):
    rng = np.random.default_rng(n)
    tables = [drawn(rng, (100, n)) for _ in range(10)]
    found = pd.concat([leaderboard(scores).table for scores in tables])
    assert (found["low"] >= 0).all() and (found["high"] <= 1).all()
    assert (found["low"] < found["high"]).all()
    held = found["low"].le(mean) & found["high"].ge(mean)
    assert held.mean() > 0.92  # of .93 or more, standard error .008


@pytest.mark.slow
@pytest.mark.parametrize("n", [25, 50])
@pytest.mark.parametrize("ones", [0.8, 0.9, 0.95, 0.98])
def test_rare_failures_among_ones_are_allowed_for(n, ones):
    """Beside as many systems whose scores are near .5 and vary little."""
    rng, mean = np.random.default_rng(n), ones + (1 - ones) * 0.15
    held = []
    for _ in range(10):
        some = rng.random((30, n)) < ones
        scores = np.where(some, 1, rng.uniform(0, 0.3, (30, n)))
        scores = np.vstack([scores, rng.uniform(0.4, 0.6, (30, n))])
        found = leaderboard(scores).table.loc[[*range(1, 31)]]
        held += [*((found["low"] <= mean) & (mean <= found["high"]))]
    assert np.mean(held) > 0.92  # of .95, standard error .013


@pytest.mark.parametrize("few", [[], [0.3], [0.1 + 0.2] * 9, [0.3, 0.7]])
def test_scores_that_are_nearly_all_the_same_have_wilson_s_own(few):
    few = [score - 0.1 for score in few]
    scores = np.array([few + [0.2] * (20 - len(few)), np.arange(20) / 20])
    low, high = leaderboard(scores).table.loc[1, ["low", "high"]]
    mean, t = scores[0].mean(), scipy.stats.t.ppf(0.975, 19)
    expected = wilson_limits(np.array([mean]), t**2 / 20).ravel()
    assert [low, high] == pytest.approx(expected)


def test_systems_are_known_by_name_where_topics_come_first():
    scores = pd.DataFrame(np.random.default_rng(6).random((4, 20)))
    scores.iloc[2, 1:] = 0.2  # nearly all the same
    long = as_long(scores)
    one, other = (
        leaderboard(long, gt.Design(text, object="system")).table
        for text in ("system x topic", "topic x system")
    )
    pd.testing.assert_frame_equal(one, other)


def test_constant_systems_have_no_interval_of_width_0():
    found = leaderboard(np.tile([[0.2], [0.5], [0.8]], (1, 3))).table
    assert (found["high"] - found["low"] > 0.5).all()


def test_a_single_half_among_ones_leaves_all_means_an_interval():
    scores = pd.DataFrame(np.ones((4, 25)))
    scores.iloc[1:, :5] = 0
    shares = leaderboard(scores).table.loc[0]
    scores.iloc[2, 9] = 0.5
    found = leaderboard(scores).table.loc[0]
    assert [shares["high"], found["high"]] == pytest.approx([1, 1])
    assert shares["low"] == pytest.approx(found["low"], abs=0.02)


@given(st.integers(2, 9), st.integers(0, 2**31), st.floats(0.01, 0.6))
def test_places_are_counted_from_the_pairs(systems, seed, alpha):
    """Against statsmodels and a loop over the pairs."""
    pairs = list(combinations(range(systems), 2))
    p = np.random.default_rng(seed).beta(0.3, 1, len(pairs))
    told, adjusted, *_ = multipletests(p, alpha, "holm")
    best, worst = [1] * systems, [systems] * systems
    apart = dict(zip(pairs, told, strict=True))
    p_of = dict(zip(pairs, p, strict=True))
    for (i, j), differ in apart.items():
        best[j] += differ
        worst[i] -= differ
    for system in range(systems):  # never worse than one below, or above
        best[system] = min(best[system:])
        worst[system] = max(worst[: system + 1])

    def may_be_best(system, head):
        """Whether none from the head on beats it, one-sided."""
        rivals = systems - head - 1
        return not any(
            apart[i, system] or p_of[i, system] / 2 < alpha / rivals
            for i in range(head, system)
        )

    tier, head = [0] * systems, 0
    while head < systems:
        last = max(s for s in range(head, systems) if may_be_best(s, head))
        tier[head : last + 1] = [max(tier) + 1] * (last + 1 - head)
        head = last + 1
    square, *found = rank_limits(p, alpha)
    assert np.array(found).tolist() == [best, worst, tier]
    ours = [square[i, j] for i, j in pairs]
    assert ours == pytest.approx(adjusted) and (square == square.T).all()


def test_means_that_differ_by_rounding_are_equal():
    """Two systems solve nothing that they were asked."""
    rng = np.random.default_rng(362879)
    spread = rng.lognormal(-1, 1.5, (12, 1))
    merit = rng.normal(0, 0.4, (12, 1))
    scores = (merit + spread * rng.normal(size=(12, 27)) > 0).astype(int)
    scores[0, 0], scores[-1, -1] = 0, 1
    long = as_long(scores)
    long = long[rng.random(len(long)) < 0.9]
    found = gt.compare(long, 9, 10).iloc[0]
    assert (found["difference"], found["p_value"]) == (0, 1)
    board = leaderboard(long).table
    assert (board["best_rank"] <= board["rank"]).all()


@pytest.mark.slow
@given(
    st.integers(2, 12), st.integers(3, 30), st.integers(0, 2**31), st.data()
)
def test_who_has_a_higher_mean_has_never_a_worse_place(
    systems, topics, seed, data
):
    """Systems that vary very differently, solved or not, with gaps."""
    rng = np.random.default_rng(seed)
    spread = rng.lognormal(-1, 1.5, (systems, 1))
    merit = rng.normal(0, 0.4, (systems, 1))
    scores = merit + spread * rng.normal(size=(systems, topics))
    if data.draw(st.booleans(), "solved or not"):
        scores = (scores > 0).astype(int)
        scores[0, 0], scores[-1, -1] = 0, 1
    table = as_long(scores)
    if data.draw(st.booleans(), "gaps") and topics > 9:
        table = table[rng.random(len(table)) < 0.9]
    try:
        board = leaderboard(table)
    except ValueError:  # all scores are the same, or too few are left
        return
    found = board.table
    assert found["mean"].is_monotonic_decreasing or np.allclose(
        found["mean"], found["mean"].sort_values(ascending=False)
    )
    for column in ("best_rank", "worst_rank", "tier", "rank"):
        assert found[column].is_monotonic_increasing, column
    assert (~found["may_be_best"]).is_monotonic_increasing
    assert (found["may_be_best"] == (found["tier"] == 1)).all()
    assert (found.loc[found["may_be_best"], "best_rank"] == 1).all()
    assert (found["best_rank"] <= found["rank"]).all()
    assert (found["worst_rank"] >= found["rank"]).all()


def test_a_system_that_varies_little_is_not_out_below_one_that_does():
    """The second is told apart from the first, the third is not."""
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(3, 40))
    noise -= noise.mean(axis=1, keepdims=True)
    scores = np.array([[0.5], [0.46], [0.44]]) + noise * [
        [0.01],
        [0.01],
        [0.4],
    ]
    found = leaderboard(scores)
    assert (
        found.p_values.iloc[0, 1] < 0.001 < 0.5 < found.p_values.iloc[0, 2]
    )
    assert found.table["may_be_best"].all()
    assert found.table["tier"].tolist() == [1, 1, 1]
    assert found.told_apart == pytest.approx(1 / 3)


def boards(merit, kind, topics, number):
    """Tables of systems of this merit, on a logistic scale."""
    rng = np.random.default_rng(5)
    merit = np.asarray(merit)[:, None]
    for _ in range(number):
        noise = rng.normal(size=(len(merit), topics))
        score = merit + rng.normal(size=topics) + noise / 2
        if kind == "normal":
            yield score
        mean = scipy.special.expit(score - 1)
        if kind == "skewed":  # most near 0, a few high
            yield rng.beta(mean, 1 - mean)
        if kind == "binary":
            yield rng.binomial(1, mean)


LEADERS = [0.0] * 7


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "skewed", "binary"])
@pytest.mark.parametrize(
    "merit",
    [
        np.linspace(0, 2, 10),
        LEADERS,
        [*LEADERS, *np.linspace(-0.2, -2, 23)],
        [*LEADERS, *np.linspace(-0.05, -2, 93)],
    ],
    ids=["all differ", "all equal", "30", "100"],
)
def test_all_ranks_hold_together(kind, merit):
    """The share of boards with every true rank inside, and, of systems
    that share ranks, all of these; less two Monte-Carlo errors."""
    merit, number = np.asarray(merit), 60
    true_best = 1 + (merit > merit[:, None]).sum(axis=1)
    true_worst = (merit >= merit[:, None]).sum(axis=1)
    inside, named = [], []
    for scores in boards(merit, kind, 40, number):
        found = leaderboard(scores).table.sort_index()
        right = found["best_rank"] <= true_best
        right &= found["worst_rank"] >= true_worst
        inside.append(right.all())
        named.append(found.loc[true_best == 1, "may_be_best"].mean())
    error = (0.05 * 0.95 / number) ** 0.5
    assert np.mean(inside) >= 0.95 - 2 * error
    assert np.mean(named) >= 0.95 - 2 * error


@pytest.mark.slow
def test_seven_equal_leaders_of_sixty_are_those_who_may_be_best():
    """Solved or not, on 200 items: with the best fewer are compared than
    in all pairs, so that fewer of the others are named."""
    merit = np.r_[np.zeros(7), np.linspace(-1, -2, 53)]
    named, tied = [], []
    for scores in boards(merit, "binary", 200, 40):
        found = leaderboard(scores).table.sort_index()
        named.append(found["may_be_best"])
        tied.append(found["best_rank"] == 1)
    named, tied = np.array(named), np.array(tied)
    assert named[:, :7].all(axis=1).mean() > 0.9
    assert named[:, 7:].sum(axis=1).mean() < 1
    assert not (named & ~tied).any()  # and so the limits say
    assert named[:, 7:].sum() < 0.5 * tied[:, 7:].sum()


@pytest.mark.parametrize("binary", [False, True])
def test_who_cannot_be_told_apart_has_every_rank(binary):
    scores = table(binary, systems=4)
    scores.iloc[:] = scores.iloc[[0]].to_numpy()
    found = leaderboard(scores)
    assert (found.table["best_rank"] == 1).all()
    assert (found.table["worst_rank"] == 4).all()
    assert found.table["may_be_best"].all() and found.told_apart == 0
    sure = leaderboard(scores.add([0, 2, 4, 6], axis=0))
    for column in ("best_rank", "worst_rank"):
        assert sure.table[column].tolist() == [1, 2, 3, 4]
    assert sure.table["may_be_best"].tolist() == [True] + [False] * 3
    assert sure.told_apart == 1 and sure.ordered_neighbours == 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "skewed", "binary"])
@pytest.mark.parametrize(
    "merit",
    [
        np.linspace(0, 2, 10),
        LEADERS,
        np.repeat([0.0, -0.5, -1], 5),
        [*LEADERS, *np.linspace(-0.2, -2, 23)],
    ],
    ids=["all differ", "all equal", "steps", "30"],
)
def test_who_is_truly_the_best_from_the_head_of_a_tier_on_is_in_it(
    kind, merit
):
    """Of those, at most one in twenty is left out; of the systems of the
    first tier, and of the others."""
    merit, number = np.asarray(merit), 60
    first, later = [], []
    for scores in boards(merit, kind, 40, number):
        found = leaderboard(pd.DataFrame(scores)).table
        true, tier = merit[found.index], found["tier"].to_numpy()
        for each in range(1, tier.max() + 1):
            left = slice((tier < each).sum(), None)
            best = true[left] == true[left].max()
            out = (tier[left][best] != each).mean()
            (first if each == 1 else later).append(out)
    error = (0.05 * 0.95 / number) ** 0.5
    assert np.mean(first) <= 0.05 + 2 * error
    assert not later or np.mean(later) <= 0.05 + 2 * error


def test_tiers_begin_where_something_differs_from_their_head():
    scores = pd.DataFrame(
        np.repeat([[2.9], [2.88], [2.5], [2.48], [2.1]], 40, axis=1)
        + np.random.default_rng(2).normal(0, 0.05, (5, 40)),
        index=[*"abcde"],
    )
    found = leaderboard(scores)
    tiers = found.table["tier"]
    assert tiers["a"] < tiers["c"] == tiers["b"] + 1
    assert tiers["e"] == tiers["d"] + 1 == tiers.max()
    below = np.diag(found.p_values, 1) < 0.05
    assert found.ordered_neighbours == below.sum()
    told = found.p_values.to_numpy()[np.triu_indices(5, 1)] < 0.05
    assert found.told_apart == pytest.approx(told.mean())


def test_equal_systems_share_rank_and_tier():
    scores = table(False)
    scores.loc["twin"] = scores.loc["s3"]
    found = leaderboard(scores).table
    assert found.loc["twin", "rank"] == found.loc["s3", "rank"]
    assert found.loc["twin", "tier"] == found.loc["s3", "tier"]


def test_does_not_depend_on_the_order_of_systems():
    scores = table(False)
    one = leaderboard(scores)
    other = leaderboard(scores.iloc[::-1])
    pd.testing.assert_frame_equal(one.table, other.table)


def test_universe_scores_are_those_of_the_study():
    scores = table(False)
    found = leaderboard(scores).table["universe_score"]
    expected = gt.gstudy(scores, "system x topic").universe_scores()
    assert found[scores.index].tolist() == pytest.approx(
        expected.loc[scores.index, "estimate"].tolist()
    )


def test_ranks_ask_for_no_unit():
    scores = table(False)
    small = leaderboard(scores * 1e-14).table
    assert (
        small["rank"].tolist() == leaderboard(scores).table["rank"].tolist()
    )


def test_means_of_scores_beyond_1_have_student_s_interval():
    scores = table(True) * 3
    found = leaderboard(scores).table.sort_index()
    error = scores.std(axis=1) / scores.shape[1] ** 0.5
    half = scipy.stats.t.ppf(0.975, scores.shape[1] - 1) * error
    expected = scores.mean(axis=1) - half
    np.testing.assert_allclose(found["low"], expected)


def test_of_fixed_assessors_the_universe_score_is_kelley_s():
    rng = np.random.default_rng(3)
    names = ["system", "topic", "assessor"]
    index = pd.MultiIndex.from_product(
        [range(8), range(12), range(2)], names=names
    )
    y = rng.normal(size=(8, 1, 1)) + rng.normal(size=(8, 1, 2))
    y = y + rng.normal(size=(8, 12, 1)) + rng.normal(size=(8, 12, 2))
    long = pd.Series(y.ravel(), index, name="score").reset_index()
    g = gt.gstudy(long, "system x topic x assessor")
    found = leaderboard(g, fixed="assessor").table
    slope = g.plan(fixed="assessor").generalizability
    mean = found["mean"].mean()
    expected = mean + slope * (found["mean"] - mean)
    np.testing.assert_allclose(found["universe_score"], expected)
