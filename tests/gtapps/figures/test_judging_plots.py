"""Figures of judging say what their tables hold."""

import pandas as pd
import pytest

from gtapps import figures as plots


@pytest.fixture
def table():
    return pd.DataFrame(
        {"MTC": [0.1, 0.2], "$pool$": [0.3, -0.1]}, [10, 20]
    )


@pytest.mark.parametrize("log", [False, True])
def test_effort_panels(table, log):
    figure = plots.effort_panels(
        {"a": table, "b": table.abs()}, "bias", log
    )
    assert [ax.get_title() for ax in figure.axes] == ["a", "b"]
    assert figure.get_supylabel() == "bias"
    lines = [
        line for line in figure.axes[0].lines if len(line.get_xdata()) > 1
    ]
    assert lines[0].get_ydata().tolist() == [0.1, 0.2]
    names = [t.get_text() for t in figure.legends[0].get_texts()]
    assert names == ["MTC", "$pool$"]


def test_stacked_parts_marks_the_sums(table):
    ax = plots.stacked_parts(table, "loss")
    dots = next(line for line in ax.lines if line.get_marker() == "o")
    assert dots.get_xdata().tolist() == pytest.approx([0.4, 0.1])
    assert ax.get_xlabel() == "loss"
    assert [t.get_text() for t in ax.get_yticklabels()] == ["10", "20"]


def test_three_panels_take_two_rows(table):
    figure = plots.effort_panels(dict.fromkeys("abc", table), "bias")
    assert [ax.get_title() for ax in figure.axes] == [*"abc", ""]
    assert not figure.axes[3].axison


def test_a_name_looks_the_same_in_every_figure(table):
    order = ["half", "MTC", "bandit", "$pool$"]
    lines = [
        plots.effort_panels({"a": some}, "bias", order=order).axes[0].lines
        for some in (table, table[["$pool$"]])
    ]
    few = {line.get_label(): line for line in lines[1]}["$pool$"]
    many = {line.get_label(): line for line in lines[0]}["$pool$"]
    assert few.get_color() == many.get_color()
    assert few.get_marker() == many.get_marker()
    first = plots.effort_panels({"a": table}, "bias").axes[0].lines[0]
    assert first.get_color() != lines[0][0].get_color()
