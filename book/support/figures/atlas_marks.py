"""The map of public collections, beside which an audit sets the reader's.

It draws rows of ``load("atlas")``, or what has its columns.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox

from book.support.figures import theme

_THEIRS = "retrieval", "code", "translation", "music", "language", "agents"
FIELDS = *_THEIRS, "yours"
_PALETTE = [*theme.PALETTE[:-1], theme.MUTED, theme.INK]
COLORS = dict(zip(FIELDS, _PALETTE, strict=True))
MARKS = dict(zip(FIELDS, "osD^vP*", strict=True))

# The places where a name may stand, in points from its mark.
AROUND = [(7, 0), (5, 10), (5, -10), (-7, 0), (-5, 10), (-5, -10)]


def atlas_map(
    table: pd.DataFrame, own: Mapping[str, Any] | None = None
) -> plt.Axes:
    """Draw the items of each collection, and those that .95 takes.

    As far as there is room, names stand beside those that lack the most
    items, and that have the most to spare.

    Parameters
    ----------
    table : DataFrame
        Columns ``title``, ``field``, ``items``, ``items_95`` with ``_low``
        and ``_high``, and ``doubt``, whose intervals are dotted. Where no
        number of items is enough, the mark stands at the upper edge, with
        an arrow.
    own : mapping, optional
        The reader's own collection, as a row: a star.

    Returns
    -------
    Axes
        Both are logarithmic. Below the diagonal is what has more items
        than it needs.
    """
    x, y = "items", "items_95"
    lacks = table[y].fillna(np.inf) / table[x]
    order = table["title"][lacks.sort_values().index]
    named = [*order[:-8:-1], *order[:2]]
    if own is not None:
        mine = pd.DataFrame([{**own, "title": "yours", "field": "yours"}])
        numbers = dict.fromkeys((x, y, f"{y}_low", f"{y}_high"), float)
        table = pd.concat([mine, table]).astype(numbers)
        named.append("yours")
    least, most = table[[x, y]].min(), table[[x, y]].max()
    _, ax = plt.subplots(figsize=(theme.WIDTH, 5))
    ax.set(xscale="log", xlim=(0.6 * least[x], 1.3 * most[x]))
    ax.set(yscale="log", ylim=(0.6 * least[y], 2.5 * most[y]))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(plt.LogLocator(10, (1, 3)))
        axis.set_major_formatter("{x:,.0f}")
    ax.minorticks_off()
    ax.set_xlabel("items that the collection has")
    ax.set_ylabel("items for a generalizability of 0.95")
    ax.text(0.98, 0.02, "more items\nthan it needs", ha="right")
    ax.text(0.02, 0.98, "needs more\nthan it has", va="top")
    draw_marks(ax, table, x, y, "doubt", named)
    return ax


def draw_marks(ax, table, x, y, doubt, named):
    """Draw marks by field on both sides of the diagonal, with the
    intervals of y, dotted where there is a doubt. What lies beyond an
    edge stands at it, with an arrow."""
    ends, (bottom, top) = ax.get_xlim(), ax.get_ylim()
    ax.fill_between(ends, ends, bottom, color=theme.FAINT, lw=0)
    ax.plot(ends, ends, color=theme.MUTED, lw=1)
    columns = {x: "x", y: "y", f"{y}_low": "low", f"{y}_high": "high"}
    rows = table.rename(columns=columns).reset_index(drop=True)
    no_interval = rows["low"].isna()  # else an end that lacks is open
    rows["high"] = rows["high"].mask(no_interval, rows["y"]).fillna(np.inf)
    rows["low"] = rows["low"].fillna(rows["y"]).fillna(np.inf)
    beyond = {"up": (rows["high"] > top, top)}
    beyond["down"] = rows["y"] < bottom, bottom
    rows[["low", "high"]] = rows[["low", "high"]].clip(bottom, top)
    edges = ax.transAxes.transform([(0, 0.02), (0, 0.96)])
    edges = ax.transData.inverted().transform(edges)[:, 1]
    rows["y"] = rows["y"].fillna(np.inf).clip(*edges)
    for field, part in rows.groupby("field", sort=False):
        color, own = COLORS[field], field == "yours"
        # A name that begins with _ is not in the legend.
        in_legend = f"_{field}" if own else field
        limits = part["x"], part["low"], part["high"]
        lines = np.where(part[doubt].isna(), "solid", "dotted").tolist()
        ax.vlines(*limits, color, lines, lw=1 + own, alpha=0.5)
        for arrow, (which, edge) in beyond.items():
            x_beyond, mark = part["x"][which], rf"$\{arrow}arrow$"
            where = x_beyond, np.full(len(x_beyond), edge)
            ax.scatter(*where, 50, color, marker=mark, clip_on=False)
        look: dict[str, Any] = {"lw": 0.6, "ec": "white", "zorder": 3 + own}
        look |= {"marker": MARKS[field], "label": in_legend}
        ax.scatter(part["x"], part["y"], 36 + 124 * own, color, **look)
    look = {"handletextpad": 0, "columnspacing": 0.7, "fontsize": 11}
    look |= {"loc": "outside upper left", "ncols": 5}
    ax.figure.legend(*ax.get_legend_handles_labels(), **look)
    for text in ax.texts:
        text.set(transform=ax.transAxes, color=theme.MUTED)
    _write_titles(ax, rows, named)


def _write_titles(ax, rows, named):
    """Write titles beside their marks, where they cover neither a mark
    nor each other; what finds no place has no name. The texts in the
    corners are moved from there until they cover nothing."""
    ax.figure.draw_without_rendering()
    low, high = (
        ax.transData.transform(rows[["x", end]]) for end in ("low", "high")
    )
    lines = [*map(Bbox, np.stack([low - 3, high + 3], axis=1))]
    marks = ax.transData.transform(rows[["x", "y"]])
    taken = [*map(Bbox, np.stack([marks - 6, marks + 6], axis=1))]
    for text in ax.texts:
        side = 0.02 if text.get_ha() == "left" else -0.02
        while text.get_window_extent().count_overlaps([*taken, *lines]):
            text.set_x(text.get_position()[0] + side)
        taken.append(text.get_window_extent())
    halo = [withStroke(linewidth=2, foreground="white")]
    names = short_titles(rows).str.replace(", ", "\n")
    for row in rows[rows["title"].isin(named)].itertuples():
        color, name = COLORS[row.field], names[row.Index]
        farther = range(1, 6 if name == "yours" else 2)
        for far, (dx, dy) in product(farther, AROUND):
            away = far * dx, far * dy, "left" if dx > 0 else "right"
            theme.label(ax, row.x, row.y, name, color, *away)
            text = ax.texts[-1]
            text.set(in_layout=False, path_effects=halo)
            box = text.get_window_extent()
            inside = ax.bbox.count_contains(box.corners()) == 4
            if inside and not box.count_overlaps(taken):
                taken.append(box)
                break
            text.remove()


def short_titles(table):
    """Titles without what follows a comma, where they stay apart."""
    short = table["title"].str.replace(", [^,]*$", "", regex=True)
    return short.mask(short.duplicated(False), table["title"])
