"""A directive that shows the atlas of test collections, row by row.

``{atlas-table}`` becomes a table of `data/scores/atlas.csv`, which the
ledger's script filters by field, by verdict and by words.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from docutils import nodes
from jinja2 import Template
from sphinx.util.docutils import SphinxDirective

ROWS = Path(__file__).resolve().parents[2] / "data" / "scores" / "atlas.csv"
PAGE = Path(__file__).with_suffix(".html")
TARGET = 0.95


class AtlasTable(SphinxDirective):
    def run(self):
        for path in (ROWS, PAGE):
            self.env.note_dependency(str(path))
        return [nodes.raw("", page(rows()), format="html")]


def setup(app):
    app.add_directive("atlas-table", AtlasTable)
    return {"parallel_read_safe": True}


def rows():
    """The table, with what its generalizability says of the target."""
    table = pd.read_csv(ROWS)
    known = table["doubt"].isna()  # that the interval holds
    verdicts = {
        "reaches .95": known & (table["generalizability_low"] >= TARGET),
        "falls short of .95": known
        & (table["generalizability_high"] < TARGET),
    }
    table["verdict"] = np.select(
        [*verdicts.values()], [*verdicts], "may reach .95"
    )
    return table


def page(table):
    """The rows as HTML, which needs no script to be read."""
    source = PAGE.read_text("utf-8")
    template = Template(source, trim_blocks=True, autoescape=True)
    said = table.astype(object).where(table.notna(), "").to_dict("records")
    return template.render(rows=said, share=share, number=number)


def share(value):
    """A coefficient, so near that its verdict shows."""
    if value == "":
        return "unknown"
    if 0.9995 <= value < 1:
        return "> .999"
    return f"{value:.3f}".removeprefix("0")


def number(value):
    return "none" if value == "" else f"{value:,.0f}"
