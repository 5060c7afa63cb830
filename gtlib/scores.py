"""Score tables, read and checked once; and `Interval`, a result."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import combinations, permutations
from math import isfinite, isnan, nan, prod
from numbers import Real
from typing import NamedTuple, TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.checks import (
    as_numbers,
    count_noun,
    list_names,
    list_some,
    name_level,
    plural,
    share_below_one,
    shown,
    whole_number,
)
from gtlib.design import Design

__all__ = ["Interval", "drop_worst", "tidy"]


@dataclass(frozen=True)
class Interval:
    """A confidence interval, or the reason why there is none.

    Attributes
    ----------
    low, high : float
        The limits, in the unit of `estimate`: both NaN if there is no
        interval; `high` infinite if there is no upper limit.
    estimate : float
        What the interval is about.
    confidence_level : float
    method : str
        What it was computed by.
    reason : str
        Why there is no interval, no upper limit, or an estimate outside
        the limits, or why it may not hold; else empty.
    of : str
        The name of what is estimated, such as ``"generalizability"``.
    taken : str
        What the table was taken for, where it is computed from one:
        ``"9 systems (rows) x 50 topics (columns)"``.

    Examples
    --------
    >>> import gtlib as gt
    >>> print(gt.Interval(0.8324, 0.9837, 0.9314, method="feldt"))
    0.9314 [0.8324, 0.9837] (95%, feldt)
    """

    low: float
    high: float
    estimate: float = nan
    confidence_level: float = 0.95
    method: str = ""
    reason: str = ""
    of: str = ""
    taken: str = ""

    def __str__(self) -> str:
        if isnan(self.low):
            text = f"no interval of {self.of}" if self.of else "no interval"
            if isfinite(self.estimate):
                text += f", whose estimate is {_as_text(self.estimate)}"
            return "; ".join(
                filter(None, [f"{text}: {self.reason}", self.taken])
            )
        numbers = self.estimate, self.low, self.high
        estimate, low, high = map(_as_text, numbers)
        quantity = f"{self.of} " if self.of else ""
        text = (
            f"{quantity}{estimate} [{low}, {high}] "
            f"({100 * self.confidence_level:g}%, {self.method})"
        )
        return "; ".join(filter(None, [text, self.taken, self.reason]))

    def __format__(self, spec: str) -> str:
        """The estimate and the limits, each by `spec`: ``.93 [.83, .98]``
        is short for a sentence.

        >>> f"{Interval(0.8324, 0.9837, 0.9314):.2f}"
        '0.93 [0.83, 0.98]'
        """
        if not spec:
            return str(self)
        estimate, low, high = (
            format(x, spec) if isfinite(x) else "none"
            for x in (self.estimate, self.low, self.high)
        )
        if isnan(self.low):
            return f"{estimate} [unknown]"
        return f"{estimate} [{low}, {high}]"


def _as_text(number):
    """Four digits, or a whole number where there are more."""
    if not isfinite(number):
        return "none"
    return f"{number:,.0f}" if abs(number) >= 1e4 else f"{number:.4g}"


# Score tables: one validated shape for every analysis.
#
# A *wide* table is a DataFrame with a row per system, a column per topic
# and the scores as values. A *long* table has a row per observation, a
# column per facet (system, topic, assessor, ...) and a column ``score``.
# What cannot be right is refused here, once, so that no other module has to
# look again.

# Limits of the range of scores, within which sums of squares are finite.
_SMALLEST, _LARGEST = 1e-60, 1e60

# Each facet's codes, one per observation; each facet's levels, which the
# codes count; and the scores.
Codes = tuple[dict[str, np.ndarray], dict[str, pd.Index], np.ndarray]


def as_wide(
    scores: pd.DataFrame | ArrayLike, *, fewest_systems: int = 2
) -> pd.DataFrame:
    """Return a complete systems x topics table of finite floats."""
    fewest_systems = whole_number(fewest_systems, "fewest_systems")
    return read_complete(scores, fewest_systems)[0]


def as_long(
    scores: pd.DataFrame | ArrayLike,
    facets: Sequence[str] = ("system", "topic"),
) -> pd.DataFrame:
    """Return a row per observation: the columns `facets`, and ``score``."""
    if isinstance(facets, str) or len({*_listed(facets)}) < 2:
        raise ValueError(
            f"facets={facets!r}: the names of two columns or more are "
            "needed, for instance ('system', 'topic')."
        )
    codes, levels, values, _ = read_observations(scores, facets)
    columns = {facet: levels[facet].take(codes[facet]) for facet in codes}
    return pd.DataFrame({**columns, "score": values})


def tidy(table: pd.DataFrame) -> pd.DataFrame:
    """Return the scores that were observed in a table as it was read.

    Parameters
    ----------
    table : DataFrame
        What ``pandas.read_csv`` gives.  Long, with the columns ``system``,
        ``topic``, perhaps ``assessor``, and ``score``; or wide, with a row
        per system and a column per topic (or the other way round, if its
        first column is called ``topic``).  The names of a wide table's
        rows may be its index or its first column.  A score that is missing
        was not observed.

    Returns
    -------
    DataFrame, a row per observed score
        The columns ``system``, ``topic``, ``assessor`` (if there are
        several), and ``score``.

    Raises
    ------
    ValueError
        If a column ``system`` or ``topic`` is not there or has one level
        only, a cell or a row is given twice, or a score is infinite or
        not a number.

    Examples
    --------
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> gt.tidy(pd.DataFrame({"run": ["a", "b"], "q1": [0.1, None],
    ...                    "q2": [0.4, 0.2]}))
      system topic  score
    0      a    q1    0.1
    1      a    q2    0.4
    2      b    q2    0.2
    """
    facets = ["system", "topic"]
    if isinstance(table, pd.DataFrame) and not is_long(table):
        table = _melt(table)
    table = require_columns(table, [*facets, "score"])
    if "assessor" in table and len(table["assessor"].unique()) > 1:
        facets.append("assessor")
    observed = table[table["score"].notna()].reset_index(drop=True)
    return as_long(observed, facets)


def _melt(wide):
    """Make a wide table long: a row per cell, gaps as well."""
    facets = "system", "topic"
    values, labels, axes = _read_wide(wide, facets, 1, gaps=True)
    table = pd.DataFrame(values, labels[axes.rows], labels[axes.columns])
    table = table.rename_axis(index=axes.rows, columns=axes.columns)
    return table.reset_index().melt(axes.rows, value_name="score")


def read_observations(
    scores: pd.DataFrame | ArrayLike,
    facets: Sequence[str],
    fewest_systems: int = 2,
) -> tuple[dict[str, np.ndarray], dict[str, pd.Index], np.ndarray, Axes]:
    """Return the observations of a score table as whole numbers.

    ``(codes, levels, values, axes)``: each facet's code of every
    observation and its levels in the order in which they first appear, the
    scores, and which facets the axes of a wide table were taken for.
    """
    facets = list(facets)
    if len(facets) == 2:
        if not is_long(scores, facets):
            values, labels, axes = _read_wide(
                scores, facets, fewest_systems
            )
            rows, columns = np.indices(values.shape)
            number = {axes.rows: rows, axes.columns: columns}
            codes = {facet: number[facet].ravel() for facet in facets}
            levels = {facet: labels[facet] for facet in facets}
            return codes, levels, values.ravel(), axes
        if not {*facets} & {*scores.columns}:
            refuse_unnamed_long(scores, facets)
    table = require_columns(scores, [*facets, "score"])
    values = _score_values(table, facets)
    codes, levels = {}, {}
    for facet in facets:
        code, levels[facet] = pd.factorize(table[facet])
        if (code < 0).any():
            raise ValueError(
                f"Row {table.index[code.argmin()]} has no {facet}: every "
                "observation needs one."
            )
        codes[facet] = code
        _refuse_empty_levels(table[facet], levels[facet])
        require_enough(len(levels[facet]), facet, fewest_systems)
    cell = cell_numbers(codes, levels)
    if not pd.Index(cell).is_unique:
        twice = pd.Series(cell).duplicated()
        other_columns = table.drop(columns=[*facets, "score"]).nunique(
            dropna=False
        )
        differing = [
            str(name)
            for name, values in other_columns.items()
            if values > 1
        ]
        first = _name_cell(table, facets, twice.argmax())
        raise repeated_cell_error(int(twice.sum()), first, differing)
    return codes, levels, values, _NO_AXES


def read_complete(
    scores: pd.DataFrame | ArrayLike, fewest_systems: int = 2
) -> tuple[pd.DataFrame, str]:
    """Return what `as_wide` does, and what the table was taken for."""
    facets = "system", "topic"
    if is_long(scores):
        read = read_observations(scores, facets, fewest_systems)
        table, axes = _unstack(*read[:3]), read[3]
    else:
        values, labels, axes = _read_wide(scores, facets, fewest_systems)
        if axes.rows == "topic":
            values = values.T
        table = pd.DataFrame(values, labels["system"], labels["topic"])
        table = table.rename_axis(index="system", columns="topic")
    return table, axes.describe(dict(zip(facets, table.shape, strict=True)))


def _unstack(codes, levels, values):
    """Return the systems x topics table of scores in any order; refuse
    one that lacks a cell."""
    systems, topics = levels.values()
    cells = np.full((len(systems), len(topics)), np.nan)
    cells[codes["system"], codes["topic"]] = values
    gaps = np.argwhere(np.isnan(cells))
    if len(gaps):
        names = [f"{systems[s]} on topic {topics[t]}" for s, t in gaps]
        raise ValueError(
            f"{count_noun(len(gaps), 'cell')} without a score: "
            f"{list_some(names)}. "
            "Add the rows (a topic that a run lacks usually counts as 0) "
            "or leave out the system or topic."
        )
    table = pd.DataFrame(cells, systems, topics)
    return table.rename_axis(index="system", columns="topic")


def cell_numbers(
    codes: Mapping[str, np.ndarray], levels: Mapping[str, pd.Index]
) -> np.ndarray:
    """Number the cell of each observation; the last facet's level counts
    fastest."""
    cell = np.zeros(1, dtype=np.int64)
    for facet, code in codes.items():
        cell = cell * len(levels[facet]) + code
    return cell


def drop_worst(
    scores: pd.DataFrame | ArrayLike, fraction: float = 0.25
) -> pd.DataFrame:
    """Keep the best ``floor((1 - fraction) n)`` of n systems, by mean.

    Poor systems differ from the others on every topic and so flatter a
    collection; the usual cure is to leave the worst quarter out (Voorhees
    & Buckley 2002; Bodoff & Li 2007, Table 2, without saying so).

    Parameters
    ----------
    scores : DataFrame or 2-d array
        Long with the columns ``system``, ``topic`` and ``score``; or wide,
        with a row per system and a column per topic, unless the names of
        its axes say that it is the other way round: rows that are called
        ``topic``, ``query``, ``question``, ``item`` or ``qid`` are topics,
        and so are columns; ``system``, ``run`` and ``model`` are systems.
        The names of rows are the index or the first column. Rows of an
        array are systems, numbered from 1.
    fraction : float in [0, 1)
        The share of systems to leave out.

    Returns
    -------
    DataFrame of float, systems x topics
        The systems kept, in their original order. Of systems with equal
        means the one that comes first in the table stays.

    Raises
    ------
    ValueError
        If fewer than two systems would stay; naming the system and topic,
        if a cell is given twice or not at all, or a score is infinite or
        not a number.

    Examples
    --------
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> table = pd.DataFrame([[0.1, 0.2], [0.5, 0.4], [0.3, 0.4]],
    ...                      index=["a", "b", "c"], columns=[1, 2])
    >>> gt.drop_worst(table, 1 / 3).index.tolist()
    ['b', 'c']
    """
    fraction = share_below_one(fraction, "fraction")
    table = as_wide(scores)
    means = table.mean(axis="columns")
    kept = math.floor((1 - fraction) * len(means) + 1e-9)
    if kept < 2:
        raise ValueError(
            f"Dropping {fraction:g} of {len(means)} systems leaves {kept}; "
            "at least two must stay."
        )
    best = means.sort_values(ascending=False, kind="stable").index[:kept]
    return table[table.index.isin(best)]


def is_long(
    scores: pd.DataFrame | ArrayLike,
    facets: Sequence[str] = ("system", "topic"),
) -> TypeGuard[pd.DataFrame]:
    """Return whether a table has named facet or score columns. A first
    column alone names the rows of a wide table."""
    if not isinstance(scores, pd.DataFrame):
        return False
    named = {"score", *facets} & {*scores.columns}
    return "score" in named or bool(named - {*scores.columns[:1]})


# A wide table: which facet its rows are, and which its columns.
#
# Names of axes are obeyed: rows that are called query are topics. What is
# called something else is what the place says: rows are systems.

_CALLED = {
    "system": ("system", "run", "model"),
    "topic": ("topic", "query", "question", "item", "qid"),
}
_ROLES = {
    name: role
    for role, words in _CALLED.items()
    for word in words
    for name in (word, plural(word))
}


_PLACES = "rows", "columns"


class Axes(NamedTuple):
    """Which facets rows and columns are; empty of a long table. `why` says
    so in words, where the name of an axis turned the table."""

    rows: str = ""
    columns: str = ""
    why: str = ""

    def describe(self, sizes: Mapping[str, int]) -> str:
        """Say how many levels each facet has, and where it stands."""
        places = {self.rows: " (rows)", self.columns: " (columns)"}
        counts = [
            count_noun(n, facet) + places.get(facet, "")
            for facet, n in sizes.items()
        ]
        return "; ".join(filter(None, [" x ".join(counts), self.why]))


_NO_AXES = Axes()


def called_like(name: object) -> str:
    """Return whether a name is one of systems or of topics, in any
    capitals, of one or many, such as ``QIDs`` or ``model_name``."""
    return _role_of(name) if isinstance(name, str) else ""


@lru_cache(maxsize=2**18)  # the names of columns are looked at again
def _role_of(text):
    """Return the role of a name that is a text."""
    name = text.strip().casefold()
    without = re.sub(r"[\W_]*(id|name)s?$", "", name)
    return _ROLES.get(name) or _ROLES.get(without, "")


def _facet_called(name, facets):
    """Return the facet that an axis is called after, or nothing."""
    if name is None or name in facets:
        return name or ""
    role = called_like(name)
    like = [
        facet for facet in facets if role and called_like(facet) == role
    ]
    return like[0] if len(like) == 1 else ""


def _with_named_rows(wide):
    """Make the first column the index if it holds the names of the rows:
    texts, or what is called like a facet."""
    index = wide.index
    numbered = index.nlevels == 1 and index.name is None
    if (
        not len(wide.columns)
        or not numbered
        or index.dtype.kind not in "iu"
    ):
        return wide
    first = wide.columns[0]
    column = wide.iloc[:, 0]
    unnamed = first == "Unnamed: 0"  # as pandas calls it in a file
    if unnamed or called_like(first) or _are_names(column):
        rows = pd.Index(column, name=None if unnamed else first)
        return wide.iloc[:, 1:].set_axis(rows)
    return wide


def _are_names(column):
    """Return whether a column holds texts only, and no numbers as such."""
    if _is_numeric(column.dtype):
        return False
    texts = all(isinstance(value, str) for value in column)
    return texts and as_numbers(column).isna().all()


def _name_axes(wide, facets):
    """Return which facets the axes of a wide table are."""
    names = []
    for axis, what in zip(wide.axes, _PLACES, strict=True):
        if axis.nlevels > 1:
            stack = [*range(wide.columns.nlevels)]
            raise ValueError(
                f"The {what} of the scores have {axis.nlevels} names each: "
                f"{list_some(axis.names)}. A wide table has one; make it "
                f"long, with a column for each, by stack({stack}) and "
                "reset_index()."
            )
        names.append(axis.name)
    rows, columns = (_facet_called(name, facets) for name in names)
    first = "system" if "system" in facets else facets[0]
    (second,) = (facet for facet in facets if facet != first)
    if rows and rows == columns:
        other = second if rows == first else first
        raise ValueError(
            f"Rows are called {names[0]} and columns {names[1]}: both are "
            f"{plural(rows)}. Say which are {plural(other)}, by "
            f"scores.rename_axis(index={other!r}) or "
            f"scores.rename_axis(columns={other!r})."
        )
    axes = Axes(first, second)
    if rows == second or columns == first:
        said = "rows" if rows == second else "columns"
        named = names[0] if rows == second else names[1]
        facet = second if rows == second else first
        why = f"{said} are called {named}, so they are the {plural(facet)}"
        axes = Axes(second, first, why)
    return axes


def _refuse_names(names, facet, what):
    """Refuse names that are missing, or there twice."""
    if names.hasnans:
        raise ValueError(
            f"A {facet} has no name: number {names.isna().argmax() + 1} of "
            f"the {what}. Name it, or leave it out."
        )
    if names.is_unique:
        return
    twice = names[names.duplicated()].unique()
    hint = ""
    if what == "rows":
        hint = (
            " If a row is one score, the table is long: name its columns "
            "system, topic, assessor (if there are several) and score."
        )
    raise ValueError(
        f"The same {facet} appears twice: {list_some(twice)}. "
        f"Rename or remove one.{hint}"
    )


def _read_wide(
    scores, facets=("system", "topic"), fewest_systems=2, gaps=False
):
    """Return the finite floats of a wide table, its labels by facet, and
    its `Axes`; refuse one that is not right. With `gaps` a score may be
    missing, and is not a number."""
    if isinstance(scores, pd.DataFrame):
        refuse_unnamed_long(scores, facets)
        scores = _with_named_rows(scores)
    else:
        scores = _from_array(scores, facets)
    axes = _name_axes(scores, facets)
    labels = {axes.rows: scores.index, axes.columns: scores.columns}
    for what, (facet, names) in zip(_PLACES, labels.items(), strict=True):
        _refuse_names(names, facet, what)
        if not gaps:
            require_enough(len(names), facet, fewest_systems)
    values = _as_floats(scores)
    bad = ~np.isfinite(values)
    if gaps:
        bad &= scores.notna().to_numpy(dtype=bool)
    if bad.any():
        column, row = np.argwhere(bad.T)[0]
        value = scores.iloc[row, column]
        hint = ""
        if isinstance(value, str) and column == 0 and not bad[:, 1:].any():
            hint = (
                f" If {scores.columns[column]!r} holds the "
                f"{plural(axes.rows)}' names, make it the index: "
                "read_csv(..., index_col=0)."
            )
        elif (
            isinstance(value, str)
            and as_numbers(pd.Series([value])).notna().all()
        ):
            hint = (
                " It is a text: scores.apply(pd.to_numeric) makes numbers "
                "of such texts."
            )
        elif pd.isna(value):
            hint = (
                " If it was not observed, leave the "
                f"{' or '.join(axes[:2])} out, or make the table long and "
                "leave the row out."
            )
        cell = {
            axes.rows: scores.index[row],
            axes.columns: scores.columns[column],
        }
        names = [name_level(facet, cell[facet]) for facet in facets]
        raise bad_score_error(" on ".join(names), hint, value)
    labels = {facet: _plain(names) for facet, names in labels.items()}
    return values, labels, axes


def _plain(names):
    """Return names without a name of their own, nor names that are not
    there, as a category may have."""
    if isinstance(names, pd.CategoricalIndex):
        names = names.astype(names.categories.dtype)
    return names.rename(None)


def _from_array(scores, facets):
    """Make an array or a list of rows a table, numbered from 1."""
    table = pd.DataFrame(_two_dimensions(scores, facets))
    table.index += 1
    table.columns += 1
    return table


def _two_dimensions(
    scores: object, facets: Sequence[str] = ("system", "topic")
) -> np.ndarray:
    """Return scores as an array with two dimensions, or refuse them."""
    ndim: int | str = "rows of different lengths, not two"
    array = np.empty(0)
    with contextlib.suppress(ValueError):  # of ragged lists
        if isinstance(scores, np.ma.MaskedArray):  # masked is missing
            scores = np.ma.filled(scores.astype(float), np.nan)
        array = np.asarray(scores)
        ndim = 1 if isinstance(scores, pd.Series) else array.ndim
    if ndim != 2:
        raise ValueError(
            "A table of scores has two dimensions, "
            f"{' x '.join(map(plural, facets))}; this "
            f"{type(scores).__name__} has {ndim}."
        )
    return array


# A long table whose columns have other names: what to type.

_MOST_FACETS = 4
_MOST_GAPS = 0.5  # where more cells are empty, columns hardly are facets


class LongParts(NamedTuple):
    """Columns of a long table: facets that name each row once, the first
    that of systems, and those that may hold the scores."""

    facets: tuple
    scores: tuple


def refuse_unnamed_long(
    table: pd.DataFrame, facets: Sequence[str] = ("system", "topic")
) -> None:
    """Refuse a long table whose columns are called otherwise, and say how
    to name them."""
    parts = _find_long_parts(table) if _looks_long(table) else None
    if parts is None:
        return
    if len(parts.facets) > 2:
        raise ValueError(_say_study(parts, table))
    columns = [_quoted(name) for name in (*parts.facets, parts.scores[0])]
    names = [_quoted(name) for name in (*facets, "score")]
    raise ValueError(
        f"{_say_long(parts)} Name its columns, and call again: "
        f"df = df[[{', '.join(columns)}]].set_axis([{', '.join(names)}], "
        'axis="columns")'
    )


def refuse_without_design(
    table: pd.DataFrame, score: str = "score"
) -> None:
    """Refuse a long table to which no design was given, and say the call
    to type."""
    if not isinstance(table, pd.DataFrame):
        return
    named = {name for name in (score, "score") if name in table.columns}
    if {*table.columns} - named == {"system", "topic"}:
        return
    if named or is_long(table) or _looks_long(table):
        said = [name for name in named if _is_numeric(table[name].dtype)]
        parts = _find_long_parts(table, said)
        if parts is not None:
            raise ValueError(_say_study(parts, table))


def _looks_long(table):
    """Return whether a row seems to be one score: texts beside the names
    of rows, such names more than once, or columns that are called after
    systems and topics."""
    if table.columns.nlevels > 1 or not table.columns.is_unique:
        return False
    roles = {called_like(name) for name in table.columns}
    if {"system", "topic"} <= roles:
        return True
    rows = _with_named_rows(table)
    numeric = all(map(_is_numeric, {*rows.dtypes}))
    return not (numeric and rows.index.is_unique)


def _is_numeric(kind):
    return pd.api.types.is_numeric_dtype(kind)


def _find_long_parts(table, scores=()):
    """Find the `LongParts` of a table, or None. Of several sets of columns
    that name each row once, the smallest is taken that is most nearly
    crossed, and of these the one with the shorter names."""
    n = len(table)
    codes, sizes, letters = {}, {}, {}
    for name, kind in table.dtypes.items():
        if name in scores or not _may_name(kind):
            continue
        try:
            code, levels = pd.factorize(table[name])
        except TypeError:  # lists are no names
            continue
        if 2 <= len(levels) < n and (code >= 0).all():
            codes[name], sizes[name] = code, len(levels)
            letters[name] = sum(len(str(level)) for level in levels)
    found = []
    for number in range(2, _MOST_FACETS + 1):
        for chosen in combinations(codes, number):
            cells = prod(sizes[name] for name in chosen)
            if not n <= cells <= n / _MOST_GAPS:
                continue
            kept = {name: codes[name] for name in chosen}
            levels = {name: range(sizes[name]) for name in chosen}
            left = _numbers_beside(table, chosen, scores)
            if left and pd.Index(cell_numbers(kept, levels)).is_unique:
                length = sum(letters[name] / sizes[name] for name in chosen)
                found.append((cells, length, chosen, left))
        if found:
            *_, chosen, left = min(found, key=lambda f: f[:2])
            return LongParts(_systems_first(chosen), left)
    return None


def _may_name(kind):
    """Return whether a column may hold names: texts or whole numbers."""
    text = isinstance(kind, pd.CategoricalDtype | pd.StringDtype)
    return text or kind.kind == "O" or pd.api.types.is_integer_dtype(kind)


def _numbers_beside(table, facets, scores):
    """Return the columns that may hold the scores: numbers that differ and
    do not only count the rows."""
    names = scores or [c for c in table.columns if c not in facets]
    left = []
    for name in names:
        column = table[name].dropna()
        if not _is_numeric(column.dtype) or column.nunique() < 2:
            continue
        whole = column.dtype.kind in "iu"
        if not (whole and (column.diff().iloc[1:] == 1).all()):
            left.append(name)
    return tuple(left)


def _systems_first(facets):
    """Put the facet that is called after systems first, or else the first
    that is not called after topics, and topics after it."""
    roles = {facet: called_like(facet) for facet in facets}
    like = [f for f in facets if roles[f] == "system"]
    like += [f for f in facets if not roles[f]]
    rest = [f for f in facets if f not in like[:1]]
    rest.sort(key=lambda facet: roles[facet] != "topic")
    return (*like[:1], *rest)


def _say_long(parts):
    """Say that a table is long, and what must be chosen."""
    said = "A row of this table is one score: it is long."
    if len(parts.scores) > 1:
        said += (
            f" Several columns hold numbers, {list_some(parts.scores)}: "
            f"put the one that is the score where {parts.scores[0]} stands "
            "here."
        )
    return said


def _say_study(parts, table):
    """Say the call of gstudy that takes a long table."""
    names, renamed = [], {}
    for facet in parts.facets:
        name = str(facet)
        if name in ("x", "score") or not re.fullmatch(r"[\w.@-]+", name):
            name = re.sub(r"\W+", "_", name).strip("_") or "facet"
        if name in ("x", "score"):
            name = f"{name}_"
        while name in names or (name != facet and name in table.columns):
            name = f"{name}_"
        names.append(name)
        if name != facet:
            renamed[facet] = name
    score = parts.scores[0]
    given = [_quoted(" x ".join(names))]
    if score != "score":
        given.append(f"score={_quoted(score)}")
    if renamed:
        pairs = [f"{_quoted(c)}: {_quoted(f)}" for c, f in renamed.items()]
        given.append(f"columns={{{', '.join(pairs)}}}")
    frame = "df"
    if table[score].isna().any():
        frame = f"df.dropna(subset=[{_quoted(score)}])"
    return (
        f"{_say_long(parts)} Say of which design it is: "
        f"gt.gstudy({', '.join([frame, *given])})"
    )


def _quoted(name):
    """Write a name as Python does, in double quotes where it can."""
    if (
        isinstance(name, str)
        and name.isprintable()
        and not {*name} & {*'"\\'}
    ):
        return f'"{name}"'
    return (
        name.item().__repr__()
        if isinstance(name, np.generic)
        else repr(name)
    )


def _listed(names):
    """Return names as a list, or none where they are no list of texts."""
    try:
        listed = list(names)
    except TypeError:
        return []
    return listed if all(isinstance(name, str) for name in listed) else []


def _score_values(scores, facets):
    """Return the score column as floats; refuse the first that is none."""
    values = _as_floats(scores[["score"]])[:, 0]
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(bad.argmax())
        cell = _name_cell(scores, facets, row)
        value = scores["score"].iloc[row]
        hint = " If it was not observed, leave the row out."
        raise bad_score_error(cell, hint, value)
    return values


def _as_floats(scores):
    """Return the values of a table, and what is no number as not a
    number."""
    if not {kind.kind for kind in scores.dtypes} <= {*"biuf"}:
        texts = scores.astype(object)  # nor is 1j a number
        scores = texts.where(scores.map(_is_finite))
    return scores.to_numpy(dtype=float, na_value=np.nan)


def _is_finite(value):
    """Return whether a value is a finite number; the text "0.3" is not."""
    if not isinstance(value, Real | Decimal):
        return False
    with contextlib.suppress(OverflowError):  # of 10**400
        return math.isfinite(value)
    return False


def bad_score_error(cell: str, hint: str, *values: object) -> ValueError:
    """Return the error for scores that are no finite numbers."""
    texts = [
        shown(v) if isinstance(v, str | int) else str(v) for v in values
    ]
    listed = " or ".join(dict.fromkeys(texts))
    return ValueError(
        f"The score of {cell} is {listed}; scores must be finite "
        f"numbers.{hint}"
    )


def _name_cell(scores, facets, row):
    return ", ".join(name_level(f, scores[f].iloc[row]) for f in facets)


def repeated_cell_error(
    n: int, cell: str, others: Sequence[str]
) -> ValueError:
    """Return the error for n rows too many, the first of this cell."""
    remedy = "Each cell must be scored once; remove or average the rest."
    if others:
        remedy = (
            f"The column {' or '.join(others)} may tell them apart: choose "
            "one value, average over it, or make it a facet."
        )
    return ValueError(
        f"{count_noun(n, 'row')} {'repeats' if n == 1 else 'repeat'} a "
        f"cell, the first: {cell}. {remedy}"
    )


def require_columns(
    scores: object, names: Sequence[str], what: str = "scores"
) -> pd.DataFrame:
    """Return a table, or refuse what has not these columns; `what` is what
    it is of."""
    if not isinstance(scores, pd.DataFrame):
        raise ValueError(
            f"{what}: a table with the columns {', '.join(names)} is "
            f"needed; this is {type(scores).__name__}."
        )
    missing = [name for name in names if name not in scores.columns]
    if missing:
        hint = ""
        if "score" in missing:
            hint = (
                " (A wide table has its systems as index: "
                "read_csv(..., index_col=0).)"
            )
        raise ValueError(
            f"The table has no column {' or '.join(map(repr, missing))}; "
            f"its columns are {list_some(scores.columns, 8)}.{hint}"
        )
    twice = [name for name in names if [*scores.columns].count(name) > 1]
    if twice:
        raise ValueError(
            f"The table has several columns {twice[0]!r}: remove or rename "
            "all but one."
        )
    return scores


def require_enough(n: int, facet: str, systems: int = 2) -> None:
    """Refuse a facet with one level, or with fewer systems than these."""
    if n < (systems if facet == "system" else 2):
        raise ValueError(
            f"The table has {count_noun(n, facet)}; variance between "
            f"{plural(facet)} needs at least two."
        )


def require_range(low: float, high: float) -> None:
    """Refuse equal scores, and scores whose squares cannot be computed."""
    if low == high:
        raise ValueError(
            f"Every score is {low:g}: there is no variance to divide."
        )
    if not _SMALLEST < high - low < _LARGEST:
        raise ValueError(
            f"The scores go from {low:g} to {high:g}: squares of such "
            "numbers lose their digits. Give them in another unit."
        )


# From a score table and a design to an index grid.
#
# Every observation gets one integer per facet: the level it belongs to,
# numbered over the whole study (`codes`) and within its nest (`within`). A
# study with as many levels in every nest and one observation in every cell
# is balanced, and is then just an array with an axis per facet.
#
# Levels are numbered, and observations sorted, by the names of the levels:
# the same scores in another order are the same study, down to the last bit
# of an estimate and the last draw from a seed.


@dataclass(frozen=True, eq=False)
class Cells:
    """The observations of one study, by facet.

    Attributes
    ----------
    design : Design
    scores : array (observations,)
    codes : dict of facet to array (observations,)
        The level, numbered over the study from 0.
    within : dict of facet to array (observations,)
        The level, numbered within its nest from 0; for a facet nested in
        nothing the same as `codes`.
    labels : dict of facet to Index
        The name of each level.
    counts : dict of facet to array
        The number of levels in each nest.
    given : dict of facet to array
        The levels in the order in which the table first names them.
    axes : Axes
        Which facets the rows and columns of a wide table are.
    """

    design: Design
    scores: np.ndarray
    codes: dict[str, np.ndarray]
    within: dict[str, np.ndarray]
    labels: dict[str, pd.Index]
    counts: dict[str, np.ndarray]
    given: dict[str, np.ndarray] = field(default_factory=dict)
    axes: Axes = _NO_AXES

    @cached_property
    def levels(self) -> dict[str, int]:
        """Facet -> levels in a nest (the most, where they differ)."""
        return {f: int(self.counts[f].max()) for f in self.design.facets}

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.levels[f] for f in self.design.facets)

    @cached_property
    def balanced(self) -> bool:
        """Whether every nest is equally large and every cell is there."""
        return len(self.scores) == np.prod(self.shape, dtype=float)

    @cached_property
    def centred(self) -> np.ndarray:
        """The scores less their mean. The first score is taken off before,
        which is exact where scores are close together and far from zero."""
        near = self.scores - self.scores[0]
        return near - near.mean()

    def array(self) -> np.ndarray:
        """Return the scores of a balanced study less their mean, with an
        axis per facet: they are sorted by their levels."""
        return self.centred.reshape(self.shape)


def read_cells(scores: pd.DataFrame | ArrayLike, design: Design) -> Cells:
    """Read the observations of `scores` on the index grid of `design`."""
    numbered, levels, values, axes = read_observations(
        scores, design.facets
    )
    codes, labels, given = {}, {}, {}
    for facet, code in numbered.items():
        order = _sorted_positions(levels[facet])
        labels[facet] = levels[facet].take(order)
        given[facet] = np.argsort(order)
        codes[facet] = given[facet][code]
    cell = cell_numbers(codes, labels)
    if (cell[1:] < cell[:-1]).any():
        rows = np.argsort(cell)
        values = values[rows]
        codes = {facet: code[rows] for facet, code in codes.items()}
    within, counts = {}, {}
    for facet in design.facets:
        if design.nesting[facet]:
            within[facet], counts[facet] = _within_nest(
                facet, design, codes, labels
            )
        else:
            within[facet] = codes[facet]
            counts[facet] = np.array([len(labels[facet])])
    cells = Cells(
        design, values, codes, within, labels, counts, given, axes
    )
    if not cells.balanced:
        _refuse_hidden_nesting(cells)
    return cells


# Levels with exactly the same scores, which may be copies.
#
# Scores of 0 and 1 make equal levels by chance. Equal ones are told only if
# chance makes less than one pair in a hundred tables. The expected number
# of equal pairs is that of independent cells: the number of pairs times the
# product, over the cells, of the share of pairs that agree there. This
# share is that of levels whose means are near, so that it allows for topics
# that are hard for all, and for systems that solve nearly all. Systems of
# one family are not independent; so nothing is told either where a third
# level is nearly the same, in all cells but three. Levels whose scores are
# all the same, such as topics that nobody solved, are never told.

_BY_CHANCE = 0.01
_NEAR = 10  # levels whose means are nearest
_APART = 4  # cells in which the nearest other level differs, or half of all
_LOOKED_AT = 50  # groups of equal levels
_TOLD = 3


def copies_notes(cells: Cells) -> list[str]:
    """Say which levels of a facet have the same scores in all cells of a
    study without gaps, and not by chance."""
    if not cells.balanced:
        return []
    scores = cells.scores.reshape(cells.shape)
    notes = []
    for place, facet in enumerate(cells.design.facets):
        if cells.design.nesting[
            facet
        ]:  # its levels have no cells in common
            continue
        rows = np.moveaxis(scores, place, 0)
        rows = rows.reshape(len(rows), -1)
        groups = [
            [*cells.labels[facet][group]]
            for group in _equal_rows(rows)[:_LOOKED_AT]
            if _expected_by_chance(rows, group) < _BY_CHANCE
            and _stands_apart(rows, group)
        ]
        if groups:
            notes.append(_say_copies(facet, groups))
    return notes


def _equal_rows(rows):
    """List the positions of rows that are equal, and not constant."""
    places: dict[bytes, list[int]] = {}
    for place, row in enumerate(np.ascontiguousarray(rows + 0.0)):
        places.setdefault(row.tobytes(), []).append(place)
    return [
        group
        for group in places.values()
        if len(group) > 1 and np.ptp(rows[group[0]]) > 0
    ]


def _expected_by_chance(rows, group):
    """Bound the expected number of pairs of rows that are equal as these
    are."""
    n = len(rows)
    means = rows.mean(axis=1)
    away = np.abs(means - means[group[0]])
    away[group[1:]] = np.inf  # they are one level, counted once
    near = np.argsort(away, kind="stable")[:_NEAR]
    near = near[np.isfinite(away[near])]
    pairs = len(near) * (len(near) - 1) / 2
    ordered = np.sort(rows[near], axis=0)
    agree = np.array([_equal_pairs(cell) for cell in ordered.T])
    share = (agree + 1) / (pairs + 1)
    return n * (n - 1) / 2 * np.exp(np.log(share).sum())


def _stands_apart(rows, group):
    """Return whether no other row is nearly the same as these."""
    differ = (rows != rows[group[0]]).sum(axis=1)
    differ[group] = rows.shape[1]
    return differ.min() >= min(_APART, rows.shape[1] / 2)


def _equal_pairs(ordered):
    """Count the pairs of equal numbers among sorted ones."""
    ends = np.flatnonzero(np.diff(ordered, append=np.nan) != 0)
    runs = np.diff(ends, prepend=-1)
    return (runs * (runs - 1) / 2).sum()


def _say_copies(facet, groups):
    """Say which levels are equal, and what that does."""
    named = [list_names(group) for group in groups[:_TOLD]]
    more = len(groups) - _TOLD
    listed = "; ".join(named) + (f"; and {more} more" if more > 0 else "")
    most = max(map(len, groups))
    if len(groups) == 1 and most == 2:
        why = "if one is a copy, the study counts it twice."
    else:
        why = "if some are copies, the study counts them several times."
    return f"{plural(facet)} {listed} have the same scores: {why}"


def _sorted_positions(labels):
    """Return the positions of labels when sorted; labels of mixed types
    are sorted by their text."""
    names = np.asarray(labels, dtype=object)
    try:
        return names.argsort(kind="stable")
    except TypeError:
        texts = [(str(name), str(type(name))) for name in names]
        return np.array(sorted(range(len(names)), key=texts.__getitem__))


def _within_nest(facet, design, codes, labels):
    """Return the codes of a nested facet within its nest, and the number
    of levels in each nest."""
    outer = [f for f in design.facets if f in design.nesting[facet]]
    code = codes[facet]
    level_row = np.zeros(len(labels[facet]), dtype=int)
    level_row[code] = np.arange(len(code))
    for nest in outer:
        nest_code = codes[nest][level_row][code]
        stray = nest_code != codes[nest]
        if stray.any():
            row = int(stray.argmax())
            first_nest, second_nest = labels[nest][
                [codes[nest][row], nest_code[row]]
            ]
            label = labels[facet][code[row]]
            raise stray_level_error(
                facet, nest, label, first_nest, second_nest
            )
    nests = pd.DataFrame({f: codes[f][level_row] for f in outer})
    grouped = nests.groupby(outer, sort=False)
    counts = grouped.size().to_numpy()
    if counts.max() == 1:
        raise single_nests_error(facet, outer)
    return grouped.cumcount().to_numpy()[code], counts


def _refuse_hidden_nesting(cells):
    """Refuse crossed facets of which one is nested in the other."""
    codes, nesting = cells.codes, cells.design.nesting
    size = {facet: len(names) for facet, names in cells.labels.items()}
    for inner, outer in permutations(cells.design.facets, 2):
        related = inner in nesting[outer] or outer in nesting[inner]
        if related or size[inner] <= size[outer]:
            continue
        outer_of = np.zeros(size[inner], dtype=int)
        outer_of[codes[inner]] = codes[outer]
        if (outer_of[codes[inner]] == codes[outer]).all():
            raise hidden_nest_error(inner, outer)


def stray_level_error(
    facet: str, nest: str, label: object, here: object, there: object
) -> ValueError:
    """Return the error for a nested level that two nests have."""
    nests = f"both {nest} {here} and {nest} {there}"
    return ValueError(
        f"{facet} is declared nested within {nest}, but {facet} "
        f"{label} occurs in {nests}. If it is the same {facet}, "
        f"the two are crossed: '{nest} x {facet}'. If not, give "
        f"each its own label: scores[{facet!r}] = "
        f"scores[{nest!r}].astype(str) + '/' + "
        f"scores[{facet!r}].astype(str)."
    )


def single_nests_error(facet: str, outer: list[str]) -> ValueError:
    """Return the error where every nest has one level of a facet."""
    return ValueError(
        f"Every {' x '.join(outer)} has one {facet} only, so "
        f"{facet}:{' x '.join(outer)} cannot be told apart from "
        f"{' x '.join(outer)}: leave {facet} out of the design."
    )


def hidden_nest_error(inner: str, outer: str) -> ValueError:
    """Return the error for a facet that is nested and declared crossed."""
    return ValueError(
        f"{inner} is declared crossed with {outer}, but every "
        f"{inner} occurs with one {outer} only: it is nested. "
        f"Write '{inner}:{outer}' in the design."
    )


def _refuse_empty_levels(column, levels):
    """Refuse categories of which there is no observation."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return
    facet = column.name
    empty = column.cat.categories.difference(levels)
    if len(empty):
        raise ValueError(
            f"{facet} {empty[0]} is a category without observations; "
            f"drop it with scores[{facet!r}]"
            ".cat.remove_unused_categories(), or add its scores."
        )


def require_cells(cells: Cells | None, what: str) -> Cells:
    """Return the observations of a study; refuse a study without."""
    if cells is None:
        raise ValueError(
            f"{what} the scores, and this G-study holds none: it was made "
            "from sums, mean squares or components."
        )
    return cells
