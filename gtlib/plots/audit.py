"""The figures of an audit."""

import matplotlib.pyplot as plt

from gtlib.plots.theme import INK, MUTED, PALETTE, label_ends


def reliability_by_topics(grid, topics, targets, ax=None):
    """Both coefficients against the number of topics.

    Parameters
    ----------
    grid : DataFrame
        Of `gtlib.Plan.grid`, over ``topic``.
    topics : int
        The number that the collection has, marked.
    targets : sequence of float
        Marked by lines.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    ax = ax or plt.subplots()[1]
    for target in targets:
        ax.axhline(target, color=MUTED, lw=0.8, ls=":")
    ax.axvline(topics, color=MUTED, lw=0.8)
    ax.annotate(
        "now",
        (topics, 0),
        xytext=(3, 3),
        textcoords="offset points",
        xycoords=("data", "axes fraction"),
        color=INK,
        fontsize=9.5,
    )
    names = ("generalizability", "dependability")
    for color, name in zip(PALETTE, names, strict=False):
        ax.plot(grid["topic"], grid[name], color=color, lw=2)
    ax.set(xlabel="number of topics", ylabel="coefficient", ylim=(0, 1))
    ax.margins(x=0)
    label_ends(
        ax,
        grid["topic"].iloc[-1],
        [grid[name].iloc[-1] for name in names],
        names,
        PALETTE[: len(names)],
    )
    return ax


def swap_rate_by_difference(rates, ax=None):
    """Swap rate at the largest topic-set size, by observed difference.

    Parameters
    ----------
    rates : BinnedRates
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    ax = ax or plt.subplots()[1]
    size = rates.rate.index[-1]
    rate, error = rates.rate.loc[size], rates.error.loc[size]
    left = [interval.left for interval in rates.rate.columns]
    ax.errorbar(
        left, rate, yerr=error, fmt="o-", ms=4, color=PALETTE[0], lw=1.5
    )
    ax.axhline(0.05, color=MUTED, lw=0.8, ls=":")
    ax.set(
        xlabel=f"difference observed on {size} topics, from",
        ylabel="swap rate on other topics",
        ylim=(0, None),
    )
    return ax
