"""Graded items: an honest answer is accepted, others are not."""

import builtins
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import gtlib as gt
from tools import graded

ROOT = Path(__file__).resolve().parents[1]

ITEMS = graded.items()
NAMES = "one", "Two of us", "x-3"
TOOLS = graded.tools()
LOAD = cache(gt.load)


@pytest.fixture(autouse=True)
def read_once(monkeypatch):
    """Nobody changes a table: each is read from its file once."""
    monkeypatch.setattr(gt, "load", LOAD)


def points(number, answer, name):
    known = ITEMS[number]
    return graded.mark(number, answer, TOOLS, known, name)


def given(number, expression, name):
    """What a student of this name gets who computes so."""
    space = {}
    exec(TOOLS, space)
    space["whose"] = name
    exec(ITEMS[number]["data"], space)
    return float(eval(expression, space))


def test_there_are_thirty_each_of_a_chapter_and_in_one_part():
    assert len(ITEMS) == 30
    for item in ITEMS.values():
        assert (ROOT / "notebooks" / f"{item['chapter']}.ipynb").exists()
    text = "\n".join(c.source for _, n in graded.notebooks() for c in n)
    numbers = map(int, re.findall(r"^## Item (\d+)\.", text, re.M))
    assert [*numbers] == [*ITEMS]


@pytest.mark.parametrize("number", ITEMS)
def test_own_numbers_get_all_points_and_foreseen_mistakes_theirs(number):
    item = ITEMS[number]
    for name in NAMES:
        answer = given(number, item["answer"], name)
        assert points(number, answer, name) == graded.POINTS
        for worth, how, says in item["mistakes"]:
            wrong = given(number, how, name)
            assert points(number, wrong, name) == worth, says
            assert 0 < worth < graded.POINTS


@pytest.mark.parametrize("number", ITEMS)
def test_a_number_counts_as_it_is_or_rounded_and_no_other_does(number):
    item, (name, *others) = ITEMS[number], NAMES
    answer = given(number, item["answer"], name)
    for same in (round(answer, item["decimals"]), np.float64(answer)):
        assert points(number, same, name) == graded.POINTS
    theirs = [given(number, item["answer"], other) for other in others]
    assert min(points(number, other, name) for other in theirs) == 0
    assert points(number, answer + 1e6, name) == 0


def test_what_is_no_number_is_refused():
    class Everything:
        def __eq__(self, other):
            return True

        def __sub__(self, other):
            return 0.0

    for answer in "2", [0.5], True, None, Everything():
        with pytest.raises(ValueError, match="One number"):
            points(1, answer, "one")
    assert points(1, float("nan"), "one") == 0
    assert points(1, float("inf"), "one") == 0


def test_a_name_draws_the_same_however_it_is_written():
    one, other = (
        given(8, ITEMS[8]["answer"], name)
        for name in (" two  Of us", "Two of us")
    )
    assert one == pytest.approx(other)


def test_no_number_typed_everywhere_gets_a_tenth():
    right = {n: given(n, ITEMS[n]["answer"], "one") for n in ITEMS}
    for guess in np.arange(0, 1.01, 0.01):
        near = [
            abs(guess - answer)
            < (1.51 * 10.0 ** -ITEMS[n]["decimals"] or 0.5)
            for n, answer in right.items()
        ]
        assert sum(near) <= 3


def test_what_students_get_has_no_answer():
    shown = re.compile(r"### BEGIN (\w+ ?\w*)\n.*?### END \1", re.S)
    for name, cells in graded.notebooks():
        hidden = {
            item["answer"]
            for item in ITEMS.values()
            if len(item["answer"]) > 12
        }
        left = "\n".join(shown.sub("", cell.source) for cell in cells)
        assert not [answer for answer in hidden if answer in left], name
        ids = [cell.metadata.get("nbgrader", {}) for cell in cells]
        ids = [known["grade_id"] for known in ids if known]
        assert len(ids) == len({*ids})


def test_the_exam_has_ten_questions_and_its_points_add_up():
    sheets = graded.exam()
    questions = re.findall(r"\((\d+) points\)", sheets["exam.md"])
    assert len(questions) == 10
    assert f"{sum(map(int, questions))} points" in sheets["exam.md"]
    assert "{{" not in "".join(sheets.values())
    for scheme in graded.assignments.known_of("exam")["question"]:
        for _, line in scheme["scheme"]:
            assert line[:30] not in sheets["exam.md"]


def test_the_tools_need_nothing_but_what_they_import():
    space = {"__builtins__": builtins}
    exec(TOOLS, space)
    assert {"draw", "table", "judged", "number"} <= {*space}
