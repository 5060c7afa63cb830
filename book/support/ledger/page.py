"""The ledger as HTML: a table that needs no script to be read."""

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

PLACE = re.compile(r"(?:\.\./appendices/)?(details-|appendix-)?(\d\d)-")
KINDS = {
    None: "",
    "details-": "details of ",
    "appendix-": "appendix to ",
}


def write_table(table: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Return the table of `Ledger.to_html`.

    Each row carries its paper and verdict as ``data-`` attributes, which
    the book's script filters by, and roles, as style sheets for narrow
    screens take the shape of a table away.
    """
    from jinja2 import Template  # pandas needs it for its styles, too

    page = Path(__file__).with_name("page.html").read_text("utf-8")
    rows = [
        {**row, **_printed_numbers(row), **_link_fields(row)}
        for row in table.reset_index().to_dict("records")
    ]
    template = Template(page, autoescape=True, trim_blocks=True)
    return template.render(rows=rows, names=names)


def _link_fields(row):
    """The anchor of a row, and the place where its number is derived."""
    key = f"{row['paper']}/{row['key']}"
    anchor = f"ledger-{key}".replace("/", "-").replace(".", "")
    return {"anchor": anchor, "where": _name_place(row["section"])}


def _name_place(section):
    if section.startswith("#"):
        return "this page"
    kind, number = PLACE.match(section).groups()
    return f"{KINDS[kind]}chapter {int(number)}"


def _printed_numbers(row):
    """Our number and the range around it, as they are printed."""
    if pd.isna(row["value"]):
        return {"ours": "–"}
    places = row["decimals"] + (2 if row["value"] % 1 else 0)
    numbers = (row[name] for name in ("low", "value", "high"))
    low, value, high = (f"{x:.{places}f}" for x in numbers)
    limits = ""
    if pd.notna(row["low"]):
        limits = f"{low} to {high}"
    return {"ours": value, "range": limits}
