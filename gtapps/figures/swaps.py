"""Figures of chapter 8: swap rates, beside theory and beside tests."""

from collections.abc import Mapping
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gtapps.figures.theme import (
    INK,
    MUTED,
    PALETTE,
    band,
    key,
    key_inside,
    label,
    panels,
)
from gtlib.swaps.binned import BinnedRates
from gtlib.swaps.discriminative import DiscriminativePower
from gtlib.swaps.extrapolation import Extrapolation
from gtlib.tables.wording import count

_INDICATORS = {"tau": "Kendall's τ", "tau_ap": "τ AP", "rmse": "RMSE"}
_CURVES = (0.0, 0.01, 0.03, 0.05, 0.10)
_PANELS = (0.03, 0.05, 0.10)
"""A difference within each bin that is shown."""


def recall_precision(curves: pd.DataFrame) -> plt.Axes:
    """Recall-precision curves of one system, a thin line per topic.

    Parameters
    ----------
    curves : DataFrame
        Interpolated precision; rows = levels of recall, columns = topics.

    Returns
    -------
    Axes
        The mean over the topics is the bold line, drawn last.
    """
    _, ax = plt.subplots()
    ax.plot(curves, color=MUTED, lw=0.6, alpha=0.6)
    mean = curves.mean(axis=1)
    ax.plot(mean, color=PALETTE[0], lw=3)
    label(ax, 1, mean.iloc[-1], "mean", PALETTE[0])
    ax.set(xlabel="recall", ylabel="interpolated precision")
    ax.set(xlim=(0, 1.1), ylim=(0, 1.02))
    return ax


def swap_curves(
    rates: BinnedRates, predicted: pd.DataFrame | None = None
) -> plt.Axes:
    """Swap rate against topic-set size, a line per bin of difference.

    Parameters
    ----------
    rates : BinnedRates
    predicted : DataFrame, optional
        As from `predicted_swap_rates`; drawn dashed.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots()
    for color, edge in zip(PALETTE, _CURVES, strict=False):
        rate, error = rates.rate[edge], rates.error[edge]
        band(ax, rate - error, rate + error, color)
        ax.plot(rate, color=color)
        if predicted is not None:
            ax.plot(predicted[edge], color=color, linestyle="--", lw=1.2)
        known = rate.dropna()
        name = _difference(rates.rate, edge)
        label(ax, known.index[-1], known.iloc[-1], name, color)
    if predicted is not None:
        ax.set_title("observed (solid) and predicted (dashed)", loc="left")
    ax.set(xlabel="topics in each set", ylabel="swap rate", ylim=(0, 0.52))
    ax.yaxis.set_major_formatter("{x:.0%}")
    return ax


def swap_extrapolation(
    near: BinnedRates,
    curves: Extrapolation,
    far: BinnedRates,
    predicted: pd.DataFrame,
) -> plt.Figure:
    """Two ways beyond half of the topics, and what is observed there.

    Parameters
    ----------
    near, far : BinnedRates
        What the curves were fitted to, and what was observed beyond.
    curves : Extrapolation
        At the sizes over which the curves are to be drawn.
    predicted : DataFrame
        As from `predicted_swap_rates`.

    Returns
    -------
    Figure
        A panel per bin, with a logarithmic axis of rates.
    """
    figure, axes = panels(len(_PANELS), 2.7)
    fitted, theory = PALETTE[0], PALETTE[1]
    for ax, edge in zip(axes, _PANELS, strict=True):
        band(ax, curves.low[edge], curves.high[edge], fitted)
        ax.plot(curves.rate[edge], color=fitted)
        ax.plot(predicted[edge], color=theory, linestyle="--")
        ax.plot(near.rate[edge], "o", ms=3, color=MUTED)
        rate, error = far.rate[edge], 2 * far.error[edge]
        ax.errorbar(
            rate.index, rate, error, fmt="D", ms=5, color=INK, capsize=3
        )
        ax.set_title(f"difference {_difference(near.rate, edge)}")
        ax.set(xlabel="topics in each set", yscale="log")
    ax.set(ylim=(5e-4, 0.6), yticks=[0.001, 0.01, 0.1, 0.5])
    ax.yaxis.set_major_formatter(lambda y, _: f"{100 * y:g}%")
    ax.yaxis.set_minor_formatter("")
    for ax in axes[::2]:
        ax.set_ylabel("swap rate")
    names = ["exponential", "from the components", "observed"]
    key_inside(figure, names, [fitted, theory, INK])
    return figure


def rates_by_difference(rates: Mapping[str, pd.Series]) -> plt.Axes:
    """Rates of one topic-set size against the observed difference.

    Parameters
    ----------
    rates : dict of name to Series
        Each a row of ``BinnedRates.rate`` or of predicted rates.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots()
    for rate, color in zip(rates.values(), PALETTE, strict=False):
        ax.plot(rate.index.left, rate, "o-", ms=4, color=color)
    key(ax, rates, loc="upper right")
    ax.set(xlabel="observed difference, from", ylabel="rate")
    ax.set_ylim(top=ax.get_ylim()[1] * (1 + 0.08 * len(rates)))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:.2f}".lstrip("0"))
    ax.xaxis.set_major_locator(plt.MultipleLocator(0.05))
    ax.yaxis.set_major_formatter("{x:.0%}")
    return ax


def swap_rate_by_difference(rates: BinnedRates) -> plt.Axes:
    """Swap rate at the largest topic-set size, by observed difference.

    Parameters
    ----------
    rates : BinnedRates

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots()
    size = rates.rate.index[-1]
    rate, error = rates.rate.loc[size], rates.error.loc[size]
    left = rate.index.left
    ax.errorbar(left, rate, error, fmt="o-", ms=4, color=PALETTE[0], lw=1.5)
    ax.axhline(0.05, color=MUTED, lw=0.8, ls=":")
    ax.set(
        xlabel=f"difference observed on {count(int(size), 'topic')}, from",
        ylabel="swap rate on other topics",
        ylim=(0, None),
    )
    return ax


def significance_curves(
    results: Mapping[str, DiscriminativePower],
) -> plt.Axes:
    """P-values of all pairs of systems in order, a curve per result.

    Parameters
    ----------
    results : dict of name to DiscriminativePower

    Returns
    -------
    Axes
        Where a curve crosses the dotted line is the discriminative power.
    """
    _, ax = plt.subplots()
    for color, (name, result) in zip(
        PALETTE, results.items(), strict=False
    ):
        p = result.p_values.to_numpy()
        p = p[np.triu_indices(len(p), 1)]
        ax.ecdf(p, orientation="horizontal", color=color)
        ax.axhline(result.alpha, color=MUTED, linestyle=":", lw=1)
        label(ax, np.mean(p < 0.5), 0.5, name, color, -6, ha="right")
    ax.set(xlabel="pairs of systems, most significant first")
    ax.set(ylabel="p-value", xlim=(0, 1), ylim=(0, 1))
    ax.xaxis.set_major_formatter("{x:.0%}")
    return ax


def orderings(table: pd.DataFrame, labels: Mapping[str, str]) -> plt.Figure:
    """Collections in one order, and what other numbers make of it.

    Parameters
    ----------
    table : DataFrame
        A row per collection. They are shown in the order of the first
        column of `labels`.
    labels : dict of column to str
        The columns to be shown, a panel each, and what to call them.

    Returns
    -------
    Figure
    """
    table = table.sort_values(next(iter(labels)))
    height = 1.2 + 0.24 * len(table)
    figure, axes = panels(len(labels), height, columns=len(labels))
    for ax, color, (column, name) in zip(
        axes, PALETTE, labels.items(), strict=False
    ):
        ax.plot(table[column], table.index, color=MUTED, lw=0.8)
        ax.plot(table[column], table.index, "o", color=color)
        ax.grid(axis="y", lw=0.4)
        ax.set_xlabel(fill(name, 12))
        ax.locator_params(axis="x", nbins=3)
    return figure


def indicator_fits(
    observed: pd.DataFrame,
    coefficients: pd.DataFrame,
    curves: pd.DataFrame,
    theory: pd.Series,
) -> plt.Figure:
    """Observed indicators of collections on the published curves.

    Parameters
    ----------
    observed : DataFrame
        A row per collection: means of the columns of `split_half`.
    coefficients : DataFrame
        Of the same collections: generalizability and dependability.
    curves : DataFrame
        The indicators as `published_fits` gives them, indexed by the
        value of the coefficient.
    theory : Series
        Tau by generalizability, as `predicted_tau` gives it.

    Returns
    -------
    Figure
        A panel per indicator.
    """
    figure, axes = panels(curves.shape[1], 1.5, sharey=False)
    for ax, name in zip(axes, curves, strict=True):
        of_phi = name in ("relative_sensitivity", "rmse")
        x = coefficients["dependability" if of_phi else "generalizability"]
        least = x.min() - 0.05
        published = curves.loc[least:, name]
        ax.plot(published, color=MUTED)
        ax.plot(x, observed[name], "o", ms=4, color=PALETTE[0])
        title = _INDICATORS.get(name, name.replace("_", " "))
        ax.set_title(f"{title}, by {'Φ' if of_phi else 'Eρ²'}")
        middle = np.interp(x.median(), published.index, published)
        top = 1.2 * max(observed[name].max(), middle)
        ax.set(xlim=(least, 1), ylim=(0, top))
    least = axes[0].get_xlim()[0]
    axes[0].plot(theory.loc[least:], color=PALETTE[1], linestyle="--")
    names = ["a collection", "published curve", "our equation"]
    colors = [PALETTE[0], MUTED, PALETTE[1]]
    key(figure, names, colors, loc="outside upper left", ncols=3)
    return figure


def _difference(rates, edge):
    """The bin that holds `edge`, for people."""
    (bin_,) = rates.columns[rates.columns.contains(edge)]
    low, high = (
        f"{value:.2f}".lstrip("0") for value in (bin_.left, bin_.right)
    )
    return f"{low} and more" if np.isinf(bin_.right) else f"{low} to {high}"
