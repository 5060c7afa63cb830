"""The notebooks of the audit, run without a kernel, or cut short."""

import json
from pathlib import Path

import matplotlib.pyplot
import pytest

from gtaudit.report import NOTEBOOK

CHAPTER = "notebooks/14-audit-your-collection.ipynb"


@pytest.fixture
def short_report(monkeypatch):
    """The command writes all its files, without what takes longest: for
    tests of what it says, returns and writes beside the page."""
    monkeypatch.setattr(
        "gtaudit.study.best_systems_on_board", lambda *_: None
    )


def code_cells(path):
    """The sources and tags of a notebook's cells of code, but for those
    that install."""
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and "%pip" not in source:
            yield source, cell["metadata"].get("tags", [])


@pytest.fixture
def run_notebook():
    """All cells of a notebook on a reader's parameters; their names, and
    what they display as ``displayed``."""
    from IPython.display import display

    matplotlib.use("agg")
    assert callable(display)

    def run(path=NOTEBOOK, **parameters):
        displayed: list[object] = []
        names = {"display": lambda *shown: displayed.extend(shown)}
        for source, tags in code_cells(path):
            if "parameters" in tags:
                given = parameters.items()
                source += "".join(f"\n{n} = {v!r}" for n, v in given)
            exec(source, names)
        return {**names, "displayed": displayed}

    yield run
    matplotlib.pyplot.close("all")


@pytest.fixture
def chapter():
    """The chapter that teaches with what the report is made of."""
    return Path(__file__).resolve().parents[2] / CHAPTER
