"""Names in sentences, and tables and lists as notebooks show them."""

import re
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from gtlib.checks import Format, as_text, list_some

# Types of other packages, which are imported where they are used.
HTML: TypeAlias = Any
Markdown: TypeAlias = Any
Styler: TypeAlias = Any


def safe_names(names: Iterable[object]) -> str:
    """List the first of some names, safe in Markdown and HTML."""
    return as_text(list_some(names))


def bullet_list(sentences: Iterable[str]) -> Markdown:
    """Make a list of sentences."""
    from IPython.display import Markdown

    return Markdown("\n".join(f"- {sentence}" for sentence in sentences))


def inline_html(sentence: str) -> str:
    """Turn the marks of a sentence in Markdown, in which `as_text` has made
    names safe, into HTML.

    Examples
    --------
    >>> inline_html("**p < 0.05** of `a`; *b*")
    '<strong>p &lt; 0.05</strong> of <code>a</code>; <em>b</em>'
    """
    text = re.sub(r"&(?!#?\w+;)", "&amp;", str(sentence))
    text = text.replace("<", "&lt;").replace(">", "&gt;")
    for mark, tag in (("`", "code"), (r"\*\*", "strong"), (r"\*", "em")):
        text = re.sub(f"{mark}(.+?){mark}", rf"<{tag}>\1</{tag}>", text)
    return text


def style_table(
    table: pd.DataFrame,
    formats: dict[Any, Format] | None = None,
    na_rep: str = "–",
) -> Styler:
    """Style a table: numbers in these formats, by default with three
    digits after the point, and names that are safe in HTML."""
    if formats is None:
        formats = dict.fromkeys(table.select_dtypes(float), "{:z.3f}")
    style = table.rename_axis(None).style.format(formats, na_rep=na_rep)
    style.format_index(escape="html")
    return style.format_index(escape="html", axis="columns")


def topic_limits(low: float, high: float) -> str:
    """Describe an interval of a number of topics, which may have no end.

    Examples
    --------
    >>> topic_limits(34, np.inf), topic_limits(12, 40)
    ('34 or more', '12 to 40')
    """
    if not low < np.inf:
        return "none is enough" if low == np.inf else "no interval"
    end = "or more" if high == np.inf else f"to {high:.0f}"
    return f"{low:.0f} {end}"
