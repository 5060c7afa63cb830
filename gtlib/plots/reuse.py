"""Figures of chapter 7: the block design, and tests of reusability."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter

from gtlib.plots.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    label_ends,
)


def block_design(table: pd.DataFrame) -> Axes:
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
    held = (table.to_numpy() == "−").T
    for (row, column), out in np.ndenumerate(held):
        face = PALETTE[1] if out else "#eef2f5"
        box = Rectangle((column, row), 0.88, 0.88, color=face, lw=0)
        ax.add_patch(box)
    subsets = table.index.get_level_values("subset").to_numpy()
    for subset in np.unique(subsets):
        places = np.flatnonzero(subsets == subset)
        name = "baseline" if subset == 0 else f"subset {subset}"
        middle = (places[0] + places[-1] + 0.88) / 2
        ax.text(middle, -0.25, name, ha="center", va="bottom", color=INK)
        if places[0]:
            ax.axvline(places[0] - 0.06, color=INK, lw=0.8)
    ax.set(xlim=(-0.1, held.shape[1]), ylim=(len(held), -0.1))
    ax.set_yticks(np.arange(len(held)) + 0.44, table.columns)
    ax.set_xticks([])
    ax.set_xlabel("topics")
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    return ax


def design_sizes(options: pd.DataFrame) -> Axes:
    """The topics that each analysis gets, by sites held out.

    Parameters
    ----------
    options : DataFrame
        As from `BlockDesign.options`.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots()
    names = [
        "within-site baseline",
        "between-site baseline",
        "within-site reuse",
        "participant comparison",
        "between-site reuse",
    ]
    for name, color in zip(names, PALETTE, strict=False):
        dash = "--" if "baseline" in name else "-"
        ax.plot(options[name], dash, color=color, marker="o", ms=4)
    ax.set(xlabel="sites held out of each topic (k)", ylabel="topics")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylim(bottom=0)
    ends = options[names].iloc[-1]
    label_ends(ax, options.index[-1], ends, names, PALETTE, dx=8)
    return ax


def site_means(means: pd.DataFrame) -> Axes:
    """Reuse against baseline scores, a point per system.

    Parameters
    ----------
    means : DataFrame
        As from `site_scores`.

    Returns
    -------
    Axes
        Systems above the diagonal scored more where held out.
    """
    _, ax = plt.subplots(figsize=(4.6, 4.4))
    ax.scatter(means["baseline"], means["reuse"], s=22, color=PALETTE[0])
    both = means[["baseline", "reuse"]].to_numpy()
    ends = 0, 1.05 * both.max()
    ax.plot(ends, ends, color=MUTED, lw=1, zorder=0)
    ax.set(
        xlabel="mean score where the site contributed",
        ylabel="mean score where it was held out",
        xlim=ends,
        ylim=ends,
        aspect="equal",
    )
    return ax


def shuffled_statistic(
    values: pd.Series, observed: float, supposed: pd.Series
) -> Axes:
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
    inside = values[values <= top]
    share = np.full(len(inside), 60 / (len(values) * top))
    style = {"color": PALETTE[0], "alpha": 0.45}
    ax.hist(inside, 60, range=(0, top), weights=share, **style)
    ax.plot(supposed, color=PALETTE[1])
    ax.axvline(observed, color=INK, lw=1.2)
    height = 0.98 * ax.get_ylim()[1]
    ax.text(observed, height, "  observed", va="top", color=INK)
    x = supposed.idxmax()
    ax.annotate(
        "supposed: chi-square, 3 df",
        (x, supposed.max()),
        xytext=(10, -4),
        textcoords="offset points",
        color=PALETTE[1],
    )
    ax.text(
        0.6 * top,
        0.35 * height,
        "over shuffles of the topics",
        color=PALETTE[0],
    )
    ax.set(xlabel="X²", ylabel="density", xlim=(0, top), yticks=[])
    return ax


def p_value_curves(p_values: dict[str, pd.DataFrame]) -> Figure:
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
    figure, panels = plt.subplots(
        1,
        len(p_values),
        figsize=(WIDTH, 2.9),
        sharey=True,
        squeeze=False,
    )
    for ax, (title, table) in zip(panels[0], p_values.items(), strict=True):
        ax.plot([0, 1], [0, 1], color=MUTED, lw=1)
        ax.axvline(0.05, color=MUTED, lw=0.8, ls=":")
        for color, name in zip(PALETTE[1::-1], table, strict=False):
            p = np.sort(table[name])
            share = np.arange(1, len(p) + 1) / len(p)
            ax.step([0, *p, 1], [0, *share, 1], color=color, where="post")
        ax.set_title(title, loc="left", fontsize=9.5)
        ax.set(xlabel="p", xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1])
    for i, name in enumerate(next(iter(p_values.values()))):
        panels[0, 0].text(
            0.97,
            0.17 - 0.1 * i,
            name,
            color=PALETTE[1 - i],
            ha="right",
            fontsize=9.5,
        )
    panels[0, 0].set_ylabel("share of collections")
    panels[0, 0].yaxis.set_major_formatter(PercentFormatter(1))
    return figure


def power_curves(rates: pd.DataFrame) -> Axes:
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
    _, ax = plt.subplots()
    names = list(dict.fromkeys(rates.columns.get_level_values(0)))
    for name, color in zip(names, PALETTE, strict=False):
        table = rates[name]
        ax.fill_between(
            table.index,
            table["low"].astype(float),
            table["high"].astype(float),
            color=color,
            alpha=0.15,
            lw=0,
        )
        ax.plot(table["rate"], color=color, marker="o", ms=3.5)
    ax.axhline(0.05, color=MUTED, lw=1)
    ax.set(
        xlabel="share of its score that a held-out system loses",
        ylabel="share of tests that reject",
        ylim=(0, 1.02),
    )
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ends = [rates[name]["rate"].iloc[-1] for name in names]
    label_ends(ax, rates.index[-1], ends, names, PALETTE, dx=8)
    return ax


def effect_by_depth(effects: pd.DataFrame) -> Axes:
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
    last, ends = [], []
    for i, (_, table) in enumerate(groups):
        aside = 0.12 * (i - (len(groups) - 1) / 2)
        x = np.searchsorted(depths, table["depth"]) + aside
        size = [table["estimate"] - table["low"]]
        size.append(table["high"] - table["estimate"])
        ax.errorbar(
            x,
            table["estimate"],
            size,
            fmt="o-",
            color=PALETTE[i],
            ms=4,
            capsize=3,
            lw=1,
        )
        last.append(x[-1])
        ends.append(table["estimate"].iloc[-1])
    ax.set_xticks(range(len(depths)), depths)
    ax.set_xlim(right=max(last) + 0.1)  # the names stand beyond the axes
    ax.set(xlabel="depth of the pool", ylabel="effect of being held out")
    label_ends(ax, max(last), ends, list(groups.groups), PALETTE, dx=14)
    return ax
