"""Repeated runs: by hand, beside `best`, and replayed on Terminal-Bench."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtlib as gt
from gtaudit.nouns import Nouns
from gtaudit.planning import name_prices
from gtaudit.repetitions import _choose
from gtlib.design import Design
from tests.gtaudit.test_audit_hostile import NAMES

COLUMNS = "system", "topic", "repetition"


def collection_of(y, names=None):
    """Systems x topics x runs, as an audit reads them."""
    index = np.indices(y.shape).reshape(3, -1)
    table = pd.DataFrame(dict(zip(COLUMNS, index, strict=True)))
    if names is not None:
        table["system"] = np.array(names, object)[index[0]]
    table["score"] = y.ravel()
    table = table.sample(frac=1, random_state=1)
    return gtaudit.split_measures(table)[""]


def drawn(seed=0, shape=(4, 30, 3)):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.6, 0.6, shape[:2])[..., None]
    return (rng.random(shape) < p).astype(int)


def test_parts_errors_and_flips_by_hand():
    y = drawn()
    found = gtaudit.study_repetitions(collection_of(y))
    means = y.mean(axis=2)
    within = y.var(axis=2, ddof=1).mean()
    off = means - means.mean(axis=0) - means.mean(axis=1, keepdims=True)
    left = ((off + means.mean()) ** 2).sum() / 3 / 29
    expected = 2 / 30 * np.array([left - within / 3, within / 3])
    np.testing.assert_allclose(found.parts["variance"], expected)
    assert found.parts["share"].sum() == pytest.approx(1)
    assert (found.topics, found.runs) == (30, 3)
    ratio = 3 * left / within
    assert found.even_price[0] == pytest.approx(3 * (ratio - 1))
    errors = found.whole_runs
    sem = means.std(axis=1, ddof=1) / 30**0.5
    runs = y.mean(axis=1).std(axis=1, ddof=1) / 3**0.5
    order = errors.index.astype(int)
    np.testing.assert_allclose(errors["over_topics"], sem[order])
    np.testing.assert_allclose(errors["over_runs"], runs[order])
    flips = np.ptp(y, axis=2) > 0
    assert found.flip_share.to_dict() == pytest.approx(
        dict(enumerate(flips.mean(axis=1)))
    )
    assert found.flips.sum() == flips.sum() and found.flips.min() > 0
    passes = found.passes.set_index(["system", "k"])["estimate"]
    assert passes[0, 3] == pytest.approx(y[0].all(axis=1).mean())


def test_the_best_number_of_runs_is_that_of_the_cheapest_plan():
    collection = collection_of(drawn(shape=(6, 60, 4)))
    for price in (3, 12, 40):
        cost = {"topic": price, "repetition": 1}
        found = gtaudit.study_repetitions(collection, cost)
        best = collection.plan.best(
            20_000, cost, coefficient="generalizability"
        ).levels["repetition"]
        assert abs(best - max(found.best_runs, 1)) < 1


def test_a_price_is_spent_and_no_more():
    for prices in ((0.0, 1.0), (7.0, 2.0), (300.0, 1.0)):
        for to_spend in (5, 80, 1000):
            table = _choose((0.05, 0.06), 40, 2, prices, to_spend)
            assert (table["price"] <= to_spend + 1e-9).all()
            assert (table["half_width"] <= table["half_width"]["now"]).all()


@pytest.mark.slow
def test_the_promised_error_comes_and_the_better_one_is_named():
    """200 times 40 tasks and two runs of Terminal-Bench, drawn with
    replacement from all, and then what either choice says."""
    whole = next(iter(gt.load_all("terminal-bench").values()))
    cells = whole.pivot_table("score", ["system", "task"], "run")
    y = cells.to_numpy().reshape(5, 80, 5)
    true = y.mean(axis=(1, 2))
    pairs = np.array([*combinations(range(5), 2)]).T
    truth = true[pairs[0]] - true[pairs[1]]
    rng = np.random.default_rng(0)
    named, promised, came = [], [], []

    def runs_of(tasks, runs):
        """Runs of each task by each system, drawn with replacement."""
        chosen = rng.integers(5, size=(5, len(tasks), runs))
        return np.take_along_axis(y[:, tasks], chosen, axis=2)

    for _ in range(200):
        tasks = rng.integers(80, size=40)
        first = runs_of(tasks, 2)
        found = gtaudit.study_repetitions(collection_of(first))
        half = found.choices["half_width"]
        named.append(half.drop("now").idxmin())
        again, another = (found.choices.loc[k] for k in half.index[1:])
        means = first.mean(axis=2)
        repeated = means.copy()
        part = slice(int(again["topics"]))
        runs = int(again["runs"])
        extra = runs_of(tasks[part], runs).mean(axis=2)
        repeated[:, part] = (2 * means[:, part] + runs * extra) / (2 + runs)
        new = rng.integers(80, size=int(another["topics"]))
        other = runs_of(new, int(another["runs"])).mean(axis=2)
        wider = np.concatenate([means, other], axis=1)
        promised.append(half[["now", "again", "another"]])
        off = [
            scores.mean(axis=1)[pairs[0]]
            - scores.mean(axis=1)[pairs[1]]
            - truth
            for scores in (means, repeated, wider)
        ]
        came.append(np.square(off).mean(axis=1))
    errors = np.sqrt(np.mean(came, axis=0))
    expected = np.sqrt(np.square(promised).mean(axis=0)) / 1.96
    np.testing.assert_allclose(errors, expected, rtol=0.08)
    assert errors[2] < errors[1]
    assert np.mean(np.array(named) == "another") > 0.95


def test_other_designs_have_no_such_section():
    scores = gt.load("scores")
    assert gtaudit.study_repetitions(gtaudit.prepare(scores)) is None
    y = drawn()
    uneven = collection_of(y).scores.iloc[1:]
    design = "repetition:(system x topic)"
    found = gtaudit.prepare(uneven, design)
    assert gtaudit.study_repetitions(found) is None


def test_runs_that_never_differ_and_scores_that_are_no_successes():
    y = drawn()[:, :, :1].repeat(3, axis=2) + 0.0
    found = gtaudit.study_repetitions(collection_of(y))
    assert found.parts.loc["runs", "variance"] == 0
    assert found.flips.empty and np.isinf(found.even_price[0])
    assert gtaudit.describe_repetitions(found)
    graded = drawn() * 0.5 + np.random.default_rng(1).random((4, 30, 3)) / 9
    collection = collection_of(graded)
    if gtaudit.study_repetitions(collection) is not None:
        assert gtaudit.study_repetitions(collection).passes is None


def test_names_of_strangers_are_text():
    found = gtaudit.study_repetitions(collection_of(drawn(), NAMES[:4]))
    said = " ".join(gtaudit.describe_repetitions(found))
    assert "<script" not in said


def test_prices_go_by_the_names_of_agents():
    design = Design("repetition:(system x topic)")
    named = name_prices({"task": 9, "run": 1}, design, Nouns(), 5)
    assert named == {"topic": 9, "repetition": 5}
    plain = Design("system x topic x assessor")
    cost = {"topic": 5.0, "rater": 100.0, "judgment": 1.0}
    assert name_prices(cost, plain, Nouns(), 8) == {
        "topic": 5,
        "assessor": 100,
        "judgment": 1,
    }
    assert name_prices({"nonsense": 1}, plain, Nouns(), 8) == {
        "nonsense": 1
    }
    with pytest.raises(ValueError, match="two prices for topic"):
        name_prices({"task": 1, "topic": 2}, design, Nouns(), 5)
