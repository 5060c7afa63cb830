"""The wording of counts and names in messages, and the look of tables."""

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from importlib.util import find_spec
from typing import TypeAlias

import pandas as pd

Format: TypeAlias = str | Callable[[float], str]

_OF_EFFECTS: dict[str, Format] = {
    "mean_square": "{:.5g}",
    "estimate": "{:.5g}",
    "variance": "{:.5g}",
    "divisor": "{:.4g}",
    "mean_variance": "{:.3g}",
    "relative_error": "{:.3g}",
    "percent": "{:.1f}",
}


def count_noun(n: int | str, noun: str) -> str:
    """Count things: ``1 topic``, ``50 topics``."""
    return f"{n} {noun if n == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of a noun: ``topics``, ``queries``, ``classes``."""
    if re.search("[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return noun + ("es" if re.search("(s|x|z|ch|sh)$", noun) else "s")


def with_article(noun: str) -> str:
    """Return a noun with its article: ``a topic``, ``an item``."""
    vowel = re.match("(?!use|uni)[aeiou]", noun, re.IGNORECASE)
    return f"an {noun}" if vowel else f"a {noun}"


def list_some(names: Iterable[object], shown: int = 5) -> str:
    """List the first names, and say how many more there are."""
    texts = [n if len(n) <= 60 else f"{n[:59]}…" for n in map(str, names)]
    listed = ", ".join(texts[:shown])
    more = len(texts) - shown
    return f"{listed} and {more} more" if more > 0 else listed


def name_level(facet: str, name: object) -> str:
    """Name a level: ``system 4`` for the names 4 and ``system 4``."""
    text = str(name)
    return text if text.startswith(f"{facet} ") else f"{facet} {text}"


def as_text(chosen: object) -> str:
    """Escape what a user chose, so that Markdown and HTML show it as is.

    Whatever is no letter, digit or blank becomes a character reference,
    which neither language reads as a sign of its own.
    """
    return re.sub(
        r"[^\w ]|_", lambda sign: f"&#{ord(sign[0])};", str(chosen)
    )


def can_style() -> bool:
    """Return whether pandas can style a table. It needs Jinja, which every
    Jupyter brings; without it, tables are shown as text."""
    return find_spec("jinja2") is not None


def html_table(
    title: str,
    table: pd.DataFrame,
    *after: str,
    formats: Mapping[str, Format] = _OF_EFFECTS,
) -> str:
    """Return a table under its title as HTML, for notebooks: column names
    with spaces, numbers in the given formats (by default those of a table
    of effects), and paragraphs after it."""
    shown = {c: f for c, f in formats.items() if c in table}
    html = (
        table.rename_axis(index=None)
        .style.format(shown, na_rep="", escape="html")
        .format_index(escape="html")
        .format_index(lambda name: name.replace("_", " "), axis="columns")
        .to_html()
    )
    paragraphs = "".join(
        f"<p>{escape(text, quote=False)}</p>" for text in after
    )
    return f"<p><b>{escape(title, quote=False)}</b></p>{html}{paragraphs}"
