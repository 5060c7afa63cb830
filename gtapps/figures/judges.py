"""Figures of machine judges: beside people, and beside each other."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd

from gtapps.figures.theme import (
    MUTED,
    PALETTE,
    WIDTH,
    key,
    label,
    label_ends,
)


def grouped_dots(
    table: pd.DataFrame, x: str, y: str, group: str
) -> plt.Axes:
    """Two columns of a table against each other, coloured by a third.

    Parameters
    ----------
    table : DataFrame
    x, y : str
        Columns of numbers, whose names are those of the axes.
    group : str
        The column whose values are named above, in their colours.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.8))
    groups = dict([*table.groupby(group, sort=False)])
    for rows, color in zip(groups.values(), PALETTE, strict=False):
        ax.scatter(rows[x], rows[y], s=30, alpha=0.75, lw=0, color=color)
    key(ax, groups)
    ax.set(xlabel=x, ylabel=y)
    return ax


def named_curves(
    table: pd.DataFrame, ylabel: str, levels: Mapping[str, float]
) -> plt.Axes:
    """A line per column over the numbers of the index, named at its end.

    Parameters
    ----------
    table : DataFrame
        Its index is named as the axis is to be.
    ylabel : str
    levels : mapping of name to float
        Drawn across, dotted.

    Returns
    -------
    Axes
    """
    ax = table.plot(color=PALETTE, legend=False, lw=2, ylabel=ylabel)
    for name, level in levels.items():
        ax.axhline(level, color=MUTED, lw=1, ls=":")
        label(ax, table.index[0], level, name, MUTED, dx=2, dy=7)
    label_ends(ax, table.iloc[-1])
    return ax
