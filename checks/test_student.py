"""Student copies: no solution, a blank for each, and they still run."""

import os

import nbformat
import pytest
from nbclient import NotebookClient

from tools import student

NOTEBOOKS = sorted((student.ROOT / "notebooks").glob("*.ipynb"))


def copy_of(path):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = list(student.without_solutions(notebook.cells))
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_student_copy_has_blanks_and_no_solutions(path):
    whole = nbformat.read(path, as_version=4)
    text = "\n".join(c.source for c in whole.cells)
    copied = copy_of(path).cells
    blanks = [cell for cell in copied if cell.source == student.BLANK]
    assert len(blanks) == text.count("{solution-start}") >= 5
    for cell in copied:
        assert "solution" not in cell.metadata.get("tags", [])
        assert "{solution-" not in cell.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_student_copy_runs_from_top_to_bottom(path, monkeypatch):
    """Without what is fetched, which is quicker and no less a test."""
    monkeypatch.setenv("GTLIB_MIRROR", os.devnull)
    notebook = copy_of(path)
    NotebookClient(
        notebook,
        timeout=120,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
