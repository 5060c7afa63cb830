"""gtlib.scores: what a score table is, and what it cannot be."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gtlib import drop_worst, tidy
from gtlib.scores import as_long, as_wide, read_observations
from tests.refusals import refused

WIDE = pd.DataFrame(
    [[0.1, 0.4, 0.2], [0.3, 0.2, 0.9]],
    index=pd.Index(["a", "b"], name="system"),
    columns=pd.Index([301, 302, 303], name="topic"),
)
LONG = pd.DataFrame(
    {
        "system": ["a", "a", "a", "b", "b", "b"],
        "topic": [301, 302, 303] * 2,
        "score": [0.1, 0.4, 0.2, 0.3, 0.2, 0.9],
    }
)


def small(**changed):
    """Two systems on two topics, with some columns changed."""
    table = {"system": ["a", "a", "b", "b"], "topic": [1, 2, 1, 2]}
    return pd.DataFrame(table | {"score": [1.0, 2, 3, 4]} | changed)


class TestShapes:
    def test_wide_stays_as_it_is(self):
        pd.testing.assert_frame_equal(as_wide(WIDE), WIDE)

    def test_long_becomes_wide(self):
        pd.testing.assert_frame_equal(as_wide(LONG), WIDE)

    def test_wide_becomes_long(self):
        pd.testing.assert_frame_equal(as_long(WIDE), LONG)

    def test_order_of_first_appearance_is_kept(self):
        table = as_wide(LONG.iloc[[5, 0, 3, 1, 2, 4]])
        assert table.index.tolist() == ["b", "a"]
        assert table.columns.tolist() == [303, 301, 302]
        pd.testing.assert_frame_equal(
            table.loc[["a", "b"], WIDE.columns], WIDE
        )

    def test_array_rows_are_systems_numbered_from_one(self):
        table = as_wide(WIDE.to_numpy())
        assert table.index.tolist() == [1, 2]
        assert table.loc[2, 3] == 0.9

    def test_integers_and_nullable_numbers_become_floats(self):
        for dtype in ("int64", "Int64", "Float64", "bool"):
            table = as_wide(pd.DataFrame([[1, 0], [0, 1]]).astype(dtype))
            assert set(table.dtypes) == {np.dtype(float)}

    def test_long_keeps_only_facets_and_score(self):
        table = as_long(
            LONG.assign(family="x", note=1), ["topic", "system"]
        )
        assert table.columns.tolist() == ["topic", "system", "score"]

    @pytest.mark.parametrize(
        ("index", "columns", "rows_are"),
        [
            (None, None, "person"),
            ("item", "person", "item"),
            ("person", "item", "person"),
            ("item", None, "item"),
        ],
    )
    def test_which_facet_the_rows_of_a_wide_table_are(
        self, index, columns, rows_are
    ):
        wide = pd.DataFrame([[1.0, 2], [3, 4]], index=["r1", "r2"])
        wide = wide.rename_axis(index=index, columns=columns)
        table = as_long(wide, ["person", "item"])
        assert table[rows_are].unique().tolist() == ["r1", "r2"]

    def test_rows_are_systems_whatever_the_order_of_the_facets(self):
        table = as_long(WIDE.rename_axis(index=None), ["topic", "system"])
        assert table["system"].unique().tolist() == ["a", "b"]

    def test_long_permits_missing_cells(self):
        assert len(as_long(LONG.iloc[:5])) == 5

    @given(
        arrays.arrays(
            float,
            st.tuples(st.integers(2, 6), st.integers(2, 6)),
            elements=st.floats(-1e6, 1e6),
        )
    )
    def test_round_trip(self, values):
        wide = as_wide(values)
        pd.testing.assert_frame_equal(as_wide(as_long(wide)), wide)

    def test_codes_and_levels_give_the_table_back(self):
        facets = ["system", "topic"]
        codes, levels, values, _ = read_observations(LONG, facets)
        for facet in ("system", "topic"):
            named = levels[facet].take(codes[facet])
            assert named.tolist() == LONG[facet].tolist()
        np.testing.assert_array_equal(values, LONG["score"])


class TestDropWorst:
    @pytest.mark.parametrize(
        ("systems", "kept"),
        [(40, 30), (61, 45), (74, 55), (103, 77), (129, 96)],
    )
    def test_keeps_the_floor_of_three_quarters(self, systems, kept):
        rng = np.random.default_rng(systems)
        table = as_wide(rng.random((systems, 5)))
        assert len(drop_worst(table)) == kept

    @given(st.integers(2, 60), st.integers(0, 59))
    def test_counts_are_exact_for_exact_fractions(self, n, dropped):
        table = as_wide(np.random.default_rng(n).random((n, 3)))
        if n - dropped >= 2:
            assert len(drop_worst(table, dropped / n)) == n - dropped

    def test_drops_the_lowest_means_and_keeps_the_order(self):
        means = [0.5, 0.1, 0.9, 0.3]
        table = as_wide(np.outer(means, [1.0, 1.0]))
        assert drop_worst(table, 0.5).index.tolist() == [1, 3]

    def test_of_equal_systems_the_first_stay(self):
        assert drop_worst(np.ones((4, 3)), 0.5).index.tolist() == [1, 2]

    def test_wide_and_long_agree(self):
        wide = as_wide(np.random.default_rng(0).random((13, 4)))
        pd.testing.assert_frame_equal(
            drop_worst(as_long(wide)), drop_worst(wide)
        )


def test_the_rows_of_whole_numbers_stay_in_the_order_of_the_table():
    long = pd.DataFrame(
        {
            "system": np.repeat([9, 7, 8], 2),
            "topic": [5, 4] * 3,
            "score": np.arange(6.0),
        }
    )
    wide = as_wide(long)
    assert wide.index.tolist() == [9, 7, 8]
    assert wide.columns.tolist() == [5, 4]
    assert wide.to_numpy().ravel().tolist() == [0, 1, 2, 3, 4, 5]


class TestTidy:
    """What pandas.read_csv gives, whatever form the file had."""

    def read(self, table, **options):
        text = table.to_csv(**options)
        return pd.read_csv(io.StringIO(text))

    def same(self, table, expected=LONG):
        order = ["system", "topic"]
        pd.testing.assert_frame_equal(
            table.astype({"topic": int}).sort_values(order, ignore_index=1),
            expected.sort_values(order, ignore_index=True),
        )

    def test_long_stays_as_it_is(self):
        self.same(tidy(self.read(LONG, index=False)))

    def test_the_names_of_rows_are_the_index_or_the_first_column(self):
        self.same(tidy(WIDE))
        self.same(tidy(self.read(WIDE)))
        self.same(tidy(self.read(WIDE.rename_axis("run"))))
        self.same(tidy(self.read(WIDE.rename_axis(None))))

    def test_rows_may_be_topics(self):
        self.same(tidy(self.read(WIDE.T)))

    def test_numbers_name_rows_where_the_first_column_says_so(self):
        table = WIDE.set_axis([1, 2]).rename_axis("system")
        assert tidy(self.read(table))["system"].tolist() == [1, 2] * 3
        table = table.rename_axis(None).reset_index(drop=True)
        assert tidy(table)["system"].tolist() == [0, 1] * 3

    def test_what_is_missing_was_not_observed(self):
        gaps = WIDE.astype(float)
        gaps.iloc[0, 1] = np.nan
        left = LONG.drop(index=1)
        self.same(tidy(self.read(gaps)), left)
        long = LONG.copy()
        long.loc[1, "score"] = np.nan
        self.same(tidy(self.read(long, index=False)), left)

    def test_assessors_are_a_facet_if_there_are_several(self):
        table = pd.concat([LONG.assign(assessor=a) for a in "xy"])
        columns = ["system", "topic", "assessor", "score"]
        assert tidy(table).columns.tolist() == columns
        self.same(tidy(LONG.assign(assessor="x", remark="none")))

    def test_what_is_no_table_of_scores_is_refused(self):
        refused(lambda: tidy(pd.DataFrame()), "0 systems")
        refused(lambda: tidy("scores.csv"), "this is str")
        long = LONG.rename(columns={"score": "rating", "topic": "item"})
        refused(
            lambda: tidy(long),
            'df = df[["system", "item", "rating"]].set_axis(',
        )
        long = LONG.rename(columns={"topic": "item"})
        refused(lambda: tidy(long), "no column 'topic'")
        refused(lambda: tidy(LONG.assign(score="good")), "'good'")
        twice = pd.concat([LONG, LONG.head(1)])
        refused(lambda: tidy(twice), "1 row repeats a cell")
