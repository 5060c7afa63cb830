"""The figures of chapter 7 draw what they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtapps import figures as plots


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_block_design_fills_a_cell_per_held_out_site_and_topic():
    table = gt.BlockDesign(6, 2, 36, 6).table()
    ax = plots.block_design(table)
    drawn = ax.collections[0].get_array()
    np.testing.assert_array_equal(drawn, (table == "−").T)
    assert drawn.sum() == 60
    assert texts(ax) == ["baseline", "subset 1", "subset 2"]


def test_design_sizes_has_a_line_per_comparison():
    options = gt.BlockDesign.options(8, 200, 20, fill=True)
    ax = plots.design_sizes(options)
    assert len(ax.lines) == 5
    assert set(texts(ax)) < set(options.columns)
    for line, name in zip(ax.lines, texts(ax), strict=True):
        assert np.allclose(line.get_ydata(), options[name])
        assert (line.get_linestyle() == "--") == ("baseline" in name)


def test_site_means_has_a_panel_per_table_and_a_point_per_system():
    means = pd.DataFrame({"baseline": [0.2, 0.3], "reuse": [0.1, 0.4]})
    figure = plots.site_means(means, means[["reuse", "baseline"]])
    first, second = (
        ax.collections[0].get_offsets().tolist() for ax in figure.axes
    )
    assert first == [[0.2, 0.1], [0.3, 0.4]]
    assert second == [[0.1, 0.2], [0.4, 0.3]]
    assert figure.axes[1].get_ylabel() == "baseline"
    assert figure.axes[0].get_xlim() == (0, pytest.approx(0.42))


def test_site_means_of_nothing_says_so():
    (ax,) = plots.site_means().axes
    assert "not on this machine" in ax.texts[0].get_text()


def test_shuffled_statistic_shows_values_law_and_observed():
    values = pd.Series(np.random.default_rng(0).chisquare(9, 500))
    supposed = pd.Series([0.2, 0.1, 0.0], [1.0, 5.0, 30.0])
    ax = plots.shuffled_statistic(values, 7.0, supposed)
    assert ax.lines[1].get_xdata()[0] == 7
    inside = [p for p in ax.patches if p.get_x() + p.get_width() < 30.1]
    assert sum(p.get_height() * p.get_width() for p in inside) == (
        pytest.approx((values <= 30).mean())
    )
    assert ax.get_xlim() == (0, 30)


def test_p_value_curves_are_cumulative_shares():
    p = pd.DataFrame({"published": [0.1, 0.2], "permutation": [0.5, 0.9]})
    figure = plots.p_value_curves({"one": p, "two": p})
    first, second = figure.axes
    assert first.get_title(loc="left") == "one"
    x, y = second.lines[2].get_data()
    assert x.tolist() == [0, 0.1, 0.2, 1]
    assert y.tolist() == [0, 0.5, 1, 1]
    names = [text.get_text() for text in first.get_legend().get_texts()]
    assert names == ["published", "permutation"]


def test_power_curves_have_bands_and_names():
    rates = pd.Series({"rate": 0.33, "low": 0.01, "high": 0.9})
    table = pd.DataFrame(
        {
            ("test", part): {0: rates[part], 0.1: rates[part]}
            for part in rates.index
        }
    )
    ax = plots.power_curves(table)
    assert texts(ax) == ["test"]
    assert len(ax.collections) == 1


def test_effect_by_depth_has_a_line_per_collection():
    table = pd.DataFrame(
        {
            "collection": ["a", "a", "b", "b"],
            "depth": [10, 20, 10, 20],
            "estimate": [-0.2, -0.1, -0.3, 0.0],
            "low": [-0.3, -0.2, -0.4, -0.1],
            "high": [-0.1, 0.0, -0.2, 0.1],
        }
    )
    ax = plots.effect_by_depth(table)
    assert len(ax.containers) == 2
    assert texts(ax) == ["a", "b"]
