"""Nouns: what a study calls its systems, topics, assessors and runs.

Tables, sentences and figures are made with them: a report on the design
``model x question_id`` says models and questions, and so do the errors of
its study. Designs and options have the names of columns, as they stand.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, replace
from typing import Self

from gtaudit.words import is_foreign, is_index
from gtlib import checks
from gtlib.checks import as_noun, as_text, with_article


def plural(noun: str) -> str:
    """Return the plural of an English noun; another one stays as it is.

    Examples
    --------
    >>> plural("question_id"), plural("aufgabe")
    ('questions', 'aufgabe')
    """
    return noun if is_foreign(noun) else checks.plural(noun)


def count_noun(number: int | str, noun: str) -> str:
    """Count things: ``1 topic``, ``2 topics``, ``2 aufgabe``."""
    return f"{number} {as_noun(noun) if number == 1 else plural(noun)}"


def _form(role, form):
    """Make a property of the form in which a noun is needed."""
    return property(lambda nouns: form(getattr(nouns, role)))


def _head(noun):
    """Return the plural as a sentence begins with it."""
    return plural(noun[0].upper() + noun[1:])


@dataclass(frozen=True)
class Nouns:
    """The names of the facets that have a role in an audit, as designs
    have them; and their forms in sentences.

    Examples
    --------
    >>> n = Nouns(system="model", topic="query")
    >>> f"{n.Systems} differ on {n.topics}: {n.a_system}, {n.a_topic}."
    'Models differ on queries: a model, a query.'
    >>> n = Nouns(system="Students", topic="question_id")
    >>> f"{n.Systems} differ on {n.topics}, each {n.one_topic}."
    'Students differ on questions, each question.'
    """

    system: str = "system"
    topic: str = "topic"
    assessor: str = "assessor"
    seed: str = "seed"
    repetition: str = "repetition"
    task: str = "task"

    @classmethod
    def from_roles(cls, roles: Mapping[str, str]) -> Self:
        """Make the nouns from `facet_roles` of a design."""
        known = asdict(cls())
        return cls(**{r: facet for facet, r in roles.items() if r in known})

    @property
    def renamed(self) -> dict[str, str]:
        """The nouns by role, where they are other than the role's."""
        return {r: noun for r, noun in asdict(self).items() if r != noun}

    @property
    def markdown(self) -> Self:
        """The same in sentences, safe in Markdown and HTML."""
        return type(self)(*(as_text(as_noun(x)) for x in astuple(self)))

    systems = _form("system", plural)
    Systems = _form("system", _head)
    one_system = _form("system", as_noun)
    a_system = _form("system", with_article)
    topics = _form("topic", plural)
    Topics = _form("topic", _head)
    one_topic = _form("topic", as_noun)
    a_topic = _form("topic", with_article)

    def list_facets(self, facets: Iterable[str]) -> str:
        """List facets, topics first: ``topics and assessors``."""
        ordered = sorted({*facets}, key=lambda f: (f != self.topic, f))
        return " and ".join(map(plural, ordered))


# The nouns of a study whose facets have our own names.
OURS = Nouns()

# The roles that take the nouns of a table; what a group of topics is called
# where these are tasks.
_RENAMED = "system", "topic", "task", "assessor", "repetition"
_NO_TASK = "domain"

# What says no more than that something has a name, or is a row.
_EMPTY = {"id", "name", "index", "key", "columns", "label"}

# What the names of columns begin with, where a number follows.
_BEGINS = {"q": "question", "i": "item", "t": "task"}
# A noun has more letters.
_LETTER = 3


def own_nouns(roles: Mapping[str, str], columns: Iterable[str]) -> Nouns:
    """Take the nouns of a table from the names of its columns.

    Parameters
    ----------
    roles : dict of column to role
        As a `Reading` has them; of a wide table ``columns`` has one, too.
    columns : list of str
        The names of its columns, if it is wide.

    Examples
    --------
    >>> roles = {"Student": "system", "columns": "topic"}
    >>> nouns = own_nouns(roles, ["Q1", "Q2"])
    >>> nouns.systems, nouns.topics
    ('Students', 'questions')
    """
    nouns = OURS
    other = {"score", "measure", *roles.values()}
    for column, role in roles.items():
        name = str(column)
        if column == "columns":
            name = _shared_beginning([*map(str, columns)])
            if role == "topic":
                name = _BEGINS.get(name, name)
            name = name if len(name) > _LETTER else ""
        known = {*asdict(nouns).values()} - {nouns.task} | other
        if as_noun(name) == role:
            continue
        if role in _RENAMED and _is_noun(name) and name not in known:
            nouns = replace(nouns, **{role: name})
            if role != "task" and name == nouns.task:  # no column has it
                nouns = replace(nouns, task=_NO_TASK)
    return nouns


def _is_noun(name):
    """Return whether a name can stand for a facet in sentences and in
    designs."""
    fits = re.fullmatch(r"[A-Za-z][A-Za-z_]{1,19}", name)
    return bool(fits) and name.lower() not in _EMPTY and not is_index(name)


def _shared_beginning(names):
    """Return the noun with which all names begin that end in numbers."""
    found = {re.sub(r"[\W_]*\d+$", "", name).lower() for name in names}
    ends = all(name[-1:].isdigit() for name in names)
    if len(found) != 1 or not ends:
        return ""
    (begin,) = found
    return begin
