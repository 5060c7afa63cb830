"""Assignments: nothing is given away, they run, and nbgrader takes them."""

import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from checks.wheel import PYTHON, ROOT, clean_environment, uv
from tools import student

NBGRADER = "nbgrader==0.9.6"
MADE = sorted(student.STUDENT.glob("*.ipynb"))
RELEASE = """
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

config = Config()
told = {"get_config": lambda: config}
exec(open("nbgrader_config.py").read(), told)
api = NbGraderAPI(config=config)
for name in sorted(api.get_source_assignments()):
    done = api.generate_assignment(name)
    assert done["success"], done
"""
KEYS = {
    "grade_id",
    "schema_version",
    "cell_type",
    "solution",
    "grade",
    "locked",
    "task",
}

every_copy = pytest.mark.parametrize(
    "path", MADE, ids=lambda path: path.stem
)


def read(path):
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


def teachers(path):
    return student.TEACHER / "source" / path.stem / path.name


def graded(notebook):
    return [cell for cell in notebook.cells if "nbgrader" in cell.metadata]


def test_every_chapter_has_a_copy():
    names = sorted(p.name for p in (ROOT / "notebooks").glob("*.ipynb"))
    assert [path.name for path in MADE] == names
    assert all(teachers(path).exists() for path in MADE)


@every_copy
def test_no_solution_and_no_answer_is_given_away(path):
    """Not a line of code, not a sentence, of what the book folds."""
    secret = {
        line.strip()
        for cell in read(student.RUNNER / path.name).cells
        if cell.metadata.get("gtlib", {}).get("part")
        in ("solution", "question")
        for line in cell.source.splitlines()
        if not line.startswith(("<", "import", "from"))
    }
    shown = {
        line.strip()
        for cell in read(student.RUNNER / path.name).cells
        if "gtlib" not in cell.metadata
        for line in cell.source.splitlines()
    }
    secret = {line for line in secret - shown if len(line) > 12}
    copied = "\n".join(cell.source for cell in read(path).cells)
    assert len(secret) > 10
    assert not secret & {line.strip() for line in copied.splitlines()}
    assert student.BEGIN not in copied
    whole = "\n".join(cell.source for cell in read(teachers(path)).cells)
    assert all(line in whole for line in secret if "# @title" not in line)


@every_copy
def test_every_exercise_has_a_blank(path):
    blanks = [
        cell.metadata.nbgrader.grade_id
        for cell in graded(read(path))
        if cell.metadata.nbgrader.solution
        and cell.source.endswith((student.CODE_BLANK, student.TEXT_BLANK))
    ]
    solutions = [
        cell.metadata.nbgrader.grade_id
        for cell in graded(read(path))
        if cell.metadata.nbgrader.solution
    ]
    assert blanks == solutions
    labels = {
        cell.metadata.gtlib.exercise
        for cell in read(student.RUNNER / path.name).cells
        if cell.metadata.get("gtlib", {}).get("part") == "exercise"
    }
    assert len(labels) >= 5
    for label in labels:
        assert any(name.startswith(label) for name in blanks), label


@every_copy
def test_what_nbgrader_reads_is_complete(path):
    names = []
    for cell in graded(read(path)):
        about = cell.metadata.nbgrader
        names.append(about.grade_id)
        assert set(about) - {"points"} == KEYS
        assert about.schema_version == 3
        assert about.cell_type == cell.cell_type
        assert ("points" in about) == about.grade
        assert about.locked != about.solution
    assert len(set(names)) == len(names)
    ids = [cell.id for cell in read(path).cells]
    assert len(set(ids)) == len(ids)


def test_no_exercise_is_described_that_is_not_there():
    labels = {
        cell.metadata.gtlib.exercise
        for path in MADE
        for cell in read(student.RUNNER / path.name).cells
        if "exercise" in cell.metadata.get("gtlib", {})
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
    known = {
        "asks": "A number",
        "answer": "x",
        "value": 0.898 if decimals else 54,
        "decimals": decimals,
    }
    _, check = student.with_check("some-label", known)
    assert (said([answer, check]) == "Right.") == right
    assert str(known["value"]) not in check.source


@every_copy
def test_a_student_copy_runs_from_top_to_bottom(
    path, monkeypatch, tmp_path
):
    """Without what is fetched, which is quicker and no less a test."""
    monkeypatch.setenv("GTLIB_MIRROR", os.devnull)
    notebook = read(path)
    NotebookClient(
        notebook,
        timeout=120,
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    for cell in graded(notebook):
        if cell.cell_type == "code":
            kinds = [output.output_type for output in cell.outputs]
            is_check = cell.metadata.nbgrader.locked
            assert kinds == (["error"] if is_check else []), cell.source


def test_nbgrader_makes_the_same_copies(tmp_path):
    """Of a teacher's copies, released as a course would release them."""
    uv("venv", "--quiet", "--python", sys.executable, tmp_path / "venv")
    python = tmp_path / "venv" / PYTHON
    uv("pip", "install", "--quiet", "--python", python, NBGRADER)
    course = tmp_path / "course"
    course.mkdir()
    for name in ("source", "nbgrader_config.py"):
        os.symlink(student.TEACHER / name, course / name)
    clean = clean_environment()
    search = f"{python.parent}{os.pathsep}{clean['PATH']}"
    subprocess.run(
        [python, "-c", RELEASE],
        cwd=course,
        env=clean | {"PATH": search},
        check=True,
    )
    for path in MADE:
        released = read(course / "release" / path.stem / path.name)
        ours = read(path)
        assert [c.source for c in released.cells] == [
            c.source for c in ours.cells
        ]
