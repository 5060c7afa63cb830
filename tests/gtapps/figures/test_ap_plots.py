"""The figures of chapter 6: labelled, and drawn from the results."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.legend import Legend

import gtlib as gt
from gtapps import figures as plots
from gtlib.judging import calibration_bins

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def key(place):
    (legend,) = place.findobj(Legend)
    return [text.get_text() for text in legend.get_texts()]


@pytest.fixture(scope="module")
def bins():
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.5, 1, 200)
    trials = pd.DataFrame(
        {
            "confidence": confidence,
            "right": rng.random(200) < confidence,
            "repeat": np.arange(200) % 4,
        }
    )
    return calibration_bins(trials)


def test_distributions_have_a_panel_each():
    laws = {}
    for n in (2, 5):
        ranks, p = np.arange(1, n + 1), np.full(n, 0.4)
        exact = gt.ap_moments(ranks, p, ratio="exact")
        laws[f"{n} documents"] = (*gt.ap_distribution(ranks, p), exact)
    axes = plots.ap_distributions(laws).axes
    assert [ax.get_title() for ax in axes] == [*laws]
    for ax in axes:
        bars = sum(patch.get_height() for patch in ax.patches)
        assert bars == pytest.approx(1)


def test_ratios_are_named_at_their_ends():
    table = pd.DataFrame(
        {"plugin": [3, 2.5], "delta": [0.9, 1]}, index=[10, 100]
    )
    axes = plots.moment_ratios({"AP": table, "ΔAP": table}).axes
    assert len(axes) == 2
    for ax in axes:
        assert texts(ax) == ["plugin", "delta"]
        drawn = ax.lines[1].get_ydata()
        np.testing.assert_array_equal(drawn, table["plugin"])


def test_progress_names_the_strategies():
    spread = pd.DataFrame({"mtc": [3, 1], "random": [3, 2]}, index=[0, 40])
    ax = plots.judging_progress(spread)
    assert texts(ax) == ["MTC", "random"]
    assert ax.get_ylabel() == "standard deviation of ΔMAP"


@pytest.mark.parametrize("panels", [1, 3])
def test_reliability_diagrams(bins, panels):
    lines = {"uniform": bins, "experts": bins}
    figure = plots.reliability_diagram(
        {f"collection {k}": lines for k in range(panels)}
    )
    assert len(figure.axes) == panels
    place = figure if panels == 3 else figure.axes[0]
    assert key(place) == ["even odds", "experts"]
    assert figure.axes[0].get_ylabel() == "share that is right"
    diagonal = figure.axes[0].lines[0]
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())


def test_effort_curves_show_mean_and_range():
    rows = [
        ("mtc", "experts", effort, 0, tau)
        for effort, tau in [(5, 0.6), (10, 0.8)]
    ] + [
        (
            "random",
            "logistic",
            effort,
            repeat,
            0.1 * effort / 5 + repeat / 10,
        )
        for effort in (5, 10)
        for repeat in (0, 1)
    ]
    table = pd.DataFrame(
        rows, columns=["strategy", "estimate", "effort", "repeat", "tau"]
    )
    figure = plots.effort_curves({"synthetic": table})
    (ax,) = figure.axes
    assert key(ax) == ["MTC: experts", "random: logistic"]
    np.testing.assert_allclose(ax.lines[1].get_ydata(), [0.15, 0.25])


def test_relevance_is_shown_where_it_lies(bins):
    low = bins.assign(
        confidence=0.3 + bins["confidence"] / 10, right=bins["right"] / 2
    )
    one = low.tail(1).assign(confidence=0.5)
    ax = plots.relevance_diagram({"uniform": one, "experts": low})
    assert texts(ax) == ["even odds", "experts", "as estimated"]
    left, right = ax.get_xlim()
    assert 0.2 < left < low["confidence"].min()
    assert 0.5 < right < 0.6
    diagonal = ax.lines[-1]
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
