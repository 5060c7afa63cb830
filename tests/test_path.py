"""The marked path: chapters in the order of their numbers, and a reader
meets neither plumbing nor what other chapters hold back."""

import json
import re
import tomllib
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import yaml

import gtlib as gt
from book._ext.overviews import TIME, minutes, number_of, overview
from book._ext.plain import as_myst

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
APPENDICES = sorted((ROOT / "appendices").glob("*.ipynb"))
EXERCISES = tomllib.loads(
    (ROOT / "book" / "exercises.toml").read_text("utf-8")
)
QUIZ = re.compile(
    r"^::::\{admonition\} Quiz\n:class: quiz\n(.*?)"
    r"^:::\{dropdown\} Answer\n\*\*\((\w)\)\.\*\* (.*?)^:::\n::::$",
    re.M | re.S,
)
OFFERED = re.compile(r"^\* \((\w)\) (.*)", re.M)
NUMBER = re.compile(r"\$?([-−+]?[\d,]*\.?\d+)")

pytestmark = pytest.mark.sources


def stem(path):
    return path.stem


def read(path):
    """A chapter as its page is made from it."""
    return as_myst(json.loads(path.read_text("utf-8")))


@cache
def cells(path, kind):
    return [
        (each["metadata"].get("tags", []), "".join(each["source"]))
        for each in read(path)["cells"]
        if each["cell_type"] == kind
    ]


def text(path):
    return "\n\n".join(said for _, said in cells(path, "markdown"))


def labels(path):
    return re.findall(r"\{exercise-start\}.*\n:label: (\S+)", text(path))


def test_chapters_bear_the_numbers_of_the_order_in_which_they_stand():
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    files = [
        Path(row["file"]).name
        for part in contents["parts"]
        for row in part["chapters"]
        if row["file"].startswith("notebooks/")
    ]
    assert files == [*map(stem, CHAPTERS)]
    numbers = [number_of(name) for name in files]
    assert numbers == [*map(str, range(len(numbers)))]


@pytest.mark.parametrize("path", APPENDICES, ids=stem)
def test_a_chapter_links_its_appendix_once_at_its_end(path):
    name = path.stem.removeprefix("appendix-")
    own = (ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8")
    assert own.count(f"{path.stem}.ipynb") == 1
    (last,) = re.findall(r"\*\*Further:\*\*[^\n]*", own)
    assert f"(../appendices/{path.name})" in last


@pytest.mark.parametrize("path", CHAPTERS, ids=stem)
def test_the_answer_of_a_quiz_speaks_of_all_that_it_offers(path):
    """Numbers stand in their order, so that none is right by its place."""
    assert text(path).count(":class: quiz") == len(QUIZ.findall(text(path)))
    for question, right, answer in QUIZ.findall(text(path)):
        offered = dict(OFFERED.findall(question))
        assert [*offered] == [*"abcd"[: len(offered)]], question
        wrong = {*offered} - {right}
        assert len(wrong) == len(offered) - 1 >= 1, question
        assert not [each for each in wrong if f"({each})" not in answer]
        numbers = [*map(NUMBER.match, offered.values())]
        if all(numbers):
            values = [
                float(each[1].replace("−", "-").replace(",", ""))
                for each in numbers
            ]
            assert values == sorted(values), question


def test_no_letter_of_a_quiz_is_a_good_guess():
    """Each is right in 25% to 45%, and none in all of a chapter."""
    right = {
        path.stem: [letter for _, letter, _ in QUIZ.findall(text(path))]
        for path in CHAPTERS
    }
    letters = [*chain(*right.values())]
    for letter in "abc":
        assert 0.25 <= letters.count(letter) / len(letters) <= 0.45, letter
    for name, those in right.items():
        assert len(those) < 2 or len({*those}) > 1, name


@pytest.mark.parametrize("path", CHAPTERS, ids=stem)
def test_exercises_have_minutes_hints_and_checks(path):
    known = {label: EXERCISES[label] for label in labels(path)}
    for label, of in known.items():
        assert 5 <= of["minutes"] <= 20, label
        assert len(of["hint"].split()) >= 12, label
    checked = sum("answer" in of for of in known.values())
    assert checked >= 2 / 3 * len(known)


@pytest.mark.parametrize("path", CHAPTERS, ids=stem)
def test_time_for_exercises_is_named_where_there_are_some(path):
    assert TIME.search(overview(path.stem))[3]
    read, code, every = minutes(path.stem)
    assert read <= code <= every


def test_no_two_exercises_have_one_hint():
    hints = [of["hint"].strip() for of in EXERCISES.values()]
    assert len({*hints}) == len(hints)
    assert {*EXERCISES} == {
        label for path in CHAPTERS for label in labels(path)
    }


def test_the_core_is_of_every_chapter_of_a_course():
    core = {label for label, of in EXERCISES.items() if of.get("core")}
    assert len(core) == 36
    counts = [len(core & {*labels(path)}) for path in CHAPTERS]
    used = [count for count in counts if count]
    assert len(used) == 12
    assert min(used) > 1
    teaching = (ROOT / "book" / "teaching.md").read_text("utf-8")
    weeks = teaching.partition("\n### Week 1:")[2]
    words = re.findall(r"\{ref\}`([\w-]+)`", weeks)
    assert sorted({*words} & {*EXERCISES}) == sorted(core)
    assert all(words.count(label) == 1 for label in core)


def test_the_six_weeks_read_what_both_projects_need_before_these_begin():
    pages = {
        name: (ROOT / "book" / f"{name}.md").read_text("utf-8")
        for name in ("teaching", "project", "collection-project")
    }
    needs = {
        re.search(r"(?:after|projects need) chapters (.*?)\.", page)[1]
        for page in pages.values()
    }
    (said,) = needs
    needed = {*map(int, re.findall(r"\d+", said))}
    weeks = pages["teaching"].partition("\n### Week 1:")[2]
    begin = weeks.partition("\n### Week 5:")[0]
    lines = re.findall(r"(?:before it: |; read )chapters? (.*)", begin)
    read = {*map(int, re.findall(r"\d+", " ".join(lines)))}
    assert len(needed) > 5 and read >= needed


def test_a_project_shows_one_halving():
    page = (ROOT / "book" / "project.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    space = {"np": np, "gt": gt, "scores": gt.load("cf-ap")}
    exec(code, space)
    promised = space["promised"]
    assert promised.low <= space["tau"] <= promised.high
    assert space["first"].shape == space["second"].shape
