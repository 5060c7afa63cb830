"""Figures of intervals: how sure an estimate is."""

import matplotlib.pyplot as plt
import numpy as np

from gtlib.plots.theme import INK, MUTED, PALETTE, WIDTH, label_ends

NAMES = {
    "generalizability": "generalizability Eρ²",
    "dependability": "dependability Φ",
}


def wobble(coefficients, whole):
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
    figure, axes = plt.subplots(
        1, 2, figsize=(WIDTH, 2.9), sharex=True, layout="constrained"
    )
    edges = np.linspace(coefficients.min(axis=None), 1, 90)
    for ax, name, color in zip(axes, NAMES, PALETTE, strict=False):
        heights = _heaps(coefficients[name], edges)
        ax.scatter(coefficients[name], heights, s=9, color=color, lw=0)
        ax.axvline(whole[name], color=INK, lw=1)
        ax.set_title(NAMES[name], color=INK)
        ax.set(yticks=[], ylim=(0, None), xlabel="coefficient")
        ax.spines["left"].set_visible(False)
    return figure


def coefficient_band(grid, target, required):
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
    _, ax = plt.subplots(figsize=(WIDTH, 3.6), layout="constrained")
    color = PALETTE[0]
    ax.fill_between(
        grid["topic"],
        grid["low"],
        grid["high"],
        color=color,
        alpha=0.2,
        lw=0,
    )
    ax.plot(grid["topic"], grid["estimate"], color=color, lw=2)
    red = PALETTE[3]
    ends = required.low, required.high
    bottom = grid["low"].min()
    ax.hlines(target, grid["topic"].min(), required.low, color=MUTED, lw=1)
    ax.plot(ends, [target] * 2, color=red, lw=3, solid_capstyle="butt")
    ax.plot(required.estimate, target, "o", color=red)
    for number in (*ends, required.estimate):
        ax.vlines(number, bottom, target, color=red, lw=0.9, ls=":")
        ax.annotate(
            f"{number:.0f}",
            (number, bottom),
            xytext=(4, 2),
            textcoords="offset points",
            color=red,
            fontsize=9.5,
        )
    ax.margins(x=0)
    ax.set(
        xlabel="number of topics", ylabel="coefficient", ylim=(bottom, 1)
    )
    label_ends(
        ax,
        grid["topic"].iloc[-1],
        grid[["low", "estimate", "high"]].iloc[-1].tolist(),
        ["lower limit", "estimate", "upper limit"],
        [color] * 3,
    )
    return ax


def component_limits(tables):
    """Intervals of each component by each method, a panel per component.

    Parameters
    ----------
    tables : mapping of method to DataFrame
        Of `gtlib.GStudy.component_intervals`.

    Returns
    -------
    Figure
    """
    effects = list(next(iter(tables.values())).index)
    figure, axes = plt.subplots(
        1,
        len(effects),
        figsize=(WIDTH, 0.8 + 0.35 * len(tables)),
        sharey=True,
        layout="constrained",
    )
    rows = np.arange(len(tables))[::-1]
    for ax, effect, color in zip(axes, effects, PALETTE, strict=False):
        found = [table.loc[effect] for table in tables.values()]
        low = [row["low"] for row in found]
        high = [row["high"] for row in found]
        ax.hlines(rows, low, high, color=color, lw=3)
        estimates = [row["estimate"] for row in found]
        ax.plot(estimates, rows, "o", color=INK, ms=4)
        ax.set_title(effect, color=INK)
        ax.set(xlim=(0, None), ylim=(-0.6, len(rows) - 0.4))
        ax.locator_params(axis="x", nbins=4)
        ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticks(rows, list(tables))
    figure.supxlabel("variance component", fontsize=10.5, color=INK)
    return figure


def coverage_dots(found, confidence_level=0.95):
    """Coverage of each interval, a panel per quantity.

    Parameters
    ----------
    found : DataFrame
        Of `gtlib.interval_coverage`, with columns ``population`` and
        ``systems`` in addition.
    confidence_level : float
        What was promised.

    Returns
    -------
    Figure
    """
    quantities = list(dict.fromkeys(found["quantity"]))
    figure, axes = plt.subplots(
        1,
        len(quantities),
        figsize=(WIDTH, 3.2),
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    populations = list(dict.fromkeys(found["population"]))
    colors = dict(zip(populations, PALETTE, strict=False))
    methods = list(dict.fromkeys(found["method"]))[::-1]
    for ax, quantity in zip(axes, quantities, strict=True):
        ax.axvline(confidence_level, color=MUTED, lw=1)
        part = found[found["quantity"] == quantity]
        groups = part.groupby(["population", "systems"], sort=False)
        lifts = np.linspace(0.18, -0.18, groups.ngroups)
        for ((name, systems), rows), lift in zip(
            groups, lifts, strict=True
        ):
            few = systems == found["systems"].min()
            ax.plot(
                rows["coverage"],
                [methods.index(m) + lift for m in rows["method"]],
                "o",
                ms=5,
                mec=colors[name],
                mfc=colors[name] if few else "white",
            )
        ax.set(ylim=(-0.6, len(methods) - 0.4))
        ax.set_title(quantity, color=INK, fontsize=10)
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticks(range(len(methods)), methods)
    low = min(0.85, found["coverage"].min())
    axes[0].set(xlim=(low - 0.05, 1.03))
    _name_the_dots(figure, colors, sorted(set(found["systems"])))
    figure.supxlabel("share that hold the truth", fontsize=10.5, color=INK)
    return figure


def _name_the_dots(figure, colors, sizes):
    x = 0.02
    for population, color in colors.items():
        figure.text(x, 1.05, f"● {population}", color=color, fontsize=9.5)
        x += 0.03 + 0.016 * len(population)
    figure.text(
        x,
        1.05,
        f"filled: {sizes[0]} systems; open: {sizes[-1]}",
        color=INK,
        fontsize=9.5,
    )


def _heaps(values, edges):
    """A height for each value: those between two edges lie in a heap."""
    where = np.digitize(values, edges)
    order = np.argsort(where, kind="stable")
    first = np.searchsorted(where[order], where[order])
    heights = np.empty(len(values))
    heights[order] = np.arange(len(values)) - first
    return heights + 0.5
