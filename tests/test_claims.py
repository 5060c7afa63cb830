"""What chapters 0-5 say of data, checked apart from the notebooks."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt

CROSSED = "system x topic x assessor"
DIVIDED = "system x (topic:assessor)"
NESTED = "system x (assessor:topic)"
STRUCTURES = (CROSSED, NESTED, DIVIDED)
EURO = {"judgment": 30, "topic": 40, "assessor": 500}


def alpha(table):
    return gt.cronbach_alpha(table).estimate


@pytest.fixture(scope="module")
def cf():
    return gt.load("cf", measure="AP")


@pytest.fixture(scope="module")
def study(cf):
    return gt.gstudy(cf, CROSSED)


def contradicting():
    """60 systems, 12 topics: the last four contradict each other."""
    noise = np.random.default_rng(0).normal(size=(60, 13))
    apart, _ = np.linalg.qr(noise - noise.mean(axis=0))
    good, own = apart[:, :1], apart[:, 1:]
    own[:, 8:] = 1.25 * (own[:, 8:] - own[:, 8:].mean(axis=1)[:, None])
    return pd.DataFrame(own + good * np.repeat([0.2, 0.4], [8, 4]))


def test_without_one_negative_topic_alpha_rises_without_all_it_may_fall():
    table = contradicting()
    items = gt.item_analysis(table)
    assert list(items.index[items["negative"]]) == [8, 9, 10, 11]
    for topic in (8, 9, 10, 11):
        assert alpha(table.drop(columns=topic)) > alpha(table)
    left = table.loc[:, ~items["negative"]]
    assert alpha(left) < alpha(table) - 0.03


@pytest.mark.parametrize("seed", range(8))
def test_one_negative_topic_always_costs_alpha_if_it_is_positive(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        rng.normal(size=(20, 6)) + 0.7 * rng.normal(size=(20, 1))
    )
    table[6] = rng.normal(size=20) - 0.3 * table.sum(axis=1)
    assert gt.item_analysis(table).loc[6, "corrected_item_total"] < 0
    if alpha(table) > 0:
        assert alpha(table.drop(columns=6)) > alpha(table)


def test_two_of_trec_8s_negative_topics_are_the_easiest():
    best = gt.drop_worst(gt.load("trec8"))
    negative = gt.item_analysis(best)["negative"].to_numpy()
    easiest_first = best.mean().rank(ascending=False)
    assert sorted(easiest_first[negative])[:2] == [1, 2]
    assert negative.sum() == 3


@pytest.mark.slow
@pytest.mark.parametrize("factor, raised", [(2, 31), (10, 2)])
def test_a_factor_on_one_topic_raises_or_lowers_alpha(factor, raised):
    table = gt.load("cf-ap").rename(columns=str)
    found = [
        alpha(table.assign(**{name: factor * table[name]})) > alpha(table)
        for name in table
    ]
    assert sum(found) == raised


def in_roles(cf, rng):
    """The people of each topic, shuffled into roles."""
    topics = np.repeat(cf["topic"].unique(), 4)
    people = np.concatenate(
        [rng.permutation(cf["assessor"].unique()) for _ in topics[::4]]
    )
    cast = pd.DataFrame(
        {
            "topic": topics,
            "assessor": people,
            "role": np.tile(range(4), len(topics) // 4),
        }
    )
    cast = cf.merge(cast).drop(columns="assessor")
    return gt.gstudy(cast.rename(columns={"role": "assessor"}), CROSSED)


@pytest.mark.slow
def test_shuffled_people_move_into_topic_x_assessor(cf, study):
    """Exchangeable roles have no component of their own, on average.

    30 draws; the bounds are four Monte-Carlo standard errors.
    """
    rng = np.random.default_rng(7)
    draws = pd.DataFrame(in_roles(cf, rng).estimate for _ in range(30))
    bound = 4 * draws.std() / np.sqrt(len(draws))
    real = study.estimate
    expected = {
        "assessor": 0,
        "system x assessor": 0,
        "topic x assessor": real["assessor"] + real["topic x assessor"],
        "system x topic x assessor": real["system x assessor"]
        + real["system x topic x assessor"],
    }
    for effect, value in expected.items():
        assert abs(draws[effect].mean() - value) < bound[effect], effect
    assert real["assessor"] > 20 * bound["assessor"]


def test_a_plan_from_shuffled_people_is_one_with_new_people(cf, study):
    found = in_roles(cf, np.random.default_rng(1))
    plan = found.plan(topic=48, assessor=1)
    one = study.plan(topic=48, assessor=1)
    new = study.plan(NESTED, topic=48, assessor=1)
    assert one.dependability == pytest.approx(0.730, abs=0.001)
    assert new.dependability == pytest.approx(0.872, abs=0.001)
    assert plan.dependability == pytest.approx(new.dependability, abs=0.01)


def test_the_relative_error_of_the_example_is_a_tie_of_its_last_digit():
    printed = gt.load("bodoff-li-2007")["printed"]
    parts = [
        float(printed[f"table-1/variance/{effect}"]) / n
        for effect, n in (
            ("system-x-topic", 20),
            ("system-x-assessor", 3),
            ("system-x-topic-x-assessor", 60),
        )
    ]
    assert sum(parts) == pytest.approx(0.000665, abs=1e-12)


def test_twice_the_topics_lower_relative_error_more_than_half_of_pi(study):
    halved = study.variance.copy()
    halved["system x topic"] /= 2
    half = gt.GStudy.from_components(CROSSED, halved)
    assert (
        study.plan(topic=100, assessor=2).relative_error
        < half.plan(topic=50, assessor=2).relative_error
    )


def test_topics_of_trec_6_need_more_than_those_of_2004():
    """The intervals overlap; the ratio of the two numbers, by a jackknife
    over the systems and over the topics of each, is not one."""
    table = gt.load("robust2004")
    number = table.columns.astype(int)
    old, new = (
        table.loc[:, (number >= first) & (number < first + 50)]
        for first in (301, 651)
    )
    ask = "topic", 0.95, "generalizability"
    low, high = (
        gt.gstudy(part).plan().required_interval(*ask)
        for part in (old, new)
    )
    assert [low.estimate, high.estimate] == [108, 49]
    assert high.high - 10 < low.low < high.high

    def log_needed(part):
        """By the mean squares, since 600 parts are asked."""
        x = part.to_numpy()
        means = x.mean(axis=1, keepdims=True)
        rest = x - means - x.mean(axis=0) + x.mean()
        error = (rest**2).sum() / np.prod(np.subtract(x.shape, 1))
        system = means.var(ddof=1) - error / x.shape[1]
        return np.log(error / system)

    def variance(left):
        n = len(left)
        return (n - 1) / n * np.sum((left - np.mean(left)) ** 2)

    shared = [
        log_needed(old.drop(name)) - log_needed(new.drop(name))
        for name in table.index
    ]
    own = [
        [log_needed(part.drop(columns=topic)) for topic in part]
        for part in (old, new)
    ]
    error = sum(map(variance, [shared, *own])) ** 0.5
    assert (log_needed(old) - log_needed(new)) / error > 2.5


def test_the_systems_interval_of_table_1_is_not_narrow():
    found = gt.load("trec4-table1").component_intervals(method="mls")
    low, high = found.loc["system", ["low", "high"]]
    assert (round(low, 4), round(high, 4)) == (0.0048, 0.0134)


def by_hand(study, n_t, n_a):
    """Relative and absolute error of divided topics, term by term."""
    v = study.variance
    relative = v["system x assessor"] / n_a
    relative += v["system x topic"] / (n_a * n_t)
    relative += v["system x topic x assessor"] / (n_a * n_t)
    absolute = relative + v["assessor"] / n_a
    absolute += (v["topic"] + v["topic x assessor"]) / (n_a * n_t)
    return relative, absolute


@pytest.mark.parametrize("n_t, n_a", [(8, 6), (1, 48), (48, 1)])
def test_divided_topics_by_hand(study, n_t, n_a):
    plan = study.plan(DIVIDED, topic=n_t, assessor=n_a)
    found = plan.relative_error, plan.absolute_error
    assert found == pytest.approx(by_hand(study, n_t, n_a))


def test_dividing_gains_on_crossing_what_the_chapter_says(study):
    v, n_t, n_a = study.variance, 8, 6
    crossed = study.plan(topic=n_t, assessor=n_a)
    divided = study.plan(DIVIDED, topic=n_t, assessor=n_a)
    gain = (v["topic"] + v["system x topic"]) * (1 / n_t - 1 / n_t / n_a)
    assert crossed.absolute_error - divided.absolute_error == pytest.approx(
        gain
    )


@pytest.mark.parametrize("hire", [2, 10, 50])
def test_the_best_share_grows_with_the_root_of_the_price(study, hire):
    v = study.variance.drop("system")
    own = v[["assessor", "system x assessor"]].sum()
    share = np.sqrt(hire * (v.sum() - own) / own)
    price = {"judgment": 1, "assessor": hire}
    best = study.plan(DIVIDED).best(30_000, price)
    assert best.levels["topic"] == pytest.approx(share, rel=0.06)


@pytest.mark.parametrize("hire", [0, 1, 5, 20, 100])
def test_dividing_is_never_worse_where_topics_cost_nothing(study, hire):
    price = {"judgment": 1, "assessor": hire}
    crossed, nested, divided = (
        study.plan(design).best(500, price).dependability
        for design in STRUCTURES
    )
    assert divided >= max(crossed, nested) - 1e-12


def test_the_euro_of_chapter_4(study):
    costs = [
        study.plan(design).cheapest(0.9, EURO).row["cost"]
        for design in STRUCTURES
    ]
    assert costs == [19_600, 36_480, 9_720]
