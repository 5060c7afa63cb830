"""A directive that maps the chapters: what each asks and needs, how long
it takes, and which papers it follows.

``{chapter-map}`` reads the parts from `_toc.yml`, the questions and the
papers from `book/chapters.toml`, and the rest from the Overview of each
chapter, so that the map never lags behind them.
"""

import tomllib
from pathlib import Path

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from prerequisites import NOTEBOOKS, minutes, needs
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
ABOUT = ROOT / "book" / "chapters.toml"
HEAD = """\
```{list-table}
:class: chapter-map
:header-rows: 1
:widths: 54 10 14 22"""
TITLES = ["chapter, and what it asks", "needs", "minutes", "follows"]


class ChapterMap(SphinxDirective):
    def run(self):
        lines = [*table()]
        for path in NOTEBOOKS.glob("*.ipynb"):
            self.env.note_dependency(str(path))
        self.env.note_dependency(str(ABOUT))
        place = nodes.section()
        place.document = self.state.document
        self.state.nested_parse(StringList(lines), 0, place)
        return place.children


def setup(app):
    app.add_directive("chapter-map", ChapterMap)
    return {"parallel_read_safe": True}


def parts():
    """The parts of the book that have chapters, and these."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    for part in contents["parts"]:
        files = [Path(row["file"]) for row in part["chapters"]]
        chapters = [f.name for f in files if f.parent.name == "notebooks"]
        if chapters:
            yield part["caption"], chapters


def table():
    """The map, as lines of MyST."""
    about = tomllib.loads(ABOUT.read_text("utf-8"))
    yield from HEAD.splitlines()
    yield from row(TITLES)
    for caption, chapters in parts():
        yield from row([f"**{caption}**", "", "", ""])
        for chapter in chapters:
            known = about[chapter]
            title = f"{int(chapter[:2])}. {{doc}}`/notebooks/{chapter}`"
            title += " *(optional)*" if known.get("optional") else ""
            numbers = [str(int(name[:2])) for name in needs(chapter)]
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
