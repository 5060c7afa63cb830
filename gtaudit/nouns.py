"""Nouns: what a study calls its systems, topics, assessors and runs.

Tables, sentences and figures are made with them: a report on the design
``model x item`` says model and item, and so do the errors of its study.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass
from typing import Self

from gtlib.checks import as_text, plural, with_article


def _form(role, form):
    """Make a property of the form in which a noun is needed."""
    return property(lambda nouns: form(getattr(nouns, role)))


def _head(noun):
    """Return the plural as a sentence begins with it."""
    return plural(noun[0].upper() + noun[1:])


@dataclass(frozen=True)
class Nouns:
    """The names of the facets that have a role in an audit.

    Examples
    --------
    >>> n = Nouns(system="model", topic="query")
    >>> f"{n.Systems} differ on {n.topics}: {n.a_system}, {n.a_topic}."
    'Models differ on queries: a model, a query.'
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
        """The same, safe in Markdown and HTML."""
        return type(self)(*map(as_text, astuple(self)))

    systems = _form("system", plural)
    Systems = _form("system", _head)
    a_system = _form("system", with_article)
    topics = _form("topic", plural)
    Topics = _form("topic", _head)
    a_topic = _form("topic", with_article)

    def list_facets(self, facets: Iterable[str]) -> str:
        """List facets, topics first: ``topics and assessors``."""
        ordered = sorted({*facets}, key=lambda f: (f != self.topic, f))
        return " and ".join(map(plural, ordered))


# The nouns of a study whose facets have our own names.
OURS = Nouns()
