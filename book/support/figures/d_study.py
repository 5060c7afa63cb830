"""Figures of chapter 3: what a planned collection would be worth."""

import matplotlib.pyplot as plt
import pandas as pd

from book.support.figures import theme
from book.support.figures.shared import COEFFICIENTS


def topics_needed(table: pd.DataFrame) -> plt.Figure:
    """Draw topics that .95 takes, measure by measure.

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
    figure, axes = theme.panels(2, 3.2)
    rows, measures = pd.factorize(table["measure"])
    for ax, (name, title) in zip(axes, COEFFICIENTS.items(), strict=True):
        topics = table[name]
        ax.scatter(topics, rows, 49, theme.COLORS[name], alpha=0.6, lw=0)
        medians = topics.groupby(rows).median()
        ax.plot(medians, medians.index, "|", color=theme.INK, ms=18, mew=2)
        ax.set(xscale="log", title=title)
        low, high = ax.get_xlim()
        ticks = [n for n in (25, 50, 100, 200, 400, 800) if low < n < high]
        ax.set_xticks(ticks, map(str, ticks))
        ax.minorticks_off()
    theme.name_rows(axes[0], measures)
    figure.supxlabel("topics for 0.95 (log scale)")
    return figure
