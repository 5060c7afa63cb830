"""The figure of the ledger: how far ours is from what is printed."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from gtlib.plots.theme import INK, MUTED, PALETTE, WIDTH


def verdicts(rows: pd.DataFrame, labels: Sequence[str]) -> Axes:
    """Ours and the attainable range of some rows, in printed units.

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
    unit = 10.0 ** rows["decimals"].to_numpy()
    printed = rows["printed"].astype(float).to_numpy()
    value, low, high = (
        (rows[column].to_numpy() - printed) * unit
        for column in ("value", "low", "high")
    )
    places = np.arange(len(rows))
    ax.axvspan(-0.5, 0.5, color="#e6e6e6", lw=0, zorder=0)
    ax.axvline(0, color=MUTED, lw=1, zorder=1)
    ax.hlines(places, low, high, color=PALETTE[0], lw=4, alpha=0.5)
    ax.plot(value, places, "o", color=PALETTE[0], ms=8)
    right = np.nanmax([value, high])
    for place, name in zip(places, rows["verdict"], strict=True):
        ax.text(right + 0.5, place, name, color=INK, va="center")
    ax.set_yticks(places, labels)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel("ours less the printed number, in its last decimals")
    return ax
