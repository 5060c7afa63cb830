"""Directives that show what the chapters say of themselves.

``{chapter-map}`` maps them: what each asks and needs, how long it takes,
and which papers it follows. It reads the parts from `_toc.yml`, the
questions and the papers from `book/chapters.toml`, and the rest from the
Overview of each chapter, so that the map never lags behind them.

``{exercise-map}`` sets a chapter's outcomes beside its exercises: the list
in each Overview, and the exercises in their order, each with its minutes,
its assignment, and whether it is of the core. A link to
``exercises-of-NAME``, without the number, leads to a chapter's.
``{mistake-list}`` lists the wrong answers that their checks foresee.
"""

import re
import tomllib

from assignments import BOOK, known_of
from overviews import (
    cells,
    minutes,
    needs,
    number_of,
    outcomes,
    parts,
)
from plain import NOTEBOOKS
from sphinx.util.docutils import SphinxDirective

ABOUT = BOOK / "chapters.toml"
HEAD = """\
```{list-table}
:class: chapter-map
:header-rows: 1
:widths: 54 10 14 22"""
TITLES = ["chapter, and what it asks", "needs", "minutes", "follows"]
EXERCISE = re.compile(
    r"^```+\{exercise(?:-start)?\}([^\n]*)\n:label:\s*(\S+)", re.M
)


class ChapterMap(SphinxDirective):
    def run(self):
        for path in NOTEBOOKS.glob("*.ipynb"):
            self.env.note_dependency(str(path))
        self.env.note_dependency(str(ABOUT))
        return self.parse_text_to_nodes("\n".join(table()))


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
    def run(self):
        known = known_of("exercises")
        self.env.note_dependency(str(BOOK / "exercises.toml"))
        lines = []
        for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
            self.env.note_dependency(str(notebook))
            lines += mistakes(notebook.stem, known)
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("exercise-map", ExerciseMap)
    app.add_directive("mistake-list", MistakeList)


def table():
    """The map, as lines of MyST."""
    about = tomllib.loads(ABOUT.read_text("utf-8"))
    yield from HEAD.splitlines()
    yield from row(TITLES)
    for caption, chapters in parts():
        yield from row([f"**{caption}**", "", "", ""])
        for chapter in chapters:
            known = about[chapter]
            title = f"{number_of(chapter)}. {{doc}}`/notebooks/{chapter}`"
            title += " *(optional)*" if known.get("optional") else ""
            numbers = [*map(number_of, needs(chapter))]
            papers = known.get("papers", ())
            cited = f"{{cite:t}}`{','.join(papers)}`" if papers else ""
            yield from row(
                [
                    f"{title}: {known['asks']}",
                    ", ".join(numbers) or "–",
                    "{}–{}".format(*minutes(chapter)[::2]),
                    "all four papers" if len(papers) == 4 else cited,
                ]
            )
    yield "```"


def row(cells):
    """A row of the list that the table is made of."""
    for mark, cell in zip("*   ", cells, strict=True):
        yield f"{mark} - {cell}"


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
