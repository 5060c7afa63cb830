"""Figures of G-studies: where the variance of scores comes from."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from seaborn.utils import relative_luminance

from gtapps.figures.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    key,
    label,
    name_rows,
    say_nothing_here,
)
from gtlib.gtheory.study import GStudy

SIGNS = sns.diverging_palette(25, 250, s=95, l=50, as_cmap=True)
"""Red for less, blue for more, and no darker than stays a colour when
a dark page turns light into dark."""


def effect_maps(effects: Mapping[str, pd.DataFrame]) -> plt.Figure:
    """Every effect of a study as a map, in one scale of colours.

    Parameters
    ----------
    effects : mapping of label to DataFrame
        Rows are systems; columns are in equal blocks, one per assessor,
        named by the upper level of the columns.

    Returns
    -------
    Figure
    """
    down = -(-len(effects) // 2)
    size = WIDTH, 0.8 * down + 1.4
    figure, axes = plt.subplots(
        down, 2, figsize=size, sharex=True, sharey=True
    )
    largest = max(e.abs().max(axis=None) for e in effects.values())
    for ax, (name, effect) in zip(axes.flat, effects.items(), strict=False):
        image = ax.imshow(
            effect,
            cmap=SIGNS,
            vmin=-largest,
            vmax=largest,
            aspect="auto",
            interpolation="nearest",
        )
        ax.set_title(name, loc="left")
        blocks = effect.columns.get_level_values(0).unique()
        edges = np.linspace(0, effect.shape[1], len(blocks) + 1) - 0.5
        for edge in edges[1:-1]:
            ax.axvline(edge, color=INK, lw=0.8)
        ax.set_xticks((edges[:-1] + edges[1:]) / 2, blocks)
        ax.set_yticks([])
        ax.tick_params(length=0)
        ax.tick_params(axis="x", rotation=90)
    figure.supylabel("systems", fontsize=10.5)
    bar = figure.colorbar(
        image,
        ax=axes,
        location="bottom",
        shrink=0.7,
        aspect=40,
        label="part of the score",
    )
    bar.outline.set_visible(False)
    return figure


def fitting_levels(
    table: pd.DataFrame, expected: tuple[int, int]
) -> plt.Axes:
    """How many printed components each pair of numbers of levels gives.

    Parameters
    ----------
    table : DataFrame
        Rows and columns are numbers of levels of two facets, their names
        those of index and columns; values count the components.
    expected : (row, column)
        The pair that is printed; it is outlined.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.6))
    best = table.max(axis=None)
    sns.heatmap(
        table.replace(best, 1.5 * best),
        annot=table,
        fmt="g",
        cmap="Blues",
        cbar=False,
        ax=ax,
    )
    row = table.index.get_loc(expected[0])
    column = table.columns.get_loc(expected[1])
    red = PALETTE[3]
    ax.add_patch(
        plt.Rectangle((column, row), 1, 1, ec=red, fc="none", lw=2)
    )
    label(ax, table.shape[1], row + 0.5, "outlined:\nas printed", red)
    ax.tick_params(length=0, rotation=0)
    ax.set(
        xlabel=f"number of {table.columns.name}s",
        ylabel=f"number of {table.index.name}s",
    )
    return ax


def variance_shares(studies: Mapping[str, GStudy]) -> plt.Axes:
    """The composition of each study's variance, a bar each.

    Parameters
    ----------
    studies : mapping of title to GStudy
        All of one design, of few effects.

    Returns
    -------
    Axes
    """
    if not studies:
        return say_nothing_here()
    ax = _percent(studies).T.plot.barh(
        stacked=True,
        width=0.72,
        color=PALETTE,
        legend=False,
        figsize=(WIDTH, 0.9 + 0.29 * len(studies)),
        xlabel="percent of the variance of a single score",
    )
    for bars, color in zip(ax.containers, PALETTE, strict=False):
        ax.bar_label(
            bars,
            fmt=lambda share: f"{share:.0f}" if share >= 4 else "",
            label_type="center",
            color="white" if relative_luminance(color) < 0.18 else "black",
            fontsize=10,
        )
        first = bars[0]
        middle = first.get_x() + first.get_width() / 2
        effect = bars.get_label()
        label(ax, middle, -0.4, effect, color, 0, 9, ha="center")
    name_rows(ax, list(studies))
    ax.set_ylim(top=-0.9)
    ax.set_xlim(0, 100)
    ax.spines["left"].set_visible(False)
    return ax


def components(studies: Mapping[str, GStudy]) -> plt.Axes:
    """The components of several studies of one design, effect by effect.

    Parameters
    ----------
    studies : mapping of title to GStudy
        Negative estimates are drawn at zero, hollow.

    Returns
    -------
    Axes
    """
    shares = _percent(studies)
    _, ax = plt.subplots(figsize=(WIDTH, 0.8 + 0.4 * len(shares)))
    rows = np.arange(len(shares))
    lowest, highest = shares.min(axis=1), shares.max(axis=1)
    ax.hlines(rows, lowest, highest, color="#d5d5d5", lw=3)
    for (title, study), color in zip(
        studies.items(), PALETTE, strict=False
    ):
        share, below = shares[title], study.estimate.to_numpy() < 0
        dots = {"color": color, "ms": 8}
        ax.plot(share, rows, "o", **dots)
        ax.plot(share[below], rows[below], "o", mfc="white", **dots)
    key(ax, studies, loc="lower right")
    name_rows(ax, shares.index)
    ax.axvline(0, color=MUTED, lw=0.8)
    ax.margins(x=0.12)
    ax.set(xlabel="percent of the variance of a single score")
    return ax


def _percent(studies):
    """Percent of the variance: effects x studies."""
    return pd.DataFrame(
        {title: study.table["percent"] for title, study in studies.items()}
    )
