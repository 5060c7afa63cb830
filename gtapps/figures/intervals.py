"""Figures of intervals, around an estimate or around what is printed."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gtapps.figures.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    band,
    key,
    label,
    label_ends,
    name_rows,
    panels,
)
from gtlib.tables.interval import Interval

NAMES = {
    "generalizability": "generalizability Eρ²",
    "dependability": "dependability Φ",
}


def wobble(
    coefficients: pd.DataFrame, whole: Mapping[str, float]
) -> plt.Figure:
    """Coefficients of many small collections, each a dot in a heap.

    Parameters
    ----------
    coefficients : DataFrame, a row per collection
        A column for each coefficient.
    whole : mapping of coefficient to float
        Of the collection that they are parts of.

    Returns
    -------
    Figure
    """
    figure, axes = panels(2, 2.9, sharex=True, sharey=False)
    edges = np.linspace(coefficients.min(axis=None), 1, 90)
    for ax, name, color in zip(axes, NAMES, PALETTE, strict=False):
        values = coefficients[name]
        heap = values.groupby(np.digitize(values, edges))
        heights = heap.cumcount() + 0.5
        ax.scatter(values, heights, s=9, color=color, lw=0)
        ax.axvline(whole[name], color=INK, lw=1)
        ax.set(title=NAMES[name], xlabel="coefficient")
        ax.set(yticks=[], ylim=(0, None))
        ax.spines["left"].set_visible(False)
    return figure


def coefficient_band(
    grid: pd.DataFrame, target: float, required: Interval
) -> plt.Axes:
    """A coefficient with its interval, as the number of topics grows.

    Parameters
    ----------
    grid : DataFrame, a row per number of topics
        ``topic``, ``estimate``, ``low``, ``high``.
    target : float
    required : gtlib.Interval
        Of the number of topics that reaches the target.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 3.6))
    lines = grid.set_index("topic")[["low", "estimate", "high"]]
    color, red = PALETTE[0], PALETTE[3]
    band(ax, lines["low"], lines["high"], color)
    ax.plot(lines["estimate"], color=color, lw=2)
    ends = required.low, required.high
    bottom = lines["low"].min()
    ax.hlines(target, lines.index.min(), required.low, color=MUTED, lw=1)
    ax.plot(ends, [target] * 2, color=red, lw=3, solid_capstyle="butt")
    ax.plot(required.estimate, target, "o", color=red)
    for number in (*ends, required.estimate):
        ax.vlines(number, bottom, target, color=red, lw=0.9, ls=":")
        label(ax, number, bottom, f"{number:.0f}", red, dy=7)
    ax.margins(x=0)
    ax.set(xlabel="number of topics", ylabel="coefficient")
    ax.set_ylim(bottom, 1)
    names = {"low": "lower limit", "high": "upper limit"}
    label_ends(ax, lines.iloc[-1].rename(index=names), [color])
    return ax


def component_limits(tables: Mapping[str, pd.DataFrame]) -> plt.Figure:
    """Intervals of each component by each method, a panel per component.

    Parameters
    ----------
    tables : mapping of method to DataFrame
        Of `gtlib.GStudy.component_intervals`.

    Returns
    -------
    Figure
    """
    effects = next(iter(tables.values())).index
    figure, axes = panels(len(effects), 0.8 + 0.35 * len(tables))
    rows = range(len(tables))
    for ax, effect, color in zip(axes, effects, PALETTE, strict=False):
        found = pd.DataFrame(
            {name: table.loc[effect] for name, table in tables.items()}
        ).T
        ax.hlines(rows, found["low"], found["high"], color=color, lw=3)
        ax.plot(found["estimate"], rows, "o", color=INK, ms=4)
        ax.set(title=effect, xlim=(0, None))
        ax.locator_params(axis="x", nbins=4)
        ax.xaxis.set_major_formatter("{x:g}")
    name_rows(axes[0], list(tables))
    figure.supxlabel("variance component", fontsize=10.5)
    return figure


def coverage_dots(found: pd.DataFrame) -> plt.Figure:
    """Coverage of each 95% interval, a panel per quantity.

    Parameters
    ----------
    found : DataFrame
        Of `gtlib.interval_coverage`, with columns ``population`` and
        ``systems`` in addition.

    Returns
    -------
    Figure
    """
    quantities = found.groupby("quantity", sort=False)
    figure, axes = panels(len(quantities), 2.9, sharex=True)
    populations = list(found["population"].unique())
    methods = found["method"].unique()
    few, many = found["systems"].min(), found["systems"].max()
    for ax, (quantity, part) in zip(axes, quantities, strict=True):
        ax.axvline(0.95, color=MUTED, lw=1)
        groups = part.groupby(["population", "systems"], sort=False)
        lifts = np.linspace(-0.18, 0.18, len(groups))
        for (group, rows), lift in zip(groups, lifts, strict=True):
            name, systems = group
            color = PALETTE[populations.index(name)]
            face = color if systems == few else "white"
            y = pd.Index(methods).get_indexer(rows["method"]) + lift
            ax.plot(rows["coverage"], y, "o", ms=5, color=color, mfc=face)
        ax.set_title(quantity)
    name_rows(axes[0], methods)
    low = min(0.85, found["coverage"].min())
    axes[0].set(xlim=(low - 0.05, 1.03))
    figure.supxlabel("share that hold the truth", fontsize=10.5)
    names = [f"● {name}" for name in populations]
    names.append(f"filled: {few} systems; open: {many}")
    colors = [*PALETTE[: len(populations)], INK]
    key(figure, names, colors, loc="outside upper left", ncols=len(names))
    return figure


def verdicts(rows: pd.DataFrame, labels: Sequence[str]) -> plt.Axes:
    """Ours and the attainable range of some rows, in printed units.

    Parameters
    ----------
    rows : DataFrame
        Rows of ``Ledger.table``.
    labels : sequence of str
        What to call each.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH, 0.9 + 0.5 * len(rows)))
    printed = rows["printed"].astype(float)
    off = rows[["value", "low", "high"]].sub(printed, axis=0)
    off = off.mul(10.0 ** rows["decimals"], axis=0)
    places = np.arange(len(rows))
    ax.axvspan(-0.5, 0.5, color="#e6e6e6", lw=0, zorder=0)
    ax.axvline(0, color=MUTED, lw=1, zorder=1)
    ax.hlines(
        places, off["low"], off["high"], color=PALETTE[0], lw=4, alpha=0.5
    )
    ax.plot(off["value"], places, "o", color=PALETTE[0], ms=8)
    right = off.max(axis=None)
    for place, name in enumerate(rows["verdict"]):
        ax.text(right + 0.5, place, name, color=INK, va="center")
    name_rows(ax, labels)
    ax.set_xlabel("ours less the printed number, in its last decimals")
    return ax
