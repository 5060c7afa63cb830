"""The figures of chapters 0 to 3: labelled, and drawn from the results."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtapps import figures as plots
from gtapps.audit import best_systems

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def scores():
    return gt.load("cf-ap")


@pytest.fixture(scope="module")
def study():
    return gt.gstudy(gt.load("cf", "AP"), "system x topic x assessor")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def x_of(lines):
    return np.concatenate(
        [np.atleast_1d(line.get_xdata()) for line in lines]
    )


def test_score_lines_draws_and_names_every_system(scores):
    small = scores.iloc[:5, :3]
    ax = plots.score_lines(small)
    assert len(ax.lines) == 5
    assert np.allclose(ax.lines[-1].get_ydata(), small.iloc[-1])
    assert texts(ax) == list(small.index)
    assert ax.get_xlabel() == "topic"
    assert ax.get_ylabel() == "score"


def test_gap_by_fraction_draws_the_gaps():
    gaps = pd.DataFrame({"A": [0.1, 0.0], "B": [0.2, -0.1]}, [0.0, 0.25])
    ax = plots.gap_by_fraction(gaps)
    assert np.allclose(ax.lines[1].get_ydata(), gaps["B"])
    assert {"A", "B"} <= set(texts(ax))
    assert ax.get_xlabel()
    assert ax.get_ylabel()


@pytest.mark.parametrize(
    ("figure", "nothing"),
    [
        (plots.gap_by_fraction, pd.DataFrame(index=[0.0, 0.25])),
        (plots.printed_and_ours, pd.DataFrame({"printed": []})),
        (plots.variance_shares, {}),
    ],
)
def test_a_figure_without_data_says_so(figure, nothing):
    assert "not on this machine" in texts(figure(nothing))[0]


def test_topics_needed_without_data_says_so():
    columns = ["collection", "measure", "generalizability", "dependability"]
    figure = plots.topics_needed(pd.DataFrame(columns=columns))
    (ax,) = figure.axes
    assert "not on this machine" in texts(ax)[0]


def test_printed_and_ours_draws_each_column():
    table = pd.DataFrame(
        {"printed": [0.9, 0.8], "all systems": [0.95, 0.93]}, ["A", "B"]
    )
    ax = plots.printed_and_ours(table)
    assert set(table.to_numpy().ravel()) <= set(x_of(ax.lines))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A", "B"]
    assert "0.9000" in texts(ax)
    assert ax.get_xlabel()


def test_alpha_intervals_draws_estimates_and_intervals(scores):
    found = gt.cronbach_alpha(scores)
    ax = plots.alpha_intervals(pd.DataFrame({"cf": vars(found)}).T)
    assert found.estimate in ax.lines[0].get_xdata()
    (ends,) = ax.collections[0].get_segments()
    assert np.allclose(ends[:, 0], [found.low, found.high])
    assert "alpha" in ax.get_xlabel()


def test_item_totals_draws_every_topic_and_names_the_negative(scores):
    analysis = gt.item_analysis(scores)
    ax = plots.item_totals({"cf": analysis})
    drawn = ax.collections[0].get_offsets()[:, 0]
    assert np.allclose(
        drawn, analysis["corrected_item_total"].sort_values()
    )
    assert texts(ax) == [f"topic {analysis.index[analysis['negative']][0]}"]
    assert ax.get_xlabel()


def test_topic_against_rest_draws_a_panel_per_topic(scores):
    shown = scores.columns[:2]
    rest = pd.DataFrame({t: scores.mean(axis=1) for t in shown})
    figure = plots.topic_against_rest(scores, rest)
    for ax, topic in zip(figure.axes, shown, strict=True):
        dots = ax.collections[0].get_offsets()
        assert np.allclose(dots[:, 1], scores[topic])
        assert str(topic) in ax.get_title()
        assert ax.get_xlabel()


def test_effect_maps_share_one_scale(scores):
    figure = plots.effect_maps({"one": scores, "two": -2 * scores})
    images = [ax.images[0] for ax in figure.axes[:2]]
    assert np.allclose(images[0].get_array(), scores)
    assert images[0].get_clim() == images[1].get_clim()
    assert [ax.get_title("left") for ax in figure.axes[:2]] == [
        "one",
        "two",
    ]


def test_effect_maps_name_the_blocks():
    columns = pd.MultiIndex.from_product([["Ann", "Bob"], [1, 2, 3]])
    table = pd.DataFrame(np.eye(2, 6), columns=columns)
    figure = plots.effect_maps({"one": table, "two": table})
    names = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert names == ["Ann", "Bob"]
    assert list(figure.axes[0].get_xticks()) == [1, 4]


def test_fitting_levels_writes_the_counts_and_frames_the_print():
    table = pd.DataFrame(
        [[1, 2], [3, 7]],
        index=pd.Index([33, 34], name="system"),
        columns=pd.Index([48, 50], name="topic"),
    )
    ax = plots.fitting_levels(table, expected=(33, 50))
    assert texts(ax)[:4] == ["1", "2", "3", "7"]
    assert ax.get_xlabel() == "number of topics"
    assert ax.get_ylabel() == "number of systems"
    assert ax.patches[-1].get_xy() == (1, 0)


def test_variance_shares_draws_the_percentages(scores):
    g = gt.gstudy(scores)
    ax = plots.variance_shares({"cf": g, "again": g})
    widths = [bars[0].get_width() for bars in ax.containers]
    assert np.allclose(widths, g.table["percent"])
    assert set(g.design.labels) <= set(texts(ax))
    assert ax.get_xlabel()


def test_components_draws_negative_estimates_hollow(study):
    negative = gt.GStudy.from_components(
        study.design, {**study.variance, "assessor": -0.001}
    )
    ax = plots.components({"one": study, "two": negative})
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
    figure = plots.reliability_curves(grid)
    one = grid[grid["assessor"] == 1]
    for ax, name in zip(
        figure.axes, ["generalizability", "dependability"], strict=True
    ):
        assert np.allclose(ax.lines[0].get_ydata(), one[name])
        assert ax.get_xlabel() == "number of topics"
    assert texts(figure.axes[1]) == ["1 assessor", "4 assessors"]
    assert figure.axes[0].get_ylabel()


def test_error_shares_stack_up_to_the_absolute_error(study):
    plans = {n: study.plan(topic=n, assessor=2) for n in (10, 50)}
    ax = plots.error_shares({n: d.table for n, d in plans.items()})
    top = max(
        path.vertices[:, 1].max()
        for area in ax.collections
        for path in area.get_paths()
    )
    assert top == pytest.approx(plans[10].absolute_error)
    assert ax.get_xlabel() == "number of topics"
    assert ax.get_ylabel()


def test_topics_needed_draws_every_collection():
    table = pd.DataFrame(
        {
            "collection": ["A", "B", "A", "B"],
            "measure": ["AP", "AP", "RR", "RR"],
            "generalizability": [50, 60, 100, 90],
            "dependability": [90, 100, 200, 300],
        }
    )
    figure = plots.topics_needed(table)
    for ax, name in zip(
        figure.axes, ["generalizability", "dependability"], strict=True
    ):
        dots = ax.collections[0].get_offsets().tolist()
        rows = table["measure"].map({"AP": 0, "RR": 1})
        assert dots == [
            list(d) for d in zip(table[name], rows, strict=True)
        ]
        medians = table.groupby("measure")[name].median()
        assert list(ax.lines[0].get_xdata()) == medians.tolist()
        assert "0.95" in ax.get_xlabel()
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == [
        "AP",
        "RR",
    ]


def test_labels_at_line_ends_keep_their_distance():
    _, ax = plt.subplots()
    ax.set_ylim(0, 1)
    heights = pd.Series([0.5, 0.501, 0.502, 0.9], list("abcd"), name=1)
    plots.theme.label_ends(ax, heights)
    height = ax.figure.dpi / 72
    places = [
        ax.transData.transform((0, text.xy[1]))[1] / height + text.xyann[1]
        for text in ax.texts
    ]
    assert np.diff(places).min() > 12 - 1e-6


def test_reliability_of_best_marks_what_the_worst_quarter_leaves():
    rng = np.random.default_rng(1)
    best = best_systems(rng.random((20, 1)) + rng.random((20, 10)))
    ax = plots.reliability_of_best(best)
    line = ax.lines[0]
    np.testing.assert_allclose(line.get_xdata(), best.index)
    np.testing.assert_allclose(line.get_ydata(), best["generalizability"])
    assert ax.lines[1].get_xdata()[0] == 15
    assert "without the worst quarter" in [t.get_text() for t in ax.texts]
