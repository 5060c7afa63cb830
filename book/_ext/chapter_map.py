"""A directive that maps the chapters: what each asks and needs, how long
it takes, and which papers it follows.

``{chapter-map}`` reads the parts from `_toc.yml`, the questions and the
papers from `book/chapters.toml`, and the rest from the Overview of each
chapter, so that the map never lags behind them.
"""

import tomllib

from overviews import NOTEBOOKS, ROOT, minutes, needs, number_of, parts
from sphinx.util.docutils import SphinxDirective

ABOUT = ROOT / "book" / "chapters.toml"
HEAD = """\
```{list-table}
:class: chapter-map
:header-rows: 1
:widths: 54 10 14 22"""
TITLES = ["chapter, and what it asks", "needs", "minutes", "follows"]


class ChapterMap(SphinxDirective):
    def run(self):
        for path in NOTEBOOKS.glob("*.ipynb"):
            self.env.note_dependency(str(path))
        self.env.note_dependency(str(ABOUT))
        return self.parse_text_to_nodes("\n".join(table()))


def setup(app):
    app.add_directive("chapter-map", ChapterMap)


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
