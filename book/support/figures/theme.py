"""One look for every figure, and what several of them are made of."""

import sys
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from gtlib.checks import install_command

try:
    import matplotlib.pyplot as plt
    import seaborn as sns
    from matplotlib.typing import ColorType
    from seaborn.utils import relative_luminance

    from book.support import typeface
except ImportError as error:
    raise ImportError(
        "Figures need matplotlib and seaborn: "
        f"{install_command('figures')}."
    ) from error

# Width of every figure, in inches.
#
# A page draws it as wide as there is room. On a phone of 390 pixels that is
# so much that text of 10 points is 9 pixels high; there is none smaller.
WIDTH = 4.8

# Text and axes, as seaborn has them.
INK = "#262626"

# Reference lines and whatever is background to the finding.
MUTED = "#737373"

# One colour to one concept, in every figure, in the planner, and nothing
# else in it. Each can be read as text, and they stay apart for the common
# kinds of colour blindness. `book/_ext/finish.py` has their partners.
COLORS = {
    "topic": "#0173b2",
    "assessor": "#a96600",
    "system": INK,
    "error": "#9c1a10",
    "generalizability": "#0b6e50",
    "dependability": "#93177a",
}

# Colours of everything else: collections, methods, models.
PALETTE = ["#5b4bb5", "#807400", "#c9447a", "#17818b", "#8c6a55", INK]

# Empty cells of a grid.
FAINT = "#eef2f5"


def use_style() -> None:
    """Set the book's figure style for every figure drawn afterwards."""
    name = typeface.in_figures() or "sans-serif"
    sns.set_theme(
        context="notebook",
        style="ticks",
        palette=PALETTE,
        font=name,
        rc={
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": 11.5,
            "axes.labelsize": 11.5,
            "xtick.labelsize": 11,
            "ytick.labelsize": 11,
            "figure.constrained_layout.use": True,
            "figure.figsize": (WIDTH, 3.4),
            "figure.labelsize": 11.5,
            "font.size": 11,
            "legend.frameon": False,
            "lines.linewidth": 2,
            "mathtext.fontset": "custom",
            "mathtext.rm": name,
            "mathtext.it": f"{name}:italic",
            "mathtext.bf": f"{name}:bold",
            "svg.hashsalt": "gtlib",
        },
    )
    ipython = sys.modules.get("IPython")
    if ipython and ipython.get_ipython():  # else there are no cells to show
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg")


def color_of(effect: str) -> ColorType:
    """Return the colour of an effect: that of its one facet of topics or of
    assessors, or the muted one."""
    facets = [facet for facet in ("topic", "assessor") if facet in effect]
    return COLORS[facets[0]] if len(facets) == 1 else MUTED


def panels(
    count: int,
    height: float,
    columns: int = 2,
    sharey: bool | Literal["row"] = True,
    **options: Any,
) -> tuple[plt.Figure, list[plt.Axes]]:
    """Make a figure with `count` axes of this height each, in a grid."""
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
    x: float | str,
    y: float | str,
    text: str,
    color: ColorType = INK,
    dx: float = 4,
    dy: float = 0,
    ha: str = "left",
    ground: ColorType | None = None,
) -> None:
    """Write beside a place in the data, `dx` and `dy` points away, perhaps
    on a ground that hides lines."""
    ax.annotate(
        text,
        (x, y),
        xytext=(dx, dy),
        textcoords="offset points",
        color=color,
        ha=ha,
        va="center",
        fontsize=11,
        parse_math=False,  # names may hold dollars
        bbox={"fc": ground, "ec": "none", "pad": 1} if ground else None,
    )


def label_ends(ax: plt.Axes) -> None:
    """Name lines at their right ends, in place of a legend.

    Call it when the limits of the axes are final: names that would overlap
    are moved up and down just enough.
    """
    last = {}
    for drawn, name in zip(*ax.get_legend_handles_labels(), strict=True):
        line = drawn[0] if isinstance(drawn, tuple) else drawn  # with bars
        if isinstance(line, plt.Line2D):
            points = np.asarray(line.get_xydata())
            x, y = points[np.isfinite(points).all(axis=1)][-1]
            last[name] = x, y, line.get_color()
    ax.figure.figure.draw_without_rendering()
    ends = [(x, y) for x, y, _ in last.values()]
    heights = ax.transData.transform(ends)[:, 1] * 72 / ax.figure.dpi
    moves = _spread_apart(heights, 12) - heights
    for (name, (x, y, color)), dy in zip(last.items(), moves, strict=True):
        label(ax, x, y, name, color, dx=6, dy=dy)


def key(
    place: plt.Axes | plt.Figure,
    names: Collection[str],
    colors: Sequence[ColorType] = PALETTE,
    **where: Any,
) -> None:
    """Write names in their colours: above the axes, if not told where."""
    n = 3 if sum(map(len, names)) < 45 else 1
    above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": n}
    place.legend(
        [plt.Line2D([], [], ls="")] * len(names),
        names,
        labelcolor=colors,
        handlelength=0,
        handletextpad=0,
        fontsize=11,
        **where or above,
    )


def key_inside(
    figure: plt.Figure,
    names: Collection[str],
    colors: Sequence[ColorType] = PALETTE,
) -> None:
    """Draw a key where three panels leave a place, else in the first
    one."""
    axes = figure.axes
    if len(axes) % 2 and len(axes) > 1:
        below = {"loc": "center", "bbox_to_anchor": (0.77, 0.25)}
        key(figure, names, colors, ncols=1, **below)
    else:
        key(axes[0], names, colors, loc="lower right")


def name_rows(ax: plt.Axes, names: Sequence[str]) -> None:
    """Write the names of what is drawn at the heights 0, 1, ..., down."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    for panel in ax.figure.axes:
        panel.tick_params(axis="y", length=0)


def stack(
    ax: plt.Axes,
    shares: pd.DataFrame,
    colors: Iterable[ColorType],
    least: float = 4,
    width: float = 0.72,
) -> None:
    """Draw a bar of shares, in percent, for each row; those from `least`
    on bear their number."""
    colors = [*colors]
    bar = {"stacked": True, "legend": False, "color": colors}
    drawn = shares.plot.barh(ax=ax, width=width, **bar).containers
    for bars, color in zip(drawn, colors, strict=False):
        ax.bar_label(
            bars,
            fmt=lambda share: f"{share:.0f}" if share >= least else "",
            label_type="center",
            color="white" if relative_luminance(color) < 0.18 else "black",
            fontsize=11,
        )
    name_rows(ax, shares.index)
    ax.set_xlim(0, 100)
    ax.spines["left"].set_visible(False)


def band(
    ax: plt.Axes, low: pd.Series, high: pd.Series, color: ColorType
) -> None:
    """Draw the area between two lines."""
    ax.fill_between(low.index, low, high, color=color, alpha=0.2, lw=0)


def _spread_apart(places, gap):
    """Places moved as little as keeps them `gap` apart."""
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    moved = np.empty(len(places))
    moved[order] = isotonic_regression(places[order] - steps).x + steps
    return moved
