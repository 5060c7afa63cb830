"""Figures of classical test theory: alpha and single topics."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from gtapps.figures.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    band,
    dots_on_diagonal,
    key,
    label,
    name_rows,
    named_lines,
    panels,
    say_nothing_here,
)
from gtlib.tables.wording import some


def two_topic_sets(drawn: Mapping[str, pd.DataFrame]) -> plt.Figure:
    """Mean scores of the systems on one set of topics against another.

    Parameters
    ----------
    drawn : mapping of title to DataFrame
        Systems x two columns, one for each set of topics.

    Returns
    -------
    Figure
    """
    figure, axes = panels(len(drawn), 3.6, sharex=True)
    top = max(table.max(axis=None) for table in drawn.values()) * 1.06
    for ax, (title, table) in zip(axes, drawn.items(), strict=True):
        first, second = table.columns
        dots_on_diagonal(ax, table[first], table[second], top)
        ax.set(title=title, xlabel=f"mean on {first}")
        ax.locator_params(nbins=5)
    axes[0].set_ylabel(f"mean on {second}")
    return figure


def score_lines(scores: pd.DataFrame) -> plt.Axes:
    """A named line per system across the columns of a score table.

    Parameters
    ----------
    scores : DataFrame, systems x topics

    Returns
    -------
    Axes
    """
    lines = scores.T.reset_index(drop=True)
    ax = named_lines(lines, style="o-", lw=2, ms=5)
    ax.set_xticks(lines.index, scores.columns)
    ax.set(xlabel=scores.columns.name, ylabel="score")
    ax.margins(x=0.03)
    return ax


def gap_by_fraction(gaps: pd.DataFrame) -> plt.Axes:
    """Our alpha less the printed one, by the share of systems left out.

    Parameters
    ----------
    gaps : DataFrame
        Index: the share left out; a column per collection.

    Returns
    -------
    Axes
    """
    if gaps.empty:
        return say_nothing_here()
    ax = named_lines(gaps, drawstyle="steps-post")
    ax.set(
        xlabel="share of the systems left out, worst first",
        ylabel="our alpha less the printed",
    )
    ax.axhline(0, color=INK, lw=0.9)
    ax.axvline(0.25, color=MUTED, lw=0.9, ls=":")
    label(ax, 0.25, gaps.max(axis=None), "one quarter", dx=5)
    ax.xaxis.set_major_formatter("{x:.0%}")
    ax.margins(x=0.01)
    return ax


def printed_and_ours(table: pd.DataFrame) -> plt.Axes:
    """Alphas of each collection as printed and as they come out.

    Parameters
    ----------
    table : DataFrame, a row per collection
        A column per way to compute them, of which ``printed`` is one.

    Returns
    -------
    Axes
    """
    if table.empty:
        return say_nothing_here()
    _, ax = plt.subplots(figsize=(WIDTH, 0.55 + 0.42 * max(len(table), 4)))
    rows = np.arange(len(table))
    ax.hlines(rows, table.min(axis=1), table.max(axis=1), color="#d5d5d5")
    ours = table.drop(columns="printed")
    for alphas, color in zip(ours.T.to_numpy(), PALETTE, strict=False):
        ax.plot(alphas, rows, "o", color=color, ms=8)
    key(ax, list(ours))
    ax.plot(table["printed"], rows, "|", color=INK, ms=17, mew=2, zorder=4)
    for row, x in enumerate(table["printed"]):
        label(ax, x, row, f"{x:.4f}", dx=-10, ha="right")
    name_rows(ax, table.index)
    ax.set(xlabel="Cronbach's alpha")
    ax.margins(x=0.25)
    return ax


def alpha_intervals(table: pd.DataFrame) -> plt.Axes:
    """Alphas with their intervals, a row per collection.

    Parameters
    ----------
    table : DataFrame with the columns estimate, low and high

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 0.8 + 0.27 * len(table)))
    rows = np.arange(len(table))
    color = PALETTE[0]
    ax.hlines(rows, table["low"], table["high"], color=color, lw=2.5)
    ax.plot(table["estimate"], rows, "o", color=color, mfc="white", ms=7)
    for row, estimate in enumerate(table["estimate"]):
        label(ax, table["high"].iloc[row], row, f"{estimate:.3f}", dx=6)
    name_rows(ax, table.index)
    ax.set(xlabel="Cronbach's alpha, with 95% interval")
    ax.margins(x=0.1)
    return ax


def item_totals(analyses: Mapping[str, pd.DataFrame]) -> plt.Axes:
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
        ax.scatter(values, row + nudge, 18, colors, alpha=0.75, lw=0)
        below = values[values < 0]
        if len(below):
            which = _which_topics(below.index)
            label(ax, below.min(), row, which, PALETTE[3], -8, ha="right")
    ax.axvline(0, color=INK, lw=0.9)
    name_rows(ax, list(analyses))
    ax.set(xlabel="correlation with the total over the other topics")
    ax.margins(x=0.4)
    return ax


def reliability_of_best(best: pd.DataFrame) -> plt.Axes:
    """Generalizability among the best n systems, with its interval.

    Parameters
    ----------
    best : DataFrame
        Of `gtlib.best_systems`. What is left without the worst quarter
        is marked.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots()
    band(ax, best["low"], best["high"], PALETTE[0])
    ax.plot(best["generalizability"], "o-", ms=4, color=PALETTE[0])
    kept = int(0.75 * best.index[-1])
    if kept in best.index:
        ax.axvline(kept, color=MUTED, lw=0.9, ls=":")
        label(
            ax,
            kept,
            0,
            "without the worst quarter",
            dx=-5,
            dy=8,
            ha="right",
        )
    ax.set(xlabel="the best so many systems", ylabel="generalizability")
    ax.set(xscale="log", ylim=(0, 1))
    ticks = [
        n for n in best.index if n in (*best.index[::3], best.index[-1])
    ]
    ax.set_xticks(ticks, [str(n) for n in ticks])
    ax.minorticks_off()
    return ax


def topic_against_rest(
    scores: pd.DataFrame, rest: pd.DataFrame
) -> plt.Figure:
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
    figure, axes = panels(rest.shape[1], 2.5, sharex=True)
    for ax, topic in zip(axes, rest, strict=True):
        sns.regplot(
            x=rest[topic],
            y=scores[topic],
            ax=ax,
            ci=None,
            scatter_kws={"s": 24, "alpha": 0.65, "linewidths": 0},
            line_kws={"lw": 2, "color": INK},
        )
        ax.set(title=f"topic {topic}", ylabel="")
        ax.set_xlabel("mean over the others")
    for ax in axes[::2]:
        ax.set_ylabel("score on the topic")
    return figure


def _which_topics(topics):
    if len(topics) > 3:
        return f"{len(topics)} topics"
    return f"topic{'s' * (len(topics) > 1)} {some(topics)}"
