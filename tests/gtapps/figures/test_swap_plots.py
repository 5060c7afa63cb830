"""The figures of chapter 8 draw what they are given."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtapps import figures as plots
from gtlib.compare import predicted_tau

mpl.use("agg")
RNG = np.random.default_rng(1)
SCORES = RNG.normal(0.3, 0.05, (12, 1)) + RNG.normal(0, 0.1, (12, 40))
RATES = gt.swap_rates(SCORES, range(1, 21), n_resamples=20)
PREDICTED = RATES.rate.fillna(0).reindex(range(1, 41), method="ffill")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_swap_curves():
    ax = plots.swap_curves(RATES)
    names = [".00 to .01", ".01 to .02", ".03 to .04", ".05 to .06"]
    assert texts(ax) == [*names, ".10 to .11"]
    with_theory = plots.swap_curves(RATES, PREDICTED.loc[:20])
    assert len(with_theory.lines) == 10
    drawn = ax.lines[3].get_ydata()
    np.testing.assert_array_equal(drawn, RATES.rate[0.05])


def test_swap_extrapolation():
    far = gt.swap_rates(SCORES, [20])
    curves = gt.extrapolate_swaps(RATES, range(1, 41))
    figure = plots.swap_extrapolation(RATES, curves, far, PREDICTED)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [
        f"difference {b}"
        for b in (
            ".03 to .04",
            ".05 to .06",
            ".10 to .11",
        )
    ]


def test_rates_by_difference():
    rows = {"ours": RATES.rate.loc[20], "theirs": PREDICTED.loc[20]}
    ax = plots.rates_by_difference(rows)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["ours", "theirs"]
    for line, row in zip(ax.lines, rows.values(), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), row)


def test_recall_precision():
    curves = pd.DataFrame(
        {"1": [1, 0.5, 0], "2": [1, 0.1, 0.1]}, [0, 0.5, 1]
    )
    ax = plots.recall_precision(curves)
    assert len(ax.lines) == 2 + 1
    assert ax.lines[-1].get_ydata().tolist() == [1, 0.3, 0.05]
    assert texts(ax) == ["mean"]


def test_significance_curves():
    result = gt.discriminative_power(SCORES, n_resamples=100)
    ax = plots.significance_curves({"bootstrap": result})
    x, y = ax.lines[0].get_data()
    assert len(x) == 66 + 1
    assert x[y < 0.05].max() == pytest.approx(result.power)


def test_orderings():
    table = pd.DataFrame(
        {"first": [0.9, 0.8], "second": [1, 2]}, ["a", "b"]
    )
    figure = plots.orderings(table, {"first": "one", "second": "two"})
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["b", "a"]


def test_indicator_fits():
    grid = pd.Series(np.linspace(0, 1, 5), np.linspace(0, 1, 5))
    trials = gt.split_half(SCORES, [10, 20], n_resamples=5)
    observed = trials.groupby("size").mean()
    coefficients = pd.DataFrame(
        {"generalizability": [0.6, 0.8], "dependability": [0.5, 0.7]},
        observed.index,
    )
    figure = plots.indicator_fits(
        observed,
        coefficients,
        pd.DataFrame(dict.fromkeys(observed, grid**2)),
        predicted_tau(grid),
    )
    titles = [ax.get_title() for ax in figure.axes]
    names = ["Kendall's τ", "τ AP", "power", "minor conflicts"]
    assert titles[:4] == [f"{name}, by Eρ²" for name in names]
    assert titles[-1] == "RMSE, by Φ"
    for ax, name in zip(figure.axes, observed, strict=True):
        dots = next(line for line in ax.lines if line.get_marker() == "o")
        np.testing.assert_array_equal(dots.get_ydata(), observed[name])
