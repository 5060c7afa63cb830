"""Figures of chapter 4: doubling, iso-cost lines, frontiers, doubt."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gtapps.figures.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    key,
    label,
    name_rows,
    panels,
)
from gtlib.allocation import Allocation
from gtlib.gtheory.plan import Plan
from gtlib.tables.interval import Interval

_LEVELS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99]


def error_bars(plans: Mapping[str, Plan]) -> plt.Axes:
    """The absolute error of several designs, by what makes it smaller.

    Parameters
    ----------
    plans : mapping of name to Plan
        Drawn from top to bottom, each with its dependability.

    Returns
    -------
    Axes
    """
    parts = pd.DataFrame({name: _parts(p) for name, p in plans.items()})
    ax = parts.T.plot.barh(
        stacked=True,
        width=0.62,
        color=PALETTE,
        legend=False,
        figsize=(WIDTH, 0.6 * len(plans) + 1.1),
        xlabel="error variance σ²(Δ)",
    )
    for row, plan in enumerate(plans.values()):
        label(ax, plan.absolute_error, row, f"Φ = {plan.dependability:.3f}")
    key(ax, [f"divided by {facets}" for facets in parts.index])
    name_rows(ax, list(plans))
    ax.spines["left"].set_visible(False)
    ax.margins(x=0.2)
    ax.locator_params(axis="x", nbins=4)
    ax.set_xlim(left=0)
    return ax


def _parts(plan):
    """The absolute error of each kind of effect, by its facets in words."""
    table = plan.table[plan.table["role"].str.contains("error")]
    divisors = plan.sources.table["divisors"]
    words = [
        " and ".join(f"{facet}s" for facet in divisors[effect])
        for effect in table.index
    ]
    return table["mean_variance"].groupby(words, sort=False).sum()


def allocation_map(
    grid: pd.DataFrame, best: Sequence[Allocation]
) -> plt.Axes:
    """Lines of equal dependability and of equal cost, and best designs.

    Parameters
    ----------
    grid : DataFrame
        As from `Plan.grid` for topics and assessors, with ``cost``.
    best : sequence of Allocation
        Each is marked, and the line of its budget drawn.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.9))
    table = grid.pivot_table(index="assessor", columns="topic")
    topics, assessors = table["cost"].columns, table.index
    where = topics, assessors, table["dependability"]
    ax.contourf(*where, levels=[0, *_LEVELS, 1], cmap="Blues", alpha=0.4)
    lines = ax.contour(*where, levels=_LEVELS, colors=[PALETTE[0]])
    ax.clabel(lines, fontsize=10, fmt="{:g}".format)
    ax.contour(
        topics,
        assessors,
        table["cost"],
        levels=sorted({round(design.cost, 6) for design in best}),
        colors=[INK],
        linestyles="--",
        linewidths=1,
    )
    for design in best:
        x, y = design.levels["topic"], design.levels["assessor"]
        ax.plot(x, y, "D", ms=8, color=PALETTE[1], mec="white")
        label(ax, x, y, f"{design.cost:,.0f}: {x} × {y}", dx=8, dy=9)
    ax.set(xlabel="topics", ylabel="assessors", xscale="log", yscale="log")
    ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
    names = [str(tick) for tick in ticks]
    ax.set_xticks(ticks, names)
    ax.set_yticks(ticks, names)
    ax.minorticks_off()
    ax.set_xlim(topics[0], topics[-1])
    ax.set_ylim(assessors[0], assessors[-1])
    return ax


def frontiers(tables: Mapping[str, pd.DataFrame]) -> plt.Figure:
    """Dependability and assessors of the best design, against its cost.

    Parameters
    ----------
    tables : mapping of name to DataFrame
        Each as from `Plan.pareto`.

    Returns
    -------
    Figure
    """
    figure, (upper, lower) = plt.subplots(
        2, 1, sharex=True, figsize=(WIDTH, 5.4), height_ratios=[3, 2]
    )
    for color, table in zip(PALETTE, tables.values(), strict=False):
        for ax, column in ((upper, "dependability"), (lower, "assessor")):
            ax.step(table["cost"], table[column], where="post", color=color)
    key(upper, tables)
    upper.set(ylabel="dependability Φ", xscale="log")
    lower.set(
        xlabel="cost (log scale)", ylabel="assessors of the best design"
    )
    most = max(table["assessor"].max() for table in tables.values())
    step = max(1, round(most / 4))
    lower.set_yticks(sorted({1, *range(step, most + 1, step)}))
    lower.set_ylim(bottom=0.5)
    lower.xaxis.set_major_formatter("{x:g}")
    return figure


def ratios(intervals: Mapping[str, Interval]) -> plt.Axes:
    """Optimal ratios with their intervals, on a logarithmic scale.

    Parameters
    ----------
    intervals : mapping of name to Interval
        An interval without upper limit ends in an arrow.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 0.42 * len(intervals) + 1))
    table = pd.DataFrame(map(vars, intervals.values()))
    numbers = table[["low", "estimate", "high"]]
    edge = 2.5 * numbers.where(np.isfinite).max(axis=None)
    high = table["high"].clip(upper=edge)
    endless = table.index[np.isinf(table["high"])]
    color = PALETTE[0]
    ax.hlines(table.index, table["low"], high, color=color, lw=2)
    ax.plot(high[endless], endless, ">", color=color, ms=7, clip_on=False)
    ax.plot(table["estimate"], table.index, "o", color=color, ms=7)
    ax.set(xlabel="topics to one assessor (log scale)")
    ax.set_xscale("log")
    ax.set_xlim(right=edge)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.grid(axis="x", color=MUTED, alpha=0.25)
    name_rows(ax, list(intervals))
    return ax


def allocation_doubt(tables: Mapping[str, pd.DataFrame]) -> plt.Figure:
    """The best number of assessors, and the loss, over drawn components.

    Parameters
    ----------
    tables : mapping of name to DataFrame
        Each as from `Plan.sensitivity`.

    Returns
    -------
    Figure
    """
    figure, (left, right) = panels(2, 3.0, sharey=False)
    colors = PALETTE[: len(tables)]
    chosen = [table["assessor"] for table in tables.values()]
    most = max(numbers.max() for numbers in chosen)
    edges = np.arange(0.5, most + 1).tolist()
    left.hist(chosen, edges, density=True, rwidth=0.8, color=colors)
    for table, color in zip(tables.values(), colors, strict=True):
        right.ecdf(table["loss"].clip(lower=0), color=color)
    key(figure, tables, loc="outside upper left", ncols=2)
    last = min(most, 14)
    left.set(xlabel="assessors of the best design", ylabel="draws")
    left.set(xticks=range(1, last + 1, 4), xlim=(0.3, last + 0.7))
    right.set(xlabel="loss in the coefficient", ylabel="draws up to it")
    right.set_ylim(0, 1.02)
    for ax in (left, right):
        ax.yaxis.set_major_formatter("{x:.0%}")
    return figure
