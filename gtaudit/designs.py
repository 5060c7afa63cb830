"""Designs of an audit: what their facets are, and which is taken where
none is said."""

import re
from collections.abc import Collection

import pandas as pd

from gtaudit.columns import Reading
from gtaudit.nouns import OURS, Nouns, plural
from gtaudit.words import FACETS, rank, ranks_of
from gtlib.checks import as_noun, list_some, with_article
from gtlib.design import Design


def facet_roles(
    design: str | None, fixed: Collection[str] = ()
) -> tuple[dict[str, str], str | None]:
    """Find the roles that the facets of a design have in an audit.

    The system, the object of measurement, is the facet nested in no other
    that has a name of systems; failing that, the first such facet whose
    name is that of no other facet; failing that, the first. The topic is
    found likewise; where there is none, assessors take its place.

    Parameters
    ----------
    design : str, optional
    fixed : collection of str
        Facets that are no topics, as their levels are all there are.

    Returns
    -------
    roles : dict of facet to name
        Of each facet.
    design : str
        With the system first.

    Raises
    ------
    ValueError
        If the design cannot be read, or has no facet for systems.

    Examples
    --------
    >>> facet_roles("student x (rater:exercise)")
    ({'student': 'system', 'exercise': 'topic', 'rater': 'assessor'}, \
'student x (rater:exercise)')
    """
    if design is None:
        return {}, None
    parsed = Design(design)
    known = {facet: _role_of(facet) for facet in parsed.facets}
    free = [f for f in parsed.facets if not parsed.nesting[f]]
    systems = [f for f in free if rank(f, "system") == 1]
    systems += [f for f in free if known[f] in ("system", "")]
    if "system" not in known.values():
        systems += [f for f in free if known[f] in ("topic", "assessor")]
    if not systems:
        raise ValueError(
            f"The design {design!r} has no facet for the systems that an "
            "audit compares. It is nested in no other, and is called "
            "system, run or model, or by a name that is none of topics, "
            "assessors or seeds."
        )
    if systems[0] != parsed.object:
        crossed = re.split(r"\s+x\s+", design)
        others = [part for part in crossed if part != systems[0]]
        design = " x ".join([systems[0], *others])
        parsed = Design(design)
    others = [f for f in parsed.facets if f != parsed.object]
    topics = [f for f in others if known[f] == "topic"]
    topics += [f for f in others if not known[f] and f not in fixed]
    topics += [f for f in others if known[f] == "assessor"]
    roles = {parsed.object: "system"} | dict.fromkeys(topics[:1], "topic")
    for facet in others:
        name = known[facet] or facet
        roles.setdefault(facet, facet if name in roles.values() else name)
    return roles, design


def _role_of(facet):
    """Return the role that a good name of a facet has; else nothing."""
    good = {r: n for r, n in ranks_of(facet).items() if r in FACETS}
    role = min(good, key=good.__getitem__, default="")
    return role if good.get(role, 9) <= 2 else ""


def default_design(
    several: Collection[str], own_runs: bool = False
) -> str | None:
    """Return the design where topics belong to tasks or systems ran
    repeatedly; None where all facets are crossed.

    Parameters
    ----------
    several : collection of str
        The facets that have several levels.
    own_runs : bool
        Whether repetitions share nothing: each is of a system on a topic.
        Else each is of a system, as are seeds.
    """
    if "topic" not in several or not {"task", "seed", "repetition"} & {
        *several
    }:
        return None
    topic = "(topic:task)" if "task" in several else "topic"
    crossed = " x assessor" if "assessor" in several else ""
    for facet in ("seed", "repetition"):
        if facet in several:
            if own_runs and facet != "seed":
                return f"({facet}:(system x {topic})){crossed}"
            return f"({facet}:system) x {topic}{crossed}"
    return f"system x {topic}{crossed}"


def describe_nests(design: Design, nouns: Nouns = OURS) -> str | None:
    """Say which runs of a system were taken to share something, and how
    to say otherwise; None where there is one run."""
    system, topic = nouns.system, nouns.topic
    for facet in (nouns.seed, nouns.repetition):
        if facet not in design.facets:
            continue
        topics = topic
        if nouns.task in design.nesting[topic]:
            topics = f"({topic}:{nouns.task})"
        own = f"--design '{system} x {topics} x {facet}'"
        if topic in design.nesting[facet]:
            return (
                f"Each {as_noun(facet)} is taken to share nothing with "
                f"others: it is of one {nouns.one_system} on one "
                f"{nouns.one_topic}. If it holds for all {nouns.topics} of "
                f"{nouns.a_system}, as a training seed does, say --design "
                f"'({facet}:{system}) x {topics}'; if all {nouns.systems} "
                f"share it, {own}."
            )
        if design.nesting[facet]:
            runs = plural(facet)
            return (
                f"{runs[0].upper()}{runs[1:]} are taken as nested in "
                f"{nouns.systems}. If all {nouns.systems} share what "
                f"{with_article(facet)} sets, say so with {own}; if those "
                f"of two {nouns.topics} share nothing, with --design "
                f"'{facet}:({system} x {topics})'."
            )
    return None


def refuse_no_topics(design: Design, topic: str = "topic") -> None:
    """Refuse a design without a facet of topics."""
    if topic not in design.facets:
        raise ValueError(
            f"The design {list_some([design])} has no facet for the "
            "topics; an audit "
            "asks how scores change with others."
        )


def refuse_no_facet(
    scores: pd.DataFrame, design: str | None, reading: Reading
) -> None:
    """Refuse a design with a facet that no column has."""
    if design is None or "score" not in scores:
        return
    lacking = [f for f in Design(design).facets if f not in scores]
    if lacking:
        names = [*reading.roles, *reading.left_out]
        runs = [c for c, r in reading.roles.items() if r == "repetition"]
        hint = ""
        if "seed" in lacking and runs:
            hint = f" Runs are called {runs[0]} there."
        raise ValueError(
            f"No column is called {list_some(lacking)}, as the design "
            f"says; the columns are {list_some(names, 12)}.{hint}"
        )
