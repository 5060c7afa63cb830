"""A directive that sets a chapter's outcomes beside its exercises.

``{exercise-map}`` reads them from the notebooks: the list in each Overview,
and the exercises in their order, each with its minutes and its assignment,
so that a guide for teachers never lags behind the chapters.
"""

import json
import re
import tomllib
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

KNOWN = Path(__file__).resolve().parents[1] / "exercises.toml"
EXERCISE = re.compile(
    r"^```+\{exercise(?:-start)?\}([^\n]*)\n:label:\s*(\S+)", re.M
)


class ExerciseMap(SphinxDirective):
    def run(self):
        lines = []
        self.env.note_dependency(str(KNOWN))
        for page in sorted(self.env.found_docs):
            notebook = Path(self.env.srcdir, f"{page}.ipynb")
            if notebook.exists():
                lines += chapter(page, prose(notebook))
                self.env.note_dependency(str(notebook))
        place = nodes.section()
        place.document = self.state.document
        self.state.nested_parse(StringList(lines), 0, place)
        return place.children


def setup(app):
    app.add_directive("exercise-map", ExerciseMap)
    return {"parallel_read_safe": True}


def prose(notebook):
    """The text of a notebook's Markdown cells."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return "\n\n".join(
        "".join(cell["source"])
        for cell in cells
        if cell["cell_type"] == "markdown"
    )


def chapter(page, text):
    """A chapter's outcomes and exercises, as lines of MyST."""
    exercises = EXERCISE.findall(text)
    overview = re.search(
        r"^:::+\{admonition\} Overview\n(.*?)^:::+$", text, re.M | re.S
    )
    if not exercises or not overview:
        return []
    outcomes = re.findall(r"^[-*] (.+(?:\n  .+)*)", overview[1], re.M)
    known = tomllib.loads(KNOWN.read_text("utf-8"))
    number = int(Path(page).name[:2])
    return [
        f"**{{doc}}`/{page}`**",
        "",
        *(f"- {' '.join(outcome.split())}" for outcome in outcomes),
        "",
        *(
            f"* {{ref}}`{label}`,{title}, "
            f"{known[label]['minutes']} minutes: "
            f'<a href="../assignments/exercise-{number}.{n}.ipynb">'
            f"exercise-{number}.{n}.ipynb</a>"
            for n, (title, label) in enumerate(exercises, 1)
        ),
        "",
    ]
