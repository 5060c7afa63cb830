"""What the README and the first page say at a glance is computed here."""

import json
import math
import re
import shlex
import shutil
import tomllib
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from packaging.requirements import Requirement

import gtlib as gt
from gtaudit.command import main
from tests.gtaudit.kept import changes

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGE = (ROOT / "book" / "index.md").read_text("utf-8")
WORDS = re.search(r"!\[(.*)\]\(book/_static/picture.svg\)", README)[1]
SAID = " ".join(README.split())


def topics(assessors):
    """As the paper counts, for whom a negative component is zero."""
    g = gt.load("trec4-table1")
    g = gt.GStudy.from_components(g.design, g.variance)
    plan = g.plan(assessor=assessors)
    return plan.required("topic", 0.95)


@cache
def cystic_fibrosis():
    cf = gt.load("cf", measure="AP")
    return gt.gstudy(cf, "system x topic x assessor")


def ceiling(assessors):
    """The least two decimals that no number of topics brings."""
    g = cystic_fibrosis()
    most = g.plan(topic=10**9, assessor=assessors).dependability
    assert most < 0.95
    return f"{math.ceil(100 * most) / 100:.2f}"


def test_the_front_page_says_of_the_weather_what_its_page_says():
    weather = (ROOT / "book" / "weather.md").read_text("utf-8")
    (told,) = re.findall(r"^:alt: .*$", weather, re.M)
    assert told in PAGE.splitlines()


def test_the_pictures_words_give_the_numbers_of_topics():
    told = f"reach 0.95 with {topics(4)} topics, one with {topics(1)}"
    assert told in WORDS
    saved = ["no", "one", "two", "three", "four", "five", "six", "seven"]
    saved += ["eight", "nine", "ten"]
    assert (
        f"{topics(1)} topics by one assessor make the scores dependable "
        "(0.95)"
    ) in SAID
    fewer = saved[topics(1) - topics(4)]
    assert f"save {fewer} of these topics" in SAID


def test_the_pictures_words_give_the_ceilings():
    assert f"one assessor stays below {ceiling(1)}," in WORDS
    assert f"four stay below {ceiling(4)}." in WORDS
    assert f"topics brings dependability to {ceiling(1)}" in SAID


@pytest.mark.slow
def test_the_picture_is_what_its_tool_draws(tmp_path):
    from tools import picture

    with plt.rc_context():
        plt.rcdefaults()
        picture.main(tmp_path)
    drawn = (tmp_path / "picture.svg").read_bytes()
    assert drawn == (picture.STATIC / "picture.svg").read_bytes()


def block(kind):
    """The one block of code of the README in this language, as lines."""
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", README, re.M | re.S)
    return found.splitlines()


def test_the_readme_shows_how_the_table_begins():
    path = ROOT / "data" / "scores" / "scores.csv"
    head = path.read_text("utf-8").splitlines()[: len(block("csv"))]
    assert block("csv") == head
    levels = gt.load("scores").drop(columns="score").nunique()
    told = "{system} systems that do not exist, on {topic} topics, each "
    told += "judged by {assessor} assessors"
    assert told.format(**levels) in SAID


def test_the_readme_shows_what_the_command_prints(
    tmp_path, monkeypatch, capsys
):
    typed, *kept = block("console")
    name, *given = shlex.split(typed.removeprefix("$ "))
    assert name == "gtlib"
    table = Path(given[-1])
    (tmp_path / table).parent.mkdir(parents=True)
    shutil.copy(ROOT / table, tmp_path / table)
    monkeypatch.chdir(tmp_path)
    assert main(given) == 0
    said = capsys.readouterr()
    printed = [*said.err.splitlines(), *said.out.splitlines()]
    assert [*changes(kept, printed)] == []


def test_the_readme_shows_what_its_python_prints(monkeypatch):
    monkeypatch.chdir(ROOT)
    with redirect_stdout(StringIO()) as out:
        exec("\n".join(block("python")), {})
    printed = [line.rstrip() for line in out.getvalue().splitlines()]
    assert [*changes(block("text"), printed)] == []


def test_the_words_beside_repeat_what_was_printed():
    *table, topics = block("text")
    percent = {
        re.split(r"  +", line)[0]: round(float(line.split()[-1]))
        for line in table
        if re.match(r"(system|topic)\b.*\d$", line)
    }
    told = "{topic}% comes from the topic and {system}% from the system; "
    told += "{system x topic}% comes from topics that are hard for one"
    assert told.format(**percent) in SAID
    assert f"of the scores: {topics} topics would make" in SAID
    _, *said = block("console")
    trusted = next(line for line in said if "Can the order" in line)
    value, low = re.search(r"to (0\.\d+) \[(0\.\d+),", trusted).groups()
    assert f"It is estimated as {value}, but from these scores it" in SAID
    assert f"may be as low as {low}, and you" in SAID
    more, scores = re.search(
        r"NEXT +(.*) \((.*)\) would settle the order", "\n".join(said)
    ).groups()
    assert f"what to pay for, with its price: {more}, on" in SAID
    assert f"are {scores}." in SAID
    record = gt.load("reader-answers")
    alone = (record["may_be_best"] == 1) & (record["best"] == "rerank")
    told = f"Of {len(record)} tables that we drew like this one, each with "
    told += f"other topics and other assessors, {alone.sum()} say that"
    assert told in SAID


def test_the_door_says_how_long_the_first_chapter_takes():
    path = ROOT / "notebooks" / "00-start-here.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"]
    minutes = re.search(
        r"\*\*Time:\*\* (\d+ minutes)",
        "".join("".join(cell["source"]) for cell in cells),
    )[1]
    for text in (SAID, PAGE):
        assert f"Begin: {minutes}" in text


def test_the_how_to_page_names_the_lowest_versions():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())[
        "project"
    ]
    page = (ROOT / "book" / "how-to-use.md").read_text("utf-8")
    needs = {"Python": project["requires-python"].removeprefix(">=")}
    for requirement in map(Requirement, project["dependencies"]):
        (bound,) = requirement.specifier
        needs[requirement.name] = bound.version
    for name in ("Python", "numpy", "scipy", "pandas"):
        assert f"{name} {needs[name]}" in page
    assert f"Python {needs['Python']} or newer" in README
