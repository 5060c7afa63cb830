"""Rounded numbers: what they leave open, what follows from them, and what
a printed table shows about the study behind it."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib import Design, GStudy
from gtlib.design import as_design

_MOST = 12  # inputs, of which every combination of ends is tried


def half_unit(decimals: ArrayLike) -> np.ndarray:
    """Return half a unit of the last printed decimal: .5 for 0, .005 for
    2."""
    return 0.5 * 10.0 ** -np.asarray(decimals, dtype=float)


def overlaps(
    low: ArrayLike, high: ArrayLike, printed: ArrayLike, decimals: ArrayLike
) -> np.ndarray:
    """Return whether some value from `low` to `high` may be printed as
    `printed`.

    A value halfway between two numbers may be printed as either.

    Examples
    --------
    >>> bool(overlaps(0.2578, 0.2650, 0.26, 3))
    True
    """
    printed = np.asarray(printed, dtype=float)
    half = half_unit(decimals) + 1e-9 * np.maximum(1, np.abs(printed))
    low, high = np.subtract(low, half), np.add(high, half)
    return (low <= printed) & (printed <= high)


def attainable(
    function: Callable[[pd.Series], Mapping[str, float]],
    printed: pd.DataFrame,
    where: Callable[[pd.Series], bool] | None = None,
) -> pd.DataFrame:
    """Return what rounded inputs allow: the range of each result.

    A number printed as .0269 was anything from .02685 to .02695. Every
    combination of such ends is tried, 2^n for n inputs. Where each result
    rises or falls with each input, as sums, products and ratios of
    positive numbers do, no inputs in between lead further out.

    Parameters
    ----------
    function : callable
        Takes a Series of inputs, indexed like `printed`; gives a mapping
        from key to number.
    printed : DataFrame
        Rows of ``load(paper)``: ``value`` and ``decimals`` of each input,
        at most twelve of them.
    where : callable, optional
        Takes the same Series; whether these inputs are possible together.

    Returns
    -------
    DataFrame, a row per key
        ``value`` from the inputs as printed, ``low`` and ``high``.
        `Ledger` takes its ``.to_dict("index")``.

    Raises
    ------
    ValueError
        If there are no inputs, or more than twelve.

    Examples
    --------
    >>> effect = pd.DataFrame(
    ...     {"value": [0.046, 0.176], "decimals": [3, 3]}, ["mean", "sd"])
    >>> def size(x):
    ...     return {"effect size": x["mean"] / x["sd"]}
    >>> attainable(size, effect).round(4).loc["effect size"].tolist()
    [0.2614, 0.2578, 0.265]
    """
    if not 1 <= len(printed) <= _MOST:
        raise ValueError(
            f"{len(printed)} inputs: from one to {_MOST} can be tried, as "
            "each doubles the number of combinations."
        )
    center = printed["value"].astype(float)
    half = pd.Series(half_unit(printed["decimals"]), printed.index)
    results = [function(center)]
    for signs in product((-1, 1), repeat=len(center)):
        inputs = center + np.array(signs) * half
        if where is None or where(inputs):
            results.append(function(inputs))
    table = pd.DataFrame(results)
    value, low, high = table.iloc[0], table.min(), table.max()
    return pd.DataFrame({"value": value, "low": low, "high": high})


def levels_that_print(
    design: str | Design,
    mean_squares: Mapping[str, Any],
    components: Mapping[str, Any],
    /,
    **lists: int | Sequence[int],
) -> pd.DataFrame:
    """Find numbers of levels that lead from printed numbers to printed
    numbers.

    A printed mean square stands for all numbers that round to it, so each
    variance component may lie anywhere in an interval.  For every
    combination of levels this says which of the printed components lie
    within reach.

    Parameters
    ----------
    design : str or Design
    mean_squares, components : mapping of effect to str
        As printed, for instance ``".0269"``: the digits say how far the
        number was rounded.  A component that came out negative counts as
        printed ``"0"``.
    **lists : int or sequence of int
        The numbers of levels of each facet to try.

    Returns
    -------
    DataFrame of bool
        A row per combination of levels, with them as index; a column per
        effect: whether its printed component can be reached.

    Raises
    ------
    ValueError
        If an effect is missing or unknown, a number impossible, or a facet
        without numbers.

    Notes
    -----
    Interval arithmetic: with components = C @ mean squares and each mean
    square known to half a unit of its last digit, a component is known to
    the sum of abs(C) times these halves.

    Examples
    --------
    >>> reached = levels_that_print(
    ...     "system x topic",
    ...     {"system": ".150", "topic": ".85", "system x topic": ".010"},
    ...     {"system": ".0028", "topic": ".028", "system x topic": ".010"},
    ...     system=30, topic=[40, 50, 60])
    >>> reached.sum(axis=1).xs(30).to_dict()
    {40: 2, 50: 3, 60: 2}
    """
    design = as_design(design)
    two = dict.fromkeys(design.facets, 2)
    study = GStudy.from_mean_squares(design, two, mean_squares)
    squares = study.table["mean_square"].to_numpy()
    halves = half_unit(_decimals(design, mean_squares))
    wanted = GStudy.from_components(design, components).estimate.to_numpy()
    decimals = _decimals(design, components)
    numbers = [np.atleast_1d(n).tolist() for n in lists.values()]
    index = pd.MultiIndex.from_product(numbers, names=list(lists))
    reached = []
    for chosen in index:
        levels = design.check_levels(dict(zip(lists, chosen, strict=True)))
        solve = design.mean_squares_to_components(levels)
        middle, reach = solve @ squares, abs(solve) @ halves
        low, high = np.maximum([middle - reach, middle + reach], 0)
        reached.append(overlaps(low, high, wanted, decimals))
    return pd.DataFrame(reached, index, list(design.labels))


def _decimals(design, texts):
    """Return the number of decimals printed of each effect, in order."""
    printed = pd.Series({design.find(k): str(x) for k, x in texts.items()})
    return printed[list(design.labels)].str.partition(".")[2].str.len()
