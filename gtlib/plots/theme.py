"""One look for every figure."""

import matplotlib as mpl
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
