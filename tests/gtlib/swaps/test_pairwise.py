"""One system beside another, against scipy, statsmodels and simulation."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

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


def settled(scores, row, further):
    """The probability that a pair is significant with further topics, by
    sums over what the true difference may be (two integrals, by hand)."""
    z = scores.loc[row.a] - scores.loc[row.b]
    n, v = len(z), z.var() / len(z)
    of_pairs = 2 * scores.mean(axis=1).var()
    within = (
        scores - scores.mean() - scores.mean(axis=1).to_numpy()[:, None]
    )
    residual = (within + scores.to_numpy().mean()).pow(2).to_numpy().sum()
    residual /= (len(scores) - 1) * (n - 1)
    true = max(of_pairs - 2 * residual / n, 0)
    share = true / (true + v)
    grid = stats.norm.ppf((np.arange(4000) + 0.5) / 4000)
    delta = share * z.mean() + np.sqrt(share * v) * grid
    total = n + further
    mean = (n * z.mean() + further * delta) / total
    spread = z.std() * np.sqrt(further) / total
    critical = stats.t.ppf(0.975, total - 1) * z.std() / np.sqrt(total)
    above = stats.norm.sf(critical, mean, spread)
    return (above + stats.norm.cdf(-critical, mean, spread)).mean()


def test_further_topics_by_integration():
    """The least number that settles a pair with the probability .8."""
    scores = table(systems=10, merit=2)
    found = gt.compare(scores, b="e")
    open_ = found[found["p_value"] >= 0.05]
    assert len(open_) >= 3
    assert (found.drop(open_.index)["more"] == 0).all()
    for row in open_.itertuples():
        assert settled(scores, row, row.more) >= 0.7999
        assert settled(scores, row, row.more * 0.99 - 1) < 0.8


@pytest.mark.slow
def test_further_topics_by_trial():
    """Of twelve systems whose merits are normal, the pairs that forty
    topics leave open are settled in eight of ten."""
    rng = np.random.default_rng(8)
    came = []
    for _ in range(40):
        merit = rng.normal(0, 0.25, (12, 1))
        scores = pd.DataFrame(merit + rng.normal(size=(12, 40)))
        pairs = gt.compare(scores, 0)
        for row in pairs[pairs["p_value"] >= 0.05].itertuples():
            if not row.more < 10**6:
                continue
            z = (scores.loc[row.a] - scores.loc[row.b]).to_numpy()
            true = merit[row.a, 0] - merit[row.b, 0]
            new = true + np.sqrt(2) * rng.normal(size=int(row.more))
            came.append(stats.ttest_1samp([*z, *new], 0).pvalue < 0.05)
    assert len(came) > 200
    assert np.mean(came) == pytest.approx(0.8, abs=0.05)


def test_more_noise_takes_more_topics():
    scores = table(systems=10, merit=3)
    middle = scores.mean(axis=1).to_numpy()[:, None]
    numbers = [
        gt.compare(middle + times * (scores - middle), "a", "d")[
            "more"
        ].item()
        for times in (2, 2.5, 3)
    ]
    assert 0 < numbers[0] < numbers[1] < numbers[2]


def test_of_systems_that_differ_by_chance_no_number_is_enough():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(9, 30))
    scores -= 0.95 * scores.mean(axis=1, keepdims=True)
    assert np.isnan(gt.compare(scores, 1)["more"]).all()


def test_the_record_of_settled_pairs_is_what_its_script_finds(script):
    settling = script("settling")
    record = gt.load("settling-trials")
    assert {*record["collection"]} == {*settling.COLLECTIONS}
    assert (record["told"] <= record["cases"]).all()
    rates = record.groupby(["pairs", "rule"])[["told", "settled"]].sum()
    came = rates["settled"] / rates["told"]
    assert 0.75 <= came["any", "predicted"] <= 0.85
    cf = settling.trials("cf-ap", settling.COLLECTIONS["cf-ap"])
    pairs, rule, more, came = next(cf)
    assert (pairs, rule) == ("top", "predicted")
    assert more > 0 and came in (True, False)


def test_where_assessors_set_the_error_no_number_of_topics_is_enough():
    rng = np.random.default_rng(3)
    y = 3 * rng.normal(size=(2, 1, 3)) + rng.normal(size=(2, 40, 3)) / 9
    index = np.indices(y.shape).reshape(3, -1)
    long = pd.DataFrame(index.T, columns=["system", "topic", "assessor"])
    long["score"] = y.ravel()
    found = gt.compare(long, 0, 1, "system x topic x assessor")
    assert found.attrs["unit"] == "topic"
    assert np.isnan(found["more"]).all()


@pytest.mark.slow
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
