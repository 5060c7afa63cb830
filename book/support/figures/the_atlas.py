"""Figures of chapter 15: public collections beside each other.

They draw rows of ``load("atlas")``, or what has its columns.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from book.support.figures import theme
from book.support.figures.atlas_marks import (
    COLORS,
    FIELDS,
    draw_marks,
    short_titles,
)

# The sources of a score's variance, as in columns ``share_...``.
SHARES = {
    "system": theme.COLORS["system"],
    "item": theme.COLORS["topic"],
    "judge": theme.COLORS["assessor"],
    "system_item": theme.MUTED,
    "residual": theme.COLORS["error"],
}


def atlas_best(table: pd.DataFrame) -> plt.Axes:
    """Draw generalizability among the best ten systems, against that of
    all.

    Names stand where the two differ most.

    Parameters
    ----------
    table : DataFrame
        Columns ``title``, ``field``, ``generalizability``,
        ``best_generalizability`` with ``_low`` and ``_high``, and
        ``best_doubt``. What has no best ten is left out.

    Returns
    -------
    Axes
        Both are logits. Below the diagonal the best ten are told apart
        less well than all; a mark with an arrow is at zero.
    """
    x, y = "generalizability", "best_generalizability"
    table = table.dropna(subset=y)
    order = table["title"][(table[y] - table[x]).sort_values().index]
    _, ax = plt.subplots(figsize=(theme.WIDTH, 5))
    ticks = np.array([0.3, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999])
    names = [f"{tick:g}" for tick in ticks]
    ax.set(xscale="logit", xlim=(0.25, 0.99997))
    ax.set(yscale="logit", ylim=(0.15, 0.9997))
    ax.set_xticks(ticks, [*names[:3], "", *names[4:]])  # for want of room
    ax.set_yticks(ticks[:-1], names[:-1])
    ax.minorticks_off()
    ax.set_xlabel("generalizability, all systems")
    ax.set_ylabel("generalizability, the best ten")
    ax.text(0.02, 0.98, "the best ten are\ntold apart better", va="top")
    ax.text(0.98, 0.02, "the best ten are\ntold apart worse", ha="right")
    named = [*order[:7], *order[-1:]]
    draw_marks(ax, table, x, y, "best_doubt", named)
    return ax


def atlas_shares(table: pd.DataFrame) -> plt.Figure:
    """Draw the composition of each collection's variance, a bar each.

    Parameters
    ----------
    table : DataFrame
        Columns ``title``, ``field`` and ``share_system`` and so on. Fields
        stand below each other, in each the collections by the share of
        their systems.

    Returns
    -------
    Figure
    """
    shares = _stacks(table)
    size = theme.WIDTH, 0.9 + 0.17 * len(shares)
    figure, ax = plt.subplots(figsize=size)
    theme.stack(ax, shares, SHARES.values(), least=7, width=0.92)
    ax.set_ylim(len(shares) - 0.5, -0.5)
    for text in ax.get_yticklabels():
        text.set_color(COLORS.get(text.get_text(), theme.INK))
    there = [name for name in SHARES if shares[name].any()]
    where = {"loc": "outside upper left", "ncols": len(there)}
    names = [name.replace("_", " x ") for name in there]
    theme.key(figure, names, [SHARES[name] for name in there], **where)
    figure.supxlabel("percent of the variance of a single score")
    return figure


def _stacks(table):
    """Shares in percent, the largest first, each field below its name."""
    table = table.sort_values("share_system", ascending=False)
    shares = 100 * table[[f"share_{name}" for name in SHARES]]
    shares = shares.set_axis([*SHARES], axis=1).set_axis(
        short_titles(table)
    )
    order: list[str] = []
    for field in FIELDS:
        names = shares.index[table["field"].to_numpy() == field]
        if len(names):
            order += [field, *names]
    return shares.reindex(order).rename_axis(None)
