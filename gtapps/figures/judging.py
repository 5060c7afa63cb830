"""Figures of judging: errors against effort, and what they are made of."""

from collections.abc import Mapping, Sequence
from itertools import cycle

import matplotlib.pyplot as plt
import pandas as pd

from gtapps.figures.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    key,
    name_rows,
)

LOOKS = [
    {"color": color, "marker": marker}
    for color, marker in zip(
        [*PALETTE[:6], INK],
        ["o", "s", "^", "D", "v", "P", "X"],
        strict=True,
    )
]
"""More lines than colours that can be told apart without a mark."""


def effort_panels(
    tables: Mapping[str, pd.DataFrame],
    ylabel: str,
    log: bool = False,
    order: Sequence[str] | None = None,
) -> plt.Figure:
    """A line per column over judgments a topic, a panel for each table.

    Panels stand two to a row.

    Parameters
    ----------
    tables : dict of str to DataFrame
        By panel title: index, judgments per topic; the columns of the
        first are named above.
    ylabel : str
    log : bool
        Whether the values are drawn on a log scale; else zero is marked.
    order : sequence of str, optional
        The names that may occur, so that a name has one look in all
        figures; by default the columns of the first table.

    Returns
    -------
    Figure
    """
    rows = -(-len(tables) // 2)
    size = WIDTH, 0.7 + 2.9 * rows
    figure, axes = plt.subplots(
        rows, 2, sharey=True, squeeze=False, figsize=size
    )
    every = next(iter(tables.values())) if order is None else order
    looks = dict(zip(every, cycle(LOOKS), strict=False))
    for ax, (title, table) in zip(axes.flat, tables.items(), strict=False):
        for name in table:
            ax.plot(table[name], label=name, ms=5, **looks[name])
        ax.set(title=title, xlabel="judgments per topic", xscale="log")
        ax.set_xticks(table.index, table.index)
        ax.minorticks_off()
        if log:
            ax.set_yscale("log")
        else:
            ax.axhline(0, color=MUTED, lw=1)
    for ax in axes.flat[len(tables) :]:
        ax.set_axis_off()
    figure.supylabel(ylabel, fontsize="medium")
    lines, names = axes.flat[0].get_legend_handles_labels()
    figure.legend(
        lines,
        names,
        loc="outside upper left",
        ncols=3,
        fontsize=10,
        handlelength=1,
        columnspacing=1,
    )
    return figure


def stacked_parts(table: pd.DataFrame, xlabel: str) -> plt.Axes:
    """A bar per row made of its columns, losses to the left of zero.

    Parameters
    ----------
    table : DataFrame
        Drawn from top to bottom; a dot marks each row's sum.
    xlabel : str

    Returns
    -------
    Axes
    """
    ax = table.plot.barh(
        stacked=True,
        width=0.62,
        color=PALETTE,
        legend=False,
        figsize=(WIDTH, 0.42 * len(table) + 1.3),
        xlabel=xlabel,
        ylabel="",
    )
    ax.plot(table.sum(axis=1), range(len(table)), "o", color=INK, ms=4)
    ax.axvline(0, color=MUTED, lw=1)
    key(ax, list(table.columns))
    name_rows(ax, [str(name) for name in table.index])
    ax.spines["left"].set_visible(False)
    return ax
