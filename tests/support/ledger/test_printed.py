"""The numbers of levels that printed numbers give away."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gtlib as gt
from book.support.ledger import levels_that_print
from tests.cases import first

DESIGN = gt.Design("system x topic x assessor")


@pytest.fixture(scope="module")
def table_1():
    printed = gt.load("bodoff-li-2007")["printed"]

    def column(name):
        return {
            effect: printed[f"table-1/{name}/{effect.replace(' ', '-')}"]
            for effect in DESIGN.labels
        }

    return column("mean-square"), column("variance")


@pytest.mark.parametrize(
    ("systems", "topics"),
    first(
        1, [(range(31, 36), range(40, 56)), (range(10, 60), range(10, 100))]
    ),
)
def test_table_1_was_made_from_48_topics_and_nothing_else(
    table_1, systems, topics
):
    found = levels_that_print(
        DESIGN, *table_1, system=systems, topic=topics, assessor=[2, 3, 4]
    )
    assert found.index[found.all(axis=1)].tolist() == [(33, 48, 2)]


def test_with_fifty_topics_the_systems_component_is_out_of_reach(table_1):
    found = levels_that_print(
        DESIGN, *table_1, system=33, topic=50, assessor=2
    )
    assert found.columns[~found.iloc[0]].tolist() == ["system"]


@given(
    st.tuples(st.integers(2, 60), st.integers(2, 60)),
    st.lists(st.floats(0.01, 2), min_size=3, max_size=3),
    st.integers(2, 5),
)
def test_what_was_printed_is_always_within_reach(levels, squares, decimals):
    design = gt.Design("system x topic")
    system, topic = levels
    g = gt.GStudy.from_mean_squares(
        design,
        {"system": system, "topic": topic},
        dict(zip(design.labels, squares, strict=True)),
    )
    printed = [
        column.map(lambda x: f"{x:.{decimals}f}").to_dict()
        for column in (g.mean_squares, g.table["variance"])
    ]
    found = levels_that_print(
        design, *printed, system=system, topic=[topic, topic + 1]
    )
    assert found.loc[(system, topic)].all()


def test_reach_is_that_of_mean_squares_that_round_to_the_print():
    """Brute force: draw mean squares within the rounding."""
    design = gt.Design("system x topic")
    printed = {"system": ".15", "topic": ".9", "system x topic": ".02"}
    rng = np.random.default_rng(5)
    half = np.array([0.005, 0.05, 0.005])
    middle = np.array([float(text) for text in printed.values()])
    corners = middle + half * rng.choice([-1, 1], (200, 3))
    solve = design.mean_squares_to_components({"system": 9, "topic": 20})
    drawn = corners @ solve.T
    for shift, reached in ((-1e-4, True), (2e-4, False)):
        wanted = dict(
            zip(
                design.labels,
                (f"{x + shift:.6f}" for x in drawn.max(axis=0)),
                strict=True,
            )
        )
        found = levels_that_print(
            design, printed, wanted, system=9, topic=20
        )
        assert found.all(axis=None) == reached
        assert found.any(axis=None) == reached


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"topic": [0]}, "topic=0"),
        ({"assessor": [2]}, "no facet"),
    ],
)
def test_impossible_levels_are_refused_by_name(change, says):
    numbers = {"system": ".1", "topic": ".1", "system x topic": ".1"}
    lists = {"system": [5], "topic": [5]} | change
    with pytest.raises(ValueError, match=says):
        levels_that_print("system x topic", numbers, numbers, **lists)


def test_a_missing_component_is_named():
    numbers = {"system": ".1", "topic": ".1", "system x topic": ".1"}
    with pytest.raises(ValueError, match="variance component"):
        levels_that_print(
            "system x topic", numbers, {"system": ".1"}, system=5, topic=5
        )


def test_a_facet_may_have_the_name_of_a_parameter():
    squares = {"design": "0.15", "components": "0.85"}
    printed = {"design": "0.0028", "components": "0.028"}
    rest = {"design x components": "0.010"}
    found = levels_that_print(
        "design x components",
        squares | rest,
        printed | rest,
        design=30,
        components=[40, 50],
    )
    assert found.index.tolist() == [(30, 40), (30, 50)]
