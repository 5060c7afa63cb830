"""The verdict: its answers, what settles them, and what comes next."""

import re
from functools import cache
from html import unescape
from itertools import product

import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtlib as gt
from gtaudit.doubts import CODES
from gtaudit.forecast import levels_to_settle
from gtaudit.nouns import Nouns
from gtaudit.sentences import describe_alike
from gtaudit.verdict import WIDE
from tests.cases import only
from tests.gtaudit.said import coefficients_of, verdicts_of
from tests.gtaudit.test_sentences import table


def answers(found):
    return [v.answer for v in found.answers]


def test_all_is_enough_where_systems_lie_far_apart():
    found = verdicts_of(
        gtaudit.prepare(table(np.linspace(0, 9, 9), 0.1, 40))
    )
    assert answers(found) == ["enough", "enough"]
    assert found.remedy is None
    assert found.lines[-1].split(maxsplit=1) == [
        "NEXT",
        "stop; both answers are enough.",
    ]


def test_the_first_shares_its_place_with_all_that_may_be_best():
    scores = table(np.r_[1, 1, 1, np.zeros(6)], 0.5, 40)
    collection = gtaudit.prepare(scores)
    board = gtaudit.audit_leaderboard(collection).table
    maybe = board.index[board["may_be_best"]]
    first, second = verdicts_of(collection).answers
    assert len(maybe) == 3
    assert first.answer == "not enough"
    assert f"{maybe[1]} and 1 more may be" in unescape(first.sentence)
    assert all(str(name) in unescape(first.more) for name in maybe)
    assert second.answer == "enough"


def test_nothing_settles_the_first_beside_its_copy():
    scores = table(np.r_[1, 1, np.linspace(0, 0.8, 7)], 0.2, 40)
    first, second, *_ = scores.mean(axis=1).sort_values().index[::-1]
    scores.loc[second] = scores.loc[first]
    found = verdicts_of(gtaudit.prepare(scores, allow=["copies"]))
    assert found.answers[0].remedy is None
    assert found.next.endswith("; the first two are the same.")
    assert "±0.000" not in found.next


def test_as_much_again_leaves_a_difference_as_sure_as_is_said():
    """Of two that hardly differ, in an order that can be trusted; beside
    the intervals of the same table twice over."""
    scores = table(np.r_[1.001, 1, np.linspace(0, 0.5, 6)], 0.2, 60)
    found = verdicts_of(gtaudit.prepare(scores))
    assert answers(found) == ["not enough", "enough"]
    said = re.search(
        r"60 more topics .* leave.* ±([\d.]+)", found.lines[-1]
    )
    twice = pd.concat([scores, scores.add_suffix("again")], axis=1)
    collection = gtaudit.prepare(twice, allow=CODES)
    board = gtaudit.audit_leaderboard(collection)
    row = gtaudit.compare_systems(collection, board).iloc[0]
    half = (row["high"] - row["low"]) / 2
    assert float(said[1]) == pytest.approx(half, rel=0.05)


def test_both_others_are_two():
    scores = table(np.array([0, 3, 9]), 0.1, 40)
    (first, _) = verdicts_of(gtaudit.prepare(scores)).answers
    assert "Told apart from both others" in first.sentence


@cache
def nine_systems():
    """What a verdict is given on."""
    collection = gtaudit.prepare(table(np.linspace(0, 1, 9), 0.5, 20))
    board = gtaudit.audit_leaderboard(collection)
    pairs = gtaudit.compare_systems(collection, board)
    return collection, coefficients_of(collection), board, pairs


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (0.95, 0.99, "enough"),
        (0.9499, 0.99, "cannot be told"),
        (0.5, 0.9499, "not enough"),
        (0.5, 0.95, "cannot be told"),
        (np.nan, np.nan, "cannot be told"),
    ],
)
def test_the_ends_of_the_interval_answer(low, high, answer):
    collection, known, *board_and_pairs = nine_systems()
    known = known.assign(low=low, high=high, note="for a reason")
    found = gtaudit.give_verdicts(collection, known, *board_and_pairs)
    assert found.answers[1].answer == answer
    assert ("for a reason" in found.answers[1].more) == np.isnan(low)


def test_a_remedy_brings_the_lower_end_to_the_target():
    """The same table over again, as often as it says, is enough."""
    scores = table(np.linspace(0, 2, 12), 1.0, 20)
    collection = gtaudit.prepare(scores)
    found = verdicts_of(collection, budget=10**9)
    assert found.answers[1].answer != "enough"
    more = found.answers[1].remedy.levels
    interval = collection.study.plan(topic=20 + more).interval
    less = collection.study.plan(topic=20 + more - 1).interval
    assert interval("generalizability").low >= 0.95 - 1e-9
    assert less("generalizability").low < 0.95
    assert found.answers[1].remedy.price == pytest.approx(more)


@pytest.mark.slow
def test_what_is_next_has_a_price_and_says_what_a_budget_buys():
    scores = table(np.linspace(0, 2, 12), 1.0, 20)
    collection = gtaudit.prepare(scores)
    prices = sorted(
        v.remedy.price
        for v in verdicts_of(collection).answers
        if v.remedy is not None
    )
    assert prices
    for budget, paid in ((20 + prices[0], True), (19 + prices[0], False)):
        found = verdicts_of(collection, budget=budget)
        assert found.remedy.price == pytest.approx(prices[0])
        line = found.lines[-1]
        assert f"({12 * prices[0]:,.0f} scores) would settle" in line
        assert ("; you have 20." in line) == paid
        assert (f"buys {prices[0] - 1:,.0f}." in line) == (not paid)


@pytest.mark.slow
def test_where_nothing_is_known_to_be_enough_as_much_again_is_told(
    monkeypatch,
):
    """Twice the topics cost what was spent; and it is never nothing."""
    monkeypatch.setattr("gtaudit.verdict.TARGET", 0.9999)
    seen = 0
    for seed in range(12):
        scores = table(np.linspace(0, 0.2, 5), 1.0, 21, seed=seed)
        found = verdicts_of(gtaudit.prepare(scores))
        line = found.lines[-1]
        assert "nothing" not in line
        if found.remedy is None:
            assert "  21 more topics (105 scores) would " in line
            seen += 1
    assert seen > 2


@pytest.mark.slow
def test_prices_are_those_of_the_reader():
    scores = table(np.linspace(0, 2, 12), 1.0, 20)
    plain, dear = (
        verdicts_of(gtaudit.prepare(scores), cost=cost).answers[1]
        for cost in (None, {"topic": 10})
    )
    assert dear.remedy.price == pytest.approx(10 * plain.remedy.price)
    line = verdicts_of(gtaudit.prepare(scores), cost={"topic": 10}).lines[
        -1
    ]
    assert "(price " in line


def test_systems_that_are_all_equal():
    scores = pd.DataFrame(np.eye(6))
    first, second = verdicts_of(gtaudit.prepare(scores)).answers
    assert first.answer == "cannot be told"
    assert first.remedy is None
    assert second.answer in ("not enough", "cannot be told")


@pytest.mark.parametrize("turned", [1, -1])
def test_of_two_systems_one_question_is_asked(turned):
    rng = np.random.default_rng(1)
    near = pd.DataFrame(rng.normal(size=(2, 30)), ["a", "b"])[::turned]
    far = near.copy()
    far.loc["b"] += 5
    (found,) = verdicts_of(gtaudit.prepare(far)).answers
    assert found.question.index("b better") < found.question.index(" a?")
    assert found.answer == "enough"
    (found,) = verdicts_of(gtaudit.prepare(near)).answers
    assert found.answer == "not enough"
    assert found.remedy.levels > 0
    same = near.copy()
    same.loc["b"] = same.loc["a"].to_numpy()[::-1]
    (found,) = verdicts_of(gtaudit.prepare(same)).answers
    assert found.answer in ("cannot be told", "not enough")


def test_topics_on_which_the_best_score_alike_are_counted():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.random((12, 30)), [f"s{i}" for i in range(12)])
    ranking = wide.mean(axis=1).sort_values(ascending=False).index
    assert describe_alike(wide, ranking) == []
    wide.loc[ranking[:5], :6] = 1.0
    wide.loc[:, 0] = 1.0
    (said,) = describe_alike(wide, ranking)
    assert "7 of 30" in said and "12 on 1" in said
    assert describe_alike(wide.loc[ranking[:9]], ranking) == []


# A line is no longer than a terminal


NAMES = ["abcdefghijkl", "bcdefghijklm", "W" * 12]


def longest(lines):
    """The characters of the longest, with one blank after its word."""
    return max(len(" ".join(line.split())) for line in lines)


LINES = [*product([2, 12, 3, 40], [1, 1e-6, 1e5], [None, 7])]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("systems", "scale", "cost"), only([(2, 1e5, 7), (12, 1, None)], LINES)
)
def test_a_line_has_a_hundred_characters_at_most(systems, scale, cost):
    """Of names with twelve letters, whatever the answers are."""
    nouns = Nouns(system="configuration"[:12], topic="conversation")
    design = f"{nouns.system} x {nouns.topic}"
    for spread, topics in product((0, 0.05, 0.3, 3), (4, 50)):
        true = np.linspace(0, spread, systems)
        scores = scale * table(true, 0.5, topics)
        scores.index = [
            f"{NAMES[i % 3][:10]}{i:02d}" for i in range(systems)
        ]
        collection = gtaudit.prepare(scores, design, CODES, nouns)
        price = cost and {nouns.topic: cost}
        for budget in (None, 60 * (cost or 1)):
            found = verdicts_of(collection, cost=price, budget=budget)
            assert longest(found.lines) <= WIDE, found.lines


@pytest.mark.slow
def test_a_line_of_nests_has_a_hundred_characters_at_most():
    rng = np.random.default_rng(0)
    shape = 4, 3, 6, 2
    index = np.indices(shape).reshape(4, -1).T
    names = ["abcdefghijkl", "collections", "conversation", "participants"]
    long = pd.DataFrame(index, columns=names).astype(str)
    long["score"] = rng.normal(size=len(long)) + index[:, 0] / 4
    system, group, topic, assessor = names
    long[topic] = long[group] + "/" + long[topic]
    nouns = Nouns(system=system, topic=topic, assessor=assessor)
    design = f"{system} x ({topic}:{group}) x {assessor}"
    found = verdicts_of(gtaudit.prepare(long, design, CODES, nouns))
    assert longest(found.lines) <= WIDE, found.lines


def test_a_forecast_rests_on_no_last_bit():
    """With fewer topics than systems some directions have no error, and
    which of them stand for the others is chance."""
    scores = table(np.linspace(0, 1, 12), 1, 8)
    noise = np.random.default_rng(0).normal(size=scores.shape)
    found = {
        levels_to_settle(gtaudit.prepare(changed), "topic", 0.05)
        for changed in (scores, scores * (1 + 1e-15 * noise))
    }
    assert len(found) == 1


# What is promised is replayed


@pytest.mark.slow
def test_so_many_more_topics_settle_what_they_promise():
    """In about as many tables as they are promised for: of 200, synthetic,
    with the numbers and the kinds of scores below, see the reference of
    the audit in the book."""
    rng = np.random.default_rng(3)
    settled = []
    while len(settled) < 200:
        k = int(rng.choice([3, 5, 8, 15]))
        true = rng.normal(0, rng.choice([0.1, 0.2, 0.4]), (k, 1))
        whole = pd.DataFrame(true + rng.normal(0, 0.5, (k, 3000)))
        collection = gtaudit.prepare(whole.iloc[:, :25], allow=CODES)
        board = gtaudit.audit_leaderboard(collection).table
        if board["may_be_best"].sum() == 1:
            continue
        more = levels_to_settle(collection, "topic", 0.05)
        if 25 + more <= whole.shape[1]:
            later = gt.leaderboard(whole.iloc[:, : 25 + int(more)]).table
            settled.append(later["may_be_best"].sum() == 1)
    assert 0.6 < np.mean(settled) < 0.95
