"""What the book needs of Sphinx that no setting gives."""

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import BracketStyle
from sphinxcontrib.bibtex.style.referencing.author_year import (
    AuthorYearReferenceStyle,
)

MATHJAX = "tex-svg-full.js"
AT_LAST = 999


def setup(app):
    app.setup_extension("edition")
    app.setup_extension("exercise_map")
    app.setup_extension("figure_index")
    app.setup_extension("planner_presets")
    app.setup_extension("runner_edition")
    app.setup_extension("sections")
    app.setup_extension("source_links")
    app.setup_extension("structured_data")
    serve_mathjax(app)
    register_plugin(
        "sphinxcontrib.bibtex.style.referencing",
        "author_year_round",
        AuthorYearRound,
    )
    app.connect("env-get-updated", number_chapters_from_zero, AT_LAST)
    app.connect("env-updated", write_every_page)
    app.connect("html-page-context", mend_for_screen_readers)
    return {"parallel_read_safe": True}


def serve_mathjax(app):
    """Copy MathJax in one file, fonts and all, to the book's own pages."""
    package = Path(find_spec("sphinx-mathjax-offline").origin).parent
    script = package / "static" / "mathjax" / MATHJAX
    app.connect(
        "config-inited",
        lambda _, config: config.html_static_path.append(str(script)),
    )
    app.config.mathjax_path = MATHJAX


def number_chapters_from_zero(app, env):
    """Give chapter 00 the number 0, so that files and numbers agree.

    Whenever this runs, Sphinx has just numbered everything anew from 1.
    """
    for page, sections in env.toc_secnumbers.items():
        links = env.tocs[page].findall(nodes.reference)
        for title in [env.titles[page], *links]:
            title["secnumber"] = one_less(title["secnumber"])
        figures = env.toc_fignumbers.get(page, {}).values()
        for numbers in [sections, *figures]:
            for key, number in numbers.items():
                numbers[key] = one_less(number)
    return []


def one_less(number):
    return (number[0] - 1, *number[1:])


def write_every_page(app, env):
    """Whatever has changed: of a page that it does not write Sphinx loses
    the entries in the search, and the place on the site map."""
    return env.found_docs


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
