"""How messages and titles count and name things, and tables look."""

from collections.abc import Iterable

import pandas as pd


def count(n: int | str, noun: str) -> str:
    """``1 topic``, ``50 topics``."""
    return f"{n} {noun}" + "s" * (n != 1)


def some(names: Iterable[object], shown: int = 5) -> str:
    """The first names, and how many more there are."""
    said = [str(name) for name in names]
    more = len(said) - shown
    return ", ".join(said[:shown]) + (f" and {more} more" * (more > 0))


def html_table(
    title: str, table: pd.DataFrame, formats: dict[str, str], *after: str
) -> str:
    """A table under its title, as notebooks show it: column names with
    spaces, numbers in the formats given, paragraphs after it."""
    html = (
        table.rename_axis(index=None)
        .style.format(
            {c: f for c, f in formats.items() if c in table}, na_rep=""
        )
        .format_index(lambda name: name.replace("_", " "), axis="columns")
        .to_html()
    )
    paragraphs = "".join(f"<p>{text}</p>" for text in after)
    return f"<p><b>{title}</b></p>{html}{paragraphs}"
