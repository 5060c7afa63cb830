"""gtlib.ppi: the closed form, its promise, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
import scipy

import gtlib as gt


def tables(rng, rows, n, total, correlation=0.8, sd=0.2):
    """Rows of independent topics; people judged the first n of them."""
    x = rng.normal(size=(rows, total))
    e = rng.normal(size=(rows, total))
    y = correlation * x + np.sqrt(1 - correlation**2) * e
    names = [f"s{i}" for i in range(rows)]
    human = pd.DataFrame(0.5 + sd * y, names)
    machine = pd.DataFrame(0.7 + 0.1 * x, names)
    return human, machine, human.iloc[:, :n]


class TestOneSystem:
    human, machine, few = tables(np.random.default_rng(0), 3, 12, 40)

    def test_the_estimate_is_that_of_ppi_with_the_best_weight(self):
        """Angelopoulos, Duchi & Zrnic (2023), example 6.1."""
        found = gt.prediction_powered(self.few, self.machine)
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
        found = gt.prediction_powered(self.few, self.machine)
        y, x = self.few.iloc[0], self.machine.iloc[0]
        n, rest = len(y), len(x) - len(y)

        def variance(weight):
            return (
                np.var(y - weight * x.iloc[:n]) / n
                + weight**2 * np.var(x.iloc[:n]) / rest
            )

        best = scipy.optimize.minimize_scalar(variance).x
        assert found["weight"].iloc[0] == pytest.approx(best, rel=1e-4)

    def test_the_interval_for_these_topics_is_that_of_a_regression(self):
        found = gt.prediction_powered(
            self.few,
            self.machine,
            these_topics=True,
            confidence_level=0.9,
        )
        y, x = self.few.iloc[1], self.machine.iloc[1]
        n, total = len(y), len(x)
        columns = np.column_stack([np.ones(n), x.iloc[:n]])
        line, *_ = np.linalg.lstsq(columns, y)
        rest = ((y - columns @ line) ** 2).sum() / (n - 2)
        at = np.array([1, x.mean()])
        form = at @ np.linalg.inv(columns.T @ columns) @ at
        reach = scipy.stats.t.ppf(0.95, n - 2)
        reach *= np.sqrt(rest * (form - 1 / total))
        row = found.iloc[1]
        assert row["mean"] == pytest.approx(line @ at)
        assert row["low"] == pytest.approx(line @ at - reach)
        assert row["high"] == pytest.approx(line @ at + reach)

    def test_people_alone_have_student_s_interval(self):
        found = gt.prediction_powered(self.few, self.machine).iloc[2]
        y = self.few.iloc[2]
        low, high = scipy.stats.t.interval(
            0.95, len(y) - 1, y.mean(), scipy.stats.sem(y)
        )
        assert found["human_low"] == pytest.approx(low)
        assert found["human_high"] == pytest.approx(high)

    def test_a_machine_s_scale_does_not_matter(self):
        one = gt.prediction_powered(self.few, self.machine)
        two = gt.prediction_powered(self.few, 3 - 7 * self.machine)
        ends = ["mean", "low", "high"]
        np.testing.assert_allclose(one[ends], two[ends])
        np.testing.assert_allclose(one["correlation"], -two["correlation"])

    def test_a_perfect_machine_knows_these_topics(self):
        human, few = 1 - 2 * self.machine, None
        few = human.iloc[:, :6]
        found = gt.prediction_powered(few, self.machine, these_topics=True)
        for end in ("mean", "low", "high"):
            np.testing.assert_allclose(found[end], human.mean(axis=1))

    def test_a_machine_that_says_the_same_of_all_is_no_help(self):
        found = gt.prediction_powered(self.few, 0 * self.machine)
        np.testing.assert_allclose(found["mean"], found["human_mean"])
        assert (found["weight"] == 0).all()
        wider = found["high"] - found["low"]
        assert (wider > found["human_high"] - found["human_low"]).all()

    def test_the_order_of_rows_and_columns_does_not_matter(self):
        one = gt.prediction_powered(self.few, self.machine)
        turned = self.machine.sample(frac=1, axis=1, random_state=1).iloc[
            ::-1
        ]
        two = gt.prediction_powered(self.few, turned)
        pd.testing.assert_frame_equal(one, two)


class TestPromise:
    """4,000 tables each: the Monte-Carlo error of a coverage is .005."""

    @pytest.mark.parametrize("n", [5, 10, 20, 40])
    @pytest.mark.parametrize("these_topics", [False, True])
    def test_coverage_is_nominal_or_more_where_scores_are_normal(
        self, n, these_topics
    ):
        rng = np.random.default_rng(n)
        human, machine, few = tables(rng, 4000, n, 53)
        found = gt.prediction_powered(
            few, machine, these_topics=these_topics, confidence_level=0.9
        )
        truth = human.mean(axis=1) if these_topics else 0.5
        hits = (found["low"] <= truth) & (truth <= found["high"])
        assert (
            -0.015 < hits.mean() - 0.9 < (0.015 if these_topics else 0.04)
        )
        alone = (found["human_low"] <= truth) & (
            truth <= found["human_high"]
        )
        assert abs(alone.mean() - 0.9) < 0.02

    @pytest.mark.parametrize("n", [6, 15])
    def test_the_expected_variance_is_that_of_the_plan(self, n):
        rng = np.random.default_rng(1)
        _, machine, few = tables(rng, 20_000, n, 60, 0.8, 0.2)
        found = gt.prediction_powered(few, machine)
        reach = (found["high"] - found["low"]) / 2
        wanted = np.sqrt((reach**2).mean())
        needed = gt.human_topics(1.03 * wanted, 0.2, 0.8, [60])
        assert needed[60] <= n
        needed = gt.human_topics(0.97 * wanted, 0.2, 0.8, [60])
        assert needed[60] > n


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

    def test_where_not_all_are_enough(self):
        found = gt.human_topics(0.01, 0.2, 0.8, [50, 100_000])
        assert found.isna().tolist() == [True, False]

    @pytest.mark.parametrize(
        ("wrong", "word"),
        [
            ({"half_width": 0}, "half_width"),
            ({"sd": -1}, "sd"),
            ({"correlation": 1.1}, "correlation"),
            ({"correlation": np.nan}, "correlation"),
            ({"topics": [4]}, "topics"),
            ({"topics": [10.5]}, "topics"),
            ({"confidence_level": 1}, "confidence_level"),
        ],
    )
    def test_refusals(self, wrong, word):
        right = {"half_width": 0.1, "sd": 0.2, "correlation": 0.5}
        right["topics"] = [50]
        with pytest.raises(ValueError, match=word):
            gt.human_topics(**(right | wrong))


class TestRefusals:
    human, machine, few = tables(np.random.default_rng(2), 3, 8, 20)

    def test_too_few_topics(self):
        with pytest.raises(ValueError, match="at least 4 topics"):
            gt.prediction_powered(self.few.iloc[:, :3], self.machine)

    def test_nothing_to_add(self):
        with pytest.raises(ValueError, match="judged 20 topics"):
            gt.prediction_powered(self.human, self.machine)

    def test_a_topic_that_the_machine_has_not(self):
        with pytest.raises(ValueError, match="no scores of the topics 99"):
            gt.prediction_powered(
                self.few.rename(columns={0: 99}), self.machine
            )

    def test_a_system_that_the_machine_has_not(self):
        with pytest.raises(
            ValueError, match="no scores of the systems new"
        ):
            gt.prediction_powered(
                self.few.rename(index={"s0": "new"}), self.machine
            )

    def test_gaps(self):
        with pytest.raises(ValueError):
            gt.prediction_powered(
                self.few, self.machine.mask(self.machine > 0.8)
            )


def test_a_single_system_is_enough():
    """As a row, as an array and as a long table."""
    _, machine, few = tables(np.random.default_rng(3), 4, 12, 40)
    every = gt.prediction_powered(few, machine)
    one = gt.prediction_powered(few.loc[["s2"]], machine.loc[["s2"]])
    pd.testing.assert_frame_equal(one, every.loc[["s2"]])
    array = gt.prediction_powered(
        few.loc[["s2"]].to_numpy(), machine.loc[["s2"]].to_numpy()
    )
    np.testing.assert_allclose(array, every.loc[["s2"]])
    long = [
        t.loc[["s2"]]
        .rename_axis("system")
        .melt(ignore_index=False, var_name="topic", value_name="score")
        .reset_index()
        for t in (few, machine)
    ]
    found = gt.prediction_powered(*long)
    np.testing.assert_allclose(found, every.loc[["s2"]])
    with pytest.raises(ValueError, match="0 systems"):
        gt.prediction_powered(few.iloc[:0], machine)
    with pytest.raises(ValueError, match="1 system;"):
        gt.as_wide(few.iloc[:1])
