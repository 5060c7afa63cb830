"""One look for every figure."""

import matplotlib as mpl
import numpy as np
import seaborn as sns
from matplotlib_inline.backend_inline import set_matplotlib_formats

WIDTH = 7.0
"""Width of a full-width figure, in inches: the text column of the book."""

PALETTE = sns.color_palette("colorblind")
"""Safe for the common kinds of colour blindness."""

INK = "#333333"
"""Text and axes."""

MUTED = "#8c8c8c"
"""Reference lines and whatever is background to the finding."""


def use_style():
    """Set the book's figure style for every figure drawn afterwards."""
    sns.set_theme(
        context="notebook",
        style="ticks",
        palette="colorblind",
        rc={
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.edgecolor": INK,
            "axes.labelcolor": INK,
            "axes.titlesize": 11,
            "axes.labelsize": 10.5,
            "figure.constrained_layout.use": True,
            "figure.figsize": (WIDTH, 3.8),
            "font.size": 10.5,
            "legend.frameon": False,
            "savefig.facecolor": "white",
            "svg.hashsalt": "gtlib",
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
        },
    )
    set_matplotlib_formats("svg")
    mpl.rcParams["svg.fonttype"] = "path"


def label_end(ax, x, y, text, color, dx=4):
    """Name a line at its right end, in place of a legend."""
    ax.annotate(
        text,
        (x, y),
        xytext=(dx, 0),
        textcoords="offset points",
        color=color,
        va="center",
        fontsize=9.5,
    )


def label_ends(ax, x, ys, texts, colors, dx=4, gap=12):
    """Name several lines at their right ends, `gap` points apart or more.

    Call it when the limits of the axes are final: labels that would
    overlap are moved up and down just enough.
    """
    ys = np.asarray(ys, dtype=float)
    ax.figure.draw_without_rendering()
    pixels = ax.transData.transform(np.column_stack([0 * ys, ys]))[:, 1]
    points = pixels * 72 / ax.figure.dpi
    for i, up in zip(range(len(ys)), _apart(points, gap), strict=True):
        ax.annotate(
            texts[i],
            (x, ys[i]),
            xytext=(dx, up - points[i]),
            textcoords="offset points",
            color=colors[i],
            va="center",
            fontsize=9.5,
        )


def say_nothing_here(ax):
    """Say on empty axes why they are empty."""
    ax.text(
        0.5,
        0.5,
        "The data of this figure are not on this machine;\n"
        "the note above says how to get them.",
        transform=ax.transAxes,
        ha="center",
        va="center",
        color=INK,
    )
    ax.set(xticks=[], yticks=[])
    return ax


def _apart(places, gap):
    """Places moved as little as keeps them `gap` apart (pooling)."""
    order = np.argsort(places, kind="stable")
    groups = []
    for i in order:
        groups.append([[i], places[i]])
        while len(groups) > 1:
            (low, a), (high, b) = groups[-2:]
            if b - a >= gap * (len(low) + len(high)) / 2:
                break
            both = low + high
            centre = (a * len(low) + b * len(high)) / len(both)
            groups[-2:] = [[both, centre]]
    moved = np.empty(len(places))
    for members, centre in groups:
        offsets = gap * (np.arange(len(members)) - (len(members) - 1) / 2)
        moved[members] = centre + offsets
    return moved
