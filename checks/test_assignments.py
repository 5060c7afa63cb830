"""Assignments: nothing is given away, they run, and nbgrader takes them."""

import os
import random
import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat.v4 import new_markdown_cell

from checks.conftest import HTML, ROOT, pages, passes, read, tree
from tools import assignments

NBGRADER = "nbgrader==0.9.6"
COPIES = sorted(assignments.STUDENT.glob("*.ipynb"))
SOLVED = {
    path.name: path for path in assignments.TEACHER.glob("source/*/*.ipynb")
}
LAB = assignments.STUDENT / "lab.ipynb"
# In a hint these belong to something, and do not run alone.
PART = re.compile(r"\.|\w+=$")

every_copy = pytest.mark.parametrize(
    "path", COPIES, ids=lambda path: path.stem
)


def solutions(path):
    """What a copy must not have: its solution, as it is written."""
    if path == LAB:
        known = assignments.known_of("lab").values()
        return [of[part] for of in known for part in ("solution", "words")]
    label = graded(read(path), "-text")[0].removesuffix("-text")
    return [
        cell.source
        for chapter in assignments.RUNNER.glob("*.ipynb")
        for cell in read(chapter).cells
        if assignments.part(cell) == "solution"
        and cell.metadata.gtlib.exercise == label
    ]


def graded(notebook, ending):
    """The names of cells, as nbgrader knows them."""
    names = (cell.id for cell in notebook.cells)
    return [name for name in names if name.endswith(ending)]


def asked(label):
    """What is known of an exercise, and the name of its answer."""
    known = assignments.known_of("exercises").get(label)
    if known:
        return known, "answer"
    number = label.removeprefix("lab-")
    return assignments.known_of("lab")[label], f"answer_{number}"


def lines(sources):
    text = "\n".join(sources)
    return {line.strip() for line in text.splitlines()}


def carried_into(notebook):
    """What stands before the exercise, and comes from the book."""
    sources = [cell.source for cell in notebook.cells]
    ids = [cell.id for cell in notebook.cells]
    (first, *_) = graded(notebook, "-text") or graded(notebook, "-code")
    return sources[: ids.index(first)]


@every_copy
def test_no_answer_is_given_away_and_each_has_a_blank(path):
    copy, solved = read(path), read(SOLVED[path.name])
    blank = assignments.CODE_BLANK
    given = [c.source for c in copy.cells if blank not in c.source]
    secret = {
        line
        for line in lines(solutions(path))
        if len(line) > 12 and not line.startswith(("<", "import", "from"))
    } - lines(carried_into(copy))
    assert secret and not secret & lines(given)
    whole = lines(cell.source for cell in solved.cells)
    titles = "# @title", "### Solution of exercise"
    secret = {line for line in secret if not line.startswith(titles)}
    assert secret <= whole
    asked = 8 if path == LAB else 1
    assert sum(c.source.endswith(blank) for c in copy.cells) == asked


def test_what_is_asked_has_mistakes_that_are_foreseen():
    """A sentence each, which names what was done and not the answer."""
    every = assignments.known_of("exercises") | assignments.known_of("lab")
    numbers = []
    for label, known in every.items():
        mistakes = known.get("mistakes", [])
        if "answer" in known:
            numbers.append(len(mistakes))
            assert mistakes, label
        for _, _, says in mistakes:
            assert says[0].isupper() and says[-1] in ".?", label
    assert min(numbers) >= 1 and np.mean(numbers) > 1.8


def test_an_interval_is_taken_by_its_estimate_and_two_numbers_together():
    known = {
        "decimals": 1,
        "value": 0.5,
        "mistakes": [["", 0.8, "Too big."]],
    }
    check = assignments.check_of("some-label", known)
    reader = Reader()
    reader.run("import gtlib as gt; answer = gt.Interval(0, 1, 0.5)")
    assert reader.run(check) == "Right."
    reader.run("answer = 0.8")
    assert reader.run(check) == "0.8 is not it yet. Too big."
    two = assignments.check_of("label", {"decimals": 0, "value": [6, 50]})
    for answer, says in {
        "6, 50": "Right.",
        "6": "6 is not it yet.",
        "50, 6": "(50, 6) is not it yet.",
    }.items():
        reader.run(f"answer = {answer}")
        assert reader.run(two) == says


def test_what_rounds_to_zero_from_below_is_zero():
    known = {"decimals": 1, "value": 0.5}
    known["mistakes"] = [["", 0.0, "Too small."]]
    reader = Reader()
    reader.run("answer = 0.06")  # less one in the last digit is -0.04
    says = reader.run(assignments.check_of("some-label", known))
    assert says == "0.06 is not it yet. Too small."


def test_numbers_that_look_alike_are_refused():
    for close in (0.5, 0.51, 0.52):
        known = {"decimals": 2, "value": 0.5}
        known["mistakes"] = [["", close, "Close."]]
        with pytest.raises(ValueError, match="look alike"):
            assignments.check_of("some-label", known)


def test_every_exercise_is_there_and_listed():
    texts = [graded(read(path), "-text") for path in COPIES]
    labels = [names[0].removesuffix("-text") for names in texts if names]
    known = assignments.known_of("exercises")
    assert sorted(labels) == sorted(known)
    links = tree("book/assignments.html").xpath("//article//a/@href")
    listed = [link for link in links if link.endswith(".ipynb")]
    folder = "../assignments"
    assert sorted(listed) == sorted(
        f"{folder}/{path.name}" for path in COPIES if path != LAB
    )


def test_code_comes_with_what_it_reads_and_no_more():
    cells = ["a = 1", "b = a + 1", "c = 5", "def f(x):\n    return b"]
    assert assignments.needed("f(2)", cells) == [*cells[:2], cells[3]]
    assert assignments.needed("c", cells) == ["c = 5"]


def test_a_formula_that_is_named_comes_with_the_exercise():
    text = "The error is\n\n$$ e = s / n, \\tag{7.1} $$\n\nNothing of this."
    chapters = {"07": [new_markdown_cell(text)]}
    (cell,) = assignments.formulas("Show equation 7.1.", chapters)
    assert cell.source == "From the book:\n\n$$ e = s / n, \\tag{7.1} $$"
    assert not [*assignments.formulas("Show it.", chapters)]


def test_an_exercise_links_its_chapter_where_the_site_is_known(monkeypatch):
    monkeypatch.setattr(assignments, "site", lambda: "https://a.org/b/")
    cell = new_markdown_cell("### Exercise 4.1. A start")
    cell.metadata["gtlib"] = {"exercise": "some-label"}
    head = assignments.head(
        Path("04-some.ipynb"),
        [new_markdown_cell("# Some\n\nText")],
        cell,
        {"minutes": 5},
    )
    link = "https://a.org/b/notebooks/04-some.html#some-label"
    assert f"From chapter [4. Some]({link}); 5 minutes." in head.source


def test_the_site_has_no_solution_of_the_lab():
    secret = [line for line in lines(solutions(LAB)) if len(line) > 30]
    for path in HTML.rglob("*.*"):
        if path.suffix in (".html", ".md", ".txt", ".ipynb", ".js"):
            text = path.read_text("utf-8")
            assert assignments.BEGIN not in text, path
            assert not [line for line in secret if line in text], path


def test_the_site_has_nothing_of_the_graded_items_and_the_exam():
    items = assignments.known_of("graded").values()
    secret = [item["asks"] for item in items]
    for question in assignments.known_of("exam")["question"]:
        secret += [question["asks"].strip()[:40]]
        secret += [line[:40] for _, line in question["scheme"]]
    for path in HTML.rglob("*.*"):
        assert not re.match(r"(graded|exam)\b", path.name), path
        if path.suffix in (".html", ".md", ".txt", ".ipynb", ".js"):
            text = path.read_text("utf-8")
            assert "HIDDEN TESTS" not in text, path
            assert not [line for line in secret if line in text], path


def test_the_lab_takes_ninety_minutes():
    assert len(graded(read(LAB), "-check")) == 8
    page = (ROOT / "book" / "lab.md").read_text("utf-8")
    times = re.findall(r"^## .*\((\d+) minutes\)$", page, re.M)
    assert sum(map(int, times)) == 90
    sections = [c.source for c in read(LAB).cells if "## " in c.source]
    titles = tree("book/lab.html").xpath("//article//h2/text()")
    assert [text.partition("\n")[0][3:] for text in sections] == titles


@pytest.mark.parametrize("page", ["book/teaching.html", "book/index.html"])
def test_all_of_the_class_room_is_one_link_away(page):
    links = [*tree(page).xpath("//article//a/@href")]
    for name in "lab", "assignments", "project", "teachers-notes":
        assert f"{name}.html" in links
        assert f"book/{name}.html" in pages()
    assert "../slides/lecture.html" in links


class Reader:
    """Somebody who runs cells, and reads what they show."""

    def __init__(self):
        self.shell = InteractiveShell.instance()
        self.shell.reset(new_session=True)

    def run(self, source):
        with capture_output() as shown:
            self.shell.run_cell(source).raise_error()
        plt.close("all")
        return (shown.stdout + shown.stderr).strip()


@every_copy
def test_it_runs_whole_then_hints_and_answers_in_any_order(path):
    with plt.rc_context():
        plt.switch_backend("agg")
        reader = Reader()
        for cell in read(path).cells:
            if cell.cell_type == "code":
                shown = reader.run(cell.source)
                assert ("number first." in shown) == (
                    cell.id.endswith("-check")
                )
        hints = [
            code
            for cell in read(path).cells
            if "<summary>A hint" in cell.source
            for code in assignments.CODE.findall(cell.source)
            if not PART.match(code)
        ]
        cells = {cell.id: cell for cell in read(SOLVED[path.name]).cells}
        any_order = random.Random(path.stem)
        for code in any_order.sample(hints, len(hints)):
            reader.run(code)
        reader.run("import numpy as np")  # for numbers that are wrong
        answers = [name for name in cells if name.endswith("-code")]
        for name in any_order.sample(answers, len(answers)):
            reader.run(cells[name].source)
            check = cells.get(name.replace("-code", "-check"))
            if not check:
                continue
            assert reader.run(check.source) == "Right."
            known, its_name = asked(name.removesuffix("-code"))
            mistakes = known.get("mistakes", [])
            for wrong, _, says in any_order.sample(mistakes, len(mistakes)):
                reader.run(f"{its_name} = {wrong}")
                assert reader.run(check.source).endswith(says), wrong
                reader.run(cells[name].source)
                assert reader.run(check.source) == "Right."


@pytest.mark.parametrize(
    "answer, decimals, right",
    [
        ("0.898", 3, True),
        ("0.8979", 3, True),
        ("0.897", 3, True),  # rounded otherwise
        ("0.895", 3, False),
        ("-0.898", 3, False),
        ("'?'", 3, False),
        ("54", 0, True),
        ("54.2", 0, True),
        ("55", 0, False),
    ],
)
def test_a_check_tells_right_from_wrong(answer, decimals, right):
    known = {"decimals": decimals, "value": 0.898 if decimals else 54}
    check = assignments.check_of("some-label", known)
    assert str(known["value"]) not in check
    reader = Reader()
    reader.run(f"answer = {answer}")
    assert (reader.run(check) == "Right.") == right


@pytest.mark.parametrize(
    "folder", ["lab", pytest.param("*", marks=pytest.mark.slow)]
)
def test_nbgrader_makes_the_same_copies(tmp_path, folder):
    """Of a teacher's copies, released as a course would release them.

    It refuses a cell whose metadata are not of its schema, and two cells
    of one name.
    """
    for name in ("source", "nbgrader_config.py"):
        os.symlink(assignments.TEACHER / name, tmp_path / name)
    passes(
        *("uv", "--directory", tmp_path, "tool", "run"),
        *("--python", sys.executable, "--from", NBGRADER),
        *("nbgrader", "generate_assignment", folder),
    )
    made = [*tmp_path.glob("release/*/*.ipynb")]
    for path in [p for p in made if p.parent.name == "graded"]:
        assert "HIDDEN TESTS" not in path.read_text("utf-8")
        made.remove(path)
    assert len(made) == (1 if folder == "lab" else len(COPIES))
    for path in made:
        released, copy = read(path), LAB.with_name(path.name)
        assert [(cell.id, cell.source) for cell in released.cells] == [
            (cell.id, cell.source) for cell in read(copy).cells
        ]
