"""gtlib.judges: the closed form, its promise, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import gtlib as gt
from tests.refusals import refused


def tables(rng, rows, n, total, correlation=0.8, sd=0.2):
    """Rows of independent topics; people judged the first n of them."""
    x = rng.normal(size=(rows, total))
    e = rng.normal(size=(rows, total))
    y = correlation * x + np.sqrt(1 - correlation**2) * e
    names = [f"s{i}" for i in range(rows)]
    human = pd.DataFrame(0.5 + sd * y, names)
    machine = pd.DataFrame(0.7 + 0.1 * x, names)
    return human, machine, human.iloc[:, :n]


# So far from all scores that they might as well not be there.
FAR = {"bounds": (-1e4, 1e4)}


def widened(y):
    """What tails heavier than the normal ones add to a variance."""
    return 1 + max(scipy.stats.kurtosis(y), 0) / len(y)


class TestOneSystem:
    human, machine, few = tables(np.random.default_rng(0), 3, 12, 40)

    def test_the_estimate_is_that_of_ppi_with_the_best_weight(self):
        """Angelopoulos, Duchi & Zrnic (2023), example 6.1."""
        found = gt.prediction_powered(self.few, self.machine, **FAR)
        for name in found.index:
            y = self.few.loc[name].to_numpy()
            x = self.machine.loc[name].to_numpy()
            n, rest = len(y), len(x) - len(y)
            covariance = np.cov(y, x[:n])
            weight = covariance[0, 1] / ((1 + n / rest) * covariance[1, 1])
            mean = y.mean() + weight * (x[n:].mean() - x[:n].mean())
            assert found.loc[name, "mean"] == pytest.approx(mean)
            assert found.loc[name, "weight"] == pytest.approx(weight)

    def test_no_other_weight_has_a_smaller_variance(self):
        """The variance of PPI at a weight, from the same few topics."""
        found = gt.prediction_powered(self.few, self.machine, **FAR)
        y, x = self.few.iloc[0], self.machine.iloc[0]
        n, rest = len(y), len(x) - len(y)

        def variance(weight):
            return (
                np.var(y - weight * x.iloc[:n]) / n
                + weight**2 * np.var(x.iloc[:n]) / rest
            )

        best = scipy.optimize.minimize_scalar(variance).x
        assert found["weight"].iloc[0] == pytest.approx(best, rel=1e-4)

    def test_far_from_its_bounds_the_interval_is_that_of_a_regression(self):
        found = gt.prediction_powered(
            self.few,
            self.machine,
            these_topics=True,
            confidence_level=0.9,
            **FAR,
        )
        y, x = self.few.iloc[1], self.machine.iloc[1]
        n, total = len(y), len(x)
        columns = np.column_stack([np.ones(n), x.iloc[:n]])
        line, *_ = np.linalg.lstsq(columns, y)
        rest = ((y - columns @ line) ** 2).sum() / (n - 2)
        at = np.array([1, x.mean()])
        form = at @ np.linalg.inv(columns.T @ columns) @ at
        reach = scipy.stats.t.ppf(0.95, n - 2)
        reach *= np.sqrt(rest * (form - 1 / total) * widened(y))
        row = found.iloc[1]
        assert row["mean"] == pytest.approx(line @ at)
        assert row["low"] == pytest.approx(line @ at - reach)
        assert row["high"] == pytest.approx(line @ at + reach)

    def test_far_from_its_bounds_people_alone_have_student_s(self):
        found = gt.prediction_powered(self.few, self.machine, **FAR)
        for name, y in self.few.iterrows():
            error = scipy.stats.sem(y) * np.sqrt(widened(y))
            limits = scipy.stats.t.interval(
                0.95, len(y) - 1, y.mean(), error
            )
            ends = found.loc[name, ["human_low", "human_high"]]
            assert ends.tolist() == pytest.approx(limits)

    def test_a_machine_s_scale_does_not_matter(self):
        one = gt.prediction_powered(self.few, self.machine, **FAR)
        two = gt.prediction_powered(self.few, 3 - 7 * self.machine, **FAR)
        ends = ["mean", "low", "high"]
        np.testing.assert_allclose(one[ends], two[ends])
        np.testing.assert_allclose(one["correlation"], -two["correlation"])

    def test_people_s_scale_is_that_of_the_bounds(self):
        one = gt.prediction_powered(
            self.few, self.machine, bounds=(-1, 2)
        ).drop(columns=["correlation", "note"])
        two = gt.prediction_powered(
            1 + 4 * self.few, self.machine, bounds=(-3, 9)
        )[one.columns]
        weight = 4 * one.pop("weight")
        np.testing.assert_allclose(two.pop("weight"), weight)
        np.testing.assert_allclose(1 + 4 * one, two)

    def test_a_perfect_machine_is_not_taken_to_be_perfect(self):
        human = 1 - 2 * self.machine
        found = gt.prediction_powered(
            human.iloc[:, :6],
            self.machine,
            bounds=(-2, 1),
            these_topics=True,
        )
        np.testing.assert_allclose(found["mean"], human.mean(axis=1))
        length = found["high"] - found["low"]
        alone = found["human_high"] - found["human_low"]
        assert (length > 0).all()
        assert (length < alone / 2).all()

    def test_a_machine_that_says_the_same_of_all_is_no_help(self):
        same = 0 * self.machine + 0.1
        found = gt.prediction_powered(self.few, same, **FAR)
        np.testing.assert_allclose(found["mean"], found["human_mean"])
        assert (found["weight"] == 0).all()
        assert found["correlation"].isna().all()
        wider = found["high"] - found["low"]
        assert (wider > found["human_high"] - found["human_low"]).all()

    def test_the_order_of_rows_and_columns_does_not_matter(self):
        one = gt.prediction_powered(self.few, self.machine, **FAR)
        turned = self.machine.sample(frac=1, axis=1, random_state=1).iloc[
            ::-1
        ]
        two = gt.prediction_powered(self.few, turned, **FAR)
        pd.testing.assert_frame_equal(one, two)


def of_one(human, machine, **more):
    """The row of one system."""
    tables = pd.DataFrame([human]), pd.DataFrame([machine])
    return gt.prediction_powered(*tables, **more).iloc[0]


class TestBounds:
    rng = np.random.default_rng(8)
    machine = rng.random(30)

    @pytest.mark.parametrize("ones", [1, 3, 6, 11])
    def test_of_shares_by_people_alone_it_is_wilson_s_with_a_t(self, ones):
        n, mean = 12, ones / 12
        row = of_one([1] * ones + [0] * (n - ones), self.machine)
        t = scipy.stats.t.ppf(0.975, n - 1)

        def beyond(mu):
            return (mean - mu) ** 2 - t**2 * mu * (1 - mu) / (n - 1)

        low = scipy.optimize.brentq(beyond, 0, mean)
        high = scipy.optimize.brentq(beyond, mean, 1)
        ends = [row["human_low"], row["human_high"]]
        assert ends == pytest.approx([low, high])
        assert row["note"] == ""

    @pytest.mark.parametrize(("n", "level"), [(4, 0.95), (6, 0.9)])
    @pytest.mark.parametrize("these_topics", [False, True])
    def test_scores_all_at_one_end_have_clopper_and_pearson_s(
        self, n, level, these_topics
    ):
        for score, bounds in ((0, (0, 1)), (1, (0, 1)), (3, (0, 3))):
            row = of_one(
                [score] * n,
                self.machine,
                bounds=bounds,
                these_topics=these_topics,
                confidence_level=level,
            )
            exact = scipy.stats.binomtest(
                n if score else 0, n
            ).proportion_ci(level)
            for who in ("", "human_"):
                ends = [row[f"{who}low"], row[f"{who}high"]]
                expected = [end * bounds[1] for end in exact]
                assert ends == pytest.approx(expected)
            assert "all the same" in row["note"]
            assert row["mean"] == pytest.approx(score)
            assert row["weight"] == 0
            assert np.isnan(row["correlation"])

    def test_the_same_score_within_the_bounds_may_differ_either_way(self):
        row = of_one([0.1] * 10, self.machine, bounds=(-1, 1))
        share = scipy.stats.binomtest(0, 10).proportion_ci().high
        assert row["low"] == pytest.approx(0.1 - 1.1 * share)
        assert row["high"] == pytest.approx(0.1 + 0.9 * share)

    @pytest.mark.parametrize("other", [0.1 + 0.2, 0.3 + 1e-12])
    def test_scores_are_the_same_up_to_rounding(self, other):
        assert other != 0.3
        rounded = of_one([other] + [0.3] * 9, self.machine)
        exact = of_one([0.3] * 10, self.machine)
        assert rounded["note"] == exact["note"] != ""
        assert rounded["weight"] == 0
        ends = ["low", "high", "human_low", "human_high"]
        np.testing.assert_allclose(
            rounded[ends].astype(float), exact[ends].astype(float)
        )

    def test_a_machine_s_scores_are_the_same_up_to_rounding(self):
        machine = self.machine.copy()
        machine[:10] = 0.3
        machine[4] = 0.1 + 0.2
        assert of_one(self.rng.random(10), machine)["weight"] == 0

    @pytest.mark.parametrize("few", [[0.51], [0.51, 0.49], [0.5 + 1e-8]])
    def test_a_score_or_two_beside_the_same_do_not_narrow_the_limits(
        self, few
    ):
        n = 10
        row = of_one(few + [0.5] * (n - len(few)), self.machine)
        share, mean = 1 - 0.025 ** (1 / n), row["human_mean"]
        for who in ("", "human_"):
            assert row[f"{who}low"] <= mean * (1 - share) + 1e-12
            assert row[f"{who}high"] >= mean + (1 - mean) * share - 1e-12
        assert "all the same" in row["note"]

    def test_a_rare_score_far_from_the_others_is_allowed_for(self):
        """Nine of ten topics have .5, the others 1: of 10 topics, a third
        of the samples shows none."""
        human = np.where(self.rng.random((2000, 10)) < 0.1, 1, 0.5)
        found = gt.prediction_powered(
            pd.DataFrame(human), pd.DataFrame(self.rng.random((2000, 30)))
        )
        held = found["low"].le(0.55) & found["high"].ge(0.55)
        assert held.mean() > 0.93

    def test_what_a_line_says_beyond_the_bounds_is_cut(self):
        line = np.linspace(0, 0.4, 20)
        row = of_one(0.02 + line[:5], line - 30 * (line > 0.2))
        assert row["mean"] == row["low"] == 0 < row["high"] < 1

    @given(
        arrays(float, 7, elements=st.sampled_from([0, 0.1, 0.5, 1])),
        arrays(float, 9, elements=st.sampled_from([0, 0.1, 2.7])),
        st.booleans(),
    )
    def test_limits_hold_the_mean_within_bounds(self, human, machine, here):
        row = of_one(human, machine, these_topics=here)
        for who in ("", "human_"):
            low, mean, high = row[
                [f"{who}low", f"{who}mean", f"{who}high"]
            ].astype(float)
            assert 0 <= low <= mean + 1e-12
            assert mean - 1e-12 <= high <= 1
            assert high - low > 0.01


# Scores by the share of topics that have less: quantile functions.
SCORES = {
    "as AP": scipy.stats.beta(0.9, 2.7).ppf,
    "skewed": scipy.stats.beta(0.3, 3).ppf,
    "0/1, .05": lambda u: 1.0 * (u > 0.95),
    "0/1, .2": lambda u: 1.0 * (u > 0.8),
    "0/1, .5": lambda u: 1.0 * (u > 0.5),
    "0/1, .9": lambda u: 1.0 * (u > 0.1),
    "differences": lambda u: 1.0 * (u > 0.9) - 1.0 * (u < 0.02),
}


@pytest.mark.slow
class TestPromise:
    """4,000 tables each: the Monte-Carlo error of a coverage is .005 at
    90%, and .0035 at 95%."""

    @pytest.mark.parametrize("n", [5, 10, 20, 40])
    @pytest.mark.parametrize("these_topics", [False, True])
    def test_coverage_is_nominal_or_more_where_scores_are_normal(
        self, n, these_topics
    ):
        rng = np.random.default_rng(n)
        human, machine, few = tables(rng, 4000, n, 53)
        found = gt.prediction_powered(
            few,
            machine,
            bounds=(-1, 2),
            these_topics=these_topics,
            confidence_level=0.9,
        )
        truth = human.mean(axis=1) if these_topics else 0.5
        hits = (found["low"] <= truth) & (truth <= found["high"])
        most = 0.02 if these_topics else 0.045
        assert -0.015 < hits.mean() - 0.9 < most
        alone = (found["human_low"] <= truth) & (
            truth <= found["human_high"]
        )
        assert abs(alone.mean() - 0.9) < 0.02

    @pytest.mark.parametrize("kind", SCORES)
    @pytest.mark.parametrize("same_kind", [False, True])
    def test_coverage_is_nominal_or_more_of_other_scores(
        self, kind, same_kind
    ):
        """Of the machine's scores either the kind is the same or normal;
        Student's interval holds .41 to .93 with ten topics."""
        rng, correlation, total = np.random.default_rng(4), 0.9, 50
        x, e = rng.normal(size=(2, 4000, total))
        latent = correlation * x + np.sqrt(1 - correlation**2) * e
        human = SCORES[kind](scipy.special.ndtr(latent))
        if same_kind:
            x = SCORES[kind](scipy.special.ndtr(x))
        middle = (np.arange(1e5) + 0.5) / 1e5
        means = SCORES[kind](middle).mean(), human.mean(axis=1)
        for n in (4, 10, 40):
            for these_topics, truth in enumerate(means):
                found = gt.prediction_powered(
                    pd.DataFrame(human[:, :n]),
                    pd.DataFrame(x),
                    bounds=(-(kind == "differences"), 1),
                    these_topics=bool(these_topics),
                )
                for who in ("", "human_"):
                    low, high = found[f"{who}low"], found[f"{who}high"]
                    inside = low - 1e-9 <= truth
                    inside &= truth <= high + 1e-9
                    assert inside.mean() > 0.93, (n, these_topics, who)

    @pytest.mark.parametrize("left", [1, 3])
    def test_so_it_is_where_few_topics_are_left_to_the_machine(self, left):
        rng = np.random.default_rng(left)
        human = 1.0 * (rng.random((4000, 50)) > 0.9)
        found = gt.prediction_powered(
            pd.DataFrame(human[:, :-left]),
            pd.DataFrame(rng.normal(size=human.shape)),
            these_topics=True,
        )
        truth = human.mean(axis=1)
        inside = (found["low"] <= truth) & (truth <= found["high"])
        assert inside.mean() > 0.93

    @pytest.mark.parametrize("assurance", [0.5, 0.8, 0.95])
    @pytest.mark.parametrize(("n", "correlation"), [(6, 0.5), (20, 0.9)])
    def test_a_plan_is_kept_in_its_share_of_studies(
        self, assurance, n, correlation
    ):
        """The least half-width that is planned with n topics."""
        rng = np.random.default_rng(1)
        _, machine, few = tables(rng, 10_000, n, 60, correlation)
        found = gt.prediction_powered(few, machine, bounds=(-9, 10))
        reach = (found["high"] - found["low"]) / 2

        def enough(width):
            plan = gt.human_topics(
                width, 0.2, correlation, [60], assurance=assurance
            )
            return plan.fillna(61)[60] - n - 0.5

        width = scipy.optimize.brentq(enough, 0.01, 2)
        kept = (reach <= width).mean()
        assert -0.04 < kept - assurance < 0.06


class TestHumanTopics:
    def test_without_a_machine_s_help_it_takes_more(self):
        useless, good = (
            gt.human_topics(0.05, 0.2, r, [200])[200] for r in (0, 0.9)
        )
        half = scipy.stats.t.ppf(0.975, 63) * 0.2 / np.sqrt(64)
        assert half < 0.05
        assert useless >= 64 > good

    def test_more_machine_topics_never_need_more_people(self):
        found = gt.human_topics(0.05, 0.2, 0.8, range(70, 700, 30))
        assert (found.dropna().diff().dropna() <= 0).all()

    def test_more_assurance_needs_more_topics(self):
        found = [
            gt.human_topics(0.05, 0.2, 0.8, [200], assurance=share)[200]
            for share in (0.2, 0.5, 0.8, 0.95)
        ]
        assert found == sorted({*found})

    def test_a_higher_confidence_level_needs_more_topics(self):
        found = [
            gt.human_topics(0.05, 0.2, 0.8, [200], confidence_level=level)
            for level in (0.8, 0.9, 0.95)
        ]
        numbers = [plan[200] for plan in found]
        assert numbers == sorted({*numbers})

    def test_people_alone_are_planned_as_kupper_and_hafner_do(self):
        """The fewest n with a Student's interval of ±.05 or less in a
        share .9 of studies, by the distribution of the variance."""
        sizes = np.arange(50, 150)
        widest = 0.05 * np.sqrt(sizes) / scipy.stats.t.ppf(0.975, sizes - 1)
        share = scipy.stats.chi2.cdf(
            (sizes - 1) * (widest / 0.2) ** 2, sizes - 1
        )
        plans = gt.human_topics(0.05, 0.2, 0, sizes, assurance=0.9)
        assert plans.first_valid_index() == sizes[share >= 0.9][0]

    def test_where_not_all_are_enough(self):
        found = gt.human_topics(0.01, 0.2, 0.8, [50, 100_000])
        assert found.isna().tolist() == [True, False]


def test_a_single_system_is_enough():
    """As a row, as an array and as a long table."""
    _, machine, few = tables(np.random.default_rng(3), 4, 12, 40)
    every = gt.prediction_powered(few, machine, **FAR)
    one = gt.prediction_powered(few.loc[["s2"]], machine.loc[["s2"]], **FAR)
    pd.testing.assert_frame_equal(one, every.loc[["s2"]])
    array = gt.prediction_powered(
        few.loc[["s2"]].to_numpy(), machine.loc[["s2"]].to_numpy(), **FAR
    )
    numbers = array.columns.drop("note")
    np.testing.assert_allclose(array[numbers], one[numbers])
    long = [
        t.loc[["s2"]]
        .rename_axis("system")
        .melt(ignore_index=False, var_name="topic", value_name="score")
        .reset_index()
        for t in (few, machine)
    ]
    found = gt.prediction_powered(*long, **FAR)
    np.testing.assert_allclose(found[numbers], one[numbers])


HUMAN, MACHINE, FEW = tables(np.random.default_rng(2), 3, 8, 20)
REFUSED = {
    "people's topics=3 ... at least 4": (FEW.iloc[:, :3], MACHINE),
    "machine's topics=20 ... at least 21": (HUMAN, MACHINE),
    "no scores of the topics 99": (FEW.rename(columns={0: 99}), MACHINE),
    "no scores of the systems new": (FEW.rename({"s0": "new"}), MACHINE),
    "0 systems": (FEW.iloc[:0], MACHINE),
    "is nan": (FEW, MACHINE.mask(MACHINE > 0.8)),
    "(-1, 1)": (FEW - 0.9, MACHINE),
}


@pytest.mark.parametrize("words", REFUSED)
def test_tables_that_do_not_go_together(words):
    refused(lambda: gt.prediction_powered(*REFUSED[words]), words)


@pytest.mark.parametrize(
    "bounds",
    [
        *((0.5, 1), (0, 0.5), (1, 0), (1, 1), (0, np.inf), (np.nan, 1)),
        *((0,), (0, 1, 2), 5),
    ],
)
def test_bounds_that_hold_no_scores(bounds):
    scores, machine = [0.2, 0.8, 0.5, 0.5], MACHINE.iloc[0].to_numpy()
    refused(
        lambda: of_one(scores, machine, bounds=bounds),
        "bounds= ... must hold",
    )


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("half_width", 0),
        ("sd", -1),
        ("correlation", 1.1),
        ("correlation", np.nan),
        ("topics", [4]),
        ("topics", [10.5]),
        ("confidence_level", 1),
        ("assurance", 1),
        ("assurance", np.nan),
    ],
)
def test_a_plan_that_cannot_be(name, wrong):
    plan = {"half_width": 0.1, "sd": 0.2, "correlation": 0.5}
    plan |= {"topics": [50], name: wrong}
    refused(lambda: gt.human_topics(**plan), name)
