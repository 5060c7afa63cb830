"""The audit's chapter, run without a kernel."""

import json

import matplotlib
import pytest

from gtapps.audit.report import audit_notebook


@pytest.fixture(scope="session")
def jsonschema():
    """As slow to import as a chapter is to run."""
    import jsonschema

    return jsonschema


@pytest.fixture
def run_chapter():
    """All cells of the chapter on a reader's parameters; their names, and
    what they display as ``displayed``."""
    from IPython.display import display

    matplotlib.use("agg")
    assert callable(display)

    def run(**parameters):
        displayed: list[object] = []
        names = {"display": lambda *shown: displayed.extend(shown)}
        cells = json.loads(audit_notebook().read_text("utf-8"))["cells"]
        for cell in cells:
            source = "".join(cell["source"])
            if cell["cell_type"] != "code" or "%pip" in source:
                continue
            if "parameters" in cell["metadata"].get("tags", []):
                given = parameters.items()
                source += "".join(f"\n{n} = {v!r}" for n, v in given)
            exec(source, names)
        return {**names, "displayed": displayed}

    yield run
    matplotlib.pyplot.close("all")
