"""Figures of chapter 4: doubling, and lines of equal cost."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from book.support.figures import theme
from gtlib.allocation import Allocation
from gtlib.gtheory import Plan

_DASHES: Any = {"colors": theme.INK, "linestyles": "--", "linewidths": 1}
_PURPLE = theme.COLORS["dependability"]
_LEVELS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99]


def error_bars(plans: Mapping[str, Plan]) -> plt.Axes:
    """Draw the absolute error of several designs, by what makes it smaller.

    Parameters
    ----------
    plans : mapping of name to Plan
        Drawn from top to bottom, each with its dependability.

    Returns
    -------
    Axes
    """
    parts = pd.DataFrame({name: _parts(p) for name, p in plans.items()})
    colors = [theme.color_of(facets) for facets in parts.index]
    ax = parts.T.plot.barh(
        stacked=True,
        color=colors,
        width=0.62,
        legend=False,
        figsize=(theme.WIDTH, 0.6 * len(plans) + 1.1),
        xlabel="error variance σ²(Δ)",
    )
    for row, plan in enumerate(plans.values()):
        value = f"Φ = {plan.dependability:.3f}"
        theme.label(ax, plan.absolute_error, row, value, _PURPLE)
    names = [f"divided by {facets}" for facets in parts.index]
    theme.key(ax, names, colors)
    theme.name_rows(ax, list(plans))
    ax.spines["left"].set_visible(False)
    ax.margins(x=0.2)
    ax.locator_params(axis="x", nbins=4)
    ax.set_xlim(left=0)
    return ax


def _parts(plan):
    """The absolute error of each kind of effect, by its facets in words."""
    table = plan.table[plan.table["role"].str.contains("error")]
    divisors = plan.effects.table["divisors"]
    words = [
        " and ".join(f"{facet}s" for facet in divisors[effect])
        for effect in table.index
    ]
    return table["mean_variance"].groupby(words, sort=False).sum()


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
    names = ax.clabel(lines, fontsize=10, fmt="{:g}".format, inline=False)
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
