"""Roles of columns, where several have names that are as good."""

import pandas as pd
import pytest

from gtapps.roles import column_roles


@pytest.mark.parametrize(
    ("levels", "topic"),
    [
        (
            {"question_id": [1, 2, 3, 4], "question": [*"abcd"]},
            "question_id",
        ),
        ({"question": [*"aabb"], "item": [1, 2, 3, 4]}, "item"),
    ],
)
def test_the_finest_column_names_the_topics_and_else_the_first(
    levels, topic
):
    table = pd.DataFrame(levels).merge(
        pd.DataFrame({"model": [*"xyz"]}), how="cross"
    )
    roles = column_roles("a.csv", table, None, {}, table)
    assert roles == {topic: "topic", "model": "system"}
