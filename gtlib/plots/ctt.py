"""Figures of classical test theory: alpha and single topics."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from gtlib.plots.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    label_end,
    label_ends,
    say_nothing_here,
)


def score_lines(scores: pd.DataFrame) -> Axes:
    """A named line per system across the columns of a score table.

    Parameters
    ----------
    scores : DataFrame, systems x topics

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.6))
    places = np.arange(scores.shape[1])
    colors = _cycle(len(scores))
    for line, color in zip(scores.to_numpy(), colors, strict=True):
        ax.plot(places, line, "o-", color=color, lw=2, ms=5)
    ax.set_xticks(places, [str(c) for c in scores.columns])
    ax.set(ylabel="score", xlabel=scores.columns.name)
    ax.margins(x=0.03)
    label_ends(
        ax,
        places[-1],
        scores.iloc[:, -1].to_numpy(),
        [str(system) for system in scores.index],
        colors,
        dx=8,
    )
    return ax


def gap_by_fraction(gaps: pd.DataFrame) -> Axes:
    """Our alpha less the printed one, by the share of systems left out.

    Parameters
    ----------
    gaps : DataFrame
        Index: the share left out; a column per collection.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.6))
    ax.set(
        xlabel="share of the systems left out, worst first",
        ylabel="our alpha less the printed",
    )
    if gaps.shape[1] == 0:
        return say_nothing_here(ax)
    colors = _cycle(gaps.shape[1])
    for name, color in zip(gaps, colors, strict=True):
        ax.plot(gaps.index, gaps[name], color=color, drawstyle="steps-post")
    ax.axhline(0, color=INK, lw=0.9)
    ax.axvline(0.25, color=MUTED, lw=0.9, ls=":")
    ax.annotate(
        "one quarter",
        (0.25, 1),
        xycoords=("data", "axes fraction"),
        xytext=(5, -10),
        textcoords="offset points",
        color=INK,
        fontsize=9.5,
    )
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.margins(x=0.01)
    last = gaps.index[-1]
    label_ends(ax, last, gaps.iloc[-1], list(gaps), colors)
    return ax


def printed_and_ours(table: pd.DataFrame) -> Axes:
    """Alphas of each collection as printed and as they come out.

    Parameters
    ----------
    table : DataFrame, a row per collection
        A column per way to compute them, of which ``printed`` is one.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 0.55 + 0.42 * max(len(table), 4)))
    ax.set(xlabel="Cronbach's alpha")
    if table.empty:
        return say_nothing_here(ax)
    rows = np.arange(len(table))
    ax.hlines(rows, table.min(axis=1), table.max(axis=1), color="#d5d5d5")
    ours = [name for name in table if name != "printed"]
    for name, color in zip(ours, PALETTE, strict=False):
        ax.plot(table[name], rows, "o", color=color, ms=8)
        _name_above(ax, table[name].iloc[0], name, color)
    ax.plot(table["printed"], rows, "|", color=INK, ms=17, mew=2, zorder=4)
    for x, row in zip(table["printed"], rows, strict=True):
        ax.annotate(
            f"{x:.4f}",
            (x, row),
            xytext=(-10, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=9,
            color=INK,
        )
    ax.set_yticks(rows, table.index)
    ax.set_ylim(len(table) - 0.5, -0.9)
    ax.margins(x=0.16)
    return ax


def alpha_intervals(table: pd.DataFrame) -> Axes:
    """Alphas with their intervals, a row per collection.

    Parameters
    ----------
    table : DataFrame with the columns alpha, low and high

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 0.8 + 0.33 * len(table)))
    rows = np.arange(len(table))
    ax.hlines(rows, table["low"], table["high"], color=PALETTE[0], lw=2.5)
    ax.plot(
        table["estimate"], rows, "o", color="white", mec=PALETTE[0], ms=7
    )
    for row, (x, high) in enumerate(
        zip(table["estimate"], table["high"], strict=True)
    ):
        label_end(ax, high, row, f"{x:.3f}", INK, dx=6)
    ax.set_yticks(rows, table.index)
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.set(xlabel="Cronbach's alpha, with 95% interval")
    ax.margins(x=0.1)
    return ax


def item_totals(analyses: Mapping[str, pd.DataFrame]) -> Axes:
    """Correlation of every topic with the rest, a row per collection.

    Parameters
    ----------
    analyses : mapping of title to the DataFrame of `gtlib.item_analysis`
        Topics below zero are marked and numbered.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 0.8 + 0.5 * len(analyses)))
    for row, analysis in enumerate(analyses.values()):
        values = analysis["corrected_item_total"].dropna().sort_values()
        nudge = 0.16 * (np.arange(len(values)) % 3 - 1)
        colors = [PALETTE[3] if v < 0 else PALETTE[0] for v in values]
        ax.scatter(
            values, row + nudge, c=colors, s=18, alpha=0.75, linewidths=0
        )
        below = values[values < 0]
        if len(below):
            ax.annotate(
                _which_topics(below.index),
                (below.min(), row),
                xytext=(-8, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=9,
                color=PALETTE[3],
            )
    ax.axvline(0, color=INK, lw=0.9)
    ax.set_yticks(range(len(analyses)), list(analyses))
    ax.set_ylim(len(analyses) - 0.5, -0.5)
    ax.set(xlabel="correlation with the total over the other topics")
    ax.margins(x=0.22)
    return ax


def topic_against_rest(scores: pd.DataFrame, rest: pd.DataFrame) -> Figure:
    """Scores on a topic against the mean over the others, per topic.

    Parameters
    ----------
    scores : DataFrame, systems x topics
    rest : DataFrame, systems x the topics to show
        The systems' means over the other topics.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(
        1,
        rest.shape[1],
        figsize=(WIDTH, 2.8),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for ax, topic in zip(axes.flat, rest, strict=True):
        x, y = rest[topic], scores[topic]
        sns.regplot(
            x=x,
            y=y,
            ax=ax,
            ci=None,
            truncate=True,
            scatter_kws={"s": 24, "alpha": 0.65, "linewidths": 0},
            line_kws={"lw": 2, "color": INK},
        )
        ax.set_title(f"topic {topic}", color=INK)
        ax.set(xlabel="mean over the other topics", ylabel="")
    axes[0, 0].set_ylabel("score on the topic")
    return figure


def _which_topics(topics):
    if len(topics) > 3:
        return f"{len(topics)} topics"
    names = ", ".join(map(str, topics))
    return f"topic{'s' * (len(topics) > 1)} {names}"


def _cycle(n):
    return [PALETTE[i % len(PALETTE)] for i in range(n)]


def _name_above(ax, x, text, color):
    ax.annotate(
        text,
        (x, 0),
        xytext=(0, 9),
        textcoords="offset points",
        ha="center",
        va="bottom",
        color=color,
        fontsize=9.5,
    )
