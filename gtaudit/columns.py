"""What the columns of a table are, in three steps.

`structure` says what its content allows; `names` rank what is allowed, by
the words of ``words.csv``; and where two readings remain, `ask` puts one
question, with the options that answer it. What an option says is obeyed
before any of this.
"""

import shlex
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import NamedTuple

import pandas as pd

from gtaudit.readers.values import are_words
from gtaudit.structure import NEARLY, Column, Structure
from gtaudit.words import (
    FACETS,
    are_known_systems,
    is_aside,
    is_average,
    is_id,
    is_index,
    is_numbered,
    is_unnamed,
    plain,
    rank,
    ranks_of,
    role_of_numbered,
    stem,
    without_averages,
)
from gtlib.checks import count_noun, list_names, list_some, name_level

# What the rows of a wide table are, in --columns topic=rows, or, as runs,
# those of one cell; and what joins columns, in system=model+prompt.
ROWS, COLUMNS, JOIN = "rows", "columns", "+"
# What a column costs a reading: nothing, if it has one of the best names
# of its role; so much, if it has no name of any facet.
_UNNAMED = 4
# The same, where its values are numbered names of the role, as q1, q2.
_BY_VALUES = 1
# The same, where values speak against a role.
_NEVER = 3 * _UNNAMED
# So many people seldom judge; of so many words are texts.
_MANY_PEOPLE, _SENTENCE = 9, 3
# So much must the second reading cost more than the first, if that has a
# column without a name, and if all have one.
_CLEAR, _CLEAR_NAMED = 2, 1
# The most questions' answers that are printed.
_MOST_WAYS = 3
# So many letters shorter is a name that is taken in place of a text.
_SHORTER = 10
# In so many rows whole numbers do not cross by chance, if they fill so
# many of the cells.
_MANY_ROWS, _FULLY = 16, 0.9
# So many times is a number of a student or a file above all scores.
_FAR = 10
# A setting, such as a weight, has no more values.
_SETTINGS = 9
# The facets of which other ones could be drawn.
_EITHER = "topic", "assessor"
_DRAWN = "system", "topic"


@dataclass(frozen=True)
class Reading:
    """How the columns of a file were read.

    Attributes
    ----------
    roles : dict of column to role
    left_out : tuple of str
        The columns and rows that are not used.
    shape : tuple of int
        How many levels each role has but that of the score.
    sentence : str
        All this in words, said before the numbers.
    """

    roles: Mapping[str, str]
    left_out: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()

    sentence: str = field(init=False)

    def __post_init__(self) -> None:
        named = [
            name if name == role else f"{name} = {role}"
            for name, role in self.roles.items()
        ]
        sentence = f"read as: {', '.join(named)}"
        if self.shape:
            sentence += f" ({' × '.join(map(str, self.shape))})"
        if self.left_out:
            sentence += f"; left out: {list_some(self.left_out, 12)}"
        object.__setattr__(self, "sentence", f"{sentence}.")

    def without(self, used: Iterable[object]) -> "Reading":
        """Return the same, without columns that are used after all."""
        now_used = {*used}
        kept = tuple(n for n in self.left_out if n not in now_used)
        return replace(self, left_out=kept)


class Question(ValueError):
    """A question on a table, with the options that answer it.

    Attributes
    ----------
    ways : tuple of str
        At most three, the likeliest first: ``--columns topic=rows``.
    """

    def __init__(self, what: str, ways: Sequence[str], after: str = ""):
        self.ways = tuple(ways[:_MOST_WAYS])
        said = f"{what} Say {' or '.join(self.ways)}."
        super().__init__(f"{said} {after}".strip())


def way(option: str, value: object = "", **said: Hashable) -> str:
    """Write an option, ready to be pasted.

    Examples
    --------
    >>> way("columns", topic="what was asked")
    "--columns 'topic=what was asked'"
    >>> way("measure", "AP")
    '--measure AP'
    """
    pairs = [f"{role}={column}" for role, column in said.items()]
    return f"--{option} {shlex.quote(','.join(pairs) or str(value))}"


def way_of_marks(raters: Mapping[Column, str]) -> str:
    """Write the option that says who are people and who are machines.

    Examples
    --------
    >>> way_of_marks({"a": "human", "b": "judge"})
    '--columns human=a,judge=b'
    """
    said = (f"{role}={column}" for column, role in raters.items())
    return way("columns", ",".join(said))


class Layout(NamedTuple):
    """The facets of a table, by its columns.

    `across` is the role of the columns of scores of a wide table, and
    empty of a long one; `cost` is how little names speak for it, and
    `guessed` is whether some role has no name at all.
    """

    roles: dict[Column, str]
    across: str = ""
    cost: int = 0
    guessed: bool = False

    @property
    def key(self) -> tuple:
        """What tells two readings apart."""
        return frozenset(self.roles.items()), self.across


# First: what the content allows.


def naming_columns(
    found: Structure, said: Mapping[Column, str]
) -> list[Column]:
    """List the columns that may name the levels of facets, of those that
    name the same rows the best: first by its name, then the shortest."""
    allowed = [
        c
        for c in found.table
        if c in said
        or (_best_rank(c) == 1 and found.is_shared(c))
        or (found.may_name(c) and not _is_beside(c))
    ]
    allowed.sort(key=lambda c: (c not in said, _best_rank(c)))
    kept: list[Column] = []
    for column in allowed:
        if column in said:
            kept.append(column)
            continue
        twins = [c for c in kept if found.same_rows(column, c)]
        if not twins:
            kept.append(column)
            continue
        (twin, *_) = twins
        if twin not in said and _name_better(found, column, twin):
            kept[kept.index(twin)] = column
    return kept


def _name_better(found, column, other):
    """Return whether a column names the same rows better than another."""
    ranks = _best_rank(column), _best_rank(other)
    texts = [found.words(c) >= _SENTENCE for c in (column, other)]
    if texts[0] != texts[1] and min(ranks) > 1:
        return texts[1]  # a text only where nothing shorter is there
    if ranks[0] != ranks[1]:
        return ranks[0] < ranks[1]
    length, others = found.letters(column), found.letters(other)
    if abs(length - others) > _SHORTER:
        return length < others
    numbers = column in found.numbers, other in found.numbers
    return ranks[0] > _UNNAMED and numbers == (False, True)


def _best_rank(column):
    """Return the best rank that a name has among those of facets."""
    ranks = [n for r, n in ranks_of(column).items() if r in FACETS]
    return min(ranks, default=_UNNAMED + 1)


def _is_beside(column):
    """Return whether a name says that a column is no facet."""
    if any(role in FACETS for role in ranks_of(column)):
        return False
    others = {"score", "measure"} & {*ranks_of(column)}
    numbered = plain(column).isdigit()
    aside = is_aside(column) or is_unnamed(column)
    return bool(others) or numbered or aside


def score_columns(
    found: Structure, facets: Iterable[Column]
) -> list[Column]:
    """List the columns that may hold scores beside these facets: numbers
    that are no property of one of them, and do not count or name rows; an
    average, if there is nothing else."""
    facets = [*facets]
    free = [
        c
        for c in found.table
        if c not in facets and _may_be_scores(found, c)
    ]
    varied = [
        c
        for c in free
        if (rank(c, "score") in (1, 2) and c in found.numbers)
        or not (
            found.is_constant(c)
            or any(found.is_determined(c, [f]) for f in facets)
        )
    ]
    free = varied or free
    free = [c for c in free if not _is_setting(found, c, facets)] or free
    return without_averages(free) or free


def _is_setting(found, column, facets):
    """Return whether each level of a facet has the same few values of a
    column, as each question has of what systems were set to."""
    if found.levels[column] > _SETTINGS or rank(column, "score"):
        return False
    values = pd.Series(found.codes[column])
    return any(
        found.levels[f] >= _SETTINGS
        and not (pd.crosstab(found.codes[f], values).diff().iloc[1:]).any(
            axis=None
        )
        for f in facets
    )


def _has_scores(found, facets):
    """Return whether a column may hold scores beside these facets."""
    return any(
        c not in facets and _may_be_scores(found, c) for c in found.table
    )


def _may_be_scores(found, column):
    """Return whether a column holds numbers, or is called a score, and is
    not called something else."""
    if rank(column, "score") != 1:
        numbers = column in found.numbers or found.is_broken(column)
        if not numbers or _best_rank(column) == 1:
            return False
    if (
        is_aside(column)
        or is_unnamed(column)
        or _is_number_of(found, column)
    ):
        return False
    return not _names_each_row(found, column)


def _has_further_facet(found, key):
    """Return whether another facet has columns beside the key, one for
    each level, as ``rater_1`` and ``rater_2`` are."""
    numbered = [
        c for c in found.numbers if c not in key and str(c)[-1:].isdigit()
    ]
    return len(numbered) > 1 and role_of_numbered(numbered) in FACETS


def _is_number_of(found, column):
    """Return whether a column has the numbers of what its name says, as
    ``contest_id`` has."""
    return is_id(column) and found.is_whole(column)


def _names_each_row(found, column):
    """Return whether a column numbers rows, or has a number for each."""
    if column not in found.whole:
        return False
    if not found.is_each_once(column):
        return is_index(column)
    return is_index(column) or is_id(column) or found.counts_rows(column)


# Second: what the names say of it.


def names(
    found: Structure,
    said: Mapping[Column, str],
    wide: "Wide | None" = None,
    declared: bool = False,
    relaxed: bool = False,
) -> list[Layout]:
    """List the readings that a table allows, the likeliest first.

    Parameters
    ----------
    found : Structure
    said : dict of column to role
        What options say, which holds.
    wide : Wide, optional
        What the table would be if it is wide.
    declared : bool
        Whether what is said are all facets of a design.
    relaxed : bool
        Whether names of topics and assessors may be those of systems, too:
        for a question, where nothing has a name of systems.
    """
    layouts = [
        *_long_layouts(found, said, declared, relaxed),
        *_wide_layouts(found, said, wide, relaxed),
    ]
    best: dict[tuple, Layout] = {}
    for layout in sorted(layouts, key=lambda x: (x.cost, len(x.roles))):
        best.setdefault(layout.key, layout)
    return [*best.values()]


def _long_layouts(found, said, declared, relaxed):
    """Yield the readings of a table with a row for each score."""
    if {ROWS, COLUMNS} & {*said}:
        return []
    facets = {c: r for c, r in said.items() if r != "score"}
    naming = naming_columns(found, facets)
    naming = [c for c in naming if c in facets or c not in said]
    named = [c for c in naming if _best_rank(c) <= _UNNAMED or c in said]
    once = _once(found, naming)
    if declared:
        return [*_layouts_of(found, [tuple(facets)], said, relaxed)]
    exact = found.keys([*naming, *once], named)
    keys = _with_only_ones(found, said, exact)
    layouts = [*_layouts_of(found, keys, said, relaxed)]
    if not layouts:
        # Names alone, though several rows have one cell.
        several = range(1, len(named) + 1)
        keys = [k for n in several[:4] for k in combinations(named, n)]
        keys = _with_only_ones(found, said, keys)
        layouts = [*_layouts_of(found, keys, said, relaxed)]
        least = min((found.repeats([*x.roles]) for x in layouts), default=0)
        layouts = [
            x
            for x in layouts
            if not x.guessed and found.repeats([*x.roles]) == least
        ]
    if not layouts and not exact:
        keys = found.replicated(naming)
        layouts = [*_layouts_of(found, keys, said, relaxed)]
    whole = [x.roles.items() for x in layouts]
    return [
        x for x in layouts if not any(w < x.roles.items() for w in whole)
    ]


def _with_only_ones(found, said, keys):
    """Return keys, and these with the column that names the only system of
    a table, the only topic, or both."""
    alone = {
        role: [
            c
            for c, n in found.levels.items()
            if n == 1 and said.get(c, role) == role
            if c in said
            or (
                rank(c, role) in (1, 2)
                and not (c in found.numbers and str(c).endswith("s"))
            )
        ][:1]
        for role in _DRAWN
    }
    (systems, topics) = alone.values()
    ones = {(): 0, (*systems,): 0, (*topics,): 0, (*systems, *topics): 0}
    return [
        (*key, *one) for key in keys for one in ones if not {*one} & {*key}
    ]


def _once(found, naming):
    """List the columns that name each row once: the topics of the only
    system, or the systems on the only topic."""
    return [
        c
        for c in found.codes
        if c not in naming and found.is_each_once(c)
        if any((rank(c, role) or 9) < _UNNAMED for role in _DRAWN)
    ]


def _layouts_of(found, keys, said, relaxed):
    """Yield the readings of which the facets are one of these keys."""
    facets = {c for c, r in said.items() if r != "score"}
    within = {c for key in keys for c in key}
    for key in keys:
        if not facets <= {*key}:
            continue
        given = "score" in said.values()
        if not given and not _has_scores(found, key):
            continue
        if not given and _has_further_facet(found, key):
            continue
        exact = found.repeats(key) == 0
        for layout in _assign(found, key, said, "", relaxed, within):
            dear = layout.guessed and not exact
            yield layout._replace(cost=layout.cost + dear * _UNNAMED)


def _assign(found, key, said, across, relaxed, within=()):
    """Yield the ways to give the columns of a key their roles; of no use
    are others, unless a key has them `within`."""
    options = [
        _roles_of(found, column, said, across, relaxed) for column in key
    ]
    for chosen in product(*options):
        roles = [role for role, _ in chosen]
        every = [*roles, *([across] if across else [])]
        if not _is_design(every):
            continue
        taken = [r for c, r in said.items() if c not in key]
        if {*taken} & {*roles}:
            continue
        prices = dict(chosen)
        if "topic" in every and prices.get("assessor", 0) > _UNNAMED:
            continue  # a guess, where there are topics
        several = not relaxed or len(key) > 2
        beside = several and bool({"assessor", "task"} & {*roles})
        if beside and _are_few_numbers(found, key, chosen):
            continue
        others = {*within} - {*key} if within else {*found.codes} - {*key}
        if not (said or relaxed) and (
            _is_outdone(found, chosen, key, others)
            or _is_of_one_system(found, chosen, key)
        ):
            continue
        cost = sum(price for _, price in chosen)
        guessed = any(price >= _UNNAMED for _, price in chosen)
        yield Layout(
            dict(zip(key, roles, strict=True)), across, cost, guessed
        )


def _are_few_numbers(found, key, chosen):
    """Return whether few numbers without a name are taken for topics, or
    for systems; they may be sessions or turns as well."""
    return any(
        role in _DRAWN
        and price >= _UNNAMED - 1
        and column in found.numbers
        and found.levels[column] < _MANY_PEOPLE
        for column, (role, price) in zip(key, chosen, strict=True)
    )


def _is_outdone(found, chosen, key, others):
    """Return whether a column without a good name has a role for which
    one of the other columns has one."""
    good = {
        role: c
        for c in found.codes
        if c in others and (c in found.numbers or found.may_name(c))
        for role in _DRAWN
        if (rank(c, role) or 9) < 3 and found.may_name(c)
    }
    return any(
        role in good
        and (rank(c, role) or 9) > 2
        and not found.same_rows(c, good[role])
        for c, (role, _) in zip(key, chosen, strict=True)
    )


def _is_of_one_system(found, chosen, key):
    """Return whether numbers without a name, or of runs, are taken for
    systems, where a column with the best name of them has one: they are
    turns, perhaps, or runs of it."""
    return any(
        role == "system"
        and c in found.numbers
        and (rank(c, role) is None or rank(c, "repetition"))
        and any(
            rank(x, role) == 1 for x, n in found.levels.items() if n < 2
        )
        for c, (role, _) in zip(key, chosen, strict=True)
    )


def _is_design(roles):
    """Return whether these roles have systems, once, and what else could
    be drawn, topics or assessors."""
    if len({*roles}) < len(roles) or "system" not in roles:
        return False
    return any(r in roles for r in _EITHER) or any(
        r not in FACETS for r in roles
    )


def _roles_of(found, column, said, across, relaxed):
    """List the roles that a column may have, and what each costs."""
    if column in said:
        return [(said[column], 0)]
    named = [(r, n - 1) for r, n in ranks_of(column).items() if r in FACETS]
    strong = named and min(price for _, price in named) < _UNNAMED - 2
    if strong and not relaxed:
        return named
    either = {"system": _UNNAMED, "topic": _UNNAMED}
    if any(role == "assessor" for role, _ in named):
        either["system"] += 2  # people are rather who judges
    if relaxed and not across:
        either[str(column)] = _UNNAMED + 1  # another facet of a design
    if named:  # a weak name, such as id, may be that of either
        return [*(either | dict(named)).items()]
    if is_unnamed(column) or is_index(column):
        by_values = {}
        if across and _has_letters(found, column):
            by_values = _roles_by_values(found, column, across)
        return [*(either | by_values).items()]
    if _is_beside(column) or is_average(column):
        return []
    return [*(either | _roles_by_values(found, column, across)).items()]


def _roles_by_values(found, column, across):
    """Return what the roles cost that the values of a column speak for or
    against."""
    values = found.table[column].dropna().unique()
    by_number = role_of_numbered(values)
    # T1 and T2 of a column Type say no more than its name.
    own = {stem(v) for v in values} == {plain(column)[:1]}
    letters = _has_letters(found, column)
    if by_number in FACETS and letters and not own:
        other = "system" if by_number == "topic" else "topic"
        return {by_number: _BY_VALUES, other: _NEVER}
    if are_known_systems(values):
        return {"system": _BY_VALUES, "topic": _NEVER}
    if found.words(column) >= _SENTENCE:
        return {"topic": _UNNAMED - 1}
    if is_numbered(values) and not own:
        return {"topic": _UNNAMED - 1}
    if not across and len(values) < _MANY_PEOPLE:
        return {"assessor": _UNNAMED + 1}
    return {}


def _has_letters(found, column):
    """Return whether a column holds text, and not numbers alone."""
    return found.kinds[column] in ("text", "mixed")


def _wide_layouts(found, said, wide, relaxed):
    """Yield the readings of a table with a row for each system or topic,
    and a column of scores for each of the other."""
    if wide is None or not wide.scores:
        return
    by_names = role_of_numbered(wide.scores)
    if are_known_systems(wide.scores):
        by_names = "system"
    own = {c: r for c, r in said.items() if c in wide.key}
    if ROWS in said:
        own |= dict.fromkeys(wide.key, said[ROWS])
    others = {*said} - {*wide.key, ROWS, COLUMNS}
    if others:
        return
    across = [by_names] if by_names in FACETS else ["system", "topic"]
    if len(wide.scores) == 1 and not by_names:
        across = ["system"]
    if by_names == "repetition":  # runs are systems, where nothing else is
        across.append("system")
    if COLUMNS in said:
        across = [said[COLUMNS]]
    elif {*own.values()} & {*_EITHER} and len(wide.key) == 1:
        across = ["system"]
    elif "system" in own.values() and by_names == "system":
        across = ["topic"]
    if not {ROWS, COLUMNS} & {*said} and seems_long(found, wide):
        return
    dear = 2 * _UNNAMED if found.repeats(wide.key) else 0
    for role in across:
        sure = role == by_names or COLUMNS in said
        for layout in _assign(found, wide.key, own, role, relaxed):
            yield layout._replace(
                cost=layout.cost + (not sure) + dear,
                guessed=layout.guessed or not (sure or own),
            )


def seems_long(found: Structure, wide: "Wide | None" = None) -> bool:
    """Return whether columns of text cross, or any fully, so that a row is
    a score, unless a good name says what each row is."""
    if wide is not None and not found.repeats(wide.key):
        if len(wide.key) == 1 and len(wide.scores) > len(found.table):
            return False
        if is_unnamed(wide.key[0]) and wide.key[0] not in found.numbers:
            return False  # names of rows, as pandas writes them
        named = any(_best_rank(c) < _UNNAMED - 1 for c in wide.key)
        if named and (len(wide.key) == 1 or len(wide.scores) > 1):
            return False
    naming = naming_columns(found, {})
    texts = {c for c in naming if c not in found.numbers}
    many = len(found.table) >= _MANY_ROWS
    known = [c for c in naming if _best_rank(c) <= _UNNAMED]
    if wide is not None and _are_groups(found, wide, texts):
        return True
    return any(
        len(key) > 1
        and (texts & {*key} or (many and found.fills(key) > _FULLY))
        for key in found.keys(naming, known) or found.replicated(naming)
        if not _has_further_facet(found, key)
    )


def _are_groups(found, wide, texts):
    """Return whether rows have numbers for names, and belong to groups, by
    two texts or more: each is then one answer or measurement."""
    (key, *others) = wide.key
    numbered = key in found.whole and found.is_each_once(key)
    numbered = numbered and (is_index(key) or found.counts_rows(key))
    return numbered and not others and len(texts - {key}) > 1


class Wide(NamedTuple):
    """What a wide table would be: the columns that name its rows, those
    of scores, the others, and whether rows were numbered for want of
    names."""

    key: tuple[Column, ...]
    scores: tuple[Column, ...]
    left_out: tuple[Column, ...]
    numbered: bool = False


def wide_parts(
    found: Structure, said: Mapping[Column, str], averages: bool
) -> Wide | None:
    """Find what names the rows of a wide table and what holds its scores;
    None if nothing names rows, or they are numbered under no name.

    Averages are left out, if they shall be.
    """
    key = _row_key(found, said)
    if key is None:
        return None
    free = [c for c in found.table if c not in key]
    kept = [c for c in free if _may_be_across(found, c)]
    if averages:
        kept = without_averages(kept)
    called = [c for c in kept if rank(c, "score") == 1]
    numbered = [c for c in kept if str(c)[-1:].isdigit()]
    role = role_of_numbered(numbered) if len(numbered) > 2 else ""
    if role == "topic":  # what the topics come to is left out
        of_topics = {*numbered}
        kept = [c for c in kept if c in of_topics or not rank(c, "score")]
    elif role in FACETS and role != "system":
        kept = numbered
    elif called:  # what stands beside the score is none
        kept = called
    words = [c for c in kept if c in found.codes and c in found.numbers]
    words = [c for c in words if are_words(found.table[c])]
    if words and any(map(found.has_fractions, kept)):
        kept = [c for c in kept if c not in words]
    kept = [c for c in kept if not _is_far_from_all(found, c, kept)]
    used = {*kept}
    left_out = [c for c in free if c not in used]
    return Wide(key, tuple(kept), tuple(left_out))


def _is_far_from_all(found, column, others):
    """Return whether a column has a whole number for each row, each far
    above those of all others, as the numbers of students are."""
    if not (found.is_whole(column) and found.is_each_once(column)):
        return False
    others = [c for c in others if c != column and c in found.numbers]
    if len(others) < 2 or len(found.table) < _MANY_ROWS:
        return False
    highest = found.numbers[others].max(axis=None)
    return bool(found.numbers[column].min() > _FAR * abs(highest))


def _may_be_across(found, column):
    """Return whether a column of a wide table may hold scores."""
    if found.kinds[column] not in ("number", "broken"):
        return False
    if is_aside(column) or _is_number_of(found, column):
        return False
    if found.is_broken(column) and is_id(column):
        return False
    if column in found.numbers and _names_each_row(found, column):
        return False
    ranks = ranks_of(column)
    facets = [r for r, n in ranks.items() if r in FACETS and n == 1]
    if facets and "system" not in facets and len(str(column)) > 1:
        return not (found.is_whole(column) or found.is_constant(column))
    return True


def _row_key(found, said):
    """Return the columns that name the rows of a wide table."""
    given = tuple(c for c in said if c in found.kinds)
    if given:
        return given
    free = [
        c
        for c in found.codes
        if found.kinds[c] not in ("time", "empty")
        and not (is_average(c) or is_aside(c))
    ]
    once = [
        c
        for c in free
        if found.is_each_once(c)
        and not (found.has_fractions(c) and not _is_topic(c))
    ]
    named = [c for c in once if _best_rank(c) <= _UNNAMED]
    texts = [c for c in once if found.kinds[c] in ("text", "mixed")]
    several = [c for c in free if _best_rank(c) <= 2 and found.may_name(c)]
    numbered = [
        c
        for c in once
        if c in found.numbers
        and (is_unnamed(c) or is_id(c) or is_index(c))
        and (found.numbers[c] % 1 == 0).all()
    ]
    # Beside the numbers that pandas writes, others that name each row.
    written = any(map(is_unnamed, numbered))
    apart = [
        c
        for c in once
        if not is_unnamed(c)
        and (found.counts_rows(c) or (written and found.is_apart(c, True)))
    ]
    for choice in (named, texts, apart):
        if choice:
            return (min(choice, key=lambda c: _row_order(found, c)),)
    for number in (2, 3):
        for key in combinations(several, number):
            if found.repeats(key) == 0:
                return key
    first = found.table.columns[0]
    if several or numbered:
        return ((several or numbered)[0],)
    if first not in found.numbers or found.is_apart(first):
        return (first,)
    return None


def _is_topic(column):
    """Return whether a name is that of topics, and not a letter."""
    return rank(column, "topic") == 1 and len(str(column)) > 1


def shorter_name(found: Structure, key: Column) -> Column:
    """Return the column that names the rows of a wide table as a long text
    does, and is much shorter, such as the id of a question; else the
    text."""
    shorter = [
        c
        for c in found.codes
        if found.is_each_once(c)
        and {*ranks_of(c)} & {*ranks_of(key)} & {*FACETS}
        and found.letters(c) + _SHORTER < found.letters(key)
    ]
    return min(shorter, key=found.letters, default=key)


def _row_order(found, column):
    """Sort columns that name rows: by their names, then text before
    numbers, then the shortest."""
    number = found.kinds[column] == "number"
    return _best_rank(column), number, found.letters(column)


# Third: one question.


def choose(
    source: object, found: Structure, layouts: Sequence[Layout]
) -> Layout:
    """Return the only reading, or that which is clearly the likeliest;
    of one system whose topics no name tells, not without a question.

    Raises
    ------
    Question
        If there is another.
    """
    first, *others = layouts
    clear = _CLEAR if first.guessed else _CLEAR_NAMED
    near = [x for x in others if x.cost < first.cost + clear]
    alone = first.across and first.guessed and first.cost > _UNNAMED
    if not near and not alone:
        return first
    raise ask(source, found, [first, *near])


def ask(
    source: object, found: Structure, layouts: Sequence[Layout]
) -> Question:
    """Make the question which of several readings is right."""

    def likeliest(layout):
        by_role = {r: c for c, r in layout.roles.items()}
        system, topic = by_role.get("system"), by_role.get("topic")
        (first, *_) = layout.roles
        down = layout.across and "system" not in by_role
        if down:  # rows with names are rather systems
            down = _has_letters(found, first)
            down = down and not is_numbered(found.table[first])
        number = found.levels.get(system, len(found.table))
        topics = -found.levels.get(topic, 0)
        return layout.cost, down, system in found.numbers, number, topics

    ordered = sorted(layouts, key=likeliest)
    ways = [*dict.fromkeys(_way_to(layout) for layout in ordered)]
    if all(layout.across for layout in layouts):
        return Question(
            f"{source} does not say whether its rows are systems or "
            "topics.",
            ways,
        )
    columns = dict.fromkeys(c for x in ordered for c in x.roles)
    return Question(
        f"{source} does not say what its columns {list_names(columns)} "
        "are.",
        ways,
    )


def _way_to(layout):
    """Write the option that says a reading: of a design with facets that
    are neither topics nor assessors, its design."""
    if layout.across:
        roles = {
            r: ROWS if len(layout.roles) == 1 else c
            for c, r in layout.roles.items()
        }
        return way("columns", **roles)
    roles = layout.roles
    if {*roles.values()} <= {*FACETS}:
        facets = sorted(roles, key=lambda c: _place(roles[c]))
        return way("columns", **{roles[c]: c for c in facets})
    facets = sorted(map(str, roles), key=lambda c: _place(roles[c]))
    return way("design", " x ".join(facets))


def tell_apart(
    source: object,
    found: Structure,
    facets: Mapping[Column, str],
    declared: bool = False,
) -> Question | None:
    """Make the question what tells several scores of a cell apart; None if
    nothing does, or there are none. Where the facets are those of a
    declared design, another design answers it.

    Never a time, a price or the number of a row does; a text, if nothing
    shorter does.
    """
    given = sorted(facets, key=lambda c: _place(facets[c]))
    if not found.repeats(given):
        return None
    free = [
        c
        for c in found.codes
        if c not in given
        and found.kinds[c] in ("text", "mixed", "number")
        and 1 < found.levels[c] < len(found.table)
        and not (is_aside(c) or is_average(c) or is_unnamed(c))
        and not {"score", "criterion"} & {*ranks_of(c)}
        and not (found.has_fractions(c) and found.levels[c] > _SETTINGS)
    ]
    nests = {c: _nests(found, c, given) for c in free}
    free.sort(
        key=lambda c: (
            len(nests[c]),
            _best_rank(c),
            found.levels[c],
            found.letters(c),
        )
    )
    best: tuple[Column, ...] = ()
    least = found.repeats(given) / 2
    for number in (1, 2, 3):
        for key in combinations(free, number):
            left = found.repeats([*given, *key])
            if left < least:
                best, least = key, left
        if best and least == 0:
            break
    if not best:
        return _ask_runs(source, found, facets, declared)
    nested = {c: nests[c] for c in best if nests[c]}
    if len(best) > 1 and found.fills([*given, *best]) < NEARLY:
        return _ask_join(source, facets, best)
    return _ask_apart(source, found, facets, best, least, declared, nested)


def _nests(found, column, facets):
    """List the facets with several levels, but fewer, of which each level
    of a column has one, as each text of a question has."""
    several = [
        f for f in facets if 1 < found.levels[f] < found.levels[column]
    ]
    return [f for f in several if found.is_determined(f, [column])]


def _place(role):
    """Return the place of a role in a design: systems come first."""
    return FACETS.index(role) if role in FACETS else len(FACETS)


def way_of_roles(facets: Mapping[Column, str], **more: Hashable) -> str:
    """Write the option that says the roles of columns, and of others."""
    ordered = sorted(facets, key=lambda c: _place(facets[c]))
    return way("columns", **{facets[c]: c for c in ordered}, **more)


def _ask_runs(source, found, facets, declared):
    """Ask whether rows that nothing tells apart are runs of the same; of
    copies of rows, nobody asks."""
    given = sorted(facets, key=lambda c: _place(facets[c]))
    runs = not declared and "repetition" in facets.values()
    if runs or found.is_constant(given[0]):  # numbered, or one system's
        return None
    cells = found.cells(given)
    twice = pd.Series(cells).duplicated().to_numpy()
    again = int(twice.sum())
    if found.table.astype(str).duplicated().sum() >= again:
        return None
    first = found.table.iloc[int(twice.argmax())]
    cell = ", ".join(name_level(str(c), first[c]) for c in given)
    what = (
        f"{source} has several scores in a cell of {list_names(given)}, "
        f"which no column tells apart: {count_noun(again, 'row')} too "
        f"many, the first of {cell}."
    )
    after = "If they are no runs of the same, remove or average them."
    nested = {c: _nests(found, c, given) for c in given}
    nested = {c: outer for c, outer in nested.items() if outer}
    if not (declared or nested):
        return Question(
            what, [way_of_roles(facets, repetition=ROWS)], after
        )
    crossed = [c for c in given if c not in nested]
    design = _write_design(crossed, [*nested], nested)
    if " x " in design and not design.startswith("("):
        design = f"({design})"
    return Question(what, [way("design", f"{ROWS}:{design}")], after)


def _write_design(facets, apart, nested):
    """Write the design of facets and of columns apart from them, of which
    some are nested in facets."""
    parts = [*map(str, facets)]
    for column in apart:
        outer = [str(f) for f in nested.get(column, []) if str(f) in parts]
        within = " x ".join(outer)
        if len(outer) > 1:
            within = f"({within})"
        parts = [part for part in parts if part not in outer]
        parts.append(f"({column}:{within})" if outer else str(column))
    return " x ".join(parts)


def _ask_join(source, facets, apart):
    """Ask whether columns that do not cross are settings of the systems."""
    system = next(c for c, r in facets.items() if r == "system")
    joined = JOIN.join(map(str, [system, *apart]))
    said = {c: r for c, r in facets.items() if c != system}
    said[joined] = "system"
    return Question(
        f"{source} has several scores in a cell of {list_names(facets)}, "
        f"which {list_names(apart)} tell apart.",
        [way_of_roles(said)],
        "So each combination of these is a system of its own.",
    )


def _ask_apart(source, found, roles, apart, left, declared, nested):
    """Ask what the columns are that tell scores of a cell apart; some are
    nested in facets."""
    facets = sorted(roles, key=lambda c: _place(roles[c]))
    but = f", but for {left} rows: remove or average these" if left else ""
    what = (
        f"{source} has several scores in a cell of {list_names(facets)}, "
        f"which {list_names(apart)} tell{'s' * (len(apart) == 1)} apart"
        f"{but}."
    )
    if found.is_constant(facets[0]) and not declared:
        own = [c for c in facets if roles[c] == "repetition"]
        said = {c: r for c, r in roles.items() if c not in own}
        joined = JOIN.join(map(str, [*own, *apart]))
        return Question(
            what,
            [way_of_roles(said, repetition=joined)],
            "So they are runs of the same, of which the mean counts.",
        )
    crossed = way("design", _write_design(facets, apart, nested))
    if nested:  # others come with each level of what they are nested in
        return Question(what, [crossed])
    fixed = way("fixed", ",".join(map(str, apart)))
    ways = [f"{crossed} {fixed}", crossed]
    after = (
        "The first, if these are all there are; the second, if others "
        "could be drawn"
    )
    runs = "repetition" in roles.values()
    if len(apart) == 1 and not (declared or runs):
        ways.append(way_of_roles(roles, repetition=apart[0]))
        after += "; the third, if they are runs of the same"
    return Question(what, ways, f"{after}.")


def roles_by_name(
    source: object,
    columns: Iterable[Column],
    roles: Sequence[str] = (*FACETS, "score"),
    said: Mapping[Column, str] | None = None,
) -> dict[Column, str]:
    """Find columns by their names alone, of a table that nobody looks at.

    Raises
    ------
    Question
        If two names are equally good for a role.
    """
    said = said or {}
    by_name = {plain(c): r for c, r in said.items()}
    columns = [*columns]
    chosen = {c: by_name[plain(c)] for c in columns if plain(c) in by_name}
    # Good names of systems choose first, others after the topics.
    for role in [*roles[:1], *roles[1:2], *roles]:
        if role in chosen.values():
            continue
        early = role == "system" and "topic" not in chosen.values()
        ranks = {
            c: n
            for c in columns
            if c not in chosen
            and (n := rank(c, role)) is not None
            and not (early and n > 2 and len(roles) > 1)
        }
        best = [c for c, n in ranks.items() if n == min(ranks.values())]
        if len(best) > 1:
            raise Question(
                f"Several columns of {source} may name the {role}: "
                f"{list_some(best)}.",
                [way("columns", **{role: c}) for c in best],
            )
        chosen |= dict.fromkeys(best, role)
    return {c: chosen[c] for c in columns if c in chosen}
