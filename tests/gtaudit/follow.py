"""Following what a message of the command advises."""

import shlex

import numpy as np

from gtaudit import collect
from gtaudit.audit_data import said_roles, split_columns
from gtaudit.columns import Question
from gtaudit.designs import facet_roles
from gtaudit.inputs import read_input


def read(paths, measure=None, columns=None, design=None, fixed=None):
    """Cells, systems x topics, and the reading of what an audit reads."""
    roles, design = facet_roles(design, (fixed or "").split(","))
    said, declared = said_roles(roles, split_columns(columns))
    scores, _ = read_input(
        paths, measure=measure, roles=said, declared=declared
    )
    reading = scores.attrs["reading"]
    if "score" not in scores:
        return scores, reading
    facets = [c for c in reading.roles.values() if c != "score"]
    if scores.duplicated(facets).any():
        raise ValueError("rows repeat a cell")
    drawn = "topic" if "topic" in scores else "assessor"
    return scores.pivot_table("score", "system", drawn), reading


def options_of(way):
    """The keywords of `collect` for options as they are printed."""
    words = shlex.split(way)
    pairs = zip(words[::2], words[1::2], strict=True)
    return {
        name.strip("-").replace("-", "_"): value for name, value in pairs
    }


def is_same(cells, truth):
    """Whether two tables have the same scores under the same names."""
    if cells.shape != truth.shape:
        return False
    mine = cells.rename(index=str, columns=str)
    right = truth.rename(index=str, columns=str)
    if {*mine.index} != {*right.index} or {*mine} != {*right}:
        return False
    mine = mine.loc[right.index, right.columns]
    return np.allclose(mine, right, rtol=1e-9, atol=1e-9, equal_nan=True)


def outcome(path, tables, roles=None, **options):
    """What comes of a file: ``right``, ``asked`` or ``refused``, or else
    what is wrong; a question with what it says.

    Of options that say what rows are, the other way round is right, too.
    """
    paths = [path] if not isinstance(path, list) else path
    try:
        cells, reading = read(paths, **options)
    except Question as question:
        return "asked", question
    except ValueError as error:
        return "refused", error
    for truth in tables:
        if is_same(cells, truth) or (options and is_same(cells.T, truth)):
            known = {*reading.roles.values()} - {"score"}
            if roles is None or options or known == roles:
                return "right", reading
    return "wrong", reading


def follow(path, tables, roles=None, seen=(), **options):
    """Follow each way that questions name, to the end; yield what went
    wrong: a wrong table, or the same question again."""
    what, said = outcome(path, tables, roles, **options)
    if what == "wrong":
        yield f"{options}: {said.sentence}"
    if what != "asked":
        return
    text = str(said)
    if text in seen:
        yield f"{options}: asked again: {text}"
        return
    for way in said.ways:
        if way not in text:
            yield f"{way} is not in {text}"
        more = {**options, **options_of(way)}
        yield from follow(path, tables, roles, (*seen, text), **more)


def arrives(path, tables, **options):
    """Whether one of the ways that a question names, or one of the ways
    from there, comes to a right table."""
    what, said = outcome(path, tables, **options)
    if what != "asked":
        return what == "right"
    ways = [options_of(way) for way in said.ways]
    return any(
        arrives(path, tables, **options | way)
        for way in ways
        if way.items() - options.items()
    )


def refused(paths, asked=False, **options):
    """Follow each way that questions name, and study what is read; yield
    the options that a question named and that were refused."""
    try:
        collect(paths, **options)
    except Question as question:
        for way in question.ways:
            yield from refused(paths, True, **options | options_of(way))
    except ValueError as error:
        if asked:
            yield f"{options}: {error}"
