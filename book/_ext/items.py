"""A directive that shows what the papers say, claim by claim.

``{items} PAPER`` becomes a table of that paper's rows of `data/items.csv`,
in its own order: what it says, where the book speaks of it, which call
computes its numbers or why it has none, and the verdict. The ledger's
script filters it. ``{item-counts}`` counts verdicts, ``{item-features}``
what the book does with the items.
"""

import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd
from docutils import nodes
from jinja2 import Template
from markdown_it import MarkdownIt
from overviews import number_of
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
ITEMS = ROOT / "data" / "items.csv"
RECORD = ROOT / "data" / "verdicts.csv"
PAGE = Path(__file__).with_name("items.html")
SAID = ["says", "assumption", "moves"]
VERDICTS = [
    *("holds", "holds here", "with conditions"),
    *("refuted here", "not testable", "not shown"),
]
FEATURES = {
    "numbers": "done: computed",
    "a proof": "done: proved",
    "a definition": "done: defined and used",
    "no data": "in part: spoken of, without data",
}
NOT = "not done"
PAPERS = {
    "bodoff-li-2007": "Bodoff and Li (2007)",
    "voorhees-2006": "Voorhees (2006)",
    "carterette-2007": "Carterette (2007)",
    "carterette-2010": "Carterette et al. (2010)",
}


class Items(SphinxDirective):
    required_arguments = 1

    def run(self):
        for path in (ITEMS, RECORD, PAGE):
            self.env.note_dependency(str(path))
        [paper] = self.arguments
        table = items()
        html = page(paper, table[table["paper"] == paper].copy())
        return [nodes.raw("", html, format="html")]


class ItemCounts(SphinxDirective):
    def run(self):
        self.env.note_dependency(str(ITEMS))
        html = as_html(counts(items()), "table item-counts")
        return [nodes.raw("", html, format="html")]


class ItemFeatures(SphinxDirective):
    def run(self):
        self.env.note_dependency(str(ITEMS))
        html = as_html(features(items()), "table item-counts")
        return [nodes.raw("", html, format="html")]


def as_html(table, classes):
    """A table that scrolls by itself where the window is narrow."""
    html = table.to_html(border=0, classes=classes)
    html = re.sub(r' style="[^"]*"', "", html)
    return f'<div class="pst-scrollable-table-container">{html}</div>'


def setup(app):
    app.add_directive("items", Items)
    app.add_directive("item-features", ItemFeatures)
    app.add_directive("item-counts", ItemCounts)


def items():
    return pd.read_csv(ITEMS, dtype=str, keep_default_na=False)


def counts(table):
    return by_paper(table, table["verdict"], VERDICTS)


def features(table):
    """How many items are done, in part or not, and in which way."""
    kind = table["prints"].where(is_reason(table["prints"]), "numbers")
    kind = kind.map(FEATURES).where(table["where"] != "", NOT)
    return by_paper(table, kind, [*FEATURES.values(), NOT])


def is_reason(prints):
    """Whether what stands there says why there is no number."""
    return prints.str[0].str.isalpha()


def by_paper(table, kind, order):
    names = pd.Categorical(table["paper"].map(PAPERS), PAPERS.values())
    found = pd.crosstab(kind, names).reindex(order, fill_value=0)
    found.loc["all"] = found.sum()
    found["all four"] = found.sum(axis=1)
    return found.rename_axis(index=None, columns=None)


def first(paper, patterns):
    """The row of the ledger, or none, that an item's link leads to."""
    record = pd.read_csv(RECORD)
    for key in record.loc[record["paper"] == paper, "key"]:
        if any(fnmatchcase(key, pattern) for pattern in patterns):
            name = f"ledger-{paper}-{key}"
            return name.replace("/", "-").replace(".", "")
    return ""


def place_name(place):
    """What a place is called: a chapter, or the appendix of one."""
    kinds = {"A": "Appendix ", "D": "Details "}
    number = number_of(place)
    return kinds.get(number[0], "Chapter ") + number


def links(places):
    """Yield address and name of each place; sections of one page are told
    apart."""
    sections = Counter()
    for place in places:
        name = place_name(place)
        sections[name] += 1
        if sections[name] > 1:
            name += f" ({sections[name]})"
        folder = "../appendices/" if name[0] == "A" else ""
        yield folder + place.replace("#", ".html#"), name


def page(paper, table):
    """The rows of a paper as HTML, which needs no script to be read."""
    inline = MarkdownIt().renderInline
    for column in SAID:
        table[column] = table[column].map(inline)
    table["name"] = [f"item-{paper}-{n + 1}" for n in range(len(table))]
    table["numbers"] = ~is_reason(table["prints"])
    table["places"] = [
        [*links(places.split())] for places in table["where"]
    ]
    table["row"] = [
        first(paper, patterns.split()) for patterns in table["ledger"]
    ]
    template = Template(PAGE.read_text("utf-8"), trim_blocks=True)
    rows = table.to_dict("records")
    return template.render(rows=rows, paper=PAPERS[paper])
