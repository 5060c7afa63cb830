"""The figures of several chapters draw what they are given."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support import figures

pytestmark = pytest.mark.usefixtures("closed")


def texts(ax):
    """What is written beside places in the data."""
    return [text.get_text() for text in ax.texts]


@pytest.fixture(scope="module")
def scores():
    return gt.load("cf-ap")


@pytest.fixture(scope="module")
def study():
    return gt.gstudy(gt.load("cf", "AP"), "system x topic x assessor")


def test_mean_scores_has_a_panel_per_table_and_a_point_per_system():
    means = pd.DataFrame({"baseline": [0.2, 0.3], "reuse": [0.1, 0.4]})
    tables = means, means[["reuse", "baseline"]]
    figure = figures.mean_scores(*tables, titles=["first", "second"])
    first, second = (
        ax.collections[0].get_offsets().tolist() for ax in figure.axes
    )
    assert first == [[0.2, 0.1], [0.3, 0.4]]
    assert second == [[0.1, 0.2], [0.4, 0.3]]
    assert figure.axes[1].get_ylabel() == "mean, baseline"
    assert figure.axes[0].get_xlim() == (0, pytest.approx(0.42))
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["first", "second"]


def test_item_totals_draws_every_topic_and_names_the_negative(scores):
    analysis = gt.item_analysis(scores)
    ax = figures.item_totals({"cf": analysis})
    drawn = ax.collections[0].get_offsets()[:, 0]
    assert np.allclose(
        drawn, analysis["corrected_item_total"].sort_values()
    )
    assert texts(ax) == [f"topic {analysis.index[analysis['negative']][0]}"]
    assert ax.get_xlabel()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.1, 0.2], []),
        ([-0.1, -0.2, 0.3], ["topics 11, 10"]),
        ([-0.1, -0.2, -0.3, -0.4, 0.1], ["4 topics"]),
    ],
)
def test_item_totals_counts_what_it_has_no_room_to_name(values, said):
    topics = range(10, 10 + len(values))
    table = pd.DataFrame({"corrected_item_total": values}, topics)
    assert texts(figures.item_totals({"a": table})) == said


def test_components_draws_negative_estimates_hollow(study):
    negative = gt.GStudy.from_components(
        study.design, {**study.variance, "assessor": -0.001}
    )
    ax = figures.components({"one": study, "two": negative})
    assert np.allclose(ax.lines[0].get_xdata(), study.table["percent"])
    hollow = [
        line for line in ax.lines if line.get_markerfacecolor() == "white"
    ]
    assert [list(line.get_xdata()) for line in hollow] == [[], [0.0]]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["one", "two"]
    assert [t.get_text() for t in ax.get_yticklabels()] == list(
        study.design.labels
    )


def test_reliability_curves_draws_both_coefficients(study):
    grid = study.plan().grid(topic=[10, 50, 90], assessor=[1, 4])
    figure = figures.reliability_curves(grid)
    one = grid[grid["assessor"] == 1]
    for ax, name in zip(
        figure.axes, ["generalizability", "dependability"], strict=True
    ):
        assert np.allclose(ax.lines[0].get_ydata(), one[name])
    assert texts(figure.axes[1]) == ["1 assessor", "4 assessors"]
    assert figure.get_supxlabel() == "number of topics"


@pytest.mark.slow
def test_reliability_curves_of_designs_keep_their_names(study):
    grids = {
        name: study.plan(text).grid(topic=[10, 50, 90], assessor=1)
        for name, text in [
            ("whole", "system x topic x assessor"),
            ("apart", "system x (assessor:topic)"),
        ]
    }
    both = pd.concat(grids, names=["design"])
    figure = figures.reliability_curves(both, "design")
    assert texts(figure.axes[1]) == ["whole", "apart"]
    drawn = figure.axes[1].lines[1].get_ydata()
    assert np.allclose(drawn, grids["apart"]["dependability"])
