"""Figures of chapter 10: intervals, and how often they hold the truth."""

import matplotlib.pyplot as plt
import pandas as pd

from book.support.figures import theme
from gtlib.scores import Interval


def coefficient_band(
    grid: pd.DataFrame, target: float, required: Interval
) -> plt.Axes:
    """Draw dependability with its interval, as the number of topics grows.

    Parameters
    ----------
    grid : DataFrame, a row per number of topics
        ``topic``, ``estimate``, ``low``, ``high``.
    target : float
    required : gtlib.Interval
        Of the number of topics that reaches the target.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(theme.WIDTH, 3.6))
    lines = grid.set_index("topic")[["low", "estimate", "high"]]
    names = ["lower limit", "estimate", "upper limit"]
    color, blue = theme.COLORS["dependability"], theme.COLORS["topic"]
    theme.band(ax, lines["low"], lines["high"], color)
    for name, width, line in zip(names, (0, 2, 0), lines, strict=True):
        ax.plot(lines[line], color=color, lw=width, label=name)
    ends = required.low, required.high
    bottom = lines["low"].min()
    ax.hlines(target, lines.index.min(), required.low, theme.MUTED, lw=1)
    ax.plot(ends, [target] * 2, color=blue, lw=3, solid_capstyle="butt")
    ax.plot(required.estimate, target, "o", color=blue)
    for number in (*ends, required.estimate):
        ax.vlines(number, bottom, target, color=blue, lw=0.9, ls=":")
        theme.label(ax, number, bottom, f"{number:.0f}", blue, dy=7)
    ax.margins(x=0)
    ax.set(xlabel="number of topics", ylabel="dependability")
    ax.set_ylim(bottom, 1)
    theme.label_ends(ax)
    return ax


def coverage_dots(table: pd.DataFrame) -> plt.Figure:
    """Draw coverage of 95% intervals, a panel per coefficient.

    Parameters
    ----------
    table : DataFrame
        Of `book.support.simulations.interval_coverage`, with columns
        ``population`` and ``model`` in addition; the populations from the
        highest row down. Dots of the second model are hollow.

    Returns
    -------
    Figure
    """
    kinds = table[["population", "method", "model"]]
    names, methods, models = (kinds[kind].unique() for kind in kinds)
    colors = dict(zip(methods, theme.PALETTE, strict=False))
    faces = {models[-1]: "white", models[0]: None}
    coefficients = table.groupby("quantity")
    figure, axes = theme.panels(len(coefficients), 4.4, sharex=True)
    for ax, (quantity, part) in zip(axes, coefficients, strict=True):
        ax.axvline(0.95, color=theme.MUTED, lw=1)
        for (method, model), rows in part.groupby(["method", "model"]):
            y = pd.Index(names).get_indexer(rows["population"])
            look = {"color": colors[method], "mfc": faces[model]}
            ax.plot(rows["coverage"], y, "o", ms=5, **look)
        ax.set_title(quantity)
    theme.name_rows(axes[0], names)
    axes[0].set(xlim=(min(0.8, table["coverage"].min() - 0.02), 1.01))
    figure.supxlabel("share that hold the truth")
    names_of_marks = [
        *methods,
        "● " + models[0],
        *("○ " + m for m in models[1:]),
    ]
    inks = [*colors.values(), theme.INK, theme.INK]
    theme.key(
        figure, names_of_marks, inks, loc="outside upper left", ncols=2
    )
    return figure
