"""Nouns: a report says model and item where the reader's design does."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from typing import Any, Self

from gtapps.audit.inputs import facet_roles
from gtlib.tables import as_text, list_some

# A word that is no part of a longer name, even where entities stand for the
# signs in it.
_ALONE = r"(?<![\w.@/-])(?<!&#4[5-7];)(?<!&#95;)"
_ENDS = r"(?![\w@/-]|\.\w| \d|&#4[57];|&#46;\w|&#95;)"
_TAG = re.compile(r"(<style.*?</style>|<[^>]*>)", re.DOTALL)
# The keys of sentences among a report's numbers.
_SENTENCES = "action", "findings", "notes", "note", "size", "what", "where"


@dataclass(frozen=True)
class Nouns:
    """Nouns for the roles that facets have in an audit.

    Attributes
    ----------
    nouns : dict of role to noun
        Of the roles that have another name than their own.
    names : tuple of str
        What systems and topics are called. A name is never changed.

    Examples
    --------
    >>> nouns = Nouns({"system": "model", "topic": "item"}, ("topic 3",))
    >>> nouns("Topics: a topic, 2 systems x 9 topics; topic 3, system-1.")
    'Items: an item, 2 models x 9 items; topic 3, system-1.'
    """

    nouns: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    @classmethod
    def from_roles(
        cls, roles: Mapping[str, str], names: Iterable[str] = ()
    ) -> Self:
        """Make the nouns for the facets of a design, from its
        `facet_roles`. There are none where a name is one of the words."""
        new = {
            role: list_some([f]) for f, role in roles.items() if f != role
        }
        word = cls(new)._word
        kept = tuple(n for n in map(str, names) if new and word.search(n))
        same = any(word.fullmatch(name) for name in kept)
        return cls({} if same else new, kept)

    @cached_property
    def _word(self):
        word = rf"{_ALONE}({'|'.join(self.nouns)})(s?){_ENDS}"
        return re.compile(rf"(?:\b(a)n? )?{word}", re.IGNORECASE)

    @cached_property
    def _kept(self):
        """The forms of names that must not change, and the places in them
        where one of the words begins."""
        forms = {f(n) for n in self.names for f in (str, as_text, escape)}
        matches = ((t, m) for t in forms for m in self._word.finditer(t))
        return forms, {(m.start(2), len(text)) for text, m in matches}

    def __call__(self, text: str, written: Callable = str) -> str:
        """Put the reader's nouns into a text; in Markdown and HTML,
        `written` is `as_text`."""
        if not self.nouns:
            return text
        forms, places = self._kept

        def replacement(match):
            article, role, plural = match.groups()
            starts = ((match.start(2) - k, n) for k, n in places)
            if any(text[max(i, 0) : i + n] in forms for i, n in starts):
                return match[0]
            noun = self.nouns[role.lower()]
            if plural:
                noun = _plural(noun)
            noun = written(noun)
            if role[0].isupper():
                noun = noun[0].upper() + noun[1:]
            if not article:
                return noun
            if re.match("(?!use|uni)[aeiou]", noun, re.IGNORECASE):
                article += "n"
            return f"{article} {noun}"

        return self._word.sub(replacement, text)

    def put_into_html(self, text: str) -> str:
        """Put the nouns into the text and the descriptions of figures of
        HTML."""
        parts = _TAG.split(text)
        for i, part in enumerate(parts):
            if not i % 2 or "aria-label=" in part:
                parts[i] = self(part, as_text)
        return "".join(parts)

    def put_into_sentences(self, value: Any, key: str = "") -> Any:
        """Put the nouns into the sentences among a report's numbers."""
        if isinstance(value, dict):
            return {
                k: self.put_into_sentences(v, k) for k, v in value.items()
            }
        if isinstance(value, list):
            return [self.put_into_sentences(v, key) for v in value]
        if isinstance(value, str) and key in _SENTENCES:
            return self(value)
        return value

    def put_into_cell(self, cell: dict) -> None:
        """Put the nouns into an executed cell of a notebook, in place."""
        if cell["cell_type"] == "markdown":
            cell["source"] = [self(t, as_text) for t in cell["source"]]
        markdown = partial(self, written=as_text)
        kinds: dict[str, Callable] = {"text/markdown": markdown}
        kinds |= {"text/html": self.put_into_html, "text/plain": self}
        for output in cell.get("outputs", []):
            for kind, data in output["data"].items():
                output["data"][kind] = kinds[kind](data)


def _plural(noun: str) -> str:
    if re.search("[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return noun + ("es" if re.search("(s|x|z|ch|sh)$", noun) else "s")


def describe_design(design: str | None, error: str) -> str:
    """Put an error into the nouns of a design; what is quoted stays, but
    for designs and columns."""
    try:
        nouns = Nouns.from_roles(facet_roles(design)[0])
    except ValueError:  # which may be this very error
        return error
    parts = re.split(r"((?<!\w)'[^']*'(?!\w))", error)
    for i, part in enumerate(parts):
        column = parts[i - 1].endswith("scores[")
        if not i % 2 or column or " x " in part:  # a design
            parts[i] = nouns(part)
    return "".join(parts)
