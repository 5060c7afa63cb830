"""Directives that set a chapter's outcomes beside its exercises, and what
goes wrong in these beside them.

``{exercise-map}`` reads them from the notebooks: the list in each Overview,
and the exercises in their order, each with its minutes, its assignment, and
whether it is of the core, so that a guide for teachers never lags behind
the chapters. A link to ``exercises-of-NAME``, without the number, leads to
a chapter's.
"""

import re

from assignments import BOOK, known_of
from overviews import NOTEBOOKS, cells, number_of, outcomes
from sphinx.util.docutils import SphinxDirective

EXERCISE = re.compile(
    r"^```+\{exercise(?:-start)?\}([^\n]*)\n:label:\s*(\S+)", re.M
)


class ExerciseMap(SphinxDirective):
    def run(self):
        lines = []
        known = known_of("exercises")
        self.env.note_dependency(str(BOOK / "exercises.toml"))
        for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
            self.env.note_dependency(str(notebook))
            lines += chapter(notebook.stem, known)
        return self.parse_text_to_nodes("\n".join(lines))


class MistakeList(SphinxDirective):
    """``{mistake-list}``: the wrong answers that the checks foresee."""

    def run(self):
        known = known_of("exercises")
        self.env.note_dependency(str(BOOK / "exercises.toml"))
        lines = []
        for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
            self.env.note_dependency(str(notebook))
            lines += mistakes(notebook.stem, known)
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    app.add_directive("exercise-map", ExerciseMap)
    app.add_directive("mistake-list", MistakeList)


def mistakes(name, known):
    """What goes wrong in a chapter's exercises, as lines of MyST."""
    exercises = EXERCISE.findall("\n\n".join(cells(name)))
    foreseen = [
        (title, label, wrong)
        for title, label in exercises
        if (wrong := known[label].get("mistakes"))
    ]
    if foreseen:
        yield f"\n**{{doc}}`/notebooks/{name}`**\n"
    for title, label, wrong in foreseen:
        yield f"* {{ref}}`{label}`,{title}:"
        for _, value, says in wrong:
            numbers = value if isinstance(value, list) else [value]
            yield f"  * {' and '.join(map(str, numbers))}: {says}"


def chapter(name, known):
    """A chapter's outcomes and exercises, as lines of MyST."""
    label = re.sub(r"\d+-", "", name, count=1)
    yield f"(exercises-of-{label})=\n**{{doc}}`/notebooks/{name}`**\n"
    for outcome in outcomes(name):
        yield f"- {outcome}"
    yield ""
    exercises = EXERCISE.findall("\n\n".join(cells(name)))
    for place, (title, label) in enumerate(exercises, 1):
        file = f"exercise-{number_of(name)}.{place}.ipynb"
        takes = f"{known[label]['minutes']} minutes"
        core = ", **core**" if known[label].get("core") else ""
        yield f"* {{ref}}`{label}`,{title}, {takes}{core}:"
        yield f'  <a href="../assignments/{file}">{file}</a>'
    yield ""
