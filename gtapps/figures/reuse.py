"""Figures of chapter 7: the block design, and tests of reusability."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import PercentFormatter

from gtapps.figures.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    band,
    dots_on_diagonal,
    key,
    label,
    label_ends,
    named_lines,
    panels,
    say_nothing_here,
)


def block_design(table: pd.DataFrame) -> plt.Axes:
    """Which sites are held out of which topics, as a grid.

    Parameters
    ----------
    table : DataFrame of str
        As from `BlockDesign.table`.

    Returns
    -------
    Axes
        A column per topic, a row per site; held-out cells are filled.
    """
    _, ax = plt.subplots(figsize=(WIDTH, 2.4))
    subsets = table.index.get_level_values("subset")
    sns.heatmap(
        (table == "−").T,
        cmap=["#eef2f5", PALETTE[1]],
        cbar=False,
        linewidths=1.5,
        xticklabels=False,
        ax=ax,
    )
    places = pd.Series(range(len(table))).groupby(subsets)
    for subset, middle in places.mean().items():
        name = f"subset {subset}" if subset else "baseline"
        label(ax, middle + 0.5, 0, name, dx=0, dy=9, ha="center")
    for start in places.min()[1:]:
        ax.axvline(start, color=INK, lw=0.8)
    ax.set(xlabel="topics", ylabel="")
    ax.tick_params(length=0, rotation=0)
    return ax


def design_sizes(options: pd.DataFrame) -> plt.Axes:
    """The topics that each analysis gets, by sites held out.

    Parameters
    ----------
    options : DataFrame
        As from `BlockDesign.options`.

    Returns
    -------
    Axes
    """
    lines = options.drop(
        columns=["blocks", "topic subsets", "all-site baseline"]
    )
    return named_lines(
        lines,
        style=["o--" if "baseline" in name else "o-" for name in lines],
        ms=4,
        xlabel="sites held out of each topic (k)",
        ylabel="topics",
        xticks=lines.index,
        ylim=(0, None),
    )


def site_means(*tables: pd.DataFrame) -> plt.Figure:
    """Mean scores over one set of topics against those over another.

    Parameters
    ----------
    *tables : DataFrame
        A row per system; two columns, named as their axes are to be.

    Returns
    -------
    Figure
        A panel per table; systems above the diagonal have more of the
        second column. Without a table a note that the data is not here.
    """
    if not tables:
        say_nothing_here()
        return plt.gcf()
    figure, axes = panels(len(tables), 2.9)
    top = 1.05 * max(table.max(axis=None) for table in tables)
    for ax, table in zip(axes, tables, strict=True):
        x, y = table.columns
        dots_on_diagonal(ax, table[x], table[y], top)
        ax.set(xlabel=f"mean score, {x}", ylabel=y)
    return figure


def shuffled_statistic(
    values: pd.Series, observed: float, supposed: pd.Series
) -> plt.Axes:
    """The statistic over shuffles, beside the law it was supposed to obey.

    Parameters
    ----------
    values : Series
        A column of ``ReusabilityReport.shuffles``.
    observed : float
    supposed : Series
        Density by value of the statistic.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.2))
    top = supposed.index[-1]
    bins = np.arange(0, values.max() + top / 30, top / 60).tolist()
    ax.hist(values, bins, density=True, color=PALETTE[0], alpha=0.45)
    ax.plot(supposed, color=PALETTE[1])
    ax.axvline(observed, color=INK, lw=1.2)
    height = 0.98 * ax.get_ylim()[1]
    label(ax, observed, 0.7 * height, "observed", dx=6)
    law, x = "supposed:\nchi-square, 3 df", supposed.idxmax()
    label(ax, x, supposed.max(), law, PALETTE[1], 10, -6)
    shuffled = "over shuffles of the topics"
    label(ax, 0.6 * top, 0.35 * height, shuffled, PALETTE[0])
    ax.set(xlabel="X²", ylabel="density", xlim=(0, top), yticks=[])
    return ax


def p_value_curves(p_values: Mapping[str, pd.DataFrame]) -> plt.Figure:
    """The share of p-values up to each value: a diagonal if calibrated.

    Parameters
    ----------
    p_values : dict of str to DataFrame
        Population -> p-values, a column per test.

    Returns
    -------
    Figure
        A panel per population, in which a thin line marks .05.
    """
    figure, axes = panels(len(p_values), 2.9)
    colors = PALETTE[1::-1]
    for ax, (title, table) in zip(axes, p_values.items(), strict=True):
        ax.plot([0, 1], [0, 1], color=MUTED, lw=1)
        ax.axvline(0.05, color=MUTED, lw=0.8, ls=":")
        for color, name in zip(colors, table, strict=True):
            p = np.sort(table[name])
            share = np.linspace(0, 1, len(p) + 1)
            ax.step([0, *p, 1], [*share, 1], color=color, where="post")
        ax.set_title(title, loc="left")
        ax.set(xlabel="p", xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1])
    key(axes[0], table.columns, colors, loc="lower right")
    axes[0].set_ylabel("share of collections")
    axes[0].yaxis.set_major_formatter("{x:.0%}")
    return figure


def power_curves(rates: pd.DataFrame) -> plt.Axes:
    """How often each test rejects, by what was lost.

    Parameters
    ----------
    rates : DataFrame
        Index: the share lost; columns: test, then ``rate``, ``low`` and
        ``high``, as from `rejection_rates`.

    Returns
    -------
    Axes
        With a line at .05, the level of the tests.
    """
    parts = rates.astype(float).swaplevel(axis=1)
    ax = named_lines(parts["rate"], style="o-", ms=3.5, ylim=(0, 1.02))
    for name, color in zip(parts["rate"], PALETTE, strict=False):
        band(ax, parts["low"][name], parts["high"][name], color)
    ax.axhline(0.05, color=MUTED, lw=1)
    ax.set(
        xlabel="share of its score that a held-out system loses",
        ylabel="share of tests that reject",
    )
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.yaxis.set_major_formatter("{x:.0%}")
    return ax


def effect_by_depth(effects: pd.DataFrame) -> plt.Axes:
    """The held-out effect and its interval, by the depth of the pool.

    Parameters
    ----------
    effects : DataFrame
        Columns ``collection``, ``depth``, ``estimate``, ``low``, ``high``.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.2))
    depths = sorted(effects["depth"].unique())
    groups = effects.groupby("collection", sort=False)
    ax.axhline(0, color=MUTED, lw=1)
    asides = 0.12 * (np.arange(len(groups)) - (len(groups) - 1) / 2)
    for (_, table), aside, color in zip(
        groups, asides, PALETTE, strict=False
    ):
        x = np.searchsorted(depths, table["depth"]) + aside
        middle = table["estimate"]
        ends = [middle - table["low"], table["high"] - middle]
        ax.errorbar(x, middle, ends, fmt="o-", color=color, ms=4, capsize=3)
    ax.set_xticks(range(len(depths)), depths)
    right = len(depths) - 1 + max(asides) + 0.1
    ax.set_xlim(right=right)
    ax.set(xlabel="depth of the pool", ylabel="effect of being held out")
    label_ends(ax, groups["estimate"].last().rename(right))
    return ax
