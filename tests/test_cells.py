"""Index grids: what data and design must agree on."""

import numpy as np
import pandas as pd
import pytest

from gtlib.cells import read_cells
from gtlib.design import Design
from tests import oracle


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
    assert array[place] == frame["score"].iloc[row]


def test_rows_may_come_in_any_order():
    design = Design("system x (assessor:topic)")
    shuffled = nested().sample(frac=1, random_state=1)
    assert read_cells(shuffled, design).balanced


def test_unequal_nests_are_counted():
    frame = nested()
    lost = frame["assessor"] == frame["assessor"].iloc[0]
    cells = read_cells(frame[~lost], Design("system x (assessor:topic)"))
    assert not cells.balanced
    assert sorted(cells.counts["assessor"]) == [1, 2, 2, 2]


@pytest.mark.parametrize(
    "change, design, message",
    [
        (
            {"assessor": ["a", "b"] * 12},
            "system x (assessor:topic)",
            "declared nested within topic, but assessor a occurs in both",
        ),
        ({}, "system x topic x assessor", "Write 'assessor:topic'"),
        ({"topic": "only"}, "system x topic", "1 topic"),
        ({}, "system x topic", "repeats? a cell"),
        ({}, "system x query", "no column 'query'"),
        ({"score": np.nan}, "system x (assessor:topic)", "score of system"),
        ({"score": np.inf}, "system x (assessor:topic)", "score of system"),
        ({"score": "high"}, "system x (assessor:topic)", "score of system"),
    ],
)
def test_data_that_contradict_the_design_are_named(change, design, message):
    with pytest.raises(ValueError, match=message):
        read_cells(nested(**change), Design(design))


def test_one_level_in_every_nest_is_confounded():
    frame = nested()
    firsts = frame.groupby("topic")["assessor"].transform("first")
    single = frame[frame["assessor"] == firsts]
    with pytest.raises(ValueError, match="leave assessor out"):
        read_cells(single, Design("system x (assessor:topic)"))


def test_a_category_without_scores_is_named():
    frame = nested()
    topics = pd.Categorical(
        frame["topic"], [*frame["topic"].unique(), "topic99"]
    )
    with pytest.raises(ValueError, match="topic topic99 is a category"):
        read_cells(
            frame.assign(topic=topics), Design("system x (assessor:topic)")
        )
