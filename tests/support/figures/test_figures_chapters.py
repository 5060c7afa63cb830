"""The figures of each chapter draw what they are given."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.legend import Legend

import gtlib as gt
from book.support import figures
from book.support.simulations import calibration_bins

pytestmark = pytest.mark.usefixtures("closed")


def texts(ax):
    """What is written beside places in the data."""
    return [text.get_text() for text in ax.texts]


@pytest.fixture(scope="module")
def scores():
    return gt.load("cf-ap").iloc[:12, :20]


def test_gap_by_fraction_draws_the_gaps():
    gaps = pd.DataFrame({"A": [0.1, 0.0], "B": [0.2, -0.1]}, [0.0, 0.25])
    ax = figures.gap_by_fraction(gaps)
    assert np.allclose(ax.lines[1].get_ydata(), gaps["B"])
    assert {"A", "B"} <= set(texts(ax))
    assert ax.get_xlabel()
    assert ax.get_ylabel()


def test_effect_maps_share_one_scale(scores):
    figure = figures.effect_maps({"one": scores, "two": -2 * scores})
    images = [ax.images[0] for ax in figure.axes[:2]]
    assert np.allclose(images[0].get_array(), scores)
    # the same bits: drawn as given
    assert images[0].get_clim() == images[1].get_clim()
    assert [ax.get_title("left") for ax in figure.axes[:2]] == [
        "one",
        "two",
    ]


def test_two_figures_of_effect_maps_have_the_scale_of_both(scores):
    maps = {"weak": scores, "strong": 3 * scores}
    whole, weak = (
        figures.effect_maps(maps),
        figures.effect_maps(maps, ["weak"]),
    )
    assert weak.axes[0].get_title("left") == "weak"
    assert [len(each.axes) for each in (whole, weak)] == [
        3,
        2,
    ]  # with a bar
    assert (
        weak.axes[0].images[0].get_clim()
        == whole.axes[0].images[0].get_clim()
    )


def test_effect_maps_name_the_blocks():
    columns = pd.MultiIndex.from_product([["Ann", "Bob"], [1, 2, 3]])
    table = pd.DataFrame(np.eye(2, 6), columns=columns)
    figure = figures.effect_maps({"one": table, "two": table})
    names = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert names == ["Ann", "Bob"]
    assert list(figure.axes[0].get_xticks()) == [1, 4]


COLUMNS = ["collection", "measure", "generalizability", "dependability"]


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


def test_map_marks_the_best_designs():
    grid = G.plan().grid(topic=[5, 20, 80, 200], assessor=[1, 2, 5, 9])
    grid["cost"] = grid["topic"] * grid["assessor"]
    best = [G.plan().best(budget) for budget in (60, 300)]
    ax = figures.allocation_map(grid, best)
    marks = {
        (line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines
    }
    assert marks == {tuple(design.levels.values()) for design in best}


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


@pytest.mark.parametrize("panels", [1, 3])
def test_reliability_diagrams(bins, panels):
    lines = {"uniform": bins, "experts": bins}
    figure = figures.reliability_diagram(
        {f"collection {k}": lines for k in range(panels)}
    )
    assert len(figure.axes) == panels
    place = figure if panels == 3 else figure.axes[0]
    assert key(place) == ["even odds", "experts"]
    assert figure.get_supylabel() == "share that is right"
    diagonal = figure.axes[0].lines[0]
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())


RNG = np.random.default_rng(1)
SCORES = RNG.normal(0.3, 0.05, (12, 1)) + RNG.normal(0, 0.1, (12, 40))
RATES = gt.swap_rates(SCORES, range(1, 21), n_resamples=20)
PREDICTED = RATES.rate.reindex(range(1, 41)).ffill() * 0.9


def test_swap_curves():
    ax = figures.swap_curves(RATES)
    names = ["0.00 to 0.01", "0.01 to 0.02", "0.03 to 0.04"]
    names += ["0.05 to 0.06", "0.10 to 0.11"]
    assert texts(ax) == names
    with_theory = figures.swap_curves(RATES, PREDICTED.loc[:20])
    assert len(with_theory.lines) == 10
    drawn = ax.lines[3].get_ydata()
    # the same bits: drawn as given
    np.testing.assert_array_equal(drawn, RATES.rate[0.05])


def test_swap_extrapolation():
    far = gt.swap_rates(SCORES, [20])
    curves = gt.extrapolate_swaps(RATES, range(1, 41))
    figure = figures.swap_extrapolation(RATES, curves, far, PREDICTED)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [
        f"difference {b}"
        for b in (
            "0.03 to 0.04",
            "0.05 to 0.06",
            "0.10 to 0.11",
        )
    ]


def test_rates_by_difference():
    rows = {"ours": RATES.rate.loc[20], "theirs": PREDICTED.loc[20]}
    ax = figures.rates_by_difference(rows)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["ours", "theirs"]
    for line, row in zip(ax.lines, rows.values(), strict=True):
        # the same bits: drawn as given
        np.testing.assert_array_equal(line.get_ydata(), row)


def test_coverage_dots_lie_at_the_coverage():
    found = pd.DataFrame(
        [
            ("trec3", "no model", "dependability", "exact", 0.9),
            ("trec3", "no model", "dependability", "jackknife", 0.96),
            ("dl21", "no model", "dependability", "exact", 0.87),
            ("dl21", "no model", "dependability", "jackknife", 0.94),
            ("dl21", "systems", "generalizability", "exact", 0.85),
        ],
        columns=["population", "model", "quantity", "method", "coverage"],
    )
    figure = figures.coverage_dots(found)
    first, second = figure.axes
    line, exact, jackknife = (x.get_xdata() for x in first.lines)
    assert line[0] == 0.95
    assert [*exact] == [0.9, 0.87] and [*jackknife] == [0.96, 0.94]
    (dot,) = second.lines[1:]
    assert [*dot.get_xdata()] == [0.85] and [*dot.get_ydata()] == [1]
    assert dot.get_markerfacecolor() == "white"
    assert dot.get_color() == first.lines[1].get_color()
    assert first.get_title() == "dependability"
    assert [t.get_text() for t in first.get_yticklabels()] == [
        "trec3",
        "dl21",
    ]
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == ["exact", "jackknife", "● no model", "○ systems"]


def test_a_board_is_drawn_from_its_first_system_down():
    rng = np.random.default_rng(1)
    names = [f"$run{i}$ {'x' * 3 * i}" for i in range(12)]
    true = np.r_[0.5, 0.49, np.linspace(0, 0.3, 10)]
    scores = true[:, None] + rng.normal(0, 0.1, (12, 40))
    board = gt.leaderboard(pd.DataFrame(scores, names))
    assert len(figures.board(board, most=9).get_yticks()) == 12
    ax = figures.board(board, most=8)
    rows = board.table.head(8)[::-1]
    lines, dots = ax.collections
    ends = [segment[:, 0] for segment in lines.get_segments()]
    np.testing.assert_allclose(ends, rows[["low", "high"]])
    means = np.c_[rows["mean"], np.arange(8)]
    np.testing.assert_allclose(dots.get_offsets(), means)
    maybe = rows["may_be_best"].to_numpy()
    assert 1 < maybe.sum() < 8
    for drawn in (dots.get_facecolor(), lines.get_colors()):
        first, rest = np.unique(drawn[maybe], axis=0), drawn[~maybe]
        assert len(first) == 1 and (rest == rest[0]).all()
        assert (first != rest[0]).any()
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert len({*shown}) == 8 and any("…" in name for name in shown)
    for name, whole in zip(shown, rows.index, strict=True):
        head, _, tail = name.partition("…")
        assert whole.startswith(head) and whole.endswith(tail)
        assert len(name) <= 24
    assert not any(t.get_parse_math() for t in ax.get_yticklabels())
    assert ax.get_xlabel() == "mean, with 95% interval"


@pytest.fixture
def table():
    return pd.DataFrame(
        {"MTC": [0.1, 0.2], "$pool$": [0.3, -0.1]}, [10, 20]
    )


def test_effort_panels(table):
    figure = figures.effort_panels({"a": table, "b": table.abs()}, "bias")
    assert [ax.get_title() for ax in figure.axes] == ["a", "b"]
    assert figure.get_supylabel() == "bias"
    lines = [
        line for line in figure.axes[0].lines if len(line.get_xdata()) > 1
    ]
    assert lines[0].get_ydata().tolist() == [0.1, 0.2]
    names = [t.get_text() for t in figure.legends[0].get_texts()]
    assert names == ["MTC", "$pool$"]


def test_three_panels_take_two_rows(table):
    figure = figures.effort_panels(dict.fromkeys("abc", table), "bias")
    assert [ax.get_title() for ax in figure.axes] == [*"abc"]
    tops = [round(ax.get_position().y1, 6) for ax in figure.axes]
    assert tops[0] == tops[1] > tops[2]
