"""Marks that people and machines gave to the same items: whose each column
is.

They are raters, never systems. Names say who is a person and who a machine
(the roles ``human`` and ``machine`` of ``words.csv``); where they say it of
one side only, or of what may be a system as well, one question is asked.
"""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from gtaudit.columns import (
    COLUMNS,
    ROWS,
    Question,
    Reading,
    way,
    way_of_marks,
)
from gtaudit.not_scores import split_measures
from gtaudit.structure import Column, Structure, structure
from gtaudit.words import (
    is_aside,
    is_average,
    is_id,
    is_index,
    is_unnamed,
    plain,
    rank,
)
from gtlib.checks import as_numbers, list_names, list_some
from gtlib.judges import MOST_GRADES

HUMAN, JUDGE = MARKED = "human", "judge"
# What says that somebody marked, and no system was measured.
_MARKING = {"rating", "label", "grade", "judgment", "judgement", "verdict"}
_MARKING |= {"annotation", "mark", "passed"}
# What is said of a mark, or made of two of them.
_OF_MARKS = {"confidence", "probability", "prob", "agreement", "agree"}
_OF_MARKS |= {"match", "difference", "diff", "gap", "delta", "bias"}
_DRAWN = "system", "topic"
# More columns are not all those of raters and of what they marked.
_FEW = 100
# A category has fewer words.
_SENTENCE = 3
# Larger numbers lose the digits of their squares.
_LARGEST = 1e15


def whose(name: Column) -> str:
    """Return ``human`` or ``judge``, where a name says who marked.

    Examples
    --------
    >>> names = "rater_1", "humanScore", "gpt-4o", "Claude judge", "bm7"
    >>> [whose(name) for name in names]
    ['human', 'human', 'judge', 'judge', '']
    """
    words = _words_in(name)
    people = any(rank(w, "human") for w in words)
    machine = any(rank(w, "machine") == 1 for w in words)
    if people:
        return "" if machine else HUMAN
    if machine or _is_judge(words) or any(rank(w, "known") for w in words):
        return JUDGE
    return HUMAN if any(_is_rater(w) for w in words) else ""


def _words_in(name):
    """Return the words of a name, without the numbers behind them."""
    parts = re.findall(r"[^\W\d_]+", plain(name).replace("_", " "))
    return [part for part in parts if len(part) > 1]


def _is_judge(words):
    return any(rank(w, "machine") == 2 for w in words)


def _is_rater(word):
    return (rank(word, "assessor") or 9) < 3


def find_marks(
    source: object,
    found: Structure,
    said: Mapping[Column, str],
    measure: str | None = None,
) -> pd.DataFrame | None:
    """Return marks by people and machines, a row per item and a column per
    rater, if a table has them; else None.

    Items have their names as index, with those of systems before them, if
    there are any; ``attrs`` has a `Reading` with the roles of the raters.

    Raises
    ------
    Question
        If it is not sure who is a person, a machine, or a system.
    ValueError
        If marks cannot be right.
    """
    own = {c: r for c, r in said.items() if r in MARKED}
    others = {*said.values()} - {*MARKED, "system", "topic"}
    if others or {ROWS, COLUMNS} & {*said}:
        return None
    if not own and len(found.table.columns) > _FEW:
        return None
    found, otherwise = _spread(source, found, {*own}, said, measure)
    if not own and measure in found.table:
        return None
    unknown = [c for c in own if c not in found.table]
    if unknown:
        raise ValueError(
            f"{source} has no column {unknown[0]!r}, as --columns says; "
            f"its columns are {list_some(found.table.columns, 8)}."
        )
    free = [c for c in found.table if c not in said]
    marks = [c for c in free if _may_be_marks(found, c)]
    both = [*marks, *own]
    marks = [c for c in marks if _is_category(found, c, both)]
    by = own | {c: whose(c) for c in marks if len({*own.values()}) < 2}
    raters = {c: role for c, role in by.items() if role}
    if {*MARKED} <= {*own.values()}:
        raters = own
    raters = _without_names(raters, own)
    if not {*MARKED} <= {*raters.values()}:
        _ask_other_side(source, found, raters, by, said)
        return None
    if otherwise and not own:
        _ask_whether_systems(source, found, raters, otherwise)
    raters = _of_one_measure(source, raters, measure)
    return _marks(source, found, raters, said)


def _may_be_marks(found, column):
    """Return whether a column may hold marks: numbers, or categories."""
    words = _words_in(column)
    if found.kinds[column] in ("time", "empty") or is_aside(column):
        return False
    if is_unnamed(column) or is_id(column) or is_index(column):
        return False
    if is_average(column) or {*words[-1:]} & _OF_MARKS:
        return False
    if not whose(column) and 1 in (rank(column, r) for r in _DRAWN):
        return False
    if found.kinds[column] in ("text", "mixed"):
        few = found.levels[column] <= MOST_GRADES + 1
        return few and found.words(column) < _SENTENCE
    return not found.counts_rows(column)


def _is_category(found, column, others):
    """Return whether a text is one of categories that another column has,
    too, and not a name."""
    if found.kinds[column] not in ("text", "mixed"):
        return True
    own = _values(found, column)
    if any(own & _values(found, c) for c in others if c != column):
        return True
    if any(
        rank(c, "score") for c, k in found.kinds.items() if k == "number"
    ):
        return False
    words = _words_in(column)
    bare = len(words) == 1 and _is_sure(column, whose(column))
    return bare and len(own) > 1 and not any(map(whose, own))


def _values(found, column):
    """Return the different values of a column, as text."""
    return {*found.table[column].dropna().astype(str).str.strip()} - {""}


def _without_names(raters, own):
    """Leave out a column called ``annotator`` that says who marked, where
    others have the marks."""
    kept = {
        c: role
        for c, role in raters.items()
        if c in own or plain(c) == JUDGE or rank(c, "assessor") != 1
    }
    enough = {*kept.values()} == {*raters.values()}
    return kept if enough else raters


def _spread(source, found, own, said, measure):
    """Return a table with a column for each rater, of one that has a
    column of their names; and the option that says they are systems, if
    they may be."""
    for column, kind in found.kinds.items():
        if kind not in ("text", "mixed") or column in said:
            continue
        systems = not own and (rank(column, "system") or 9) < 3
        if systems or found.is_each_once(column):
            continue
        names = _values(found, column)
        who = {whose(name) for name in names}
        named = (rank(column, "assessor") or 9) < 3
        several = any((rank(c, "system") or 9) < 3 for c in found.table)
        if who == {*MARKED} or (own and own <= names):
            wide, item = _pivoted(source, found, column, measure)
            otherwise = way("columns", system=column, topic=item)
            return wide, "" if named else otherwise
        machines = _is_judge(_words_in(column)) and HUMAN not in who
        asked = named and not several and not machines
        if asked and {JUDGE, ""} <= who:
            people = {n: whose(n) or HUMAN for n in sorted(names)}
            raise Question(
                f"The column {column} of {source} names machines and "
                "others, who may be people.",
                [way_of_marks(people)],
            )
    return found, way("columns", system="columns")


def _pivoted(source, found, column, measure):
    """Return a table with a column for each that a column names, and the
    column of the items."""
    rest = [c for c in found.table if c != column]
    scores = [c for c in rest if rank(c, "score") and not is_id(c)]
    scores = [c for c in rest if c == measure] or scores or rest[-1:]
    if len(scores) > 1:
        raise Question(
            f"Several columns of {source} may be the marks: "
            f"{list_some(scores)}.",
            [way("measure", c) for c in scores],
        )
    others = [c for c in rest if c not in scores and c in found.codes]
    keys = [c for c in others if rank(c, "topic") or rank(c, "system")]
    keys = keys or others[:1]
    twice = found.table.duplicated([*keys, column])
    if not keys or twice.any():
        raise ValueError(
            f"{source} has several marks of the same item by "
            f"{found.table[column][twice].iloc[0]}: leave one, or add a "
            "column that tells the items apart."
        )
    wide = found.table.pivot_table(
        scores[0], keys, column, aggfunc="first", sort=False
    )
    wide = wide.reset_index().rename_axis(columns=None)
    return structure(wide), keys[-1]


def _ask_other_side(source, found, raters, by, said):
    """Ask who marked beside people, or beside a machine, if a column has
    the same grades."""
    own = {*raters} & {*said}
    (side,) = {*raters.values()} or {""}
    sure = [c for c in raters if c in own or _is_sure(c, side)]
    if not sure:
        return
    grades = [_values(found, c) for c in sure]
    others = [
        c
        for c in by
        if c not in raters
        and any(g & _values(found, c) for g in grades)
        and (own or found.levels[c] <= MOST_GRADES + 1)
        and not rank(c, "criterion")
    ]
    if not others:
        if own:
            raise ValueError(
                f"{source} has no marks beside those of "
                f"{list_some(sure)} (--columns)."
            )
        return
    other = {HUMAN: JUDGE, JUDGE: HUMAN}[side]
    several = [others, others[:1]] if len(others) > 1 else [others]
    ways = [way_of_marks(raters | dict.fromkeys(c, other)) for c in several]
    if not own:
        ways.append(way("columns", system="columns"))
    verb = "are people" if other == HUMAN else "are machines"
    raise Question(
        f"{source} has marks of {list_some(sure)}; {list_some(others)} "
        f"may be others who marked the same, and {verb}, or systems.",
        ways,
    )


def _is_sure(column, side):
    """Return whether a name says by itself that marks are of this side."""
    words = _words_in(column)
    if side == JUDGE:
        return _is_judge(words)
    return any(rank(w, "human") for w in words)


def _ask_whether_systems(source, found, raters, otherwise):
    """Ask whether people and well-known models are systems, where nothing
    says that anybody marked."""
    words = {w for c in raters for w in _words_in(c)}
    marking = bool(words & _MARKING) or any(
        rank(w, "machine") or _is_rater(w) for w in words
    )
    if marking or _system(found, raters, {}) is not None:
        return
    raise Question(
        f"{list_names(raters)} of {source} may be people and machines that "
        "marked the same, or systems.",
        [way_of_marks(raters), otherwise],
    )


def _of_one_measure(source, raters, measure):
    """Return the raters' columns of one measure, if each has several."""
    several = split_measures([*raters])
    if several is None:
        return raters
    chosen = several.choose(source, measure).values()
    return {c: role for c, role in raters.items() if c in chosen}


def _system(found, raters, said):
    """Return the column that names systems, if there are several."""
    given = [c for c, role in said.items() if role == "system"]
    named = [
        c
        for c in found.table
        if c not in raters
        and c not in said
        and (rank(c, "system") or 9) < 3
        and found.kinds[c] in ("text", "mixed")
        and found.is_shared(c)
    ]
    named.sort(key=lambda c: rank(c, "system") or 9)
    return next(iter([*given, *named]), None)


def _item(found, raters, system, said):
    """Return the column that names items, each once or once for each
    system; None if there is none."""
    given = [c for c, role in said.items() if role == "topic"]
    if given:
        return given[0]
    keys = [
        c
        for c in found.codes
        if c not in raters
        and c != system
        and not found.has_fractions(c)
        and found.kinds[c] not in ("empty", "time")
        and not found.repeats([c] if system is None else [system, c])
    ]
    if not keys:
        return None
    return min(
        keys, key=lambda c: (rank(c, "topic") or 5, found.letters(c))
    )


def _marks(source, found, raters, said):
    """Make the table of marks."""
    system = _system(found, raters, said)
    item = _item(found, raters, system, said)
    marks = pd.DataFrame(
        {str(c): _numbers(source, found, c) for c in raters}
    )
    table, notes = found.table, []
    names = pd.RangeIndex(1, len(table) + 1).astype(str)
    if item is not None:
        names = table[item].astype(str)
    keys = {"item": names}
    if system is not None:
        keys = {"system": table[system].astype(str)} | keys
    marks.index = pd.MultiIndex.from_arrays([*keys.values()], names=[*keys])
    twice = marks.index[marks.index.duplicated()]
    if len(twice):
        raise ValueError(
            f"{source} has several rows of "
            f"{', '.join(twice[0])}: leave one."
        )
    shown = {str(system): "system"} if system is not None else {}
    if item is not None and not is_unnamed(item):
        shown[str(item)] = "topic"
    again = [
        c
        for c in found.codes
        if c not in (*raters, system, item)
        and rank(c, "topic") == 1
        and found.is_shared(c)
    ]
    if again:
        notes.append(
            f"Several rows have the same {again[0]}; each row is taken for "
            "an item by itself, drawn without the others."
        )
    used = {*shown, *map(str, raters)}
    left_out = [str(c) for c in table if str(c) not in used]
    shown |= {str(c): role for c, role in raters.items()}
    shape = [len({*level}) for level in keys.values()]
    marks.attrs = {
        "reading": Reading(
            shown, (*filter(str.strip, left_out),), (*shape, len(raters))
        ),
        "report": notes,
        "marks": {str(c): role for c, role in raters.items()},
    }
    return marks


def _numbers(source, found, column):
    """Return the marks of a rater: numbers, or words; what is neither is
    refused."""
    if column in found.numbers:
        values = found.numbers[column].to_numpy(float)
        if np.nanmax(np.abs(values), initial=0) > _LARGEST:
            raise ValueError(
                f"A mark in {column} of {source} is beyond {_LARGEST:g}: "
                "squares of such numbers lose their digits. Give marks in "
                "another unit."
            )
        return values
    texts = found.table[column].astype(object)
    texts = texts.where(texts.notna(), None)
    if found.is_broken(column):
        numbers = as_numbers(texts)
        wrong = texts[numbers.isna() & texts.notna()].iloc[0]
        raise ValueError(
            f"{wrong!r} stands among the numbers of {column} in {source}. "
            "Was nothing marked there? Then leave the field empty."
        )
    return texts.map(lambda x: x and str(x).strip()).replace("", None)
