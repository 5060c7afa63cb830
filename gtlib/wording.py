"""How messages and titles count and name things, and tables look."""

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape

import pandas as pd


def count(n: int | str, noun: str) -> str:
    """``1 topic``, ``50 topics``."""
    return f"{n} {noun}" + "s" * (n != 1)


def some(names: Iterable[object], shown: int = 5) -> str:
    """The first names, and how many more there are."""
    said = [_short(str(name)) for name in names]
    more = len(said) - shown
    return ", ".join(said[:shown]) + (f" and {more} more" * (more > 0))


def _short(name: str, most: int = 60) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def as_text(said: object) -> str:
    """What somebody chose, for Markdown and HTML: shown as it stands.

    Whatever is no letter, digit or blank becomes a character reference,
    which neither language reads as a sign of its own.
    """
    return re.sub(r"[^\w ]|_", lambda sign: f"&#{ord(sign[0])};", str(said))


def html_table(
    title: str,
    table: pd.DataFrame,
    formats: Mapping[str, str | Callable[[float], str]],
    *after: str,
) -> str:
    """A table under its title, as notebooks show it: column names with
    spaces, numbers in the formats given, paragraphs after it."""
    html = (
        table.rename_axis(index=None)
        .style.format(
            {c: f for c, f in formats.items() if c in table},
            na_rep="",
            escape="html",
        )
        .format_index(escape="html")
        .format_index(lambda name: name.replace("_", " "), axis="columns")
        .to_html()
    )
    paragraphs = "".join(
        f"<p>{escape(text, quote=False)}</p>" for text in after
    )
    return f"<p><b>{escape(title, quote=False)}</b></p>{html}{paragraphs}"
