"""Names, numbers and marks in sentences."""

import re
from collections.abc import Iterable

from gtlib.checks import as_text, list_some


def safe_names(names: Iterable[object]) -> str:
    """List the first of some names, safe in Markdown and HTML."""
    return as_text(list_some(names))


def minus(text: str) -> str:
    """Write a true minus before numbers.

    Examples
    --------
    >>> minus("-0.25 [-0.5, 0.1], of gpt-4, t-1 and a p-value")
    '−0.25 [−0.5, 0.1], of gpt-4, t-1 and a p-value'
    """
    return re.sub(r"(?<![\w.-])-(?=\.?\d)", "−", text)


def inline_html(sentence: str) -> str:
    """Turn the marks of a sentence in Markdown, in which `as_text` has made
    names safe, into HTML.

    Examples
    --------
    >>> inline_html("**p < 0.05** of `a`; *b*")
    '<strong>p &lt; 0.05</strong> of <code>a</code>; <em>b</em>'
    """
    text = re.sub(r"&(?!#?\w+;)", "&amp;", minus(str(sentence)))
    text = text.replace("<", "&lt;").replace(">", "&gt;")
    for mark, tag in (("`", "code"), (r"\*\*", "strong"), (r"\*", "em")):
        text = re.sub(f"{mark}(.+?){mark}", rf"<{tag}>\1</{tag}>", text)
    return text
