"""Figures of chapter 6: what is claimed against what is so."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from book.support.figures.moving import Moving, Panel, Stop, columns
from book.support.figures.theme import (
    MUTED,
    PALETTE,
    key_inside,
    panels,
)
from gtlib.ap import ap_distribution, ap_moments

WORDS = (
    "Documents judged: {judged}. From the top: AP has a mean of {top:one} "
    "and a standard deviation of {top_deviation:one}. From the bottom: "
    "{bottom:one} and {bottom_deviation:one}."
)


def reliability_diagram(
    diagrams: Mapping[str, Mapping[str, pd.DataFrame]],
) -> plt.Figure:
    """Draw the share of claims that are right against their confidence; on
    the diagonal both are the same.

    Parameters
    ----------
    diagrams : dict of str to dict of str to DataFrame
        By panel title and line: tables as `calibration_bins`
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
        ax.set(title=title, xlim=(0.48, 1.04), ylim=(0, 1.05))
        ax.xaxis.set_major_formatter("{x:.0%}")
        ax.yaxis.set_major_formatter("{x:.0%}")
    figure.supxlabel("confidence")
    figure.supylabel("share that is right")
    key_inside(figure, _model_names(lines))
    return figure


def judged_rankings(p: np.ndarray, relevant: np.ndarray) -> plt.Figure:
    """Draw a ranking judged from either end, and how far its AP is known.

    Parameters
    ----------
    p : array_like, shape (documents,)
        The probability of relevance at each rank.
    relevant : array_like of bool, shape (documents,)
        What a judgment of each finds.

    Returns
    -------
    Figure
        The panels of `moving_judgments` after a third of the judgments.
    """
    figure, axes = panels(4, 1.8, sharey="row", height_ratios=[1, 2])
    moving = moving_judgments(p, relevant)
    moving.draw(axes, moving.start[0])
    for ax, end in zip(axes[:2], ["top", "bottom"], strict=True):
        ax.set(title=f"judged from the {end}", xticks=[1, 6, 11, 16])
        ax.set(xlabel="rank", yticks=[0, 1])
    for ax in axes[2:]:
        ax.set(xlabel="average precision", xticks=[0, 0.5, 1])
        ax.set_yticks([0, 0.5, 1])
    axes[0].set_ylabel("p")
    axes[2].set_ylabel("probability")
    return figure


def moving_judgments(p: np.ndarray, relevant: np.ndarray) -> Moving:
    """Draw a ranking judged from either end, a document at each stop.

    Parameters
    ----------
    p : array_like, shape (documents,)
        The probability of relevance at each rank.
    relevant : array_like of bool, shape (documents,)
        What a judgment of each finds.

    Returns
    -------
    Moving
        Above what is believed of each document, below the distribution of
        average precision over all judgments that are still possible.
    """
    ranks = np.arange(1, len(p) + 1)
    edges = np.linspace(0, 1, 21)

    def judged(known):
        """Draw both panels of a ranking, and the mean and deviation of
        AP."""
        belief = np.where(known, relevant, p)
        height = np.maximum(belief, 0.04)  # of what is not relevant, too
        beliefs = columns(ranks - 0.4, height, 0.8)
        values, chances = ap_distribution(ranks, belief)
        shares, _ = np.histogram(values, edges, weights=chances)
        bars = columns(edges[:-1], shares, 0.05)
        moments = ap_moments(ranks, belief, ratio="exact")
        mean, deviation = moments.mean, moments.variance**0.5
        text = f"{mean:.2f} ± {deviation:.2f}"
        tones = "".join("p" if now else "b" for now in known)
        return (
            Panel(beliefs, tones),
            Panel(bars, "o" * len(bars), [(0.5, 1.1, text)]),
            (mean, deviation),
        )

    stops = []
    for count in range(len(p) + 1):
        top = judged(ranks <= count)
        bottom = judged(ranks > len(p) - count)
        panels = [top[0], bottom[0], top[1], bottom[1]]
        names = "top", "top_deviation", "bottom", "bottom_deviation"
        values = dict(zip(names, top[2] + bottom[2], strict=True))
        stops.append(Stop(panels, WORDS, values | {"judged": count}))
    limits = [(0.3, len(p) + 0.7, 0, 1.1)] * 2 + [(0, 1, 0, 1.2)] * 2
    counts = [*range(len(stops))]
    return Moving(limits, {"Judged": counts}, [len(p) // 3], stops)


def _model_names(models):
    return [name.replace("uniform", "even odds") for name in models]
