"""The figures of machine judges show the numbers that they are given."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from gtapps import figures as plots

mpl.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_grouped_dots_are_the_rows_by_group():
    table = pd.DataFrame(
        {
            "kappa": [0.1, 0.2, 0.3],
            "tau": [0.5, 0.9, 0.7],
            "model": ["a", "b", "a"],
        }
    )
    ax = plots.grouped_dots(table, "kappa", "tau", "model")
    dots = [c.get_offsets().tolist() for c in ax.collections]
    assert dots == [[[0.1, 0.5], [0.3, 0.7]], [[0.2, 0.9]]]
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert named == ["a", "b"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("kappa", "tau")


def test_named_curves_name_lines_and_levels():
    table = pd.DataFrame(
        {"few": [0.5, 0.6], "many": [0.7, 0.8]},
        pd.Index([1, 10], name="judges"),
    )
    ax = plots.named_curves(table, "worth", {"ceiling": 0.9})
    assert list(ax.lines[0].get_ydata()) == [0.5, 0.6]
    assert list(ax.lines[1].get_ydata()) == [0.7, 0.8]
    assert list(ax.lines[2].get_ydata()) == [0.9, 0.9]
    assert {t.get_text() for t in ax.texts} == {"few", "many", "ceiling"}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("judges", "worth")
