"""Swap rates: against loops, limits, published numbers and simulation."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import gtlib as gt
from gtlib.swaps import p_value_rates

ADHOC = ("trec3", "trec5", "trec6", "trec7", "trec8")


def simulated(systems=8, topics=40, spread=0.05, noise=0.1, seed=1):
    rng = np.random.default_rng(seed)
    merit = rng.normal(0.3, spread, (systems, 1))
    return merit + rng.normal(0, noise, (systems, topics))


def generator(seed):
    """The one with which the first collection is drawn."""
    return np.random.default_rng(seed).spawn(1)[0]


def loaded(*names):
    return {name: gt.load(name) for name in names}


def loop(scores, size, trials, seed, sets=2):
    """The procedure as one would write it down, a pair at a time."""
    rng, pairs, swaps = generator(seed), {}, {}
    for _ in range(trials):
        order = rng.permutation(scores.shape[1])
        t = [order[k * size : (k + 1) * size] for k in range(sets)]
        t = t if sets == 4 else [t[0], t[0], t[1], t[1]]
        for i in range(len(scores)):
            for j in range(i + 1, len(scores)):
                d = scores[i, t[0]].mean() - scores[j, t[1]].mean()
                e = scores[i, t[2]].mean() - scores[j, t[3]].mean()
                b = min(int(abs(d) * 100), 20)
                pairs[b] = pairs.get(b, 0) + 1
                swaps[b] = swaps.get(b, 0) + (d * e < 0)
    return {b / 100: swaps[b] / pairs[b] for b in pairs}


class TestAgainstALoop:
    @pytest.mark.parametrize("size", [1, 6, 20])
    def test_matched(self, size):
        scores = simulated()
        expected = loop(scores, size, 70, seed=5)
        rates = gt.swap_rates(
            scores, [size], n_resamples=70, seed=5, drop=0
        )
        for edge, rate in expected.items():
            assert rates.rate.loc[size, edge] == pytest.approx(rate)
        assert rates.rate.notna().sum().sum() == len(expected)

    def test_unmatched(self):
        scores = simulated()
        expected = loop(scores, 10, 30, seed=2, sets=4)
        rates = gt.swap_rates(
            scores, [10], n_resamples=30, seed=2, drop=0, matched=False
        )
        for edge, rate in expected.items():
            assert rates.rate.loc[10, edge] == pytest.approx(rate)

    def test_the_worst_quarter_is_left_out(self):
        scores = pd.DataFrame(simulated(), index=list("abcdefgh"))
        best = scores.loc[scores.mean(axis=1).nlargest(6).index]
        left_out = gt.swap_rates(scores, [10])
        by_hand = gt.swap_rates(best, [10], drop=0)
        pd.testing.assert_frame_equal(left_out.rate, by_hand.rate)

    def test_p_values(self):
        scores, size, rng = simulated(), 12, generator(3)
        sums = np.zeros((2, 21))
        for _ in range(10):
            drawn = scores[:, rng.permutation(40)[:size]]
            for i in range(8):
                for j in range(i + 1, 8):
                    p = stats.ttest_rel(drawn[i], drawn[j]).pvalue
                    d = abs(drawn[i].mean() - drawn[j].mean())
                    sums[:, min(int(d * 100), 20)] += 1, p
        rates = p_value_rates(
            scores, [size], n_resamples=10, seed=3, drop=0
        )
        with np.errstate(invalid="ignore"):
            expected = sums[1] / sums[0]
        np.testing.assert_allclose(rates.rate.loc[size], expected)


class TestLimits:
    def test_identical_systems_swap_half_the_time(self):
        one = simulated(systems=1)
        same = np.repeat(one, 6, axis=0)
        rates = gt.swap_rates(same, drop=0)
        assert (rates.rate[0.0] == 0.5).all()
        assert rates.rate.notna().to_numpy().sum() == len(rates.rate)

    def test_systems_far_apart_never_swap(self):
        scores = simulated() + 1000 * np.arange(8)[:, None]
        rates = gt.swap_rates(scores, drop=0)
        assert (rates.rate.loc[:, 0.2] == 0).all()
        assert (rates.overall["rate"] == 0).all()

    @pytest.mark.slow
    def test_a_constant_lead_has_p_value_zero_and_no_difference_one(self):
        one = np.round(simulated(systems=1), 3)
        rates = p_value_rates(np.vstack([one, one, one + 0.05]), drop=0)
        assert (rates.rate[0.0] == 1).all()
        assert (rates.rate[0.05] == 0).all()


@pytest.mark.slow
@given(arrays(float, (5, 12), elements=st.integers(0, 100)), st.data())
def test_properties(hundredths, data):
    scores = pd.DataFrame(hundredths / 100)
    shuffle = data.draw(st.permutations(range(5)))
    rates = gt.swap_rates(scores, [1, 3, 6], n_resamples=7, drop=0)
    again = gt.swap_rates(
        scores.iloc[shuffle], [1, 3, 6], n_resamples=7, drop=0
    )
    pd.testing.assert_frame_equal(rates.rate, again.rate)
    assert (rates.table.groupby("size")["pairs"].sum() == 7 * 10).all()
    known = rates.table["rate"].dropna()
    assert known.between(0, 1).all()


def test_a_difference_on_an_edge_belongs_above_it():
    scores = np.array([[0.10, 0.36], [0.13, 0.39]])
    rates = gt.swap_rates(scores, [1], n_resamples=5, drop=0)
    assert rates.table.set_index("low")["pairs"][0.03] == 5


def test_relabelling_systems_and_topics():
    scores = pd.DataFrame(simulated(), index=list("abcdefgh"))
    renamed = scores.sample(frac=1, random_state=0)
    renamed.columns = [f"topic {c}" for c in renamed.columns]
    for function in (gt.swap_rates, p_value_rates):
        one, other = function(scores, [4, 10]), function(renamed, [4, 10])
        pd.testing.assert_frame_equal(one.rate, other.rate)
        pd.testing.assert_frame_equal(one.error, other.error)


TWO = {"one": simulated(seed=1), "two": simulated(12, 30, seed=2)}


class TestAverages:
    def test_table_holds_each_collection_s_own_rates(self):
        both = gt.swap_rates(TWO, [10])
        for name, scores in TWO.items():
            before = {} if name == "one" else {"any": TWO["one"]}
            alone = gt.swap_rates({**before, name: scores}, [10])
            alone = alone.table[alone.table["collection"] == name]
            mine = both.table[both.table["collection"] == name]
            np.testing.assert_allclose(mine["rate"], alone["rate"])
            np.testing.assert_allclose(mine["error"], alone["error"])

    def test_a_rate_is_the_mean_of_the_collections_rates(self):
        rates = gt.swap_rates(TWO, [10])
        each = rates.table.groupby("low")["rate"].mean()
        np.testing.assert_allclose(rates.rate.loc[10], each)

    def test_overall_is_the_rate_of_all_pairs(self):
        rates = gt.swap_rates(TWO, [10])
        swaps = (rates.table["rate"] * rates.table["pairs"]).groupby(
            rates.table["collection"]
        )
        expected = swaps.sum() / rates.overall.set_index("collection").pairs
        np.testing.assert_allclose(rates.overall["rate"], expected)

    @pytest.mark.slow
    def test_error_is_what_another_seed_changes(self):
        runs = [gt.swap_rates(TWO, [10], seed=s) for s in range(80)]
        spread = np.std([r.rate.loc[10, 0.02] for r in runs], ddof=1)
        error = np.mean([r.error.loc[10, 0.02] for r in runs])
        assert error == pytest.approx(spread, rel=0.25)

    def test_one_trial_has_no_error_and_all_topics_an_error_of_zero(self):
        once = gt.swap_rates(TWO["one"], [10], n_resamples=1)
        assert once.error.isna().all(axis=None)
        whole = p_value_rates(TWO["one"], [40])
        assert (whole.error.loc[40].dropna() == 0).all()
        assert whole.table["pairs"].sum() == 15


class TestExtrapolation:
    rates = gt.swap_rates(simulated(), drop=0, bins=[0, 0.05])

    def curve(self, noise=0.0, seed=0):
        rng = np.random.default_rng(seed)
        x = self.rates.rate.index.to_numpy(float)
        y = 0.5 * np.exp(-np.outer(x, [0.01, 0.08]))
        y += rng.normal(0, noise, y.shape)
        return replace(self.rates, rate=self.rates.rate * 0 + y)

    def test_an_exponential_is_found_again(self):
        fit = gt.extrapolate_swaps(self.curve(), [50, 100])
        assert fit.rate.loc[50, 0.05] == pytest.approx(0.5 * np.exp(-4))
        assert fit.rate.loc[100, 0.0] == pytest.approx(0.5 * np.exp(-1))

    @pytest.mark.slow
    def test_interval_covers(self):
        truth, hits = 0.5 * np.exp(-0.08 * 50), 0
        for seed in range(200):
            fit = gt.extrapolate_swaps(self.curve(0.01, seed))
            low, high = fit.low.loc[50, 0.05], fit.high.loc[50, 0.05]
            hits += low < truth < high
        assert hits / 200 == pytest.approx(0.95, abs=0.04)


def pooled(table):
    """One rate over the pairs of all collections."""
    hits = (table["rate"] * table["pairs"]).groupby(table["low"]).sum()
    return hits / table.groupby("low")["pairs"].sum()


class TestPublished:
    """Voorhees' slides, from the collections of hers that are public."""

    BINS = ("03-.04", "05-.06", "10-.11")

    def printed(self, slide):
        facts = gt.load("voorhees-2006")["value"]
        keys = [f"{slide}/p-swap/.{name}" for name in self.BINS]
        return facts[keys].to_numpy() / 100

    def test_25_topics(self):
        tables = loaded(*ADHOC)
        found = gt.swap_rates(tables, [25], n_resamples=400)
        ours = found.rate.loc[25], pooled(found.table)
        for rates in ours:
            gap = rates[[0.03, 0.05, 0.10]] - self.printed("25-is-small")
            assert gap.abs().max() < 0.02

    @pytest.mark.slow
    def test_extrapolated_to_50(self):
        tables = loaded(*ADHOC)
        fit = gt.extrapolate_swaps(gt.swap_rates(tables, range(1, 26)))
        ours = fit.rate.loc[50, [0.03, 0.05, 0.10]].to_numpy()
        printed = self.printed("50-is-adequate")
        assert np.abs(ours - printed)[:2].max() < 0.015
        assert ours[2] == pytest.approx(0.0015, abs=0.0006)

    def test_bodoff_and_li_s_variant(self):
        table = p_value_rates(loaded(*ADHOC), [25, 50]).table
        rates = {n: pooled(part) for n, part in table.groupby("size")}
        assert rates[25][[0.03, 0.05, 0.10]].tolist() == pytest.approx(
            [0.237, 0.094, 0.012], abs=0.012
        )
        assert rates[50][[0.03, 0.05, 0.10]].tolist() == pytest.approx(
            [0.105, 0.025, 0.0007], abs=0.0006
        )

    def test_the_extrapolation_fails_on_robust_2004(self):
        scores = loaded("robust2004")
        near = gt.swap_rates(scores, range(1, 26), n_resamples=100)
        far = gt.swap_rates(scores, [50], n_resamples=300)
        curves, observed = gt.extrapolate_swaps(near), far.rate.loc[50]
        assert curves.rate.loc[50, 0.03] < observed[0.03]
        seen = observed[curves.rate.columns]
        inside = seen.between(curves.low.loc[50], curves.high.loc[50])
        assert not inside.all()


def test_one_topic_tells_little_but_not_nothing():
    """Chapter 8: half of the close pairs swap, and 40% of distant ones."""
    tables = loaded("trec3", "trec5", "trec6", "trec7", "trec8")
    rates = gt.swap_rates(tables, [1], n_resamples=50)
    single, error = rates.rate.loc[1], rates.error.loc[1]
    assert single.iloc[0] == pytest.approx(0.5, abs=4 * error.iloc[0])
    assert single.iloc[-1] == pytest.approx(0.4, abs=4 * error.iloc[-1])
    assert error.iloc[-1] < 0.02
