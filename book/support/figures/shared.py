"""Figures that several chapters draw."""

from collections.abc import Iterable, Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from book.support.figures.theme import (
    COLORS,
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    key,
    label,
    label_ends,
    name_rows,
    panels,
)
from gtlib.gtheory import GStudy

# The coefficients, and the title of each one's panel.
COEFFICIENTS = {
    "generalizability": "generalizability:\nthe order of systems",
    "dependability": "dependability:\nthe value of scores",
}

# The lines of one coefficient: they have one colour.
DASHES = ["-", "--", ":", "-."]


def mean_scores(
    *tables: pd.DataFrame, titles: Iterable[str] = (), top: float = 0
) -> plt.Figure:
    """Draw mean scores over one set of topics against those over another.

    Parameters
    ----------
    *tables : DataFrame
        A row per system; two columns, named as their axes are to be.
    titles : iterable of str, optional
        One for each table.
    top : float, optional
        Where both axes end; otherwise just above the highest score.

    Returns
    -------
    Figure
        A panel per table; systems above the diagonal have more of the
        second column.
    """
    figure, axes = panels(len(tables), 2.9)
    top = top or 1.05 * max(table.max(axis=None) for table in tables)
    for ax, table in zip(axes, tables, strict=True):
        x, y = table.columns
        ax.plot([0, top], [0, top], color=MUTED, lw=0.9, ls=":")
        ax.scatter(table[x], table[y], 26, INK, alpha=0.65, lw=0)
        ax.set(xlabel=f"mean, {x}", ylabel=f"mean, {y}", aspect="equal")
        ax.set(xlim=(0, top), ylim=(0, top))
    for ax, title in zip(axes, titles, strict=False):
        ax.set_title(title)
    return figure


def item_totals(analyses: Mapping[str, pd.DataFrame]) -> plt.Axes:
    """Draw the correlation of every topic with the rest, a row per
    collection.

    Parameters
    ----------
    analyses : mapping of title to the DataFrame of `gtlib.item_analysis`
        Topics below zero are marked and numbered.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 0.8 + 0.5 * len(analyses)))
    red = COLORS["error"]
    for row, analysis in enumerate(analyses.values()):
        values = analysis["corrected_item_total"].dropna().sort_values()
        nudge = 0.16 * (np.arange(len(values)) % 3 - 1)
        colors = [red if v < 0 else COLORS["topic"] for v in values]
        ax.scatter(values, row + nudge, 18, colors, alpha=0.75, lw=0)
        below = values.index[values < 0].astype(str).str[:60]
        if len(below) == 1:
            which = f"topic {below[0]}"
        elif len(below) <= 3:
            which = f"topics {', '.join(below)}"
        else:
            which = f"{len(below)} topics"
        if len(below):
            label(ax, values.min(), row, which, red, -8, ha="right")
    ax.axvline(0, color=INK, lw=0.9)
    name_rows(ax, list(analyses))
    ax.set(xlabel="correlation with the total over the other topics")
    ax.margins(x=0.4)
    return ax


def components(studies: Mapping[str, GStudy]) -> plt.Axes:
    """Draw the components of several studies of one design, effect by
    effect.

    Parameters
    ----------
    studies : mapping of title to GStudy
        Negative estimates are drawn at zero, hollow.

    Returns
    -------
    Axes
    """
    shares = pd.DataFrame(
        {title: study.table["percent"] for title, study in studies.items()}
    )
    _, ax = plt.subplots(figsize=(WIDTH, 0.8 + 0.4 * len(shares)))
    rows = np.arange(len(shares))
    lowest, highest = shares.min(axis=1), shares.max(axis=1)
    ax.hlines(rows, lowest, highest, color="#d5d5d5", lw=3)
    for title, color in zip(shares, PALETTE, strict=False):
        below = studies[title].estimate.to_numpy() < 0
        for which, face in ((~below, color), (below, "white")):
            x = shares.loc[which, title]
            ax.plot(x, rows[which], "o", color=color, mfc=face, ms=8)
    key(ax, studies, loc="lower right")
    name_rows(ax, shares.index)
    ax.axvline(0, color=MUTED, lw=0.8)
    ax.margins(x=0.12)
    ax.set(xlabel="percent of the variance of a single score")
    return ax


def reliability_curves(
    grid: pd.DataFrame, by: str = "assessor"
) -> plt.Figure:
    """Draw both coefficients as topics are added, beside the target of
    .95.

    Parameters
    ----------
    grid : DataFrame
        Of `gtlib.Plan.grid`, over ``topic``.
    by : str
        The column for each of whose values a line is drawn, numbers of
        levels or names.

    Returns
    -------
    Figure
    """

    def line_name(level):
        if isinstance(level, str):
            return level
        return f"1 {by}" if level == 1 else f"{level} {by}s"

    figure, axes = panels(2, 3.4)
    for ax, (name, title) in zip(axes, COEFFICIENTS.items(), strict=True):
        curves = grid.pivot_table(name, "topic", by, sort=False)
        lines = curves.rename(columns=line_name)
        lines.plot(ax=ax, legend=False, color=COLORS[name], style=DASHES)
        ax.set(title=title, xlabel="")
        ax.axhline(0.95, color=MUTED, lw=0.9, ls=":")
        ax.margins(x=0)
    axes[0].set_ylim(top=1)
    last = grid["topic"].max()
    label(axes[0], last, 0.95, "target 0.95", dx=0, dy=-8, ha="right")
    label_ends(axes[1])
    figure.supxlabel("number of topics")
    figure.supylabel("coefficient")
    return figure
