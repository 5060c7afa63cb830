"""Figures of chapter 6: AP at random, judging, and trust."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy
from matplotlib.ticker import PercentFormatter

from gtapps.figures.theme import (
    INK,
    MUTED,
    PALETTE,
    band,
    key_inside,
    label,
    label_ends,
    named_lines,
    panels,
)
from gtlib.ap import Moments

_IN_WORDS = {"mtc": "MTC", "uniform": "even odds", "sampled": "weighted"}


def ap_distributions(
    laws: Mapping[str, tuple[np.ndarray, np.ndarray, Moments]],
) -> plt.Figure:
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
    figure, axes = panels(len(laws), 2.7, sharey=False)
    edges = np.linspace(0, 1, 26).tolist()
    grid = np.linspace(0, 1, 200)
    for ax, (title, law) in zip(axes, laws.items(), strict=True):
        values, chances, moments = law
        ax.hist(values, edges, weights=chances, color=PALETTE[0], alpha=0.7)
        curve = scipy.stats.norm.pdf(
            grid, moments.mean, np.sqrt(moments.variance)
        )
        ax.plot(grid, curve * edges[1], color=INK, lw=1.2)
        ax.set(title=title, xlabel="average precision", xlim=(0, 1))
        ax.margins(y=0.08)
    for ax in axes[::2]:
        ax.set_ylabel("probability")
    return figure


def moment_ratios(ratios: Mapping[str, pd.DataFrame]) -> plt.Figure:
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
    figure, axes = panels(len(ratios), 2.7)
    for ax, (title, table) in zip(axes, ratios.items(), strict=True):
        ax.plot(table.index[[0, -1]], [1, 1], color=MUTED, lw=1)
        for column, color in zip(table, PALETTE, strict=False):
            ax.plot(table[column], "o-", color=color, ms=4)
        ax.set(xscale="log", title=title, xlabel="documents")
        ax.set_xlim(right=table.index[-1] * 9)
    for ax in axes[::2]:
        ax.set_ylabel("variance / exact variance")
    for ax, table in zip(axes, ratios.values(), strict=True):
        label_ends(ax, table.iloc[-1])
    return figure


def judging_progress(spread: pd.DataFrame) -> plt.Axes:
    """What is left uncertain, by number of judgments.

    Parameters
    ----------
    spread : DataFrame
        Index: judgments per topic; a column per strategy.

    Returns
    -------
    Axes
    """
    return named_lines(
        spread.rename(columns=_IN_WORDS),
        lw=2,
        xlabel="judgments per topic",
        ylabel="standard deviation of ΔMAP",
        xlim=(0, spread.index[-1] * 1.18),
        ylim=(0, None),
    )


def reliability_diagram(
    diagrams: Mapping[str, Mapping[str, pd.DataFrame]],
) -> plt.Figure:
    """What was claimed against what was so; the diagonal is honesty.

    Parameters
    ----------
    diagrams : dict of str to dict of str to DataFrame
        By panel title and line: tables as `gtlib.calibration_bins`
        gives. The size of a dot says how many pairs it stands for.

    Returns
    -------
    Figure
    """
    figure, axes = panels(len(diagrams), 2.7)
    for ax, (title, lines) in zip(axes, diagrams.items(), strict=True):
        ax.plot([0.5, 1], [0.5, 1], color=MUTED, lw=1)
        for bins, color in zip(lines.values(), PALETTE, strict=False):
            x, y = bins["confidence"], bins["right"]
            ax.errorbar(x, y, bins["error"], color=color, lw=1.4)
            share = bins["pairs"] / bins["pairs"].sum()
            ax.scatter(x, y, 12 + 120 * share, color=color, zorder=3)
        ax.set(title=title, xlabel="confidence", xlim=(0.48, 1.04))
        ax.xaxis.set_major_formatter("{x:.0%}")
        ax.yaxis.set_major_formatter("{x:.0%}")
    axes[0].set(ylim=(0, 1.05))
    for ax in axes[::2]:
        ax.set_ylabel("share that is right")
    key_inside(figure, [_IN_WORDS.get(name, name) for name in lines])
    return figure


def relevance_diagram(bins: Mapping[str, pd.DataFrame]) -> plt.Axes:
    """Probabilities of relevance against the share that is relevant.

    Parameters
    ----------
    bins : dict of str to DataFrame
        By model: a table as `gtlib.calibration_bins` gives, in which the
        probability stands for the confidence. The axes show no more than
        what there is.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots()
    for (name, rows), color in zip(bins.items(), PALETTE, strict=False):
        x, y = rows["confidence"], rows["right"]
        ax.errorbar(x, y, rows["error"], fmt="o-", color=color, ms=5)
        place = x.iloc[-1], (y + rows["error"]).iloc[-1]
        label(ax, *place, _IN_WORDS.get(name, name), color, dx=7)
    ax.margins(x=0.2)
    ax.locator_params(axis="x", nbins=5)
    ends = ax.get_xlim()
    ax.plot(ends, ends, color=MUTED, lw=1)
    label(ax, ends[1], ends[1], "as estimated", MUTED, -2, 9, ha="right")
    ax.set(xlabel="estimated probability", ylabel="share relevant")
    ax.set(xlim=ends, ylim=(0, None))
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.yaxis.set_major_formatter("{x:.0%}")
    return ax


def effort_curves(trials: Mapping[str, pd.DataFrame]) -> plt.Figure:
    """Rank correlation with the full judgments, by judging effort.

    Parameters
    ----------
    trials : dict of str to DataFrame
        By panel title: columns ``strategy``, ``estimate``, ``effort`` and
        ``tau``. Lines are means over draws, bands go from the lowest to
        the highest.

    Returns
    -------
    Figure
    """
    figure, axes = panels(len(trials), 2.7)
    for ax, (title, table) in zip(axes, trials.items(), strict=True):
        lines = table.replace(_IN_WORDS).groupby(
            ["strategy", "estimate"], sort=False
        )
        for (_, line), color in zip(lines, PALETTE, strict=False):
            tau = line.groupby("effort")["tau"].agg(["min", "mean", "max"])
            band(ax, tau["min"], tau["max"], color)
            ax.plot(tau["mean"], "o-", color=color, ms=4)
        ticks = sorted(table["effort"].unique())
        ax.set(title=title, xlabel="judgments per topic", xscale="log")
        ax.set_xticks(ticks, ticks)
        ax.minorticks_off()
    for ax in axes[::2]:
        ax.set_ylabel("tau with all judgments")
    axes[0].set_ylim(top=1.0)
    key_inside(figure, [": ".join(names) for names, _ in lines])
    return figure
