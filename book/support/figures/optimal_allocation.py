"""Figures of chapter 4: doubling, and lines of equal cost."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from book.support.figures import theme
from gtlib.allocation import Allocation

_DASHES: Any = {"colors": theme.INK, "linestyles": "--", "linewidths": 1}
_PURPLE = theme.COLORS["dependability"]
_LEVELS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99]


def allocation_map(
    grid: pd.DataFrame, best: Sequence[Allocation] = ()
) -> plt.Axes:
    """Draw lines of equal dependability and of equal cost, and best
    designs.

    Parameters
    ----------
    grid : DataFrame
        As from `Plan.grid` for topics and assessors.
    best : sequence of Allocation, optional
        Each is marked, and the line of its budget drawn, for which the
        grid has ``cost``.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(theme.WIDTH, 3.9))
    table = grid.pivot_table(index="assessor", columns="topic")
    worth = table["dependability"]
    place = worth.columns, worth.index
    ax.contourf(*place, worth, [0, *_LEVELS, 1], cmap="Purples", alpha=0.4)
    lines = ax.contour(*place, worth, _LEVELS, colors=_PURPLE)
    names = ax.clabel(lines, fontsize=11, fmt="{:g}".format, inline=False)
    plt.setp(names, bbox={"fc": "white", "ec": "none", "pad": 1})
    for design in best:
        ax.contour(*place, table["cost"], [design.cost], **_DASHES)
        x, y = design.levels["topic"], design.levels["assessor"]
        ax.plot(x, y, "D", ms=8, color=theme.INK, mec="white")
        theme.label(
            ax, x, y, f"{x} × {y}", dx=-9, dy=6, ha="right", ground="white"
        )
    ax.set(xlabel="topics", ylabel="assessors", xscale="log", yscale="log")
    ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
    ax.set_xticks(ticks, map(str, ticks))
    ax.set_yticks(ticks, map(str, ticks))
    ax.minorticks_off()
    ax.margins(0)
    return ax
