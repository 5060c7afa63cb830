"""What the book needs of Sphinx that no setting gives."""

import platform
import re
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

import extra_files
import finish
import overviews
import sections
from docutils import nodes
from overviews import number_of
from plain import NOTEBOOKS
from reexecute import git
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

import gtlib as gt
from book.support import planner, typeface, weather
from book.support.ledger import page as record

SHOWN = ["numpy", "scipy", "pandas", "matplotlib", "jupyter-book", "sphinx"]
PLACES = {
    "embedded": "come with gtlib",
    "mirror": "belong to others, and were read from a folder",
    "cached": "belong to others, and were downloaded",
    "remote": "belong to others, and were not here",
}
ROOT = Path(__file__).resolve().parents[2]
MATHJAX = "tex-svg-full.js"
AT_FIRST, AT_LAST = 0, 999


def setup(app):
    parts = sorted(Path(__file__).parent.glob("*.py"))
    for part in map(import_module, (path.stem for path in parts)):
        if hasattr(part, "setup") and part.__name__ != __name__:
            part.setup(app)
    app.connect("build-finished", write_besides, AT_LAST)
    app.add_transform(NameTables)
    app.add_enumerable_node(TableFigure, "table", html=(visit, depart))
    app.add_directive("record", Record)
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("exercise-map", ExerciseMap)
    app.add_directive("mistake-list", MistakeList)
    serve_mathjax(app)
    app.connect("config-inited", say_how_it_was_made, AT_LAST)
    app.connect("env-get-updated", number_as_sphinx, AT_FIRST)
    app.connect("env-get-updated", number_as_files, AT_LAST)
    app.connect("html-page-context", mend_for_screen_readers)
    return {"parallel_read_safe": True}


def write_besides(app, exception):
    """Write the files that are made from the pages and lie beside them."""
    if exception or app.builder.name != "html":
        return
    planner.write(Path(app.outdir))
    weather.write(Path(app.outdir))
    typeface.on_pages(Path(app.outdir) / "_static" / "fonts")
    extra_files.write_chapters(app)
    sections.write(app)
    finish.finish(app)  # reads what all of these have written


def say_how_it_was_made(app, config):
    """Let a page say ``{{ made_with }}``."""
    config.myst_substitutions["made_with"] = "\n".join(made_with())


def made_with():
    """The lines of a table: versions, the commit, and where data were."""
    yield "| made with | version |\n| --- | --- |"
    yield f"| Python | {platform.python_version()} |"
    yield from (f"| {name} | {metadata.version(name)} |" for name in SHOWN)
    # And whether files differ from it.
    commit = git("describe", "--always", "--dirty", "--abbrev=12")
    yield f"| commit | {commit or 'unknown'} |"
    where = gt.datasets()["where"].map(PLACES).value_counts(sort=False)
    for place, number in where.items():
        yield f"| data sets that {place} | {number} |"


def serve_mathjax(app):
    """Copy MathJax in one file, fonts and all, to the book's own pages."""
    package = Path(find_spec("sphinx-mathjax-offline").origin).parent
    script = package / "static" / "mathjax" / MATHJAX
    app.connect(
        "config-inited",
        lambda _, config: config.html_static_path.append(str(script)),
    )
    app.config.mathjax_path = MATHJAX


def number_as_files(app, env):
    """Give a chapter the number of its file, which begins at 0, and an
    appendix that of its chapter: A1."""
    env.numbers_of_sphinx = {}
    for page, numbers in env.toc_secnumbers.items():
        number = number_of(Path(page).name)
        if number is not None:
            env.numbers_of_sphinx[page] = numbers[""][0]
            renumber(env, page, number)
            for title in [
                env.titles[page],
                *env.tocs[page].findall(nodes.reference),
            ]:
                title["secnumber"] = (number, *title["secnumber"][1:])
    return []


def number_as_sphinx(app, env):
    """Give Sphinx the numbers back that it gave in the last build, or it
    would write all chapters again as if their numbers had changed."""
    for page, number in getattr(env, "numbers_of_sphinx", {}).items():
        renumber(env, page, number)
    return []


def renumber(env, page, number):
    """Let the numbers of a page's sections and figures begin with it."""
    sections = env.toc_secnumbers.get(page, {})
    figures = env.toc_fignumbers.get(page, {}).values()
    for numbers in [sections, *figures]:
        for key, old in numbers.items():
            numbers[key] = (number, *old[1:])


# HTML that Sphinx, sphinx-exercise and pandas write and that a screen
# reader stumbles over, with what it should be.
MENDED = [
    (r' id="(exercise|solution|proof)-content"', ""),
    (r"<th( class=\"blank[^\"]*\")? ?>(&nbsp;)?</th>", r"<td\1></td>"),
]


def mend_for_screen_readers(app, pagename, templatename, context, doctree):
    body = context.get("body", "")
    for wrong, right in MENDED:
        body = re.sub(wrong, right, body)
    context["body"] = body


# Directives that show what the chapters say of themselves (`overviews`).


class Record(SphinxDirective):
    def run(self):
        for path in (ROOT / "data" / "items.csv", record.PAGE):
            self.env.note_dependency(str(path))
        return [nodes.raw("", record.write_page(), format="html")]


class ChapterMap(SphinxDirective):
    def run(self):
        for path in NOTEBOOKS.glob("*.ipynb"):
            self.env.note_dependency(str(path))
        self.env.note_dependency(str(overviews.ABOUT))
        return self.parse_text_to_nodes("\n".join(overviews.table()))


class ExerciseMap(SphinxDirective):
    def run(self):
        lines = []
        known = overviews.known_of("exercises")
        self.env.note_dependency(str(overviews.BOOK / "exercises.toml"))
        for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
            self.env.note_dependency(str(notebook))
            lines += overviews.chapter(notebook.stem, known)
        return self.parse_text_to_nodes("\n".join(lines))


class MistakeList(SphinxDirective):
    def run(self):
        known = overviews.known_of("exercises")
        self.env.note_dependency(str(overviews.BOOK / "exercises.toml"))
        lines = []
        for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
            self.env.note_dependency(str(notebook))
            lines += overviews.mistakes(notebook.stem, known)
        return self.parse_text_to_nodes("\n".join(lines))


class TableFigure(nodes.figure):
    """A table of HTML, with its caption."""


class NameTables(SphinxTransform):
    """Before Sphinx gives numbers, a figure whose name begins with `tab-`
    becomes a table."""

    default_priority = 400

    def apply(self):
        for figure in [*self.document.findall(nodes.figure)]:
            if any(name.startswith("tab-") for name in figure["names"]):
                table = TableFigure("", *figure.children)
                caption = table.first_child_matching_class(nodes.caption)
                closed = nodes.raw("", "</figcaption>\n", format="html")
                table.insert(caption + 1, closed)
                table.update_all_atts(figure)
                figure.replace_self(table)
                for name in table["ids"]:
                    self.document.ids[name] = table


def visit(translator, node):
    node["classes"].append("of-table")
    translator.visit_figure(node)


def depart(translator, node):
    """A figure's caption ends behind its legend; a table has none."""
    translator.body.append("</figure>\n")
