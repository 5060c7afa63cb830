"""Figures of chapter 4: doubling, iso-cost lines, frontiers, doubt."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.offsetbox import AnchoredOffsetbox, HPacker, TextArea
from matplotlib.ticker import (
    NullFormatter,
    PercentFormatter,
    ScalarFormatter,
)

from gtlib.plots.theme import INK, MUTED, PALETTE, WIDTH

_SYMBOL = {"dependability": "Φ", "generalizability": "Eρ²"}
_ERROR = {"dependability": "σ²(Δ)", "generalizability": "σ²(δ)"}
_LEVELS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99]


def error_bars(studies, coefficient="dependability", ax=None):
    """The error of several designs, split by what makes it smaller.

    Parameters
    ----------
    studies : dict of name to Plan
        Drawn from top to bottom.
    coefficient : {"dependability", "generalizability"}
        Whose error is drawn; written at the end of each bar.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    ax = ax or plt.subplots(figsize=(WIDTH, 0.6 * len(studies) + 1.1))[1]
    shown = {}
    for row, study in enumerate(studies.values()):
        left = 0.0
        for facets, part in _parts(study, coefficient):
            color = shown.setdefault(facets, PALETTE[len(shown)])
            ax.barh(row, part, left=left, color=color, height=0.62)
            left += part
        ax.annotate(
            f"{_SYMBOL[coefficient]} = {getattr(study, coefficient):.3f}",
            (left, row),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
        )
    _key(ax, {f"divided by {f}": color for f, color in shown.items()})
    ax.set_yticks(range(len(studies)), studies)
    ax.set(xlabel=f"error variance {_ERROR[coefficient]}")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.margins(x=0.16)
    ax.set_xlim(left=0)
    ax.invert_yaxis()
    return ax


def _parts(study, coefficient):
    """(facets in words, error) of each kind of effect, in a fixed order."""
    facets = {e.label: e.facets for e in study.design.effects}
    counted = ["relative error"]
    if coefficient == "dependability":
        counted.append("absolute error only")
    table = study.table[study.table["role"].isin(counted)]
    words = [
        " and ".join(f"{n}s" for n in study.levels if n in facets[label])
        for label in table.index
    ]
    parts = table["mean_variance"].groupby(words, sort=False).sum()
    return parts.items()


def allocation_map(grid, best, coefficient="dependability", ax=None):
    """Lines of equal reliability and of equal cost, and the best designs.

    Parameters
    ----------
    grid : DataFrame
        As from `Plan.grid` for topics and assessors, with ``cost``.
    best : sequence of Allocation
        Each is marked, and the line of its budget drawn.
    coefficient : {"dependability", "generalizability"}
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    ax = ax or plt.subplots(figsize=(WIDTH, 4.4))[1]
    tables = [
        grid.pivot(index="assessor", columns="topic", values=column)
        for column in (coefficient, "cost")
    ]
    topics, assessors = tables[0].columns, tables[0].index
    ax.contourf(
        topics,
        assessors,
        tables[0],
        levels=[0, *_LEVELS, 1],
        cmap="Blues",
        alpha=0.4,
    )
    lines = ax.contour(
        topics, assessors, tables[0], levels=_LEVELS, colors=[PALETTE[0]]
    )
    ax.clabel(lines, fontsize=9.5, fmt=lambda level: f"{level:g}")
    costs = sorted({round(design.cost, 6) for design in best})
    ax.contour(
        topics,
        assessors,
        tables[1],
        levels=costs,
        colors=[INK],
        linestyles="--",
        linewidths=1,
    )
    for design in best:
        x, y = design.levels["topic"], design.levels["assessor"]
        ax.plot(x, y, "D", ms=8, color=PALETTE[1], mec="white")
        ax.annotate(
            f"{design.cost:,.0f}: {x} × {y}",
            (x, y),
            xytext=(8, 5),
            textcoords="offset points",
            fontsize=9.5,
        )
    _log(ax.xaxis, [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000])
    _log(ax.yaxis, [1, 2, 5, 10, 20, 50])
    ax.set(
        xlabel="topics",
        ylabel="assessors",
        xlim=(topics.min(), topics.max()),
        ylim=(assessors.min(), assessors.max()),
    )
    return ax


def frontiers(tables, coefficient="dependability"):
    """Reliability and assessors of the best design, against its cost.

    Parameters
    ----------
    tables : dict of name to DataFrame
        Each as from `Plan.pareto`.
    coefficient : {"dependability", "generalizability"}

    Returns
    -------
    Figure
    """
    figure, (upper, lower) = plt.subplots(
        2, 1, sharex=True, figsize=(WIDTH, 5.4), height_ratios=[3, 2]
    )
    for color, table in zip(PALETTE, tables.values(), strict=False):
        for ax, column in ((upper, coefficient), (lower, "assessor")):
            ax.step(table["cost"], table[column], where="post", color=color)
    _key(upper, dict(zip(tables, PALETTE, strict=False)))
    upper.set(ylabel=f"{coefficient} {_SYMBOL[coefficient]}", xscale="log")
    lower.set(
        xlabel="cost (log scale)", ylabel="assessors of the best design"
    )
    most = int(max(table["assessor"].max() for table in tables.values()))
    step = max(1, round(most / 4))
    lower.set_yticks(sorted({1, *range(step, most + 1, step)}))
    lower.set_ylim(bottom=0.5)
    lower.xaxis.set_major_formatter(ScalarFormatter())
    lower.xaxis.set_minor_formatter(NullFormatter())
    return figure


def ratios(intervals, ax=None):
    """Optimal ratios with their intervals, on a logarithmic scale.

    Parameters
    ----------
    intervals : dict of name to Interval
        An interval without upper limit ends in an arrow.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    ax = ax or plt.subplots(figsize=(WIDTH, 0.42 * len(intervals) + 1))[1]
    finite = [
        x
        for i in intervals.values()
        for x in (i.low, i.high, i.estimate)
        if np.isfinite(x)
    ]
    edge = 2.5 * max(finite)
    for row, interval in enumerate(intervals.values()):
        high = min(interval.high, edge)
        ax.plot([interval.low, high], [row, row], color=PALETTE[0], lw=2)
        if high == edge:
            ax.plot(edge, row, ">", color=PALETTE[0], ms=7, clip_on=False)
        if np.isfinite(interval.estimate):
            ax.plot(interval.estimate, row, "o", color=PALETTE[0], ms=7)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.set_yticks(range(len(intervals)), intervals)
    ax.set(xlabel="topics to one assessor at the best (log scale)")
    ax.set_xlim(right=edge)
    ax.grid(axis="x", color=MUTED, alpha=0.25)
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    return ax


def allocation_doubt(tables, facet="assessor"):
    """The best number of a facet, and the loss, over drawn components.

    Parameters
    ----------
    tables : dict of name to DataFrame
        Each as from `Plan.sensitivity`.
    facet : str

    Returns
    -------
    Figure
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.3))
    many = len(tables)
    last = max(table[facet].max() for table in tables.values())
    for k, table in enumerate(tables.values()):
        share = table[facet].value_counts(normalize=True).sort_index()
        color = PALETTE[k]
        left.bar(
            share.index + (k - (many - 1) / 2) * 0.8 / many,
            share,
            width=0.8 / many,
            color=color,
        )
        loss = np.sort(table["loss"].clip(lower=0))
        shares = np.arange(1, len(loss) + 1) / len(loss)
        right.step(loss, shares, where="post", color=color)
    _key(left, dict(zip(tables, PALETTE, strict=False)))
    left.set(xlabel=f"{facet}s of the best design", ylabel="draws")
    left.set_xticks(range(1, min(last, 14) + 1, 2))
    left.set_xlim(0.3, min(last, 14) + 0.7)
    right.set(xlabel="loss in the coefficient", ylabel="draws up to it")
    right.set_ylim(0, 1.02)
    for ax in (left, right):
        ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    return figure


def _log(axis, ticks):
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_ticks(ticks)
    axis.set_major_formatter(ScalarFormatter())
    axis.set_minor_formatter(NullFormatter())


def _key(ax, colors):
    """Names in their colours, on a line above the axes."""
    texts = [
        TextArea(name, textprops={"color": color, "fontsize": 9.5})
        for name, color in colors.items()
    ]
    ax.add_artist(
        AnchoredOffsetbox(
            "lower left",
            child=HPacker(children=texts, pad=0, sep=14),
            frameon=False,
            pad=0,
            borderpad=0.2,
            bbox_to_anchor=(0, 1),
            bbox_transform=ax.transAxes,
        )
    )
