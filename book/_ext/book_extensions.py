"""What the book needs of Sphinx that no setting gives."""

import platform
import re
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

import finish
import overviews
import pybtex.plugin
import runner_edition
import sections
from docutils import nodes
from overviews import number_of
from plain import NOTEBOOKS
from reexecute import git
from sphinx.domains.std import StandardDomain
from sphinx.util.docutils import SphinxDirective
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import BracketStyle
from sphinxcontrib.bibtex.style.referencing.author_year import (
    AuthorYearReferenceStyle,
)

import gtlib as gt
from book.support import planner, weather

SHOWN = ["numpy", "scipy", "pandas", "matplotlib", "jupyter-book", "sphinx"]
PLACES = {
    "embedded": "come with gtlib",
    "mirror": "belong to others, and were read from a folder",
    "cached": "belong to others, and were downloaded",
    "remote": "belong to others, and were not here",
}
MATHJAX = "tex-svg-full.js"
AT_FIRST, AT_LAST = 0, 999


def setup(app):
    parts = sorted(Path(__file__).parent.glob("*.py"))
    for part in map(import_module, (path.stem for path in parts)):
        if hasattr(part, "setup") and part.__name__ != __name__:
            part.setup(app)
    app.connect("build-finished", write_besides, AT_LAST)
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("exercise-map", ExerciseMap)
    app.add_directive("mistake-list", MistakeList)
    serve_mathjax(app)
    work_quickly(app)
    register_plugin(
        "sphinxcontrib.bibtex.style.referencing",
        "author_year_round",
        AuthorYearRound,
    )
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
    runner_edition.write(app)
    sections.write(app)
    finish.finish(app)  # reads what all of these have written


def say_how_it_was_made(app, config):
    """Let a page say ``{{ made_with }}``."""
    config.myst_substitutions["made_with"] = "\n".join(made_with())


def made_with():
    """The lines of a table: versions, the commit, and where data were."""
    yield "| made with | |\n| --- | --- |"
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


def work_quickly(app):
    """Cache what Sphinx would look up again for every reference."""
    app.add_domain(NumbersOnceRead, override=True)
    # Each citation looks for its style in all packages that are installed.
    pybtex.plugin.find_plugin = cache(pybtex.plugin.find_plugin)


class NumbersOnceRead(StandardDomain):
    """For the number of a figure, Sphinx reads the whole page that has it:
    here once, and not for every reference."""

    def _resolve_numref_xref(self, env, *others):
        if not hasattr(self, "pages"):
            self.pages = Pages(env)
        return super()._resolve_numref_xref(self.pages, *others)


class Pages:
    """Sphinx's environment, which reads each page from disk only once."""

    def __init__(self, env):
        self.env = env
        self.get_doctree = cache(env.get_doctree)

    def __getattr__(self, name):
        return getattr(self.env, name)


def number_as_files(app, env):
    """Give a chapter the number of its file, which begins at 0, and an
    appendix that of its chapter: A2."""
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


def round_brackets():
    return BracketStyle(left="(", right=")")


@dataclass
class AuthorYearRound(AuthorYearReferenceStyle):
    """Bodoff and Li (2007), and (Bodoff and Li, 2007)."""

    bracket_parenthetical: BracketStyle = field(
        default_factory=round_brackets
    )
    bracket_textual: BracketStyle = field(default_factory=round_brackets)


# HTML that Sphinx, sphinx-exercise and pandas write and that a screen
# reader stumbles over, with what it should be.
MENDED = [
    (r' role="doc-biblioentry"', ' role="listitem"'),
    (r' id="(exercise|solution|proof)-content"', ""),
    (r"<th( class=\"blank[^\"]*\")? ?>(&nbsp;)?</th>", r"<td\1></td>"),
]


def mend_for_screen_readers(app, pagename, templatename, context, doctree):
    body = context.get("body", "")
    for wrong, right in MENDED:
        body = re.sub(wrong, right, body)
    context["body"] = body


# Directives that show what the chapters say of themselves (`overviews`).


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
