"""Score tables: one validated shape for every analysis.

A *wide* table is a DataFrame with a row per system, a column per topic and
the scores as values. A *long* table has a row per observation, a column
per facet (system, topic, assessor, ...) and a column ``score``. What
cannot be right is refused here, once, so that no other module has to look
again.
"""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.tables.wording import (
    count_noun,
    list_some,
    name_level,
    plural,
)

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
