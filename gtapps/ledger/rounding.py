"""Printed numbers are rounded: what they leave open, and what follows."""

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

_MOST = 12


def half_unit(decimals: ArrayLike) -> np.ndarray:
    """Half a unit of the last printed decimal: .5 for 0, .005 for 2."""
    return 0.5 * 10.0 ** -np.asarray(decimals, dtype=float)


def overlaps(
    low: ArrayLike, high: ArrayLike, printed: ArrayLike, decimals: ArrayLike
) -> np.ndarray:
    """Whether some value from `low` to `high` may be printed as `printed`.

    A value halfway between two numbers may be printed as either.

    Examples
    --------
    >>> bool(overlaps(0.2578, 0.2650, 0.26, 3))
    True
    """
    printed = np.asarray(printed, dtype=float)
    half = half_unit(decimals) + 1e-9 * np.maximum(1, np.abs(printed))
    return (np.subtract(low, half) <= printed) & (
        printed <= np.add(high, half)
    )


def attainable(
    function: Callable[[pd.Series], Mapping[str, float]],
    printed: pd.DataFrame,
    where: Callable[[pd.Series], bool] | None = None,
) -> pd.DataFrame:
    """What rounded inputs allow: the range of each result.

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
