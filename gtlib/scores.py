"""A confidence interval, as every function that gives one returns it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import permutations
from math import isfinite, isnan, nan
from numbers import Real
from typing import TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.checks import count_noun, list_some, name_level, plural
from gtlib.design import Design

__all__ = ["Interval", "as_long", "as_wide", "drop_worst", "tidy"]


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

    def __str__(self) -> str:
        if isnan(self.low):
            quantity = f" of {self.of}" if self.of else ""
            return f"no interval{quantity}: {self.reason}"
        numbers = self.estimate, self.low, self.high
        estimate, low, high = map(_as_text, numbers)
        quantity = f"{self.of} " if self.of else ""
        text = (
            f"{quantity}{estimate} [{low}, {high}] "
            f"({100 * self.confidence_level:g}%, {self.method})"
        )
        return f"{text}; {self.reason}" if self.reason else text

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
    """Return a complete systems x topics table of finite floats.

    Parameters
    ----------
    scores : DataFrame or 2-d array
        Wide (rows = systems, columns = topics), or long with the columns
        ``system``, ``topic`` and ``score``. Rows of an array are systems,
        numbered from 1.
    fewest_systems : int
        How many are needed.

    Returns
    -------
    DataFrame of float
        Index ``system``, columns ``topic``, in the order of first
        appearance.

    Raises
    ------
    ValueError
        Naming the offending system and topic: a cell given twice or not
        at all, a score that is missing, infinite or not a number; too few
        systems or fewer than two topics; a column that is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> long = pd.DataFrame({"system": ["a", "a", "b", "b"],
    ...                      "topic": [1, 2, 1, 2],
    ...                      "score": [0.1, 0.4, 0.3, 0.2]})
    >>> gt.as_wide(long).loc["b"].tolist()
    [0.3, 0.2]
    """
    if not is_long(scores):
        return _check_wide(scores, fewest_systems)
    facets = "system", "topic"
    codes, levels, values = facet_codes(scores, facets, fewest_systems)
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


def as_long(
    scores: pd.DataFrame | ArrayLike,
    facets: Sequence[str] = ("system", "topic"),
) -> pd.DataFrame:
    """Return a validated table with the columns `facets` and ``score``.

    Parameters
    ----------
    scores : DataFrame or 2-d array
        Long, with a column for each facet; or, when there are two facets,
        wide. The rows of a wide table are the facet that its index is
        named after, else systems, else the first facet.
    facets : sequence of str
        The columns that together identify an observation.

    Returns
    -------
    DataFrame
        A row per observation in the order given; ``score`` is float.
        Missing cells are permitted: the rows are simply not there.

    Raises
    ------
    ValueError
        If a facet column is missing or has one level only, if a cell is
        given twice, or if a score is missing, infinite or not a number.

    Examples
    --------
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> wide = pd.DataFrame([[0.1, 0.4], [0.3, 0.2]], index=["a", "b"])
    >>> gt.as_long(wide)
      system  topic  score
    0      a      0    0.1
    1      a      1    0.4
    2      b      0    0.3
    3      b      1    0.2
    """
    codes, levels, values = facet_codes(scores, facets)
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
        As `as_long` does; if a long table has no column ``system`` or
        ``topic``, or a wide one has a row twice.

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
    if isinstance(table, pd.DataFrame) and "score" not in table:
        table = _melt(table)
    facets = ["system", "topic"]
    table = require_columns(table, [*facets, "score"])
    if "assessor" in table and len(table["assessor"].unique()) > 1:
        facets.append("assessor")
    observed = table[table["score"].notna()].reset_index(drop=True)
    return as_long(observed, facets)


def _melt(wide):
    """Make a wide table long; names of rows are its index, unless its
    first column holds names."""
    for first in wide.columns[:1]:
        named = first in ("system", "topic")
        if named or not pd.api.types.is_numeric_dtype(wide[first]):
            wide = wide.set_index(first)
    if not wide.index.is_unique:
        twice = list_some(wide.index[wide.index.duplicated()].unique())
        raise ValueError(
            f"Several rows are called {twice}. If a row is one score, name "
            "the columns system, topic, assessor (if there are several) "
            "and score: read_csv(...).rename(columns={'model': 'system', "
            "...}). If a row is a system, it must be there once."
        )
    rows = "topic" if wide.index.name == "topic" else "system"
    columns = "system" if rows == "topic" else "topic"
    long = wide.rename_axis(index=rows, columns=columns).reset_index()
    return long.melt(rows, value_name="score")


def facet_codes(
    scores: pd.DataFrame | ArrayLike,
    facets: Sequence[str],
    fewest_systems: int = 2,
) -> Codes:
    """Return the validated observations of a score table as integer codes.

    Returns ``(codes, levels, values)``: for each facet an integer array
    with a code per observation and the Index of its levels in the order
    in which they first appear; and the float array of scores. Takes and
    refuses what `as_long` does; large designs are computed from this
    without a second copy of the labels.
    """
    facets = list(facets)
    if not is_long(scores, facets) and len(facets) == 2:
        return _wide_codes(scores, facets)
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
    return codes, levels, values


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
        Systems and topics, as `as_wide` takes them.
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
        If fewer than two systems would stay, or the scores are not right.

    Examples
    --------
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> table = pd.DataFrame([[0.1, 0.2], [0.5, 0.4], [0.3, 0.4]],
    ...                      index=["a", "b", "c"], columns=[1, 2])
    >>> gt.drop_worst(table, 1 / 3).index.tolist()
    ['b', 'c']
    """
    if not 0 <= fraction < 1:
        raise ValueError(f"fraction is {fraction}; it must be in [0, 1).")
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
    """Return whether a table has named facet or score columns."""
    names = {"score", *facets}
    return isinstance(scores, pd.DataFrame) and bool(names & {*scores})


def _check_wide(scores, fewest_systems=2, facets=("system", "topic")):
    """Refuse a wide table that is not right; `facets` are what rows and
    columns are called."""
    if isinstance(scores, pd.Series) or np.ndim(scores) != 2:
        raise ValueError(
            "A score table has two dimensions, systems x topics; this "
            f"{type(scores).__name__} has {np.ndim(scores)}."
        )
    if not isinstance(scores, pd.DataFrame):
        scores = pd.DataFrame(scores)
        scores.index += 1
        scores.columns += 1
    for axis, facet in zip(scores.axes, facets, strict=True):
        twice = axis[axis.duplicated()].unique()
        if len(twice):
            raise ValueError(
                f"The same {facet} appears twice: {list_some(twice)}. "
                "Rename or remove one."
            )
        require_enough(len(axis), facet, fewest_systems)
    bad = ~_find_finite(scores)
    if bad.any():
        column, row = np.argwhere(bad.T)[0]
        system, topic = scores.index[row], scores.columns[column]
        value = scores.iloc[row, column]
        hint = ""
        if isinstance(value, str) and column == 0:
            hint = (
                f" If {topic!r} holds the {plural(facets[0])}' names, make "
                "it the index: read_csv(..., index_col=0)."
            )
        elif pd.isna(value):
            hint = (
                f" If it was not observed, leave the {' or '.join(facets)} "
                "out, or make the table long and leave the row out."
            )
        system_name = name_level(facets[0], system)
        topic_name = name_level(facets[1], topic)
        cell = f"{system_name} on {topic_name}"
        raise bad_score_error(cell, hint, value)
    table = scores.astype(float)
    return table.rename_axis(index=facets[0], columns=facets[1])


def _wide_codes(scores, facets):
    rows = columns = None
    if isinstance(scores, pd.DataFrame):
        rows, columns = scores.index.name, scores.columns.name
    rows_are_second = (
        facets[1] in (rows, "system") and facets[0] != rows
    ) or (facets[0] == columns and facets[1] != columns)
    in_order = [*reversed(facets)] if rows_are_second else facets
    wide = _check_wide(scores, facets=in_order)
    axis = {facet: in_order.index(facet) for facet in facets}
    number = np.indices(wide.shape).reshape(2, -1)
    codes = {facet: number[k] for facet, k in axis.items()}
    levels = {facet: wide.axes[k].rename(None) for facet, k in axis.items()}
    return codes, levels, wide.to_numpy().ravel()


def _score_values(scores, facets):
    """Return the score column as floats; refuse the first that is none."""
    bad = ~_find_finite(scores[["score"]])
    if bad.any():
        row = int(bad.argmax())
        cell = _name_cell(scores, facets, row)
        value = scores["score"].iloc[row]
        hint = " If it was not observed, leave the row out."
        raise bad_score_error(cell, hint, value)
    return scores["score"].to_numpy(dtype=float)


def _find_finite(scores):
    """Return where a table has finite numbers."""
    if {kind.kind for kind in scores.dtypes} <= {*"biuf"}:  # no complex
        return np.isfinite(scores.to_numpy(dtype=float, na_value=np.nan))
    return scores.map(_is_finite).to_numpy()


def _is_finite(value):
    """Return whether a value is a finite number; the text "0.3" is not."""
    return isinstance(value, Real | Decimal) and math.isfinite(value)


def bad_score_error(cell: str, hint: str, *values: object) -> ValueError:
    """Return the error for scores that are no finite numbers."""
    texts = [repr(v) if isinstance(v, str) else str(v) for v in values]
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


def require_columns(scores: object, names: Sequence[str]) -> pd.DataFrame:
    """Return `scores`, or refuse what is no table with these columns."""
    if not isinstance(scores, pd.DataFrame):
        raise ValueError(
            f"A table with the columns {', '.join(names)} is needed; this "
            f"is {type(scores).__name__}."
        )
    missing = [name for name in names if name not in scores.columns]
    if missing:
        raise ValueError(
            f"The table has no column {' or '.join(map(repr, missing))}; "
            f"its columns are {list_some(scores.columns, 8)}. (A wide "
            "table has its systems as index: read_csv(..., index_col=0).)"
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
    """

    design: Design
    scores: np.ndarray
    codes: dict[str, np.ndarray]
    within: dict[str, np.ndarray]
    labels: dict[str, pd.Index]
    counts: dict[str, np.ndarray]
    given: dict[str, np.ndarray] = field(default_factory=dict)

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
    """Read the observations of `scores` on the index grid of `design`.

    Parameters
    ----------
    scores : DataFrame or 2-d array
        Long with a column per facet and ``score``, or wide (rows and
        columns are the two facets of a crossed design).
    design : Design
        Its facets are columns of `scores`.

    Returns
    -------
    Cells

    Raises
    ------
    ValueError
        For whatever `gtlib.scores` refuses; for a nested facet whose
        labels occur in several nests, a facet declared crossed that the
        labels show to be nested, a nest with one level everywhere, and a
        categorical level without observations.
    """
    numbered, levels, values = facet_codes(scores, design.facets)
    codes, labels, given = {}, {}, {}
    for facet, code in numbered.items():
        order = _sorted_positions(levels[facet])
        labels[facet] = levels[facet].take(order)
        given[facet] = np.argsort(order)
        codes[facet] = given[facet][code]
    _refuse_empty_levels(scores, labels)
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
    cells = Cells(design, values, codes, within, labels, counts, given)
    if not cells.balanced:
        _refuse_hidden_nesting(cells)
    return cells


def _sorted_positions(labels):
    """Return the positions of labels when sorted; labels of mixed types
    are sorted by their text."""
    names = list(labels)
    try:
        return sorted(range(len(names)), key=names.__getitem__)
    except TypeError:
        texts = [(str(name), str(type(name))) for name in names]
        return sorted(range(len(names)), key=texts.__getitem__)


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


def _refuse_empty_levels(scores, facets):
    table = pd.DataFrame(scores).select_dtypes("category")
    for facet, column in table.items():
        empty = column.cat.categories.difference(column.unique())
        if facet in facets and len(empty):
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
