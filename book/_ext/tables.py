"""Give the tables that code makes a caption and a number.

A cell's metadata name them as they name a figure, with a name that begins
with ``tab-``: ``{"mystnb": {"figure": {"name": "tab-costs", "caption": "…",
"caption_before": true}}}``. The text refers to it with ``{numref}``.
"""

from docutils import nodes
from sphinx.transforms import SphinxTransform

TABLE = "tab-"


class TableFigure(nodes.figure):
    """A table of HTML, with its caption."""


class NameTables(SphinxTransform):
    """Before Sphinx gives numbers, what is called so becomes a table."""

    default_priority = 400

    def apply(self):
        for figure in [*self.document.findall(nodes.figure)]:
            if any(name.startswith(TABLE) for name in figure["names"]):
                table = TableFigure("", *figure.children)
                caption = table.first_child_matching_class(nodes.caption)
                closed = nodes.raw("", "</figcaption>\n", format="html")
                table.insert(caption + 1, closed)
                table.update_all_atts(figure)
                figure.replace_self(table)
                for name in table["ids"]:
                    self.document.ids[name] = table


def setup(app):
    app.add_transform(NameTables)
    app.add_enumerable_node(TableFigure, "table", html=(visit, depart))


def visit(translator, node):
    node["classes"].append("of-table")
    translator.visit_figure(node)


def depart(translator, node):
    """A figure's caption ends behind its legend; a table has none."""
    translator.body.append("</figure>\n")
