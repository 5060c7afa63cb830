"""The calibrated test: its shuffles by hand, its size and its power."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gtlib as gt
from book.support.simulations import simulate_tests
from gtlib.reuse import (
    COMPARISONS,
    Assignment,
    HeldOutScores,
    ShuffledStatistics,
    site_scores,
)


def example(systems=9, sites=4, topics=40, held_out=2, baseline=8, seed=0):
    rng = np.random.default_rng(seed)
    names = [f"run{i}" for i in range(systems)]
    site = pd.Series([f"S{i % sites + 1}" for i in range(systems)], names)
    design = gt.BlockDesign(sites, held_out, topics, baseline, fill=True)
    scores = rng.gamma(1, 0.2, (systems, topics)) + rng.random((systems, 1))
    scores += rng.gamma(1, 0.2, topics)
    table = pd.DataFrame(scores, names, design.topics)
    return table, site, design.assign(seed)


def lowered(scores, site, assignment, share):
    """The scores, of which those held out lose a share."""
    held = assignment.held_out[site[scores.index]].to_numpy().T
    return scores * (1 - share * held)


def rejected(p_values):
    """The share of the collections that each test rejects at .05."""
    return (p_values <= 0.05 + 1e-12).mean()


def rmse(one, other):
    return np.sqrt(np.mean((one - other) ** 2))


def relabelled(assignment, order):
    """The assignment with the held-out sites of other topics."""
    held = assignment.held_out
    moved = held.iloc[order].set_axis(held.index)
    return Assignment(moved)


class TestShuffledStatistics:
    """Each statistic is that of an assignment that was really moved."""

    @pytest.fixture
    def case(self):
        scores, site, assignment = example()
        data = HeldOutScores(scores, site, assignment)
        moved = np.ones(40, dtype=bool)
        shuffled = ShuffledStatistics(data, COMPARISONS, moved, 0.05)
        rng = np.random.default_rng(3)
        order = rng.permuted(np.tile(np.arange(40), (6, 1)), axis=1)
        return scores, site, assignment, order, shuffled(order)

    @pytest.mark.parametrize("comparison", COMPARISONS)
    def test_agreement_and_order(self, case, comparison):
        scores, site, assignment, order, values = case
        for i, places in enumerate(order):
            own = gt.significance_agreement(
                scores, site, relabelled(assignment, places), comparison
            )
            x2 = own.goodness_of_fit().statistic
            assert values["agreement", comparison][i] == pytest.approx(
                x2, rel=0.01
            )
            moved = scores, site, relabelled(assignment, places)
            signs = [
                np.sign(z[base].mean() * z[reuse].mean())
                for z, base, reuse in slow_pairs(*moved, comparison)
            ]
            assert values["order", comparison][i] == pytest.approx(
                np.mean(signs)
            )

    def test_rmse_and_effect(self, case):
        scores, site, assignment, order, values = case
        for i, places in enumerate(order):
            moved = relabelled(assignment, places)
            means = site_scores(scores, site, moved)
            assert values["scores", "RMSE"][i] == pytest.approx(
                rmse(means["baseline"], means["reuse"])
            )
            assert values["scores", "effect"][i] == pytest.approx(
                least_squares_effect(scores, site, moved)
            )


def slow_pairs(scores, site, assignment, comparison):
    """Differences of each pair, and which topics are base and reuse."""
    values = scores.to_numpy()
    held = assignment.held_out[site[scores.index]].to_numpy().T
    for a, b in product(range(len(values)), repeat=2):
        if a == b or (site.iloc[a] == site.iloc[b]) != (
            comparison == "within"
        ):
            continue
        if comparison != "participant" and a > b:
            continue
        base = ~held[a] & ~held[b]
        keep = ~held[b] if comparison == "participant" else held[b]
        reuse = held[a] & keep
        if min(base.sum(), reuse.sum()) > 1:
            yield values[a] - values[b], base, reuse


def least_squares_effect(scores, site, assignment):
    """score = system + topic + effect * held out, by dummy variables."""
    systems, topics = scores.shape
    held = assignment.held_out[site[scores.index]].to_numpy().T
    rows, columns = np.indices(scores.shape).reshape(2, -1)
    design = np.hstack(
        [
            np.eye(systems)[rows],
            np.eye(topics)[columns],
            held.reshape(-1, 1).astype(float),
        ]
    )
    answer = np.linalg.lstsq(design, scores.to_numpy().ravel(), rcond=None)
    return answer[0][-1]


class TestExactness:
    def test_over_all_assignments_of_a_tiny_collection(self):
        """Every p that can occur, against every statistic there is."""
        scores, site, assignment = example(6, 3, 6, 1, 0)
        data = HeldOutScores(scores, site, assignment)
        moved = np.ones(6, dtype=bool)
        orders = np.array(list(permutations(range(6))))
        values = ShuffledStatistics(data, ["within"], moved, 0.05)(orders)
        report = gt.reusability_test(
            scores, site, assignment, n_resamples=20000
        )
        for key in (("agreement", "within"), ("scores", "effect")):
            every = np.abs(values[key])
            exact = np.mean(every >= every[0] * (1 - 1e-6))
            assert report.table.loc[key, "p"] == pytest.approx(
                exact, abs=0.015
            )

    @pytest.mark.slow
    def test_p_of_many_designs_of_one_collection_is_uniform(self):
        scores, site, _ = example(8, 4, 24, 1, 0, seed=5)
        design = gt.BlockDesign(4, 1, 24)
        trials = simulate_tests(
            lambda seed: (scores, site, design.assign(seed)),
            100,
            n_resamples=39,
        )["permutation"]
        for key in (("scores", "effect"), ("scores", "RMSE")):
            assert stats.kstest(trials[key], "uniform").pvalue > 0.001


class TestReport:
    def test_observed_statistics_are_the_published_ones(self):
        scores, site, assignment = example()
        report = gt.reusability_test(
            scores, site, assignment, n_resamples=200
        )
        for name in COMPARISONS:
            agreement = gt.significance_agreement(
                scores, site, assignment, name
            )
            x2 = agreement.goodness_of_fit().statistic
            assert report.table.loc[
                ("agreement", name), "observed"
            ] == pytest.approx(x2, rel=0.01)
        assert report.effect.method == "permutation"
        assert report.table.index.names == ["question", "statistic"]
        assert report.effect.estimate == pytest.approx(
            least_squares_effect(scores, site, assignment)
        )

    def test_p_counts_the_shuffles_and_the_observed(self):
        report = gt.reusability_test(*example(), n_resamples=300)
        for key, row in report.table.iterrows():
            values, observed = report.shuffles[key], row["observed"]
            if key[0] == "order":
                hits = (values <= observed + 1e-9).sum()
            elif key[1] == "effect":
                hits = (values.abs() >= abs(observed) - 1e-9).sum()
            else:
                hits = (values >= observed * (1 - 1e-6)).sum()
            assert row["p"] == pytest.approx((1 + hits) / 301)
            assert row["expected"] == pytest.approx(values.mean())

    def test_adjusted_p_is_the_rank_of_the_smallest_p(self):
        """Westfall & Young: how often would the least p be so small?

        Each shuffle has a p of each statistic, among all shuffles and the
        observed, and the least of these p is what it could have reported.
        """
        report = gt.reusability_test(*example(), n_resamples=60)
        p = {}
        for key, row in report.table.iterrows():
            values = np.array([row["observed"], *report.shuffles[key]])
            if key[0] == "order":
                values = -values
            elif key[1] == "effect":
                values = np.abs(values)
            p[key] = [np.mean(values >= v - 1e-6 * abs(v)) for v in values]
            assert row["p"] == pytest.approx(p[key][0])
        least = np.min(list(p.values()), axis=0)
        adjusted = [np.mean(least <= own[0] + 1e-9) for own in p.values()]
        assert report.table["adjusted p"].tolist() == adjusted

    @pytest.mark.parametrize("n", [1, 499, 500, 750])
    def test_shuffles_are_as_many_as_were_asked_for(self, n):
        report = gt.reusability_test(*example(), n_resamples=n)
        assert len(report.shuffles) == n
        p = report.table["p"] * (n + 1)
        assert np.allclose(p, p.round()) and (p > 0.5).all()

    def test_depends_on_the_seed_alone(self):
        one, two = (
            gt.reusability_test(*example(), n_resamples=50, seed=9)
            for _ in range(2)
        )
        pd.testing.assert_frame_equal(one.table, two.table)
        assert one == one != two
        assert vars(one.effect) == pytest.approx(vars(two.effect))

    @pytest.mark.slow
    def test_interval_holds_the_effects_that_are_not_rejected(self):
        scores, site, assignment = example()
        held = assignment.held_out[site].to_numpy().T
        lost = scores - 0.2 * held
        found = gt.reusability_test(
            lost, site, assignment, n_resamples=4000
        ).effect
        assert found.estimate == pytest.approx(
            least_squares_effect(scores, site, assignment) - 0.2
        )
        assert found.low < -0.2 < found.high
        for bound, tail in ((found.low, 0.025), (found.high, 0.975)):
            again = gt.reusability_test(
                lost - bound * held, site, assignment, n_resamples=4000
            )
            p = again.table.loc[("scores", "effect"), "p"]
            assert p == pytest.approx(0.05, abs=0.02)
            shuffled = again.shuffles["scores", "effect"]
            share = np.mean(shuffled >= again.effect.estimate)
            assert share == pytest.approx(tail, abs=1e-3)

    def test_is_read_by_people(self):
        scores, site, assignment = example()
        lost = lowered(scores, site, assignment, 0.6)
        bad = gt.reusability_test(lost, site, assignment, n_resamples=499)
        good = gt.reusability_test(
            scores, site, assignment, n_resamples=99, seed=1
        )
        assert "There is evidence against" in bad.verdict
        assert "no evidence against" in str(good)
        shown = good._repr_html_()
        for expected in good.table["expected"]:
            assert f">{expected:.4f}</td>" in shown
        assert "499 permutations" in bad._repr_html_()

    @pytest.mark.parametrize(
        "alpha, least, finding",
        [
            (0.05, 0.08, "no evidence"),
            (0.05, 0.05, "evidence"),
            (0.1, 0.08, "evidence"),
            (np.float32(0.01), 0.05, "no evidence"),
        ],
    )
    def test_verdict_rejects_up_to_alpha(self, alpha, least, finding):
        report = gt.reusability_test(
            *example(), alpha=alpha, n_resamples=19
        )
        table = report.table.assign(**{"adjusted p": [least, *[0.9] * 7]})
        verdict = replace(report, table=table).verdict
        assert f"There is {finding} against" in verdict
        assert f"p {least:.2g}, 19 permutations" in verdict
        assert f"({1 - alpha:.0%} interval" in verdict
        assert report.effect.confidence_level == pytest.approx(1 - alpha)

    def test_says_how_much_a_score_changes(self):
        report = gt.reusability_test(*example(), n_resamples=19)
        effect = replace(report.effect, estimate=-0.02, low=-0.05, high=0)
        verdict = replace(report, effect=effect).verdict
        assert "-0.020 (95% interval -0.050 to +0.000)" in verdict

    def test_leaves_out_comparisons_without_topics(self):
        report = gt.reusability_test(*example(held_out=1), n_resamples=19)
        assert list(report.table.loc["agreement"].index) == [
            "within",
            "participant",
        ]


class TestShuffle:
    def test_of_blocks_leaves_the_baseline_where_it_is(self):
        """A smaller pool for everyone is no effect of being held out."""
        scores, site, assignment = example(topics=60, baseline=30)
        block = assignment.held_out.any(axis="columns").to_numpy()
        easier = scores + 0.5 * block  # everyone gains in the blocks
        kept = gt.reusability_test(
            easier, site, assignment, n_resamples=199
        )
        moved = gt.reusability_test(
            easier, site, assignment, shuffle="all", n_resamples=199
        )
        assert kept.table.loc[("scores", "RMSE"), "p"] > 0.05
        assert moved.table.loc[("scores", "RMSE"), "p"] < 0.006

    def test_ignores_what_a_topic_adds_to_everyone(self):
        scores, site, assignment = example()
        shift = np.random.default_rng(1).normal(0, 5, 40)
        one, two = (
            gt.reusability_test(s, site, assignment, n_resamples=99)
            for s in (scores, scores + shift)
        )
        assert two.effect.low == pytest.approx(one.effect.low)
        assert two.table.loc[("scores", "effect"), "p"] == pytest.approx(
            one.table.loc[("scores", "effect"), "p"]
        )


def robust_2004():
    """Topics drawn again from Robust 2004, with its own sites."""
    scores = gt.load("robust2004")
    site = gt.load("robust2004-sites").set_index("system")["site"]
    design = gt.BlockDesign(sorted(set(site)), 2, scores.columns, fill=True)

    def collection(seed):
        rng = np.random.default_rng(seed)
        draw = rng.integers(249, size=249)
        again = scores.iloc[:, draw].set_axis(scores.columns, axis=1)
        return again, site, design.assign(rng)

    return collection


def cystic_fibrosis():
    """The 36 runs of the Cystic Fibrosis collection, by family."""
    scores = gt.load("cf-ap")
    site = gt.load("cf").drop_duplicates("system")
    site = site.set_index("system")["family"]
    design = gt.BlockDesign(sorted(set(site)), 2, scores.columns)
    return lambda seed: (scores, site, design.assign(seed))


def synthetic():
    """Skewed scores with many zeros and ties, alike within sites."""
    design = gt.BlockDesign(6, 2, 60, 15, fill=True)
    names = [f"run{i}" for i in range(24)]
    site = pd.Series([f"S{i // 4 + 1}" for i in range(24)], names)

    def collection(seed):
        rng = np.random.default_rng(seed)
        good = rng.gamma(0.5, 1, 60) * rng.uniform(0.5, 1.5, (24, 1))
        taste = rng.gamma(1, 1, (6, 60)).repeat(4, axis=0)
        scores = (good * taste * rng.gamma(2, 1, (24, 60))).round()
        scores = pd.DataFrame(scores, names, design.topics)
        return scores, site, design.assign(rng)

    return collection


TRIALS = 60


@pytest.mark.slow
@pytest.mark.parametrize(
    "population, published",
    [
        (robust_2004, 0.15),
        (cystic_fibrosis, 0.0),
        (synthetic, 0.0),
    ],
)
def test_size_is_nominal_where_collections_are_reusable(
    population, published
):
    """No rate is higher than one in 2000 such simulations would show; a
    p-value of 40 shuffles is up to .05 as often as one of 10,000."""
    collection = population()
    trials = simulate_tests(collection, TRIALS, n_resamples=39, seed=11)
    rates = rejected(trials)
    most = stats.binom.isf(1 / 2000, TRIALS, 0.05) / TRIALS
    assert (rates["permutation"] <= most).all()
    assert rates["published"].iloc[0] > published


@pytest.mark.slow
def test_power_grows_with_what_is_lost():
    *_, site, _ = reusable = cystic_fibrosis()(0)
    design = gt.BlockDesign(sorted(set(site)), 2, reusable[0].columns)

    def collection(share):
        def made(seed):
            assignment = design.assign(seed)
            scores = lowered(reusable[0], site, assignment, share)
            return scores, site, assignment

        return made

    rates = [
        rejected(simulate_tests(collection(share), 40, n_resamples=39))
        for share in (0.05, 0.15)
    ]
    effect = [r["permutation", "scores", "effect"] for r in rates]
    assert 0.2 < effect[0] < effect[1]
    assert effect[1] > 0.95
    # A loss in proportion leaves every t-test within a site as it was.
    for rate in rates:
        assert rate["permutation", "agreement", "within"] < 0.25


def test_an_effect_of_so_few_topics_has_no_interval_but_a_reason():
    """Some shuffles are the assignment itself."""
    table = pd.DataFrame(
        np.random.default_rng(0).random((3, 4)), list("abc")
    )
    blocks = gt.BlockDesign("abc", 1, table.columns, fill=True).assign(1)
    sites = table.index.to_series()
    effect = gt.reusability_test(table, sites, blocks, ()).effect
    assert np.isnan(effect.low)
    assert str(effect).startswith("no interval of effect, ")
    assert "with so few topics" in str(effect)
