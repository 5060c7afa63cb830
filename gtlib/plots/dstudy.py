"""Figures of D-studies: what a planned collection would be worth."""

import matplotlib.pyplot as plt
import numpy as np

from gtlib.plots.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    label_ends,
    say_nothing_here,
)

TITLES = {
    "generalizability": "relative: the order of systems",
    "dependability": "absolute: the value of scores",
}


def reliability_curves(grid, along="topic", by="assessor", target=0.95):
    """Both coefficients as the numbers of levels of a facet grow.

    Parameters
    ----------
    grid : DataFrame
        Of `gtlib.Plan.grid`.
    along, by : str
        The facet along the axis; the facet with a line per number.
    target : float
        Marked by a line.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(
        1, 2, figsize=(WIDTH, 3.4), sharey=True, layout="constrained"
    )
    lines = list(grid.groupby(by, sort=True))
    colors = PALETTE[: len(lines)]
    for ax, coefficient in zip(axes, TITLES, strict=True):
        for (_, line), color in zip(lines, colors, strict=True):
            ax.plot(line[along], line[coefficient], color=color, lw=2)
        ax.axhline(target, color=MUTED, lw=0.9, ls=":")
        ax.set_title(TITLES[coefficient], color=INK)
        ax.set(xlabel=f"number of {along}s")
        ax.margins(x=0)
    axes[0].set(ylim=(max(0, grid[list(TITLES)].min().min() - 0.02), 1))
    axes[0].set_ylabel("coefficient")
    axes[0].annotate(
        f"target {target:g}",
        (grid[along].max(), target),
        xytext=(0, -3),
        textcoords="offset points",
        ha="right",
        va="top",
        color=INK,
        fontsize=9,
    )
    label_ends(
        axes[1],
        grid[along].max(),
        [line["dependability"].iloc[-1] for _, line in lines],
        [f"{n} {by}{'s' * (n > 1)}" for n, _ in lines],
        colors,
    )
    return figure


def error_shares(grid_tables, along="topic"):
    """The parts of the absolute error as the numbers of levels grow.

    Parameters
    ----------
    grid_tables : mapping of number to DataFrame
        The ``table`` of a `gtlib.Plan` for each number.
    along : str
        What the numbers count.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.6))
    numbers = list(grid_tables)
    first = grid_tables[numbers[0]]
    effects = first.index[first["role"].str.contains("error")]
    parts = np.array(
        [
            [t.loc[e, "mean_variance"] for t in grid_tables.values()]
            for e in effects
        ]
    )
    order = np.argsort(-parts[:, -1])
    tops = np.cumsum(parts[order], axis=0)
    bottoms = tops - parts[order]
    colors = [PALETTE[i % len(PALETTE)] for i in range(len(effects))]
    for low, high, color in zip(bottoms, tops, colors, strict=True):
        ax.fill_between(numbers, low, high, color=color, alpha=0.85, lw=0)
    seen = parts[order].max(axis=1) > 0.02 * tops[-1].max()
    middle = (bottoms[:, -1] + tops[:, -1]) / 2
    ax.set(
        xlabel=f"number of {along}s",
        ylabel="absolute error variance",
        ylim=(0, 1.02 * tops[-1].max()),
    )
    ax.margins(x=0)
    label_ends(
        ax,
        numbers[-1],
        middle[seen],
        [effects[i] for i in order[seen]],
        [c for c, s in zip(colors, seen, strict=True) if s],
    )
    return ax


def topics_needed(table, target=0.95):
    """Topics that a target takes, measure by measure.

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
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 3.2), sharey=True)
    for ax, coefficient in zip(axes, TITLES, strict=True):
        ax.set_title(TITLES[coefficient], color=INK)
        ax.set(xlabel=f"topics for {target:g} (log scale)")
    if table.empty:
        figure.delaxes(axes[1])
        say_nothing_here(axes[0])
        return figure
    measures = list(dict.fromkeys(table["measure"]))
    rows = {measure: row for row, measure in enumerate(measures)}
    for ax, coefficient in zip(axes, TITLES, strict=True):
        for _, one in table.groupby("collection"):
            ax.plot(
                one[coefficient],
                one["measure"].map(rows),
                "o",
                color=PALETTE[0],
                alpha=0.75,
                ms=7,
                mew=0,
            )
        for measure, of in table.groupby("measure")[coefficient]:
            ax.plot(
                of.median(), rows[measure], "|", color=INK, ms=18, mew=2
            )
        ax.set_xscale("log")
        low, high = ax.get_xlim()
        ticks = [n for n in (25, 50, 100, 200, 400, 800) if low < n < high]
        ax.set_xticks(ticks, ticks)
        ax.minorticks_off()
    axes[0].set_yticks(range(len(measures)), measures)
    axes[0].set_ylim(len(measures) - 0.5, -0.5)
    return figure
