"""The notebooks of the audit, run without a kernel, or cut short."""

import json
import re
import sys
from pathlib import Path

import matplotlib
import pytest

from gtaudit.report import NOTEBOOK

CHAPTER = "notebooks/13-audit-your-collection.ipynb"


# In place of all that comes after what is read: the answers, and what the
# command writes or asks of the numbers.
ANSWERS = """
import gtaudit

collection = audited.collection
board = gtaudit.audit_leaderboard(collection)
study, fixed = collection.study, collection.fixed
coefficients = gtaudit.coefficient_table(study, fixed)
pairs = gtaudit.compare_systems(collection, board)
of = audited.judged, cost, budget
verdicts = gtaudit.give_verdicts(
    collection, coefficients, board, pairs, *of, target
)
of = audited.judged, audited.machines, cost, budget, verdicts.remedy
results = {
    "verdict": verdicts.table,
    "nouns": collection.nouns.renamed,
    "doubts": [s._asdict() for s in audited.doubts],
    "leaderboard": board.table.rename_axis("system"),
    "coefficients": coefficients,
    "alpha": gtaudit.describe_alpha(collection.wide, collection.sites)[0],
    "actions": gtaudit.advise(collection, *of),
    "pairs_told_apart": {"alpha": board.alpha},
    "judgments": audited.judged,
}
"""


@pytest.fixture(scope="session")
def short_notebook(tmp_path_factory):
    """The report's cell of parameters, and one of answers."""
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    last = {"cell_type": "code", "metadata": {}, "outputs": []}
    last |= {"id": "answers", "execution_count": None}
    last["source"] = ANSWERS.splitlines(keepends=True)
    notebook["cells"] = [notebook["cells"][0], last]
    path = tmp_path_factory.mktemp("short") / "report.ipynb"
    path.write_text(json.dumps(notebook), "utf-8")
    return path


@pytest.fixture
def short_report(short_notebook, monkeypatch):
    """The command writes all its files, and a page without content: for
    tests of what it says, returns and writes beside the page."""
    monkeypatch.setattr("gtaudit.report.NOTEBOOK", short_notebook)


@pytest.fixture(scope="session")
def jsonschema():
    """Without a part that checks addresses and takes seconds to import."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "rfc3987_syntax", None)
        import jsonschema
    return jsonschema


def code_cells(path):
    """The sources and tags of a notebook's cells of code, but for those
    that install, or hand numbers to the text: the builder needs them."""
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and not re.search(
            "%pip|import glue", source
        ):
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
