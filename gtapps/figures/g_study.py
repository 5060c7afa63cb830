"""Where the variance of scores comes from: chapter 2 and its details."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from gtapps.figures import theme
from gtlib.gtheory import GStudy

# Red for less, blue for more, and no darker than stays a colour when
# a dark page turns light into dark.
SIGNS = sns.diverging_palette(25, 250, s=95, l=50, as_cmap=True)


def effect_maps(
    effects: Mapping[str, pd.DataFrame], names: Sequence[str] | None = None
) -> plt.Figure:
    """Effects of a study as maps, in one scale of colours.

    One cell in fifty of the strongest map is beyond the scale's ends, so
    that a few of them do not make all others pale.

    Parameters
    ----------
    effects : mapping of label to DataFrame
        Rows are systems; columns are in equal blocks, one per assessor,
        named by the upper level of the columns.
    names : sequence of str, optional
        The effects to draw, all of them by default. The scale is that of
        all, so that figures of one study can be compared.

    Returns
    -------
    Figure
    """
    drawn = {name: effects[name] for name in names or effects}
    rows = -(-len(drawn) // 2)
    figure, axes = theme.panels(len(drawn), 1.6 + 1.4 / rows, sharex=True)
    largest = max(np.quantile(e.abs(), 0.98) for e in effects.values())
    scale = plt.Normalize(-largest, largest)
    look = {"cmap": SIGNS, "aspect": "auto", "interpolation": "nearest"}
    for ax, (name, effect) in zip(axes, drawn.items(), strict=True):
        image = ax.imshow(effect, norm=scale, **look)
        ax.set_title(name, loc="left")
        blocks = effect.columns.get_level_values(0).unique()
        edges = np.linspace(0, effect.shape[1], len(blocks) + 1) - 0.5
        for edge in edges[1:-1]:
            ax.axvline(edge, color=theme.INK, lw=0.8)
        ax.set_xticks((edges[:-1] + edges[1:]) / 2, blocks, rotation=90)
        ax.set_yticks([])
        ax.tick_params(length=0)
    figure.supylabel("systems")
    thin: dict[str, Any] = {"shrink": 0.7, "aspect": 40, "extend": "both"}
    bar = figure.colorbar(image, ax=axes, location="bottom", **thin)
    bar.set_label("part of the score")
    bar.outline.set_visible(False)
    return figure


def variance_shares(studies: Mapping[str, GStudy]) -> plt.Axes:
    """The composition of each study's variance, a bar each.

    Parameters
    ----------
    studies : mapping of title to GStudy
        All of systems and topics, whose interaction is the error.

    Returns
    -------
    Axes
    """
    shares = {name: g.table["percent"] for name, g in studies.items()}
    colors = [theme.COLORS[kind] for kind in ("system", "topic", "error")]
    _, ax = plt.subplots(figsize=(theme.WIDTH, 0.9 + 0.29 * len(studies)))
    theme.stack(ax, pd.DataFrame(shares).T, colors)
    ax.set_xlabel("percent of the variance of a single score")
    for bars, color in zip(ax.containers, colors, strict=False):
        first = bars[0]
        middle = first.get_x() + first.get_width() / 2
        name = str(bars.get_label())
        theme.label(ax, middle, -0.4, name, color, 0, 9, ha="center")
    ax.set_ylim(top=-0.9)
    return ax
