"""The figures of intervals show the numbers that they are given."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtapps import figures as plots
from gtapps.ledger import Population

mpl.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def study():
    return gt.gstudy(Population.ap_like().scores(12, 15, seed=1))


def test_wobble_has_a_dot_per_collection():
    rng = np.random.default_rng(1)
    found = pd.DataFrame(
        {
            "generalizability": rng.uniform(0.9, 0.98, 40),
            "dependability": rng.uniform(0.7, 0.95, 40),
        }
    )
    whole = {"generalizability": 0.95, "dependability": 0.8}
    figure = plots.wobble(found, whole)
    for ax, name in zip(figure.axes, found, strict=True):
        dots = ax.collections[0].get_offsets()
        assert sorted(dots[:, 0]) == pytest.approx(sorted(found[name]))
        assert list(ax.lines[0].get_xdata()) == [whole[name]] * 2


def test_heaps_pile_up():
    values = [0.1, 0.9, 0.101, 0.102, 0.901]
    found = pd.DataFrame(
        {"generalizability": values, "dependability": values}
    )
    figure = plots.wobble(found, found.mean())
    for ax in figure.axes:
        heights = ax.collections[0].get_offsets()[:, 1]
        assert sorted(heights[[0, 2, 3]]) == [0.5, 1.5, 2.5]
        assert sorted(heights[[1, 4]]) == [0.5, 1.5]


def test_the_band_names_its_three_numbers(study):
    grid = pd.DataFrame(
        {
            "topic": n,
            **vars(study.plan(topic=n).interval("dependability")),
        }
        for n in (5, 50, 500)
    )
    required = study.plan().required_interval("topic", 0.8)
    ax = plots.coefficient_band(grid, 0.8, required)
    texts = {t.get_text() for t in ax.texts}
    numbers = required.low, required.estimate, required.high
    assert {f"{n}" for n in numbers} <= texts
    assert {"lower limit", "estimate", "upper limit"} <= texts


def test_component_limits_have_a_bar_per_method(study):
    tables = {
        name: study.component_intervals(method=name, n_resamples=50)
        for name in ("mls", "bootstrap")
    }
    figure = plots.component_limits(tables)
    assert [ax.get_title() for ax in figure.axes] == list(
        study.variance.index
    )
    bars = figure.axes[0].collections[0].get_segments()
    assert bars[0][:, 0] == pytest.approx(
        tables["mls"].loc["system", ["low", "high"]].to_numpy(dtype=float)
    )


def test_coverage_dots_lie_at_the_coverage():
    rows = [
        {
            "population": population,
            "systems": systems,
            "quantity": quantity,
            "method": method,
            "coverage": coverage,
        }
        for population, systems, quantity, method, coverage in (
            ("normal", 30, "system", "mls", 0.95),
            ("normal", 30, "topic", "mls", 0.94),
            ("like AP", 129, "system", "mls", 0.6),
            ("like AP", 129, "topic", "mls", 0.9),
        )
    ]
    figure = plots.coverage_dots(pd.DataFrame(rows))
    first, second = figure.axes
    shares = [line.get_xdata()[0] for line in first.lines]
    assert shares == [0.95, 0.95, 0.6]
    assert [line.get_xdata()[0] for line in second.lines][1:] == [0.94, 0.9]
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names[:2] == ["● normal", "● like AP"]
    assert "129" in names[2]
    filled = [line.get_markerfacecolor() != "white" for line in first.lines]
    assert filled[1:] == [True, False]
