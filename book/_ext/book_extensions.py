"""What the book needs of Sphinx that no setting gives."""

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from sphinx_external_toc import collectors
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import BracketStyle
from sphinxcontrib.bibtex.style.referencing.author_year import (
    AuthorYearReferenceStyle,
)

MATHJAX = "tex-svg-full.js"


def setup(app):
    app.setup_extension("exercise_map")
    app.setup_extension("figure_index")
    app.setup_extension("planner_presets")
    serve_mathjax(app)
    number_chapters_from_zero()
    register_plugin(
        "sphinxcontrib.bibtex.style.referencing",
        "author_year_round",
        AuthorYearRound,
    )
    app.connect("html-page-context", mend_for_screen_readers)
    app.connect("html-page-context", add_social_card)
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


def number_chapters_from_zero():
    """Give chapter 00 the number 0, so that files and numbers agree.

    sphinx_external_toc counts the numbered chapters in a private counter
    and looks its class up when it is set up, which is later than this.
    """

    class FromZero(collectors.TocTreeCollectorWithStyles):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self._TocTreeCollectorWithStyles__numerical_count = -1

    collectors.TocTreeCollectorWithStyles = FromZero


def round_brackets():
    return BracketStyle(left="(", right=")")


@dataclass
class AuthorYearRound(AuthorYearReferenceStyle):
    """Bodoff and Li (2007), and (Bodoff and Li, 2007)."""

    bracket_parenthetical: BracketStyle = field(
        default_factory=round_brackets
    )
    bracket_textual: BracketStyle = field(default_factory=round_brackets)


CARD = """
<meta property="og:type" content="book">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{about}">
<meta property="og:image" content="{address}_static/card.png">
<meta name="twitter:card" content="summary_large_image">
"""
ABOUT = (
    "How far can a test collection's scores be trusted, and what should be "
    "built next? A book that computes, on real data."
)


def add_social_card(app, pagename, templatename, context, doctree):
    """What a link to the page looks like elsewhere."""
    title = re.sub("<[^>]*>", "", context.get("title", ""))
    context["metatags"] = context.get("metatags", "") + CARD.format(
        title=title, about=ABOUT, address=app.config.html_baseurl
    )


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
