"""Figures of chapter 9: intervals, and how often they hold the truth."""

import matplotlib.pyplot as plt
import pandas as pd

from gtapps.figures.theme import (
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
    """Coverage of 95% intervals, a panel per model and coefficient.

    Parameters
    ----------
    found : DataFrame
        Of `gtapps.simulations.interval_coverage`, with columns
        ``population`` and ``model`` in addition; the populations from the
        lowest row up.

    Returns
    -------
    Figure
    """
    panels_of = found.groupby(["model", "quantity"])
    names = [*found["population"].unique()]
    methods = [*found["method"].unique()]
    figure, axes = panels(len(panels_of), 3.6, sharex=True)
    for ax, ((model, quantity), part) in zip(axes, panels_of, strict=True):
        ax.axvline(0.95, color=MUTED, lw=1)
        for method, color in zip(methods, PALETTE, strict=False):
            rows = part[part["method"] == method]
            y = pd.Index(names).get_indexer(rows["population"])
            ax.plot(rows["coverage"], y, "o", ms=5, color=color)
        ax.set_title(f"{quantity}\n{model}")
    name_rows(axes[0], names)
    axes[0].set(xlim=(min(0.8, found["coverage"].min() - 0.02), 1.01))
    figure.supxlabel("share that hold the truth")
    key(
        figure,
        [f"● {method}" for method in methods],
        PALETTE[: len(methods)],
        loc="outside upper left",
        ncols=len(methods),
    )
    return figure
