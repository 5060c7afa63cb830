"""Assignments: nothing is given away, they run, and nbgrader takes them."""

import os
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from checks.conftest import read
from checks.wheel import ROOT, uv
from tools import student

NBGRADER = "nbgrader==0.9.6"
MADE = [
    student.STUDENT / path.name
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
]

every_copy = pytest.mark.parametrize(
    "path", MADE, ids=lambda path: path.stem
)


def teachers(path):
    return student.TEACHER / "source" / path.stem / path.name


def runners(path, *parts):
    """The cells of the runner's edition that are such parts."""
    return [
        cell
        for cell in read(student.RUNNER / path.name).cells
        if cell.metadata.get("gtlib", {}).get("part") in parts
    ]


def lines(cells):
    text = "\n".join(cell.source for cell in cells)
    return {line.strip() for line in text.splitlines()}


@every_copy
def test_no_answer_is_given_away_and_each_has_a_blank(path):
    """Not a line of code, not a sentence, of what the book folds."""
    secret = {
        line
        for line in lines(runners(path, "solution", "question"))
        if len(line) > 12 and not line.startswith(("<", "import", "from"))
    } - lines(runners(path, None))
    copied = lines(read(path).cells)
    assert len(secret) > 10
    assert not secret & copied and student.BEGIN not in copied
    whole = "\n".join(lines(read(teachers(path)).cells))
    assert all(line in whole for line in secret if "# @title" not in line)
    blanks = [
        cell.metadata.nbgrader.grade_id
        for cell in read(path).cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    ]
    exercises = runners(path, "exercise")
    assert len(exercises) >= 5
    for label in (cell.metadata.gtlib.exercise for cell in exercises):
        assert any(name.startswith(label) for name in blanks), label


def test_no_exercise_is_described_that_is_not_there():
    labels = {
        cell.metadata.gtlib.exercise
        for path in MADE
        for cell in runners(path, "exercise")
    }
    assert set(student.known_exercises()) <= labels


def said(cells):
    """What a check says of an answer: its words, or its error's."""
    space = {"answer": cells[0]}
    try:
        exec(cells[1].source.replace("print(", "words = ("), space)
    except AssertionError as error:
        return str(error)
    return space["words"]


@pytest.mark.parametrize(
    "answer, decimals, right",
    [
        (0.898, 3, True),
        (0.8979, 3, True),
        (0.897, 3, True),  # rounded otherwise
        (0.895, 3, False),
        (-0.898, 3, False),
        (..., 3, False),
        (54, 0, True),
        (54.2, 0, True),
        (55, 0, False),
    ],
)
def test_a_check_tells_right_from_wrong(answer, decimals, right):
    known = {"asks": "?", "answer": "x", "decimals": decimals}
    known["value"] = 0.898 if decimals else 54
    _, check = student.with_check("some-label", known)
    assert (said([answer, check]) == "Right.") == right
    assert str(known["value"]) not in check.source


@every_copy
def test_a_student_copy_runs_from_top_to_bottom(
    path, monkeypatch, tmp_path
):
    """Without what is fetched, which is quicker and no less a test."""
    monkeypatch.setenv("GTLIB_MIRROR", os.devnull)
    notebook = nbformat.read(path, nbformat.NO_CONVERT)
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=120, resources=where).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code" and "nbgrader" in cell.metadata:
            kinds = [output.output_type for output in cell.outputs]
            is_check = cell.metadata.nbgrader.locked
            assert kinds == (["error"] if is_check else []), cell.source


def test_nbgrader_makes_the_same_copies(tmp_path):
    """Of a teacher's copies, released as a course would release them.

    It refuses a cell whose metadata are not of its schema, and two cells
    of one name.
    """
    for name in ("source", "nbgrader_config.py"):
        os.symlink(student.TEACHER / name, tmp_path / name)
    uv(
        *("--directory", tmp_path, "tool", "run", "--quiet"),
        *("--python", sys.executable, "--from", NBGRADER),
        *("nbgrader", "generate_assignment", "*"),
    )
    for path in MADE:
        released = read(tmp_path / "release" / path.stem / path.name)
        assert [(cell.id, cell.source) for cell in released.cells] == [
            (cell.id, cell.source) for cell in read(path).cells
        ]
