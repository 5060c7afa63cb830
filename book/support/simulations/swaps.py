"""Swap rates that are on record, and swaps beside errors."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from gtlib import drop_worst, load
from gtlib.swaps import BinnedRates

ALL = "all"  # in the place of a collection: each counts alike


def swapped_and_wrong(
    table: pd.DataFrame,
    bins: Sequence[float],
    size: int = 25,
    trials: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Return how often a second set of topics contradicts a first one, and
    how often all other topics do, which stand for the truth.

    Parameters
    ----------
    table : DataFrame
        Scores, a row per system; the worst quarter is left out.
    bins : sequence of float
        Where bins of observed differences begin, each .01 wide.
    size : int
        Topics in each of the two sets.
    trials, seed : int
        How often sets are drawn, and from which seed.

    Returns
    -------
    DataFrame
        Shares of the pairs of each bin, in `swapped` and `wrong`.
    """
    y = drop_worst(table).to_numpy()
    one, other = np.triu_indices(len(y), 1)
    rng = np.random.default_rng(seed)
    counts = np.zeros((len(bins), 3))
    for _ in range(trials):
        order = rng.permutation(y.shape[1])
        sets = np.split(order, [size, 2 * size])
        means = np.array([y[:, topics].mean(axis=1) for topics in sets])
        d = (means[:, one] - means[:, other]).round(12)
        for row, low in zip(counts, bins, strict=True):
            inside = (abs(d[0]) >= low) & (abs(d[0]) < low + 0.01)
            first, second, rest = d[:, inside]
            row += (
                len(first),
                (first * second < 0).sum(),
                (first * rest < 0).sum(),
            )
    pairs, swapped, wrong = counts.T
    return pd.DataFrame(
        {"swapped": swapped / pairs, "wrong": wrong / pairs}, [*bins]
    )


def recorded_rates(study: str) -> BinnedRates:
    """Return the rates of one study of ``gt.load("swap-rates")``.

    Parameters
    ----------
    study : str
        Such as ``"five TRECs"``; `data/build/swaps.py` says what each is.

    Returns
    -------
    BinnedRates
        As `swap_rates` gave them, with those sizes and bins that are on
        record.

    Raises
    ------
    ValueError
        If there is no such study.

    Examples
    --------
    >>> rates = recorded_rates("five TRECs")
    >>> rates.rate.loc[25, [0.03, 0.05, 0.10]].round(3).tolist()
    [0.229, 0.14, 0.032]
    """
    record: Any = load("swap-rates")  # a table
    own = record[record["study"] == study].drop(columns="study")
    if own.empty:
        names = ", ".join(record["study"].unique())
        raise ValueError(f"{study!r} is not on record; there is: {names}.")
    every_bin = (own["low"] == 0) & (own["high"] == np.inf)
    joint = own["collection"] == ALL
    shown = own[joint & ~every_bin].sort_values(["size", "low"])
    bins = shown[["low", "high"]].drop_duplicates()
    columns = pd.IntervalIndex.from_arrays(
        bins["low"], bins["high"], closed="left", name="difference"
    )

    def wide(values):
        table = shown.pivot_table(values, "size", "low", dropna=False)
        return table.set_axis(columns, axis="columns")

    table = own[~joint & ~every_bin].reset_index(drop=True)
    overall = own[~joint & every_bin].drop(columns=["low", "high"])
    return BinnedRates(
        rate=wide("rate"),
        error=wide("error"),
        table=table,
        overall=overall.reset_index(drop=True),
    )
