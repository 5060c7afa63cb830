"""Index grids: what data and design must agree on."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.design import Design
from gtlib.gaps import henderson, reml
from gtlib.intervals import cluster_bootstrap
from gtlib.scores import read_cells
from tests import oracle
from tests.cases import first


def nested(**columns):
    frame = oracle.table(
        Design("system x (assessor:topic)"),
        {"system": 3, "topic": 4, "assessor": 2},
    )
    return frame.assign(**columns)


def test_a_balanced_nested_study_becomes_an_array():
    design = Design("system x (assessor:topic)")
    frame = nested()
    cells = read_cells(frame, design)
    assert cells.balanced
    assert cells.levels == {"system": 3, "topic": 4, "assessor": 2}
    array = cells.array()
    assert array.shape == (3, 4, 2)
    row = 13
    place = tuple(cells.within[f][row] for f in design.facets)
    mean = frame["score"].mean()
    assert array[place] == pytest.approx(frame["score"].iloc[row] - mean)


def same(one, other):
    """Whether two studies are the same to the last bit."""
    return (one.scores == other.scores).all() and all(
        (getattr(one, what)[f] == getattr(other, what)[f]).all()
        for what in ("codes", "within", "labels", "counts")
        for f in one.design.facets
    )


@pytest.mark.parametrize("lost", [0, 2])
def test_rows_may_come_in_any_order(lost):
    design = Design("system x (assessor:topic)")
    frame = nested().iloc[lost:]
    cells = read_cells(frame, design)
    shuffled = read_cells(frame.sample(frac=1, random_state=1), design)
    assert cells.balanced == shuffled.balanced == (not lost)
    assert same(cells, shuffled)
    columns = read_cells(frame[frame.columns[::-1]], design)
    assert same(cells, columns)


def test_so_may_the_rows_and_columns_of_a_wide_table():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.random((4, 5)), index=[*"dacb"])
    design = Design("system x topic")
    shuffled = wide.sample(frac=1, random_state=1, axis=0)
    shuffled = shuffled.sample(frac=1, random_state=2, axis=1)
    cells = read_cells(wide, design)
    assert same(cells, read_cells(shuffled, design))
    expected = (wide - wide.to_numpy().mean()).sort_index().to_numpy()
    assert cells.array() == pytest.approx(expected)


@pytest.mark.parametrize(
    "labels",
    [
        [10, 9, 100, 1],
        ["t10", "t9", "t100", "t1"],
        [("b", 1), ("a", 2), ("a", 1), ("c", 0)],
        [2, "b", "a", 1.5],
        ["1", 1, 2, "2"],
        pd.to_datetime(
            ["2024-02-01", "2023-01-01", "2025-01-01", "2024-01-01"]
        ),
        pd.Categorical([*"dbca"], [*"cdab"], ordered=True),
    ],
    ids=str,
)
def test_labels_of_any_kind_are_sorted(labels):
    """And the order in which the table gives them is kept too."""
    scores = np.random.default_rng(0).random(12)
    frame = pd.DataFrame({"topic": [*range(3)] * 4, "score": scores})
    frame["system"] = pd.Series(labels).repeat(3).array
    design = Design("system x topic")
    cells = read_cells(frame, design)
    assert same(cells, read_cells(frame.iloc[::-1], design))
    given = cells.labels["system"].take(cells.given["system"])
    assert given.tolist() == list(labels)
    if all(isinstance(label, type(labels[0])) for label in labels):
        assert cells.labels["system"].tolist() == sorted(labels)


@pytest.mark.slow
@pytest.mark.parametrize("lost", first(1, [3, 0]))
@pytest.mark.parametrize(
    "text", ["system x topic x assessor", "system x (assessor:topic)"]
)
def test_estimates_and_draws_are_the_same_in_any_order(text, lost):
    """To the last bit, also after rows and columns are shuffled."""
    design = Design(text)
    levels = {"system": 6, "topic": 5, "assessor": 3}
    frame = oracle.table(design, levels).iloc[lost:]
    found = []
    for table in (frame, frame.sample(frac=1, axis=0, random_state=1)):
        g = gt.gstudy(table, design)
        found.append(
            [
                g.table["estimate"].to_numpy(),
                henderson(g.cells),
                reml(g.cells),
                cluster_bootstrap(g.cells, ["system", "topic"], 20, 1),
            ]
        )
    for one, other in zip(*found, strict=True):
        # the same bits: rows are put in order before anything is added up
        assert (one == other).all()


def test_unequal_nests_are_counted():
    frame = nested()
    lost = frame["assessor"] == frame["assessor"].iloc[0]
    cells = read_cells(frame[~lost], Design("system x (assessor:topic)"))
    assert not cells.balanced
    assert sorted(cells.counts["assessor"]) == [1, 2, 2, 2]


def test_a_stray_level_is_named_with_its_nests_in_their_order():
    frame = nested()
    frame["assessor"] = frame["assessor"].replace(
        frame["assessor"].unique()[-2], frame["assessor"].unique()[0]
    )
    stray, last = frame["assessor"].iloc[0], frame["topic"].unique()[-1]
    words = (
        f"assessor {stray} occurs in both topic {frame['topic'][0]} and "
    )
    with pytest.raises(ValueError, match=f"{words}topic {last}\\."):
        read_cells(frame, Design("system x (assessor:topic)"))


def test_nests_of_two_facets_are_named_in_the_order_of_the_design():
    """Sets have no order: a list of one would change with the hash."""
    frame = nested()
    for one, other in ("ts", "st", "qd", "dq"):
        table = frame.rename(columns={"topic": one}).assign(
            **{other: frame["assessor"].str[-1]}
        )
        with pytest.raises(ValueError, match=f"Every {one} x {other} has"):
            read_cells(
                table, Design(f"system x (assessor:({one} x {other}))")
            )


def test_facets_of_one_size_are_not_said_to_be_nested():
    """Each is nested in the other: the estimates say which to leave out."""
    frame = nested().drop_duplicates(["system", "topic"])
    cells = read_cells(frame, Design("system x topic x assessor"))
    assert not cells.balanced


def test_empty_categories_of_other_columns_do_not_matter():
    team = pd.Categorical(["x"] * 24, ["x", "y"])
    design = Design("system x (assessor:topic)")
    assert read_cells(nested(team=team), design).balanced
