"""Swap rates that are on record."""

from typing import Any

import numpy as np
import pandas as pd

from gtlib import load
from gtlib.swaps import BinnedRates

ALL = "all"  # in the place of a collection: each counts alike


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
