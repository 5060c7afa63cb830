"""Figures of chapter 1: alpha, as it is printed and as it comes out."""

import matplotlib.pyplot as plt
import numpy as np
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
    ax.set_ylabel("our alpha less the printed")
    ax.xaxis.set_major_formatter("{x:.0%}")
    ax.margins(x=0.01)
    theme.label_ends(ax)
    return ax


def printed_and_ours(table: pd.DataFrame) -> plt.Axes:
    """Draw alphas of each collection as printed and as they come out.

    Parameters
    ----------
    table : DataFrame, a row per collection
        A column per way to compute them, of which ``printed`` is one.

    Returns
    -------
    Axes
    """
    height = 0.55 + 0.42 * max(len(table), 4)
    _, ax = plt.subplots(figsize=(theme.WIDTH, height))
    rows = np.arange(len(table))
    ax.hlines(rows, table.min(axis=1), table.max(axis=1), color="#d5d5d5")
    ours = table.drop(columns="printed")
    ax.plot(ours, rows, "o", ms=8)
    theme.key(ax, list(ours))
    ax.plot(table.printed, rows, "|", c=theme.INK, ms=17, mew=2, zorder=4)
    for row, x in enumerate(table["printed"]):
        theme.label(ax, x, row, f"{x:.4f}", dx=-10, ha="right")
    theme.name_rows(ax, table.index)
    ax.set(xlabel="Cronbach's alpha")
    ax.margins(x=0.25)
    return ax
