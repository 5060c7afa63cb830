"""The verdict: its answers, what settles them, and what comes next."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtlib as gt
from gtaudit.board import board_markdown
from gtaudit.sentences import describe_alike
from gtaudit.verdict import verdict_lines
from tests.cases import first
from tests.gtaudit.said import coefficients_of, verdicts_of
from tests.gtaudit.test_audit_hostile import NAMES
from tests.gtaudit.test_sentences import table


def answers(found):
    return [v.answer for v in found.answers]


def test_all_is_enough_where_systems_lie_far_apart():
    found = verdicts_of(
        gtaudit.prepare(table(np.linspace(0, 9, 9), 0.1, 40))
    )
    assert answers(found) == ["enough", "enough"]
    assert found.remedy is None
    assert "nothing" in found.next


def test_the_first_shares_its_place_with_all_that_may_be_best():
    scores = table(np.r_[1, 1, 1, np.zeros(6)], 0.5, 40)
    collection = gtaudit.prepare(scores)
    board = gtaudit.audit_leaderboard(collection).table
    maybe = board.index[board["may_be_best"]]
    first, second = verdicts_of(collection, budget=10**9).answers
    assert len(maybe) == 3
    assert first.answer == "not enough"
    assert f"{maybe[0]}, {maybe[1]} and 1 other" in first.sentence
    pairs = gtaudit.compare_systems(
        collection, gtaudit.audit_leaderboard(collection)
    )
    more = pairs.set_index("b").loc[maybe[1], "more"]
    if np.isfinite(more):
        assert first.remedy.levels == more
        assert f"{more:,.0f} more topic" in first.sentence
    assert second.answer == "enough"


@cache
def nine_systems():
    """What a verdict is given on."""
    collection = gtaudit.prepare(table(np.linspace(0, 1, 9), 0.5, 20))
    board = gtaudit.audit_leaderboard(collection)
    pairs = gtaudit.compare_systems(collection, board)
    return collection, coefficients_of(collection), board, pairs


@pytest.mark.parametrize(
    ("low", "high", "target", "answer"),
    [
        (0.95, 0.99, None, "enough"),
        (0.9499, 0.99, None, "cannot be told"),
        (0.5, 0.9499, None, "not enough"),
        (0.5, 0.95, None, "cannot be told"),
        (0.8, 0.9, 0.8, "enough"),
        (0.8, 0.9, 0.95, "not enough"),
        (np.nan, np.nan, None, "cannot be told"),
    ],
)
def test_the_ends_of_the_interval_answer(low, high, target, answer):
    collection, known, *board_and_pairs = nine_systems()
    known = known.assign(low=low, high=high, note="for a reason")
    found = gtaudit.give_verdicts(
        collection, known, *board_and_pairs, target=target
    )
    assert found.answers[1].answer == answer
    assert ("for a reason" in found.answers[1].sentence) == np.isnan(low)


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


def test_what_cannot_be_paid_is_not_recommended():
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
        assert (found.remedy is not None) == paid
        if paid:
            assert found.remedy.price == pytest.approx(prices[0])
        else:
            assert "nothing" in found.next


@pytest.mark.parametrize("gaps", first(1, [1, 0, 40]))
def test_what_a_price_would_bring_is_what_a_larger_plan_brings(gaps):
    scores = table(np.linspace(0, 2, 12), 1.0, 21)
    rng = np.random.default_rng(0)
    for cell in rng.permutation(scores.size)[:gaps]:
        scores.iloc[divmod(cell, 21)] = np.nan
    collection = gtaudit.prepare(scores)
    found = verdicts_of(collection, target=0.99)
    said = re.search(
        r"as was spent so far, (\d+) more topics would bring general"
        r"izability to ([\d.]+) \[([\d.]+), ([\d.]+)\]",
        found.next,
    )
    more, *ends = map(float, said.groups())
    each = scores.notna().sum(axis=1)
    assert more == int(each.mean())  # so much costs what was spent
    present = int(1 / (1 / each).mean())
    plan = collection.study.plan(topic=int(present + more))
    wanted = plan.interval("generalizability")
    wanted = [wanted.estimate, wanted.low, wanted.high]
    assert ends == [round(x, 3) for x in wanted]


def test_prices_are_those_of_the_reader():
    scores = table(np.linspace(0, 2, 12), 1.0, 20)
    plain, dear = (
        verdicts_of(gtaudit.prepare(scores), cost=cost).answers[1]
        for cost in (None, {"topic": 10})
    )
    assert dear.remedy.price == pytest.approx(10 * plain.remedy.price)
    assert f"(price {10 * plain.remedy.levels:,})" in dear.sentence


def test_systems_that_are_all_equal():
    scores = pd.DataFrame(np.eye(6))
    first, second = verdicts_of(gtaudit.prepare(scores)).answers
    assert first.answer == "cannot be told"
    assert first.remedy is None
    assert second.answer in ("not enough", "cannot be told")


def test_the_number_for_a_first_and_a_next_says_what_it_is_worth():
    """Of these pairs fewer came true than of others; two systems that are
    all there is were not picked, and are promised what was computed."""
    trials = gt.load("settling-trials").query("rule == 'predicted'")
    each = trials.set_index("pairs")[["told", "settled"]]
    sums = each.groupby("pairs").sum()
    share = sums["settled"] / sums["told"]
    assert share["top"] < share["any"]
    scores = table(np.r_[1, 0.9, np.zeros(6)], 1.0, 30)
    first = verdicts_of(gtaudit.prepare(scores)).answers[0]
    assert f" {share['top']:.2f} " in first.sentence
    least = (each.loc["top", "settled"] / each.loc["top", "told"]).min()
    assert f" {least:.2f} " in first.sentence
    pair = verdicts_of(gtaudit.prepare(scores.iloc[:2])).answers[0]
    assert pair.remedy.change != first.remedy.change
    assert f"{share['top']:.2f}" not in pair.sentence


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


def test_lines_of_the_terminal_say_what_the_page_says():
    found = verdicts_of(gtaudit.prepare(table(np.linspace(0, 1, 9), 0.5)))
    *lines, last = verdict_lines(found.table)
    assert len({line.index("  ") for line in lines}) >= 1
    for line, verdict in zip(lines, found.answers, strict=True):
        assert line.startswith(verdict.question)
        words = verdict.sentence.replace("*", "")
        assert line.endswith(words) or "&#" in words
    assert last.startswith("Next: ")


# The board beside it


def test_the_board_as_markdown_keeps_its_cells(tmp_path):
    markdown = pytest.importorskip("mistune")
    html = pytest.importorskip("lxml.html")
    names = [*NAMES[:6], "a|b", "`c`", "d_e_f", "*g*"]
    scores = table(np.linspace(0, 1, len(names)), 0.1, 20).set_axis(names)
    board = gtaudit.audit_leaderboard(gtaudit.prepare(scores))
    text = board_markdown(board.table, "system", board.alpha)
    render = markdown.create_markdown(escape=False, plugins=["table"])
    page = html.fromstring(f"<div>{render(text)}</div>")
    rows = page.xpath("//tbody/tr")
    assert [len(row) for row in rows] == [5] * len(names)
    shown = [row[0].text_content() for row in rows]
    assert shown == [" ".join(n.split()) for n in board.table.index]
    assert not page.xpath("//script | //a | //img | //del | //code")
    assert page.xpath("//td[5]/text()").count("yes") == (
        board.table["may_be_best"].sum()
    )


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
