"""gtlib.multivariate: cross products by hand, simulated truths."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.design import Design
from tests.oracle import table as simulated


def wide(array):
    return pd.DataFrame(array).rename(
        index="s{}".format, columns="t{}".format
    )


def tables(rng, systems=12, topics=9, **noise):
    """Two conditions with common effects, as wide tables."""
    common = rng.normal(size=(systems, 1)) + rng.normal(size=(1, topics))
    each = rng.normal(size=(2, systems, topics))
    return {"a": wide(common + each[0]), "b": wide(2 * common + each[1])}


def cross_products(a, b):
    """Expected mean cross products solved by hand (Brennan 2001, 9.2)."""
    systems, topics = a.shape

    def parts(x):
        rows = x.mean(axis=1, keepdims=True) - x.mean()
        columns = x.mean(axis=0, keepdims=True) - x.mean()
        return rows, columns, x - x.mean() - rows - columns

    (r1, c1, e1), (r2, c2, e2) = parts(a), parts(b)
    rest = (e1 * e2).sum() / (systems - 1) / (topics - 1)
    rows = topics * (r1 * r2).sum() / (systems - 1)
    columns = systems * (c1 * c2).sum() / (topics - 1)
    return (rows - rest) / topics, (columns - rest) / systems, rest


class TestComponents:
    def test_covariances_are_mean_cross_products_solved(self):
        given = tables(np.random.default_rng(0))
        found = gt.mgstudy(given).components
        for pair in ("ab", "aa", "bb"):
            x, y = (given[name].to_numpy() for name in pair)
            expected = cross_products(x, y)
            ours = [table.loc[pair[0], pair[1]] for table in found.values()]
            np.testing.assert_allclose(ours, expected, atol=1e-10)

    def test_they_are_those_of_the_real_measures(self):
        given = {m: gt.load(f"cf-{m}") for m in ("ap", "ndcg10", "p10")}
        found = gt.mgstudy(given).components
        for first in given:
            for second in given:
                x, y = given[first].to_numpy(), given[second].to_numpy()
                ours = [t.loc[first, second] for t in found.values()]
                expected = cross_products(x, y)
                np.testing.assert_allclose(ours, expected, atol=1e-10)

    def test_three_facets_by_sums_of_products(self):
        rng = np.random.default_rng(1)
        shape = {"system": 5, "topic": 4, "judge": 3}
        design = Design("system x topic x judge")
        a, b = (simulated(design, shape, rng) for _ in range(2))
        found = gt.mgstudy({"a": a, "b": b}, design).components
        x, y = (t["score"].to_numpy().reshape(5, 4, 3) for t in (a, b))

        def product(keep):
            """The mean cross product of the effect with these axes."""
            parts = []
            for z in (x, y):
                for axis in range(3):
                    mean = z.mean(axis=axis, keepdims=True)
                    z = z - mean if axis in keep else mean
                parts.append(np.broadcast_to(z, x.shape))
            df = np.prod([x.shape[axis] - 1 for axis in keep])
            return (parts[0] * parts[1]).sum() / df

        rest, st, sj = product((0, 1, 2)), product((0, 1)), product((0, 2))
        expected = (product((0,)) - st - sj + rest) / 12
        ours = found["system"].loc["a", "b"]
        assert ours == pytest.approx(expected, abs=1e-10)
        ours = found["system x topic x judge"].loc["a", "b"]
        assert ours == pytest.approx(rest, abs=1e-10)
        ours = found["system x topic"].loc["b", "a"]
        assert ours == pytest.approx((st - rest) / 3, abs=1e-10)

    def test_a_facet_of_one_condition_is_averaged_over(self):
        rng = np.random.default_rng(2)
        shape = {"system": 6, "topic": 5, "judge": 4}
        machines = simulated(Design("system x topic x judge"), shape, rng)
        mean = machines.pivot_table("score", "system", "topic")
        people = mean + rng.normal(size=mean.shape)
        found = gt.mgstudy(
            {"people": people, "machines": machines},
            {
                "people": "system x topic",
                "machines": "system x topic x judge",
            },
        )
        expected = cross_products(people.to_numpy(), mean.to_numpy())
        ours = [
            t.loc["people", "machines"] for t in found.components.values()
        ]
        np.testing.assert_allclose(ours, expected, atol=1e-10)
        alone = gt.gstudy(machines, "system x topic x judge")
        system = found.components["system"].loc["machines", "machines"]
        assert system == pytest.approx(alone.estimate["system"])


class TestComposite:
    def test_its_components_are_quadratic_forms(self):
        rng = np.random.default_rng(3)
        found = gt.mgstudy(tables(rng) | {"c": tables(rng)["a"]})
        weights = {"a": 0.5, "b": -1.25, "c": 2.0}
        w = np.array([*weights.values()])
        composite = found.composite(weights)
        for effect, table in found.components.items():
            expected = w @ table.to_numpy() @ w
            assert composite.estimate[effect] == pytest.approx(expected)

    def test_who_is_not_named_weighs_nothing(self):
        found = gt.mgstudy(tables(np.random.default_rng(4)))
        alone = found.composite({"b": 1.0})
        expected = found.studies["b"].estimate
        np.testing.assert_allclose(alone.estimate, expected)


class TestCorrelation:
    def test_scale_and_shift_do_not_change_it(self):
        given = tables(np.random.default_rng(5))
        other = given | {"b": 7 + 0.01 * given["b"]}
        one, two = (
            gt.mgstudy(t).correlation("a", "b", n_resamples=200)
            for t in (given, other)
        )
        assert two.estimate == pytest.approx(one.estimate)
        assert (two.low, two.high) == pytest.approx((one.low, one.high))

    def test_the_order_of_rows_does_not_change_it(self):
        given = tables(np.random.default_rng(5))
        other = given | {"b": given["b"].sample(frac=1, random_state=1)}
        one, two = (
            gt.mgstudy(t).correlation("a", "b", n_resamples=200)
            for t in (given, other)
        )
        assert str(one) == str(two)

    def test_each_draw_takes_the_same_levels_in_all(self, monkeypatch):
        monkeypatch.setattr("gtlib.intervals.HELD", 20_000)
        rng = np.random.default_rng(6)
        shape = {"system": 9, "topic": 8, "assessor": 7}
        crossed = simulated(Design("system x topic x assessor"), shape, rng)
        repeated = pd.concat(
            [crossed.assign(day=f"d{day}") for day in range(2)]
        )
        rng = np.random.default_rng(7)
        repeated["score"] += 1e-9 * rng.normal(size=len(repeated))
        found = gt.mgstudy(
            {"once": crossed, "twice": repeated},
            {
                "once": "system x topic x assessor",
                "twice": "system x topic x assessor x day",
            },
        )
        drawn = found.correlation("once", "twice", n_resamples=400)
        assert drawn.low == pytest.approx(1, abs=1e-6)
        assert drawn.high == pytest.approx(1, abs=1e-6)

    @pytest.mark.slow
    def test_it_covers_the_truth(self):
        """Systems fixed, topics drawn: 18 studies, Monte-Carlo error .051.

        The lower bound of the test is three errors below nominal.
        """
        rng = np.random.default_rng(8)
        hits = 0
        for seed in range(18):
            z = rng.normal(size=(2, 30))
            systems = np.array([z[0], 0.9 * z[0] + np.sqrt(0.19) * z[1]])
            e = rng.normal(size=(2, 30, 40))
            e[1] = 0.5 * e[0] + np.sqrt(0.75) * e[1]
            scores = systems[:, :, None] + rng.normal(size=(1, 40)) + e
            study = gt.mgstudy({"a": wide(scores[0]), "b": wide(scores[1])})
            found = study.correlation("a", "b", n_resamples=100, seed=seed)
            truth = np.corrcoef(systems)[0, 1]
            hits += found.low <= truth <= found.high
        assert hits / 18 >= 0.95 - 3 * 0.051

    @pytest.mark.slow
    @pytest.mark.parametrize("systems", [15, 30])
    def test_it_covers_the_truth_of_the_population(self, systems):
        """Systems drawn as well: 40 studies, Monte-Carlo error .034. The
        interval for these systems holds it in far fewer."""
        rng = np.random.default_rng(systems)
        truth, held = 0.9, {"these": [], "population": []}
        for seed in range(40):
            z = rng.normal(size=(2, systems, 1))
            z[1] = truth * z[0] + np.sqrt(1 - truth**2) * z[1]
            e = rng.normal(size=(2, systems, 30))
            e[1] = 0.5 * e[0] + np.sqrt(0.75) * e[1]
            study = gt.mgstudy(
                {"a": wide(z[0] + e[0]), "b": wide(z[1] + e[1])}
            )
            for which, hits in held.items():
                found = study.correlation(
                    "a", "b", systems=which, n_resamples=100, seed=seed
                )
                hits.append(found.low <= truth <= found.high)
        assert np.mean(held["population"]) >= 0.95 - 3 * 0.034
        assert np.mean(held["these"]) < 0.75

    def test_whose_it_is_and_what_is_drawn_anew_is_said(self):
        found = gt.mgstudy(tables(np.random.default_rng(4)))
        draw = {"n_resamples": 50}
        these, population = (
            found.correlation("a", "b", systems=which, **draw)
            for which in ("these", "population")
        )
        assert these.estimate == pytest.approx(population.estimate)
        assert population.low < these.low
        assert str(these).endswith("(95%, bootstrap of topics)")
        said = "(95%, bootstrap of systems and topics)"
        assert str(population).endswith(said)
        again = found.correlation("a", "b", **draw)
        assert vars(again) == pytest.approx(vars(these))

    @pytest.mark.slow
    def test_equal_components_and_a_correlation_of_one(self):
        rng = np.random.default_rng(9)
        hits = 0
        for seed in range(20):
            system = rng.normal(size=(20, 1))
            pair = system + rng.normal(size=(2, 20, 30))
            study = gt.mgstudy({"a": wide(pair[0]), "b": wide(pair[1])})
            found = study.correlation("a", "b", n_resamples=100, seed=seed)
            hits += found.high >= 1
            assert ("beyond 1" in str(found)) == (found.estimate > 1)
        assert hits / 20 >= 0.8

    def test_no_variance_no_interval(self):
        rng = np.random.default_rng(10)
        flat = rng.normal(size=(6, 8))
        flat -= flat.mean(axis=1, keepdims=True)
        given = {"a": wide(flat), "b": wide(rng.normal(size=(6, 8)))}
        found = gt.mgstudy(given).correlation("a", "b", n_resamples=20)
        assert "no interval of correlation: a condition's" in str(found)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_condition_correlates_with_itself(sign):
    """A difference of nothing, or a sum, is no obstacle."""
    scores = gt.load("cf-ap")
    found = gt.mgstudy({"one": scores, "other": sign * scores})
    table = found.components["system"]
    assert table.loc["one", "other"] == pytest.approx(
        sign * table.loc["one", "one"]
    )
    interval = found.correlation("one", "other", n_resamples=50)
    ends = [interval.low, interval.estimate, interval.high]
    assert ends == pytest.approx([sign] * 3)


def test_studies_that_tell_nothing_widen_the_interval():
    """Systems that hardly differ: some draws have no variance of them."""
    rng = np.random.default_rng(4)
    true = rng.normal(size=(8, 1))
    tables = {
        name: pd.DataFrame(true + 3 * rng.normal(size=(8, 12)))
        for name in ("one", "other")
    }
    found = gt.mgstudy(tables).correlation("one", "other", n_resamples=300)
    assert -1 <= found.low <= found.high <= 1
    assert found.high - found.low > 1
