"""The figure of chapter 16: alpha, ours and as it is printed."""

import matplotlib.pyplot as plt
import pandas as pd

from book.support.figures import theme


def gap_by_fraction(gaps: pd.DataFrame) -> plt.Axes:
    """Draw our alpha less the printed one, by the share of systems left
    out.

    Parameters
    ----------
    gaps : DataFrame
        Index: the share left out; a column per collection.

    Returns
    -------
    Axes
    """
    ax = gaps.plot(drawstyle="steps-post", legend=False)
    ax.axhline(0, color=theme.INK, lw=0.9)
    ax.axvline(0.25, color=theme.MUTED, lw=0.9, ls=":")
    theme.label(ax, 0.25, gaps.max(axis=None), "one quarter", dx=5)
    ax.set_xlabel("share of the systems left out, worst first")
    ax.set_ylabel("our alpha − the printed one")
    ax.xaxis.set_major_formatter("{x:.0%}")
    ax.margins(x=0.01)
    theme.label_ends(ax)
    return ax
