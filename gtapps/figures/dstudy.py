"""Figures of D-studies: what a planned collection would be worth."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gtapps.figures.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    label,
    label_ends,
    name_rows,
    named_lines,
    panels,
    say_nothing_here,
)

TITLES = {
    "generalizability": "relative:\nthe order of systems",
    "dependability": "absolute:\nthe value of scores",
}
_TOPICS = "number of topics"


def reliability_by_topics(
    grid: pd.DataFrame, topics: int, targets: Sequence[float]
) -> plt.Axes:
    """Both coefficients against the number of topics.

    Parameters
    ----------
    grid : DataFrame
        Of `gtlib.Plan.grid`, over ``topic``.
    topics : int
        The number that the collection has, marked.
    targets : sequence of float
        Marked by lines.

    Returns
    -------
    Axes
    """
    curves = grid.set_index("topic")[list(TITLES)]
    ax = named_lines(curves, lw=2, xlabel=_TOPICS, ylim=(0, 1))
    for target in targets:
        ax.axhline(target, color=MUTED, lw=0.8, ls=":")
    ax.axvline(topics, color=MUTED, lw=0.8)
    ax.set_ylabel("coefficient")
    ax.margins(x=0)
    label(ax, topics, 0, "now", dx=3, dy=7)
    return ax


def reliability_curves(grid: pd.DataFrame) -> plt.Figure:
    """Both coefficients as topics are added, beside the target of .95.

    Parameters
    ----------
    grid : DataFrame
        Of `gtlib.Plan.grid`, over ``topic`` and ``assessor``; a line is
        drawn for each number of assessors.

    Returns
    -------
    Figure
    """
    curves = {
        title: grid.pivot_table(name, "topic", "assessor")
        for name, title in TITLES.items()
    }
    figure = _two_panels(curves)
    left, right = figure.axes
    for ax in (left, right):
        ax.axhline(0.95, color=MUTED, lw=0.9, ls=":")
    ends = curves[TITLES["dependability"]].iloc[-1]
    label(left, ends.name, 0.95, "target 0.95", dx=0, dy=-8, ha="right")
    names = {n: f"{n} assessor{'s' * (n > 1)}" for n in ends.index}
    label_ends(right, ends.rename(index=names))
    return figure


def crossed_and_nested(grids: Mapping[str, pd.DataFrame]) -> plt.Figure:
    """Both coefficients of two designs, as topics are added.

    Parameters
    ----------
    grids : mapping of title to DataFrame
        Of `gtlib.Plan.grid`, one for each design.

    Returns
    -------
    Figure
    """
    both = pd.concat(grids, names=["design"])
    curves = {
        name: both.pivot_table(name, "topic", "design", sort=False)
        for name in TITLES
    }
    figure = _two_panels(curves)
    for ax, table in zip(figure.axes, curves.values(), strict=True):
        label_ends(ax, table.iloc[-1])
    return figure


def who_judges_what(designs: Mapping[str, pd.DataFrame]) -> plt.Figure:
    """Which assessor judges which topic, a panel for each design.

    Parameters
    ----------
    designs : mapping of title to DataFrame of bool
        Topics x assessors; True where the assessor judges the topic.

    Returns
    -------
    Figure
    """
    widths = [max(table.shape[1], 3) for table in designs.values()]
    figure, axes = panels(len(designs), 2.9, width_ratios=widths)
    for ax, (title, table) in zip(axes, designs.items(), strict=True):
        topics, assessors = table.shape
        for cells, size, color in (
            (table, 110, PALETTE[0]),
            (~table, 8, MUTED),
        ):
            rows, columns = np.nonzero(cells)
            ax.scatter(columns, rows, s=size, marker="s", color=color)
        ax.set(title=title, xlabel="assessors", xticks=[], yticks=[])
        ax.set(xlim=(-0.7, assessors - 0.3), ylim=(topics - 0.3, -0.7))
        ax.spines[:].set_visible(False)
    axes[0].set_ylabel("topics")
    return figure


def error_shares(tables: Mapping[int, pd.DataFrame]) -> plt.Axes:
    """The parts of the absolute error as topics are added.

    Parameters
    ----------
    tables : mapping of number of topics to DataFrame
        The ``table`` of a `gtlib.Plan` for each.

    Returns
    -------
    Axes
    """
    role = next(iter(tables.values()))["role"]
    parts = pd.DataFrame(
        {topics: t["mean_variance"] for topics, t in tables.items()}
    )[role.str.contains("error")]
    parts = parts.sort_values(parts.columns[-1], ascending=False)
    tops = parts.cumsum()
    _, ax = plt.subplots(figsize=(WIDTH, 3.6))
    ax.stackplot(parts.columns, parts, colors=PALETTE, alpha=0.85, lw=0)
    top = tops.iloc[-1].max()
    ax.set(
        xlabel=_TOPICS,
        ylabel="absolute error variance",
        ylim=(0, 1.02 * top),
    )
    ax.margins(x=0)
    label_ends(ax, (tops - parts / 2).iloc[:, -1])
    return ax


def topics_needed(table: pd.DataFrame) -> plt.Figure:
    """Topics that .95 takes, measure by measure.

    Parameters
    ----------
    table : DataFrame
        Columns ``collection``, ``measure``, ``generalizability`` and
        ``dependability``: the numbers of topics. Measures are drawn in
        their order of appearance.

    Returns
    -------
    Figure
    """
    if table.empty:
        return say_nothing_here().figure.get_figure(root=True)
    figure, axes = panels(2, 3.2)
    rows, measures = pd.factorize(table["measure"])
    for ax, (coefficient, title) in zip(axes, TITLES.items(), strict=True):
        found = table[coefficient]
        ax.scatter(found, rows, s=49, color=PALETTE[0], alpha=0.75, lw=0)
        medians = found.groupby(rows).median()
        ax.plot(medians, medians.index, "|", color=INK, ms=18, mew=2)
        ax.set(xscale="log", title=title)
        ax.set_xlabel("topics for 0.95 (log scale)")
        low, high = ax.get_xlim()
        ticks = [n for n in (25, 50, 100, 200, 400, 800) if low < n < high]
        ax.set_xticks(ticks, [str(n) for n in ticks])
        ax.minorticks_off()
    name_rows(axes[0], measures)
    return figure


def _two_panels(curves):
    """A panel for each table of curves over topics, by its title."""
    figure, axes = panels(2, 3.4)
    for ax, (title, table) in zip(axes, curves.items(), strict=True):
        table.plot(ax=ax, color=PALETTE, lw=2, legend=False)
        ax.set(title=title, xlabel=_TOPICS, ylabel="coefficient")
        ax.margins(x=0)
    lowest = min(table.min(axis=None) for table in curves.values())
    axes[0].set_ylim(max(0, lowest - 0.02), 1)
    return figure
