"""One system beside another, against scipy, statsmodels and simulation."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

import gtlib as gt


def table(seed=0, systems=6, topics=30, merit=0.4):
    rng = np.random.default_rng(seed)
    means = np.linspace(0, merit, systems)[:, None]
    scores = (
        means + rng.normal(size=topics) + rng.normal(size=(systems, topics))
    )
    return pd.DataFrame(scores, [*"abcdefghij"[:systems]])


def test_two_systems_by_scipy():
    scores = table()
    found = gt.compare(scores, "a", "c").iloc[0]
    expected = stats.ttest_rel(scores.loc["a"], scores.loc["c"])
    low, high = expected.confidence_interval()
    z = scores.loc["a"] - scores.loc["c"]
    assert found["p_value"] == pytest.approx(expected.pvalue)
    assert (found["low"], found["high"]) == pytest.approx((low, high))
    assert found["difference"] == pytest.approx(z.mean())
    assert found["effect_size"] == pytest.approx(z.mean() / z.std())
    turned = gt.compare(scores, "c", "a").iloc[0]
    assert turned["low"] == pytest.approx(-high)


def test_all_against_a_baseline_and_one_against_all():
    scores = table()
    below = gt.compare(scores, b="b")
    assert (below["b"] == "b").all()
    best_first = scores.mean(axis=1).drop("b").sort_values(ascending=False)
    assert below["a"].tolist() == best_first.index.tolist()
    holm = multipletests(below["p_value"], method="holm")[1]
    assert below["p_adjusted"].to_numpy() == pytest.approx(holm)
    above = gt.compare(scores, "b")
    assert above["difference"].to_numpy() == pytest.approx(
        -below["difference"].to_numpy()
    )


def test_solved_or_not_by_mcnemar():
    scores = (table() > 0.3).astype(int)
    found = gt.compare(scores, "a", "f")["p_value"].item()
    counts = pd.crosstab(scores.loc["a"], scores.loc["f"])
    assert found == pytest.approx(mcnemar(counts, exact=True).pvalue)


def test_further_topics_by_statsmodels():
    scores = table(merit=0.2)
    for row in gt.compare(scores, b="a").itertuples():
        size = abs(row.effect_size)
        power = TTestPower().power(size, 30 + row.more, 0.05)
        if row.more > 0:
            assert power >= 0.8
            less = TTestPower().power(size, 29 + row.more, 0.05)
            assert less < 0.8
        else:
            assert row.p_value < 0.05 or power >= 0.8


def test_where_assessors_set_the_error_no_number_of_topics_is_enough():
    rng = np.random.default_rng(3)
    y = 3 * rng.normal(size=(2, 1, 3)) + rng.normal(size=(2, 40, 3)) / 9
    index = np.indices(y.shape).reshape(3, -1)
    long = pd.DataFrame(index.T, columns=["system", "topic", "assessor"])
    long["score"] = y.ravel()
    found = gt.compare(long, 0, 1, "system x topic x assessor")
    assert found.attrs["unit"] == "topic"
    assert np.isnan(found["more"]).all()


def test_the_order_that_is_foretold_is_as_frequent():
    """Of normal systems whose variance the table shows."""
    rng = np.random.default_rng(4)
    told, seen = [], []
    for _ in range(60):
        true = rng.normal(0, 0.2, (12, 1))
        one, other = (true + rng.normal(size=(12, 40)) for _ in range(2))
        pairs = gt.compare(pd.DataFrame(one), 0)
        means = other.mean(axis=1)
        again = means[0] - means[pairs["b"]]
        told += pairs["same_order"].tolist()
        seen += (again * pairs["difference"] > 0).tolist()
    told, seen = np.array(told), np.array(seen)
    assert told.mean() == pytest.approx(seen.mean(), abs=0.06)
    high = told > 0.8
    assert told[high].mean() == pytest.approx(seen[high].mean(), abs=0.08)


def test_of_two_alone_the_table_shows_no_variance():
    found = gt.compare(table(systems=2), "a", "b").iloc[0]
    t = abs(found["difference"]) / found["standard_error"]
    expected = stats.t.cdf(t / np.sqrt(2), 29)
    assert found["same_order"] == pytest.approx(expected)


def test_equal_systems_and_a_constant_gap():
    scores = table()
    scores.loc["b"] = scores.loc["a"]
    scores.loc["c"] = scores.loc["a"] + 1
    equal, gap = gt.compare(scores, "a").set_index("b").loc[["b", "c"]].iloc
    assert equal["p_value"] == 1 and equal["same_order"] == 0.5
    assert np.isnan(equal["more"])
    assert gap["p_value"] == 0 and gap["same_order"] == 1
    assert gap["more"] == 0


def test_questions_of_a_passage_are_drawn_with_it():
    rng = np.random.default_rng(5)
    passage = np.repeat(np.arange(12), 10)
    own = rng.normal(size=(2, 12))[:, passage] + rng.normal(size=(2, 120))
    wide = pd.DataFrame(own, ["a", "b"]).rename_axis("system").reset_index()
    long = wide.melt("system", var_name="topic", value_name="score")
    plain = gt.compare(long, "a", "b")["standard_error"].item()
    long["passage"] = passage[long["topic"].astype(int)]
    found = gt.compare(long, "a", "b", "system x (topic:passage)")
    assert found.attrs["unit"] == "passage"
    assert found["standard_error"].item() > 1.5 * plain
    assert found["df"].item() == pytest.approx(11)


def test_names_are_shown_as_they_are():
    scores = table()
    scores.index = ["<b>", "a|b", "x'; --", "ü", "*s*", "1"]
    found = gt.compare(scores, b="<b>")
    assert {*found["a"]} == {*scores.index} - {"<b>"}
