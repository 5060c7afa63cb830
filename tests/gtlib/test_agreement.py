"""Agreement of raters: other packages, another way, and what is refused."""

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

import gtlib as gt
from tests.refusals import refused

CLOSE = {"rel": 1e-9, "abs": 1e-12}
LEVELS = "nominal", "ordinal", "interval"


def graded(seed, raters, gaps=0.0, items=40, bias=0.6):
    """Grades from 0 to 4 by raters who differ, some of them missing."""
    rng = np.random.default_rng(seed)
    merit = rng.normal(2, 1, (items, 1))
    grades = merit + rng.normal(0, 0.8, (items, raters))
    grades += np.linspace(-bias, bias, raters)
    grades = np.abs(np.clip(np.round(grades), 0, 4))
    grades[rng.random(grades.shape) < gaps] = np.nan
    return pd.DataFrame(grades)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # pingouin's
@pytest.mark.parametrize("gaps", [0, 0.2])
@pytest.mark.parametrize("raters", [2, 3, 5])
def test_alphas_and_dependability_are_those_of_other_packages(raters, gaps):
    table = graded(1, raters, gaps)
    found = gt.agreement(table)["estimate"]
    for level in LEVELS:
        theirs = krippendorff.alpha(
            reliability_data=table.to_numpy().T, level_of_measurement=level
        )
        assert found[f"alpha, {level}"] == pytest.approx(theirs, **CLOSE)
    whole = table.dropna().reset_index().melt("index")
    theirs = pingouin.intraclass_corr(whole, "index", "variable", "value")
    single = theirs["Type"].isin(["ICC2", "ICC(A,1)"])
    icc = theirs.loc[single, "ICC"].item()
    ours = found["dependability of one rater"]
    assert ours == pytest.approx(icc, **CLOSE)


def test_dependability_is_that_of_a_plan_with_one_assessor():
    table = graded(2, 4)
    phi = gt.gstudy(table).plan(topic=1).dependability
    found = gt.agreement(table).loc["dependability of one rater"]
    assert found["estimate"] == pytest.approx(phi, **CLOSE)


def test_alpha_becomes_that_dependability_as_items_are_added():
    """Chapter 11 says so."""
    apart = []
    for items in (10, 100, 1000):
        found = gt.agreement(graded(7, 4, items=items, bias=0))["estimate"]
        phi = found["dependability of one rater"]
        apart.append(abs(found["alpha, interval"] - phi) * items)
    assert max(apart) < 1


@pytest.mark.parametrize("gaps", [0, 0.2])
def test_kappas_are_those_of_scikit_learn(gaps):
    table = graded(3, 2, gaps)
    found = gt.agreement(table)["estimate"]
    one, other = table.dropna().astype(int).to_numpy().T
    for name, weights in [
        ("Cohen's kappa", None),
        ("weighted kappa", "quadratic"),
    ]:
        theirs = cohen_kappa_score(one, other, weights=weights)
        assert found[name] == pytest.approx(theirs, **CLOSE)


def test_the_share_of_agreement_is_that_within_fleiss_kappa():
    """kappa = (share - chance) / (1 - chance)."""
    table = graded(4, 5).astype(int)
    counts = np.stack([(table == k).sum(axis=1) for k in range(5)], axis=1)
    chance = np.sum((counts.sum(axis=0) / counts.sum()) ** 2)
    share = gt.agreement(table).loc["share of agreement", "estimate"]
    kappa = (share - chance) / (1 - chance)
    assert kappa == pytest.approx(fleiss_kappa(counts), **CLOSE)


def test_words_have_no_order_and_long_tables_are_read():
    wide = graded(5, 3, 0.2).rename_axis(index="item", columns="rater")
    long = wide.melt(ignore_index=False, value_name="rating").dropna()
    long = long.reset_index()
    of_long = gt.agreement(long)
    pd.testing.assert_frame_equal(of_long, gt.agreement(wide))
    words = wide.map(lambda x: f"grade {x:g}", na_action="ignore")
    found = gt.agreement(words)
    assert [*found.index] == ["share of agreement", "alpha, nominal"]
    pd.testing.assert_frame_equal(found, of_long.loc[found.index])


@pytest.mark.slow
def test_draws_of_items_are_those_of_rows():
    """Items that were rated alike are counted; drawn one by one they give
    limits that differ by the chance of the draws only."""
    table = graded(6, 2)
    found = gt.agreement(table, n_resamples=4000).loc["Cohen's kappa"]
    rng = np.random.default_rng(0)
    again = []
    for _ in range(1000):
        one, other = table.iloc[rng.integers(0, 40, 40)].to_numpy().T
        again.append(cohen_kappa_score(one.astype(int), other.astype(int)))
    t, z = 2.0227, 1.9600  # of 39 degrees of freedom, and normal
    ends = np.quantile(again, [0.025, 0.975]) - found["estimate"]
    ends = found["estimate"] + ends * t / z
    assert [found["low"], found["high"]] == pytest.approx(ends, abs=0.05)


def test_where_all_say_the_same_chance_has_no_word():
    found = gt.agreement(pd.DataFrame({"a": [1, 1, 1], "b": [1, 1, 1]}))
    assert found.loc["share of agreement", "estimate"] == 1
    assert found["estimate"].drop("share of agreement").isna().all()


def test_numbers_of_many_values_are_no_grades():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        rng.normal(size=(30, 2)) + rng.normal(size=(30, 1))
    )
    names = [*gt.agreement(table).index]
    assert names == [
        "weighted kappa",
        "alpha, interval",
        "dependability of one rater",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("raters", [2, 5])
@pytest.mark.parametrize("items", [30, 200])
def test_intervals_hold_the_truth_as_often_as_they_say(items, raters):
    """The truth is that of a hundred thousand items."""
    truth = gt.agreement(graded(0, raters, items=100_000), n_resamples=2)
    held = []
    for seed in range(1, 401):
        found = gt.agreement(
            graded(seed, raters, items=items), n_resamples=400, seed=seed
        )
        above = found["low"] <= truth["estimate"]
        held.append(above & (truth["estimate"] <= found["high"]))
    shares = pd.DataFrame(held).mean()
    assert shares.between(0.90, 0.985).all(), shares


def test_two_items_that_differ_in_hardly_any_draw_have_no_limits():
    table = pd.DataFrame({"a": [0, 1], "b": [0, 1]})
    for seed in range(5):
        found = gt.agreement(table, n_resamples=2, seed=seed)
        assert (found["estimate"] == 1).all()


REFUSED = {
    "one is infinite": lambda: gt.agreement(
        pd.DataFrame({"a": [1, np.inf, 2], "b": [1, 2, 2]})
    ),
    "here are 0 items of 1 rater": lambda: gt.agreement(
        pd.DataFrame({"a": [1, 2, 3]})
    ),
    "here are 1 item of 2 raters": lambda: gt.agreement(
        pd.DataFrame({"a": [1, 2], "b": [1, np.nan]})
    ),
    "x rated i twice": lambda: gt.agreement(
        pd.DataFrame(
            {"item": ["i", "i"], "rater": ["x", "x"], "rating": [1, 2]}
        )
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_no_rating_is_refused(words):
    refused(REFUSED[words], words)


def test_a_mean_over_pairs_is_that_of_their_own_agreements():
    """Of complete ratings; the interval is narrower than of either, as
    both pairs are drawn together."""
    table = graded(5, 3)
    pairs = [(0, 2), (1, 2)]
    found = gt.agreement(table, pairs=pairs)
    own = [gt.agreement(table[[*pair]])["estimate"] for pair in pairs]
    mean = (own[0] + own[1]) / 2
    assert [*found.index] == [*mean.index]
    assert found["estimate"].to_numpy() == pytest.approx(mean, **CLOSE)
    kappas = [
        cohen_kappa_score(table[a], table[b], weights="quadratic")
        for a, b in pairs
    ]
    weighted = found.loc["weighted kappa"]
    assert weighted["estimate"] == pytest.approx(np.mean(kappas), **CLOSE)
    assert weighted["items"] == 40


def test_pairs_weigh_by_the_items_that_both_rated():
    table = graded(6, 3)
    table.loc[10:, 1] = np.nan  # the second pair has ten items
    found = gt.agreement(table, pairs=[(0, 2), (1, 2)])
    first = gt.agreement(table[[0, 2]])["estimate"]
    second = gt.agreement(table.loc[:9, [1, 2]])["estimate"]
    mean = (40 * first + 10 * second) / 50
    assert found["estimate"].to_numpy() == pytest.approx(mean, **CLOSE)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([(0, 9)], "there are 0, 1, 2"),
        ([(0, 0)], "are not two raters"),
        ([(0,)], "are not two raters"),
        ([], "none of them has rated two items"),
        ([0], "a list of pairs of raters is needed"),
    ],
)
def test_pairs_are_of_two_raters(pairs, said):
    with pytest.raises(ValueError, match=said):
        gt.agreement(graded(7, 3), pairs=pairs)
