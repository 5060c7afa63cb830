"""What the figures and the chapters' cells are made of."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from book.support import figures
from gtlib.checks import install_command

pytestmark = pytest.mark.usefixtures("closed")


def texts(ax):
    """What is written beside places in the data."""
    return [text.get_text() for text in ax.texts]


def below(ax):
    """The heights of the names beside lines, in points."""
    height = ax.figure.dpi / 72
    return [
        ax.transData.transform((0, text.xy[1]))[1] / height + text.xyann[1]
        for text in ax.texts
    ]


def test_names_at_line_ends_keep_their_distance():
    ends = pd.DataFrame([[0.4] * 4, [0.5, 0.501, 0.502, 0.9]])
    ax = ends.set_axis(list("abcd"), axis=1).plot(ylim=(0, 1))
    figures.label_ends(ax)
    assert texts(ax) == list("abcd")
    assert np.diff(below(ax)).min() > 12 - 1e-6


def test_a_name_stands_where_its_line_ends_and_looks_like_it():
    _, ax = plt.subplots()
    ax.axhline(3)
    ax.plot([1, 2, 3], [5, 7, np.nan], color="red", label="a line")
    ax.errorbar([1, 4], [1, 2], [1, 1], color="blue", label="with bars")
    ax.bar([1], [1], label="not a line")
    figures.label_ends(ax)
    assert texts(ax) == ["a line", "with bars"]
    assert [text.xy for text in ax.texts] == [(2, 7), (4, 2)]
    assert [text.get_color() for text in ax.texts] == ["red", "blue"]


def test_dollars_in_a_name_are_no_formula():
    _, ax = plt.subplots()
    figures.label(ax, 0, 0, "$x$")
    assert not ax.texts[0].get_parse_math()


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_panels_stand_two_to_a_row(count):
    figure, axes = figures.panels(count, 2.0, sharex=True)
    assert len(axes) == count
    assert figure.get_size_inches().tolist() == [
        figures.WIDTH,
        2.0 * (1 + (count > 2)),
    ]
    for ax in axes[-2:]:  # nothing below them
        assert all(t.label1.get_visible() for t in ax.xaxis.majorTicks)


@pytest.mark.parametrize("count", [1, 3])
def test_a_key_stands_where_three_panels_leave_a_place(count):
    figure, axes = figures.panels(count, 2.0)
    figures.key_inside(figure, ["one", "two"])
    (legend,) = figure.legends or [axes[0].get_legend()]
    assert bool(figure.legends) == (count == 3)
    names = [text.get_text() for text in legend.get_texts()]
    assert names == ["one", "two"]


def test_all_that_is_listed_has_a_docstring():
    for name in figures.__all__:
        if name.islower():
            assert getattr(figures, name).__doc__, name


@pytest.mark.slow
def test_what_is_missing_is_named_and_no_notebook_is_needed_to_draw():
    code = """
import sys
for missing in ["matplotlib", "seaborn"]:
    sys.modules[missing] = None
    try:
        from book.support import figures
    except ImportError as error:
        print(error)
    del sys.modules[missing]
sys.modules["IPython"] = sys.modules["matplotlib_inline"] = None
import matplotlib
matplotlib.use("agg")
from book.support import figures
figures.use_style()
figures.panels(2, 3.0)
"""
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    said = "Figures need matplotlib and seaborn: "
    said += f"{install_command('figures')}.\n"
    assert found.stdout == 2 * said
