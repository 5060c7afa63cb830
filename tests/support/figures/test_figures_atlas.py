"""Public collections beside each other: what stands where, and is read."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import same_color

from book.support import figures
from book.support.figures.the_atlas import COLORS, FIELDS, SHARES
from tests.cases import first

pytestmark = pytest.mark.usefixtures("closed")

RNG = np.random.default_rng(1)
FIELD = np.repeat(FIELDS[:5], [18, 2, 4, 8, 28])


def drawn_at_random(seed=1):
    """A table like that of the atlas."""
    rng = np.random.default_rng(seed)
    n = len(FIELD)
    shares = rng.dirichlet([2, 5, 6], n)
    table = pd.DataFrame(
        {
            "title": [f"Set {i} of {f}, year" for i, f in enumerate(FIELD)],
            "field": FIELD,
            "items": rng.integers(30, 900, n),
            "items_95": rng.lognormal(4.5, 1, n).round(),
            "generalizability": 1 - rng.lognormal(-3.5, 1, n).clip(0, 0.6),
        }
    )
    table.loc[FIELD == "retrieval", "items"] = 50
    table["best_generalizability"] = table["generalizability"] ** 3
    for name in ("items_95", "best_generalizability"):
        table[f"{name}_low"] = table[name] / 2
        table[f"{name}_high"] = table[name] * [1.1, 2][name == "items_95"]
    names = ["share_system", "share_item", "share_residual"]
    table[names] = shares
    lacks = ["share_judge", "share_system_item", "doubt", "best_doubt"]
    return table.assign(**dict.fromkeys(lacks, np.nan))


TABLE = drawn_at_random()
OWN = {
    "title": "<b>mine</b>",
    "items": 40,
    "items_95": 130.0,
    "items_95_low": 60,
    "items_95_high": None,
}


def marks(ax):
    """What stands in the legend, by field: places."""
    dots = (c for c in ax.collections if c.get_label() in COLORS)
    return {c.get_label(): np.asarray(c.get_offsets()) for c in dots}


def written(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "x", "y"),
    [
        (figures.atlas_map, "items", "items_95"),
        (figures.atlas_best, "generalizability", "best_generalizability"),
    ],
)
def test_a_mark_stands_where_its_numbers_say_and_has_its_fields_look(
    draw, x, y
):
    ax = draw(TABLE)
    found = marks(ax)
    assert list(found) == list(FIELDS[:5])
    for field, rows in TABLE.groupby("field"):
        places = rows[[x, y]].to_numpy()
        inside = (places[:, 1] > ax.get_ylim()[0] * 1.2) & (
            places[:, 1] < ax.get_ylim()[1] / 1.5
        )
        assert np.allclose(found[field][inside], places[inside])
    (legend,) = ax.figure.legends
    looks = [
        (handle.get_paths()[0].vertices.tobytes(), handle.get_facecolor())
        for handle in legend.legend_handles
    ]
    for one, other in combinations(looks, 2):
        assert one[0] != other[0] and not same_color(one[1], other[1])


@pytest.mark.slow
def test_both_sides_of_the_diagonal_are_said_in_words():
    above, below = "needs more\nthan it has", "more items\nthan it needs"
    ax = figures.atlas_map(TABLE)
    places = {t.get_text(): t.get_window_extent() for t in ax.texts}
    for words, higher in ((above, True), (below, False)):
        box = places[words]
        x, y = ax.transData.inverted().transform(
            [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]
        )
        assert (y > x) == higher


@pytest.mark.slow
@pytest.mark.parametrize("seed", first(1, range(6)))
@pytest.mark.parametrize("draw", [figures.atlas_map, figures.atlas_best])
def test_names_cover_neither_each_other_nor_a_mark(draw, seed):
    ax = draw(drawn_at_random(seed))
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 3
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
    for place in np.concatenate([*marks(ax).values()]):
        x, y = ax.transData.transform(place)
        assert not any(box.contains(x, y) for box in boxes)
    for box in boxes[2:]:
        assert ax.bbox.count_contains(box.corners()) == 4


@pytest.mark.slow
def test_what_no_number_of_items_reaches_stands_at_the_edge_with_an_arrow():
    table = TABLE.copy()
    table.loc[5, ["items_95", "items_95_low", "items_95_high"]] = np.nan
    table.loc[6, "items_95_high"] = np.nan  # no upper limit
    ax = figures.atlas_map(table)
    top = ax.get_ylim()[1]
    place = marks(ax)["retrieval"][5]
    assert place[0] == 50 and 0.7 * top < place[1] < top
    arrows = [c for c in ax.collections if not c.get_clip_on()]
    edge = np.concatenate([np.asarray(c.get_offsets()) for c in arrows])
    assert edge.tolist() == [[50, top]] * 2


@pytest.mark.slow
def test_the_best_ten_that_are_not_told_apart_stand_at_the_lower_edge():
    table = TABLE.copy()
    names = ["best_generalizability", "best_generalizability_low"]
    table.loc[3, names] = 0.0
    table.loc[FIELD == "music", "best_generalizability"] = np.nan
    ax = figures.atlas_best(table)
    assert "music" not in marks(ax)
    bottom = ax.get_ylim()[0]
    assert bottom < marks(ax)["retrieval"][3][1] < 0.2


@pytest.mark.slow
def test_ones_own_collection_is_a_star_with_a_name():
    ax = figures.atlas_map(TABLE, OWN)
    assert "yours" in written(ax) and "<b>mine</b>" not in written(ax)
    star = next(c for c in ax.collections if c.get_label() == "_yours")
    assert np.asarray(star.get_offsets()).tolist() == [[40, 130]]
    assert same_color(star.get_facecolor()[0], figures.INK)
    lost = dict.fromkeys(["items_95", "items_95_low", "items_95_high"])
    ax = figures.atlas_map(TABLE, {**OWN, **lost, "items": 3})
    star = next(c for c in ax.collections if c.get_label() == "_yours")
    ((x, y),) = np.asarray(star.get_offsets())
    assert x == 3 and y > 0.7 * ax.get_ylim()[1]
    assert ax.get_xlim()[0] < 3


@pytest.mark.slow
def test_an_interval_that_may_not_hold_is_dotted():
    doubt = TABLE["doubt"].astype(object).mask(FIELD == "music", "few")
    ax = figures.atlas_map(TABLE.assign(doubt=doubt), OWN)
    bars = [c for c in ax.collections if isinstance(c, LineCollection)]
    styles = [style for bar in bars for style in bar.get_linestyles()]
    dotted = [style for style in styles if style[1] is not None]
    assert len(dotted) == (FIELD == "music").sum()
    assert len(styles) == len(TABLE) + 1


@pytest.mark.slow
def test_those_that_lack_most_are_named():
    lacks = TABLE["items_95"] / TABLE["items"]
    most = TABLE["title"][lacks.idxmax()].split(",")[0]
    assert most in written(figures.atlas_map(TABLE))


def test_shares_stand_by_field_the_largest_first():
    few = TABLE[TABLE["field"].isin(["code", "music"])]
    figure = figures.atlas_shares(few)
    (ax,) = figure.axes
    names = [text.get_text() for text in ax.get_yticklabels()]
    order = few.sort_values("share_system", ascending=False)
    for field, place in (("code", 0), ("music", 3)):
        assert names[place] == field
        titles = order["title"][order["field"] == field]
        titles = titles.str.replace(", year", "").tolist()
        assert names[place + 1 : place + 1 + len(titles)] == titles
    system = [bar.get_width() for bar in ax.containers[0]][1:3]
    assert system == sorted(system)[::-1]
    key = [text.get_text() for text in figure.legends[0].get_texts()]
    assert key == ["system", "item", "residual"]  # no judge is there
    for container, color in zip(
        ax.containers, SHARES.values(), strict=True
    ):
        assert same_color(container[1].get_facecolor(), color)


def test_collections_of_one_title_keep_what_tells_them_apart():
    few = TABLE.head(3).assign(
        title=["WMT, one way", "WMT, the other", "WSC, 90 responders"]
    )
    names = figures.atlas_shares(few).axes[0].get_yticklabels()
    assert {text.get_text() for text in names[1:]} == {
        "WMT, one way",
        "WMT, the other",
        "WSC",
    }
