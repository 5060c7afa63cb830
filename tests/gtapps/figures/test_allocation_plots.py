"""The figures of chapter 4 draw what they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gtlib as gt
from gtapps import figures as plots

G = gt.GStudy.from_mean_squares(
    "system x topic x assessor",
    {"system": 40, "topic": 100, "assessor": 4},
    {
        "system": 2.3,
        "topic": 3.6,
        "assessor": 4.4,
        "system x topic": 0.04,
        "system x assessor": 0.015,
        "topic x assessor": 0.17,
        "system x topic x assessor": 0.002,
    },
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_error_bars_add_up_to_the_error():
    studies = {
        "few": G.plan(topic=20, assessor=1),
        "many": G.plan(topic=100, assessor=3),
    }
    ax = plots.error_bars(studies)
    for row, study in enumerate(studies.values()):
        bars = [
            bar
            for bar in ax.patches
            if round(bar.get_y() + bar.get_height() / 2) == row
        ]
        assert sum(bar.get_width() for bar in bars) == pytest.approx(
            study.absolute_error
        )
    assert [t.get_text() for t in ax.get_yticklabels()] == list(studies)


def test_map_marks_the_best_designs():
    grid = G.plan().grid(topic=[5, 20, 80, 200], assessor=[1, 2, 5, 9])
    grid["cost"] = grid["topic"] * grid["assessor"]
    best = [G.plan().best(budget) for budget in (60, 300)]
    ax = plots.allocation_map(grid, best)
    marks = {
        (line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines
    }
    assert marks == {tuple(design.levels.values()) for design in best}


def test_frontiers_have_a_step_per_study_in_each_panel():
    figure = plots.frontiers({"one": G.plan().pareto(60)})
    upper, lower = figure.axes
    assert len(upper.lines) == len(lower.lines) == 1
    assert lower.lines[0].get_ydata().max() > 1


def test_ratios_end_in_an_arrow_without_a_limit():
    endless = gt.Interval(10.0, np.inf, 50.0)
    ax = plots.ratios({"a": endless, "b": gt.Interval(5.0, 90.0, 20.0)})
    (arrows,) = [line for line in ax.lines if line.get_marker() == ">"]
    assert list(arrows.get_ydata()) == [0]
    assert list(arrows.get_xdata()) == [ax.get_xlim()[1]]


def test_doubt_shares_add_up():
    table = G.plan().sensitivity(100, n_resamples=40)
    left, right = plots.allocation_doubt({"ours": table}).axes
    assert sum(bar.get_height() for bar in left.patches) == pytest.approx(1)
    assert right.lines[0].get_ydata()[-1] == 1
