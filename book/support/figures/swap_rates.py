"""Figures of chapter 8: swap rates, beside theory and beside tests."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd

from book.support.figures import theme
from gtlib.swaps import BinnedRates, Extrapolation

_CURVES = (0.0, 0.01, 0.03, 0.05, 0.10)
# A difference within each bin that is shown.
_PANELS = (0.03, 0.05, 0.10)


def swap_curves(
    rates: BinnedRates, predicted: pd.DataFrame | None = None
) -> plt.Axes:
    """Draw swap rate against topic-set size, a line per bin of difference.

    Parameters
    ----------
    rates : BinnedRates
    predicted : DataFrame, optional
        Rates by size and bin, as those of `rates`; drawn dashed.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots()
    for color, edge in zip(theme.PALETTE, _CURVES, strict=False):
        rate, error = rates.rate[edge], rates.error[edge]
        theme.band(ax, rate - error, rate + error, color)
        ax.plot(rate, color=color, label=_difference(rates.rate, edge))
        if predicted is not None:
            ax.plot(predicted[edge], color=color, ls="--", lw=1.2)
    if predicted is not None:
        ax.set_title("observed (solid) and predicted (dashed)", loc="left")
    ax.set(xlabel="topics in each set", ylabel="swap rate", ylim=(0, 0.52))
    ax.yaxis.set_major_formatter("{x:.0%}")
    theme.label_ends(ax)
    return ax


def swap_extrapolation(
    near: BinnedRates,
    curves: Extrapolation,
    far: BinnedRates,
    predicted: pd.DataFrame,
) -> plt.Figure:
    """Draw two ways beyond half of the topics, and what is observed there.

    Parameters
    ----------
    near, far : BinnedRates
        What the curves were fitted to, and what was observed beyond.
    curves : Extrapolation
        At the sizes over which the curves are to be drawn.
    predicted : DataFrame
        Rates by size and bin, from the variance components.

    Returns
    -------
    Figure
        A panel per bin, with a logarithmic axis of rates.
    """
    figure, axes = theme.panels(len(_PANELS), 2.7)
    fitted, theory = theme.PALETTE[0], theme.PALETTE[1]
    for ax, edge in zip(axes, _PANELS, strict=True):
        theme.band(ax, curves.low[edge], curves.high[edge], fitted)
        ax.plot(curves.rate[edge], color=fitted)
        ax.plot(predicted[edge], color=theory, ls="--")
        ax.plot(near.rate[edge], "o", ms=3, color=theme.MUTED)
        rate, error = far.rate[edge], 2 * far.error[edge]
        ax.errorbar(
            rate.index, rate, error, fmt="D", ms=5, c=theme.INK, capsize=3
        )
        ax.set_title(f"difference {_difference(near.rate, edge)}")
        ax.set_yscale("log")
    ax.set(ylim=(5e-4, 0.6), yticks=[0.001, 0.01, 0.1, 0.5])
    ax.yaxis.set_major_formatter(lambda y, _: f"{100 * y:g}%")
    ax.yaxis.set_minor_formatter("")
    figure.supxlabel("topics in each set")
    figure.supylabel("swap rate")
    names = ["exponential", "from the components", "observed"]
    theme.key_inside(figure, names, [fitted, theory, theme.INK])
    return figure


def rates_by_difference(rates: Mapping[str, pd.Series]) -> plt.Axes:
    """Draw rates of one topic-set size against the observed difference.

    Parameters
    ----------
    rates : dict of name to Series
        Each a row of ``BinnedRates.rate`` or of predicted rates.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots()
    for rate in rates.values():
        ax.plot(rate.index.left, rate, "o-", ms=4)
    theme.key(ax, rates, loc="upper right")
    ax.set(xlabel="observed difference, from", ylabel="rate")
    ax.set_ylim(top=ax.get_ylim()[1] * (1 + 0.08 * len(rates)))
    ax.xaxis.set_major_formatter("{x:.2f}")
    ax.xaxis.set_major_locator(plt.MultipleLocator(0.05))
    ax.yaxis.set_major_formatter("{x:.0%}")
    return ax


def _difference(rates, edge):
    """The bin that holds `edge`, for people."""
    (bin_,) = rates.columns[rates.columns.contains(edge)]
    text = f"{bin_.left:.2f} to {bin_.right:.2f}"
    return text.replace("to inf", "and more")
