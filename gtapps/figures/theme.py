"""One look for every figure."""

from collections.abc import Collection, Iterable, Sequence
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from IPython import get_ipython
from matplotlib.typing import ColorType
from matplotlib_inline.backend_inline import set_matplotlib_formats
from scipy.optimize import isotonic_regression

WIDTH = 4.8
"""Width of every figure, in inches.

A page draws it as wide as there is room. On a phone of 390 pixels that is
so much that text of 10 points is 9 pixels high; there is none smaller.
"""

PALETTE = sns.color_palette("colorblind")
"""Safe for the common kinds of colour blindness."""

INK = "#262626"
"""Text and axes, as seaborn has them."""

MUTED = "#8c8c8c"
"""Reference lines and whatever is background to the finding."""


def use_style() -> None:
    """Set the book's figure style for every figure drawn afterwards."""
    sns.set_theme(
        context="notebook",
        style="ticks",
        palette="colorblind",
        rc={
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": 10.5,
            "axes.labelsize": 10.5,
            "xtick.labelsize": 10,
            "ytick.labelsize": 10,
            "figure.constrained_layout.use": True,
            "figure.figsize": (WIDTH, 3.4),
            "font.size": 10,
            "legend.frameon": False,
            "svg.hashsalt": "gtlib",
        },
    )
    if get_ipython():  # otherwise it would begin one
        set_matplotlib_formats("svg")


def panels(
    count: int,
    height: float,
    columns: int = 2,
    sharey: bool = True,
    **options: Any,
) -> tuple[plt.Figure, list[plt.Axes]]:
    """A figure with `count` axes of this height each, in a grid."""
    columns = min(count, columns)
    rows = -(-count // columns)
    figure = plt.figure(figsize=(WIDTH, height * rows))
    grid = figure.subplots(rows, columns, sharey=sharey, **options)
    for ax in np.ravel(grid)[count:]:
        ax.remove()
    for ax in figure.axes[-columns:]:
        ax.tick_params(labelbottom=True)
    return figure, figure.axes


def label(
    ax: plt.Axes,
    x: float,
    y: float,
    text: str,
    color: ColorType = INK,
    dx: float = 4,
    dy: float = 0,
    ha: str = "left",
) -> None:
    """Write beside a place in the data, `dx` and `dy` points away."""
    ax.annotate(
        text,
        (x, y),
        xytext=(dx, dy),
        textcoords="offset points",
        color=color,
        ha=ha,
        va="center",
        fontsize=10,
        parse_math=False,  # names may hold dollars
    )


def label_ends(
    ax: plt.Axes, ends: pd.Series, colors: Iterable[ColorType] = PALETTE
) -> None:
    """Name lines at their right ends, in place of a legend.

    `ends` holds their heights by name and is itself named by their place
    on the x axis, as the last row of a table of lines is. Call it when the
    limits of the axes are final: labels that would overlap are moved up
    and down just enough.
    """
    ax.figure.get_figure(root=True).draw_without_rendering()
    places = np.column_stack([np.zeros(len(ends)), ends])
    points = ax.transData.transform(places)[:, 1] * 72 / ax.figure.dpi
    moves = _apart(points, 12) - points
    for (name, y), dy, color in zip(
        ends.items(), moves, cycle(colors), strict=False
    ):
        label(ax, ends.name, y, str(name), color, dx=6, dy=dy)


def named_lines(table: pd.DataFrame, **look: Any) -> plt.Axes:
    """A line per column, named at its right end."""
    ax = table.plot(color=PALETTE, legend=False, **look)
    label_ends(ax, table.iloc[-1])
    return ax


def key(
    place: plt.Axes | plt.Figure,
    names: Collection[str],
    colors: Sequence[ColorType] = PALETTE,
    **where: Any,
) -> None:
    """Names in their colours: above the axes, if not told where."""
    columns = 3 if sum(map(len, names)) < 45 else 1
    above = {
        "loc": "lower left",
        "bbox_to_anchor": (0, 1),
        "ncols": columns,
    }
    place.legend(
        [plt.Line2D([], [], ls="")] * len(names),
        names,
        labelcolor=colors,
        handlelength=0,
        handletextpad=0,
        fontsize=10,
        **where or above,
    )


def key_inside(
    figure: plt.Figure,
    names: Collection[str],
    colors: Sequence[ColorType] = PALETTE,
) -> None:
    """A key where three panels leave a place, else in the first one."""
    axes = figure.axes
    if len(axes) % 2 and len(axes) > 1:
        below = {"loc": "center", "bbox_to_anchor": (0.77, 0.25)}
        key(figure, names, colors, ncols=1, **below)
    else:
        key(axes[0], names, colors, loc="lower right")


def name_rows(ax: plt.Axes, names: Sequence[str]) -> None:
    """Names of what is drawn at the heights 0, 1, ..., downwards."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    for panel in ax.figure.axes:
        panel.tick_params(axis="y", length=0)


def band(
    ax: plt.Axes, low: pd.Series, high: pd.Series, color: ColorType
) -> None:
    """The area between two lines."""
    ax.fill_between(low.index, low, high, color=color, alpha=0.2, lw=0)


def dots_on_diagonal(
    ax: plt.Axes, x: pd.Series, y: pd.Series, top: float
) -> None:
    """Dots, and the line on which both numbers are the same."""
    ax.plot([0, top], [0, top], color=MUTED, lw=0.9, ls=":")
    ax.scatter(x, y, s=26, color=PALETTE[0], alpha=0.75, lw=0)
    ax.set(xlim=(0, top), ylim=(0, top), aspect="equal")


def say_nothing_here() -> plt.Axes:
    """Axes that say why they are empty."""
    _, ax = plt.subplots(figsize=(WIDTH, 2))
    ax.set(xticks=[], yticks=[])
    why = (
        "The data of this figure are not on this machine;\n"
        "the note above says how to get them."
    )
    label(ax, 0.5, 0.5, why, dx=0, ha="center")
    return ax


def _apart(places, gap):
    """Places moved as little as keeps them `gap` apart."""
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    moved = np.empty(len(places))
    moved[order] = isotonic_regression(places[order] - steps).x + steps
    return moved
