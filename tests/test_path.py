"""The marked path: a chapter of the method is one sitting, and a reader
meets neither plumbing nor what other chapters hold back."""

import json
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from book._ext.overviews import needed

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
METHOD, SITTING = CHAPTERS[:8], CHAPTERS[1:8]
EXERCISES = tomllib.loads(
    (ROOT / "book" / "exercises.toml").read_text("utf-8")
)
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
# Of which no quiz asks.
OTHER = "summary|what next|references|check yourself|the map|data"
QUIZ = re.compile(
    r"^::::\{admonition\} Quiz\n:class: quiz\n(.*?)^::::$", re.M | re.S
)

pytestmark = pytest.mark.sources


def stem(path):
    return path.stem


@cache
def cells(path, kind):
    return [
        (each["metadata"].get("tags", []), "".join(each["source"]))
        for each in json.loads(path.read_text("utf-8"))["cells"]
        if each["cell_type"] == kind
    ]


def text(path):
    return "\n\n".join(said for _, said in cells(path, "markdown"))


def labels(path):
    return re.findall(r"\{exercise-start\}.*\n:label: (\S+)", text(path))


@pytest.mark.parametrize("path", SITTING, ids=stem)
def test_a_chapter_of_the_method_is_one_sitting(path):
    assert len(text(path).split()) <= 4000
    lines = [
        line
        for tags, source in cells(path, "code")
        if not HIDDEN & {*tags}
        for line in source.splitlines()
        if line.strip()
    ]
    assert len(lines) <= 260


@pytest.mark.parametrize("path", CHAPTERS, ids=stem)
def test_a_reader_meets_no_plumbing(path):
    """Numbers handed to the text are few, and no cell that is shown hands
    them on or writes English."""
    assert len(re.findall(r"\{glue[^}]*\}`", text(path))) <= 80
    for tags, source in cells(path, "code"):
        if not HIDDEN & {*tags}:
            assert "import glue" not in source
            assert not re.search("Markdown\\(f[\"']", source), source


@pytest.mark.parametrize("path", METHOD, ids=stem)
def test_each_section_ends_with_a_quiz(path):
    """Whose answer speaks of all that it offers."""
    sections = re.split(r"^## ", text(path), flags=re.M)[1:]
    for section in sections:
        title, _, said = section.partition("\n")
        if not re.match(OTHER, title, re.I):
            (quiz,) = QUIZ.findall(said)
            question, answer = quiz.split(":::{dropdown} Answer\n")
            offered = re.findall(r"^\* (\([a-z]\))", question, re.M)
            assert len(offered) >= 2, title
            assert not [each for each in offered if each not in answer]


@pytest.mark.parametrize("path", CHAPTERS, ids=stem)
def test_exercises_have_minutes_hints_and_checks(path):
    known = {label: EXERCISES[label] for label in labels(path)}
    for label, of in known.items():
        assert 5 <= of["minutes"] <= 20, label
        assert len(of["hint"].split()) >= 12, label
    checked = sum("answer" in of for of in known.values())
    assert checked >= 2 / 3 * len(known)


def test_no_two_exercises_have_one_hint():
    hints = [of["hint"].strip() for of in EXERCISES.values()]
    assert len({*hints}) == len(hints)
    assert {*EXERCISES} == {
        label for path in CHAPTERS for label in labels(path)
    }


# What bears a number, where it gets its name and where it is used.
NAMED = re.compile(
    r"\$\$ \(([\w-]+)\)|^:(?:name|label): ([\w-]+)|^\(([\w-]+)\)=", re.M
)
USED = re.compile(r"\{(?:eq|numref)\}`(?:[^`<]*<)?([\w-]+)>?`")


def test_a_chapter_uses_results_only_of_those_that_it_names():
    """Formulas, figures and tables, by their numbers."""
    home = {
        label: path.stem
        for path in CHAPTERS
        for groups in NAMED.findall(text(path))
        for label in filter(None, groups)
    }
    home |= {
        each["metadata"]["mystnb"]["figure"]["name"]: path.stem
        for path in CHAPTERS
        for each in json.loads(path.read_text("utf-8"))["cells"]
        if "figure" in each["metadata"].get("mystnb", {})
    }
    strange = {
        (path.stem, label, home[label])
        for path in CHAPTERS
        for label in USED.findall(text(path))
        if label in home
        and home[label] not in {path.stem, *needed(path.stem)}
    }
    assert not strange
