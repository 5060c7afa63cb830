"""Figures of chapter 9: intervals, and how often they hold the truth."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gtapps.figures.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    band,
    key,
    label,
    label_ends,
    name_rows,
    panels,
)
from gtlib.tables import Interval


def coefficient_band(
    grid: pd.DataFrame, target: float, required: Interval
) -> plt.Axes:
    """A coefficient with its interval, as the number of topics grows.

    Parameters
    ----------
    grid : DataFrame, a row per number of topics
        ``topic``, ``estimate``, ``low``, ``high``.
    target : float
    required : gtlib.Interval
        Of the number of topics that reaches the target.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.6))
    lines = grid.set_index("topic")[["low", "estimate", "high"]]
    names = ["lower limit", "estimate", "upper limit"]
    color, red = PALETTE[0], PALETTE[3]
    band(ax, lines["low"], lines["high"], color)
    for name, width, line in zip(names, (0, 2, 0), lines, strict=True):
        ax.plot(lines[line], color=color, lw=width, label=name)
    ends = required.low, required.high
    bottom = lines["low"].min()
    ax.hlines(target, lines.index.min(), required.low, color=MUTED, lw=1)
    ax.plot(ends, [target] * 2, color=red, lw=3, solid_capstyle="butt")
    ax.plot(required.estimate, target, "o", color=red)
    for number in (*ends, required.estimate):
        ax.vlines(number, bottom, target, color=red, lw=0.9, ls=":")
        label(ax, number, bottom, f"{number:.0f}", red, dy=7)
    ax.margins(x=0)
    ax.set(xlabel="number of topics", ylabel="coefficient")
    ax.set_ylim(bottom, 1)
    label_ends(ax)
    return ax


def coverage_dots(found: pd.DataFrame) -> plt.Figure:
    """Coverage of each 95% interval, a panel per quantity.

    Parameters
    ----------
    found : DataFrame
        Of `gtapps.ledger.interval_coverage`, with columns ``population``
        and ``systems`` in addition.

    Returns
    -------
    Figure
    """
    quantities = found.groupby("quantity", sort=False)
    figure, axes = panels(len(quantities), 2.9, sharex=True)
    populations = list(found["population"].unique())
    methods = found["method"].unique()
    few, many = found["systems"].min(), found["systems"].max()
    for ax, (quantity, part) in zip(axes, quantities, strict=True):
        ax.axvline(0.95, color=MUTED, lw=1)
        groups = part.groupby(["population", "systems"], sort=False)
        lifts = np.linspace(-0.18, 0.18, len(groups))
        for (group, rows), lift in zip(groups, lifts, strict=True):
            name, systems = group
            color = PALETTE[populations.index(name)]
            face = color if systems == few else "white"
            y = pd.Index(methods).get_indexer(rows["method"]) + lift
            ax.plot(rows["coverage"], y, "o", ms=5, color=color, mfc=face)
        ax.set_title(quantity)
    name_rows(axes[0], methods)
    low = min(0.85, found["coverage"].min())
    axes[0].set(xlim=(low - 0.05, 1.03))
    figure.supxlabel("share that hold the truth")
    names = [f"● {name}" for name in populations]
    names.append(f"filled: {few} systems; open: {many}")
    colors = [*PALETTE[: len(populations)], INK]
    key(figure, names, colors, loc="outside upper left", ncols=len(names))
    return figure
