"""The ledger as HTML: a table that needs no script to be read."""

from collections.abc import Mapping
from html import escape

import pandas as pd


def write_table(
    table: pd.DataFrame,
    names: Mapping[str, str],
    sections: Mapping[str, str],
) -> str:
    """The table of `Ledger.to_html`.

    Each row carries its paper and verdict as ``data-`` attributes, which
    the book's script filters by, and roles, as style sheets for narrow
    screens take the shape of a table away.
    """
    bodies = "".join(
        _body(paper, names[paper], rows, sections)
        for paper, rows in table.groupby(level="paper", sort=False)
    )
    heads = "".join(
        f'<th scope="col" role="columnheader">{name}</th>'
        for name in ("Number", "Printed", "Ours", "Verdict")
    )
    return (
        '<table class="ledger" role="table"><thead role="rowgroup">'
        f'<tr role="row">{heads}</tr></thead>{bodies}</table>'
    )


def _body(paper, name, rows, sections):
    lines = "".join(
        _row(key, row, _section(f"{paper}/{key}", sections), paper)
        for (_, key), row in rows.iterrows()
    )
    return (
        f'<tbody role="rowgroup" data-paper="{escape(name)}">'
        '<tr role="row" class="paper"><th colspan="4" scope="rowgroup" '
        f'role="rowheader">{escape(name)}</th></tr>{lines}</tbody>'
    )


def _row(key, row, section, paper):
    anchor = f"ledger-{paper}-{key}".replace("/", "-").replace(".", "")
    link = ""
    if section:
        name = (
            "above" if section[0] == "#" else f"chapter {int(section[:2])}"
        )
        link = f', <a href="{escape(section)}">see {name}</a>'
    number = (
        f"{escape(row['quantity'])}"
        f'<span class="where">{escape(row["location"])}{link}</span>'
    )
    reason = (
        row["reason"] and f'<span class="why">{_text(row["reason"])}</span>'
    )
    cells = [
        ("printed", _printed(row)),
        ("ours", _ours(row)),
        ("verdict", f"<b>{row['verdict']}</b>{reason}"),
    ]
    return (
        f'<tr role="row" id="{escape(anchor)}" '
        f'data-verdict="{row["verdict"]}">'
        f'<th scope="row" role="rowheader">{number}</th>'
        + "".join(
            f'<td role="cell" class="{name}">{text}</td>'
            for name, text in cells
        )
        + "</tr>"
    )


def _section(name, sections):
    starts = [start for start in sections if name.startswith(start)]
    return sections[max(starts, key=len)] if starts else None


def _printed(row):
    sign = row["comparison"]
    return escape(f"{sign} {row['printed']}" if sign else row["printed"])


def _ours(row):
    if pd.isna(row["value"]):
        return "–"
    places = row["decimals"] + (2 if row["value"] % 1 else 0)
    shown = f"{row['value']:.{places}f}"
    if pd.notna(row["low"]):
        shown += (
            f'<span class="range">{row["low"]:.{places}f} to '
            f"{row['high']:.{places}f}</span>"
        )
    return shown


def _text(reason):
    reason = escape(reason)
    return reason[:1].upper() + reason[1:]
