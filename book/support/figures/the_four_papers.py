"""Figures of chapter 16: ours beside what is printed."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from book.support.figures.theme import INK, MUTED, PALETTE, WIDTH, name_rows


def verdicts(rows: pd.DataFrame, labels: Sequence[str]) -> plt.Axes:
    """Draw ours and the attainable range of some rows, in printed units.

    Parameters
    ----------
    rows : DataFrame
        Rows of ``Ledger.table``.
    labels : sequence of str
        What to call each.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 0.9 + 0.5 * len(rows)))
    printed = rows["printed"].astype(float)
    off = rows[["value", "low", "high"]].sub(printed, axis=0)
    off = off.mul(10.0 ** rows["decimals"], axis=0)
    places = np.arange(len(rows))
    ax.axvspan(-0.5, 0.5, color="#e6e6e6", lw=0, zorder=0)
    ax.axvline(0, color=MUTED, lw=1, zorder=1)
    ax.hlines(places, off["low"], off["high"], PALETTE[0], lw=4, alpha=0.5)
    ax.plot(off["value"], places, "o", color=PALETTE[0], ms=8)
    right = off.max(axis=None)
    for place, name in enumerate(rows["verdict"]):
        ax.text(right + 0.5, place, name, color=INK, va="center")
    name_rows(ax, labels)
    ax.set_xlabel("ours less the printed number, in its last decimals")
    return ax
