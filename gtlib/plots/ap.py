"""Figures of chapter 6: AP at random, judging, and trust."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from scipy.stats import norm

from gtlib.ap import Moments
from gtlib.plots.theme import INK, MUTED, PALETTE, WIDTH, label_ends

_IN_WORDS = {"mtc": "MTC", "uniform": "even odds", "sampled": "weighted"}


def ap_distributions(
    laws: Mapping[str, tuple[np.ndarray, np.ndarray, Moments]],
) -> Figure:
    """Bars of the distribution of AP, and the normal curve beside it.

    Parameters
    ----------
    laws : dict of str to (values, probabilities, Moments)
        By panel title: what `gtlib.ap_distribution` gives, and the
        moments of the normal curve.

    Returns
    -------
    Figure
    """
    fig, axes = plt.subplots(1, len(laws), figsize=(WIDTH, 2.7))
    edges = np.linspace(0, 1, 26)
    grid = np.linspace(0, 1, 200)
    for ax, (title, law) in zip(axes, laws.items(), strict=True):
        values, chances, moments = law
        ax.hist(values, edges, weights=chances, color=PALETTE[0], alpha=0.7)
        curve = norm.pdf(grid, moments.mean, np.sqrt(moments.variance))
        ax.plot(grid, curve * edges[1], color=INK, lw=1.2)
        ax.set(title=title, xlabel="average precision", xlim=(0, 1))
        ax.margins(y=0.08)
    axes[0].set_ylabel("probability")
    return fig


def moment_ratios(ratios: Mapping[str, pd.DataFrame]) -> Figure:
    """How far approximate variances are off, by number of documents.

    Parameters
    ----------
    ratios : dict of str to DataFrame
        By panel title: index, numbers of documents; a column per
        approximation; values, variance over exact variance.

    Returns
    -------
    Figure
    """
    fig, axes = plt.subplots(
        1, len(ratios), figsize=(WIDTH, 3.1), sharey=True
    )
    for ax, (title, table) in zip(axes, ratios.items(), strict=True):
        ax.plot(table.index[[0, -1]], [1, 1], color=MUTED, lw=1)
        for column, color in zip(table, PALETTE, strict=False):
            ax.plot(table.index, table[column], "o-", color=color, ms=4)
        ax.set(xscale="log", title=title, xlabel="documents")
        ax.set_xlim(right=table.index[-1] * 9)
    axes[0].set_ylabel("variance / exact variance")
    for ax, table in zip(axes, ratios.values(), strict=True):
        label_ends(
            ax,
            table.index[-1],
            table.iloc[-1].to_numpy(),
            [*table.columns],
            PALETTE,
            dx=6,
        )
    return fig


def judging_progress(spread: pd.DataFrame) -> Axes:
    """What is left uncertain, by number of judgments.

    Parameters
    ----------
    spread : DataFrame
        Index: judgments per topic; a column per strategy.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.4))
    for column, color in zip(spread, PALETTE, strict=False):
        ax.plot(spread.index, spread[column], color=color, lw=2)
    ax.set(
        xlabel="judgments per topic",
        ylabel="standard deviation of ΔMAP",
        ylim=(0, None),
    )
    ax.set_xlim(0, spread.index[-1] * 1.18)
    label_ends(
        ax,
        spread.index[-1],
        spread.iloc[-1].to_numpy(),
        _in_words(spread.columns),
        PALETTE,
        dx=6,
    )
    return ax


def reliability_diagram(
    panels: Mapping[str, Mapping[str, pd.DataFrame]],
    low: float = 0.5,
    what: tuple[str, str] = ("confidence", "share that is right"),
) -> Figure:
    """What was claimed against what was so; the diagonal is honesty.

    Parameters
    ----------
    panels : dict of str to dict of str to DataFrame
        By panel title and line: tables as `gtlib.calibration_bins`
        gives. The size of a dot says how many pairs it stands for.
    low : float
        Where both axes begin.
    what : (str, str)
        Names of the axes.

    Returns
    -------
    Figure
    """
    fig, axes = _row(panels, 2.9)
    for ax, (title, lines) in zip(axes, panels.items(), strict=True):
        ax.plot([low, 1], [low, 1], color=MUTED, lw=1)
        for bins, color in zip(lines.values(), PALETTE, strict=False):
            x, y = bins["confidence"], bins["right"]
            ax.errorbar(x, y, bins["error"], color=color, lw=1.4)
            share = bins["pairs"] / bins["pairs"].sum()
            ax.scatter(x, y, 12 + 120 * share, color=color, zorder=3)
        ax.set(title=title, xlabel=what[0], xlim=(low - 0.02, 1.02))
        ax.xaxis.set_major_formatter(PercentFormatter(1))
        ax.yaxis.set_major_formatter(PercentFormatter(1))
    axes[0].set(ylabel=what[1], ylim=(min(low - 0.02, 0), 1.05))
    _key(axes[0], _in_words(next(iter(panels.values()))))
    return fig


def effort_curves(panels: Mapping[str, pd.DataFrame]) -> Figure:
    """Rank correlation with the full judgments, by judging effort.

    Parameters
    ----------
    panels : dict of str to DataFrame
        By panel title: a table as `gtlib.effort_trials` gives. Lines are
        means over repeats, bands go from the lowest to the highest.

    Returns
    -------
    Figure
    """
    fig, axes = _row(panels, 3.3)
    for ax, (title, table) in zip(axes, panels.items(), strict=True):
        lines = table.groupby(["strategy", "estimate"], sort=False)
        names = []
        for (key, line), color in zip(lines, PALETTE, strict=False):
            tau = line.groupby("effort")["tau"].agg(["min", "mean", "max"])
            ax.fill_between(
                tau.index, tau["min"], tau["max"], color=color, alpha=0.2
            )
            ax.plot(tau.index, tau["mean"], "o-", color=color, ms=4)
            names.append(": ".join(_in_words(key)))
        ticks = sorted(table["effort"].unique())
        ax.set(title=title, xlabel="judgments per topic", xscale="log")
        ax.set_xticks(ticks, ticks)
        ax.minorticks_off()
    axes[0].set_ylabel("Kendall's tau with all judgments")
    axes[0].set_ylim(top=1.0)
    _key(axes[0], names)
    return fig


def _in_words(names):
    """Names of strategies and models as the chapter's text has them."""
    return [_IN_WORDS.get(name, name) for name in names]


def _row(panels, height):
    """Panels side by side; one alone does not fill the width."""
    width = WIDTH if len(panels) > 1 else 4.4
    fig, axes = plt.subplots(
        1,
        len(panels),
        figsize=(width, height),
        sharey=True,
        squeeze=False,
    )
    return fig, axes[0]


def _key(ax, names):
    """The lines' names in their colours, in the lower right corner."""
    for k, name in enumerate(names):
        ax.annotate(
            name,
            (0.97, 0.03),
            xytext=(0, 12 * (len(names) - 1 - k)),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            va="bottom",
            color=PALETTE[k],
            fontsize=9.5,
        )
