"""Finish what Sphinx has written: figures for dark pages, steady names,
names for those who cannot see, fewer icons, known scripts.

A dark page shows `NAME-dark.svg` in place of `NAME.svg` (`enlarge.js`). The
colours of the palette have partners there that stay apart on a dark
ground, as turning them round would not; every other colour keeps its hue,
and light becomes dark.

Pandas names each styled table at random. Here they are counted, so that two
builds give the same pages.

The theme's sidebar is no landmark, and the arrows that unfold its tree have
no name. Here they get what a screen reader says of them.

The theme brings two thousand icons, of which the pages show some twenty,
and styles of which they need a quarter: rules of a class that no page and
no script names are left out. A page without a formula needs no MathJax.

A browser may end a line between a formula and the bracket or the full stop
beside it, since it takes a formula for a picture. Here they are held
together. The link in a solution's title begins with its first letter.

A policy in each page (Content-Security-Policy) lets the browser run the
files of the site, and of the scripts that stand in the page itself those
that the theme has put around the text. The build computes their checksums
from the page. A script in the text, say in the output of a cell, is not
among them and does not run.
"""

import base64
import colorsys
import hashlib
import re
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import tinycss2
from lxml import html

ICONS = Path("scripts") / "fontawesome.js"
ICON = re.compile(
    r'"?(?P<name>[\w-]+)"?:\[\d+,\d+,\[(?P<aliases>[^]]*)\],"\w+",'
    r'(?:"[^"]*"|\[[^]]*\])\],?'
)
SIDEBAR = 'id="pst-primary-sidebar"'
UNFOLDS = re.compile(r"(<a [^>]*>([^<]+)</a><details[^>]*><summary)(?=>)")
NAMED = re.compile(r"\bfa-([a-z0-9-]+)")
TABLE = re.compile(r'(?<=["#])T_[0-9a-f]{5}(?![0-9a-f])')
WORD = re.compile(r"[\w-]+")
CLASSES = re.compile(r'\bclass="([^"]*)"')
INLINE = re.compile(r"<script[^>]*>(.+?)</script>", re.DOTALL)
LOADED = re.compile(
    r'(?:<script[^>]*\bsrc="([^"]*)"[^>]*></script>'
    r'|<link[^>]*\bhref="([^"]*\.css\b[^"]*)"[^>]*>)\n?'
)
# Files that a page loads only if something in it has such a class.
WANTED = {
    "clipboard.min.js": {"highlight", "planner", "your-scores"},
    "copybutton": {"highlight"},
    "design-tabs.js": {"sd-tab-set"},
    "exercise.css": {"exercise", "solution"},
    "mystnb.": {"cell"},
    "tex-svg-full.js": {"math"},
    "togglebutton": {"admonition", "toggle"},
}
FORMULA = re.compile(
    r'([(\[“]*)(<span class="math notranslate nohighlight">[^<]*</span>)'
    r"([)\].,;:?”]*)"
)
SOLUTION = re.compile(r"\bSolution to(<a [^>]*>) ")
TOGETHER = '<span class="together">'
START = '<meta charset="utf-8" />'
POLICY = 'http-equiv="Content-Security-Policy"'
AROUND_THE_TEXT = "//*[not(ancestor-or-self::article)]"
SCRIPTS = "self::script[not(@src)][not(contains(@type, 'json'))]/text()"
HANDLERS = "@*[starts-with(name(), 'on')]"

COLOR = re.compile(r"#[0-9a-f]{6}\b")
DRAWN = re.compile(rf"{COLOR.pattern}|#[0-9a-f]{{3}}\b|\b(?:white|black)\b")
NAMED_COLORS = {"white": "#ffffff", "black": "#000000"}
PARTNERS = {
    "#0173b2": "#56b4e9",  # topic
    "#a96600": "#f2b84b",  # assessor
    "#262626": "#dedede",  # system, and ink
    "#9c1a10": "#ff6b5b",  # error
    "#0b6e50": "#3fe0a0",  # generalizability
    "#93177a": "#ee7cc8",  # dependability
    "#5b4bb5": "#a99cf5",
    "#807400": "#d9cf5a",
    "#c9447a": "#ffb0c6",
    "#17818b": "#7fe3ec",
    "#8c6a55": "#cdaa92",
    "#737373": "#a0a0a0",  # muted
    "#ffffff": "#121212",  # the ground of a dark page
}


def finish(app):
    draw_for_dark_pages(app)
    site = Path(app.outdir)
    pages = [
        page
        for page in site.rglob("*.html")
        if "_static" not in page.relative_to(site).parts
    ]
    keep_icons(site, pages)
    keep_styles(app, pages)
    for page in pages:
        text = page.read_text("utf-8")
        finished = name_the_sidebar(count_tables(text))
        finished = hold_together(finished)
        finished = SOLUTION.sub(r"Solution to \1", finished)
        finished = with_policy(without_unwanted(finished))
        if finished != text:
            page.write_text(finished, "utf-8")


def count_tables(text):
    """Name the styled tables of a page by the order in which they come."""
    numbers = {}

    def counted(name):
        return f"T_{numbers.setdefault(name[0], len(numbers) + 1):05}"

    return TABLE.sub(counted, text)


def hold_together(text):
    """Let no line end between a formula and the mark before or after it."""
    if TOGETHER in text:  # a page of a build before
        return text
    return FORMULA.sub(
        lambda found: (
            f"{TOGETHER}{found[0]}</span>"
            if found[1] or found[3]
            else found[0]
        ),
        text,
    )


def classes_in(text):
    """The classes that a page's elements have."""
    return set(WORD.findall(" ".join(CLASSES.findall(text))))


def without_unwanted(text):
    """Leave out what a page loads and has no use for, as two megabytes of
    MathJax where no formula is."""
    classes = classes_in(text)

    def kept(loaded):
        name = Path(loaded[1] or loaded[2]).name
        unwanted = any(
            name.startswith(file) and not wanted & classes
            for file, wanted in WANTED.items()
        )
        return "" if unwanted else loaded[0]

    return LOADED.sub(kept, text)


def name_the_sidebar(text):
    """Make it a landmark, and name each arrow by the page before it."""
    if f'{SIDEBAR} role="' not in text:
        landmark = f'{SIDEBAR} role="complementary" aria-label="The book"'
        text = text.replace(SIDEBAR, landmark, 1)
    return UNFOLDS.sub(r'\1 aria-label="Pages below \2"', text)


def keep_icons(site, pages):
    """Write the theme's file of icons with those that something names."""
    scripts = (site / "_static").rglob("*.js")
    named = set()
    for file in [*pages, *scripts]:
        if file != site / "_static" / ICONS:
            named |= set(NAMED.findall(file.read_text("utf-8")))
    theme = Path(find_spec("pydata_sphinx_theme").origin).parent
    whole = theme / "theme" / "pydata_sphinx_theme" / "static" / ICONS

    def kept(icon):
        names = {icon["name"], *re.findall(r"[\w-]+", icon["aliases"])}
        return icon[0] if names & named else ""

    fewer = ICON.sub(kept, whole.read_text("utf-8"))
    (site / "_static" / ICONS).write_text(fewer, "utf-8")


def keep_styles(app, pages):
    """Write the style sheets of others without rules of classes that no
    page has and no script names."""
    static = Path(app.outdir) / "_static"
    ours = Path(app.srcdir) / "book" / "_static"
    named = set()
    for page in pages:
        text = page.read_text("utf-8")
        named |= classes_in(text)
        named |= set(WORD.findall(" ".join(INLINE.findall(text))))
    for script in static.rglob("*.js"):
        named |= set(WORD.findall(script.read_text("utf-8")))
    for sheet in static.rglob("*.css"):
        if not (ours / sheet.relative_to(static)).exists():
            text = sheet.read_text("utf-8")
            rules = tinycss2.parse_stylesheet(text, True, True)
            sheet.write_text("\n".join(styles_of(rules, named)), "utf-8")


def styles_of(rules, named):
    """The text of each rule some of whose selectors have named classes
    only; of a rule for some screens, the rules within."""
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [
                tinycss2.serialize(selector).strip()
                for selector in selectors_of(rule.prelude)
                if classes_of(selector) <= named
            ]
            if selectors:
                body = tinycss2.serialize(rule.content).strip()
                yield f"{','.join(selectors)}{{{body}}}"
        elif rule.at_keyword in {"media", "supports"}:
            within = tinycss2.parse_rule_list(rule.content, True, True)
            inner = "\n".join(styles_of(within, named))
            if inner:
                when = tinycss2.serialize(rule.prelude)
                yield f"@{rule.at_keyword}{when}{{{inner}}}"
        else:
            yield rule.serialize()


def selectors_of(tokens):
    """Split what stands before the braces of a rule at its commas."""
    found = [[]]
    for token in tokens:
        if token == ",":
            found.append([])
        else:
            found[-1].append(token)
    return found


def classes_of(selector):
    """The classes that an element must have, not those within `:not()`."""
    return {
        token.value
        for dot, token in pairwise(selector)
        if dot == "." and token.type == "ident"
    }


def with_policy(text):
    """A page of the theme that says which scripts may run there."""
    if START not in text or POLICY in text:
        return text
    meta = f'{START}\n    <meta {POLICY} content="{policy(text)}" />'
    return text.replace(START, meta, 1)


def policy(text):
    """Return a page's Content-Security-Policy: what it may load and run.

    Styles may stand in the page, as matplotlib's, pandas' and MathJax's do.
    """
    root = html.document_fromstring(text.encode())
    inline = root.xpath(f"{AROUND_THE_TEXT}/{SCRIPTS}")
    inline += root.xpath(f"{AROUND_THE_TEXT}/{HANDLERS}")
    sums = sorted({checksum(code) for code in inline})
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src 'self' 'unsafe-hashes' {' '.join(sums)}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        ]
    )


def checksum(code):
    digest = hashlib.sha256(code.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def draw_for_dark_pages(app):
    """Write each figure once more, as `NAME-dark.svg`."""
    for path in (Path(app.outdir) / "_images").glob("*.svg"):
        if not path.stem.endswith("-dark"):
            drawn = DRAWN.sub(in_the_dark, path.read_text("utf-8"))
            path.with_stem(f"{path.stem}-dark").write_text(drawn, "utf-8")


def in_the_dark(color):
    written = NAMED_COLORS.get(color[0], color[0])
    if len(written) == 4:  # a digit for two
        written = "#" + "".join(2 * digit for digit in written[1:])
    return PARTNERS.get(written) or turned(written)


def turned(color):
    """The same hue, with light and dark exchanged."""
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, light, saturation = colorsys.rgb_to_hls(*parts)
    found = colorsys.hls_to_rgb(hue, 0.94 - 0.87 * light, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in found)
