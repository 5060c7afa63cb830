"""What chapter 15 says of single rows of the atlas.

What it says of many rows is computed where it stands, so that a new row
changes a sentence and fails no test.
"""

import pandas as pd
import pytest

import gtlib as gt

ROWS = gt.load("atlas").set_index("collection")

pytestmark = pytest.mark.sources


def test_trec_5_looks_good_and_is_not_for_its_best():
    row = ROWS.loc["trec-5"]
    assert row["generalizability_low"] > 0.9
    assert row["best_generalizability"] < row["generalizability"] / 2
    assert row["best_generalizability_low"] == 0
    assert row["difference"] < row["detectable"]


def test_wsc_lacks_an_upper_end():
    row = ROWS.loc["nlu-wsc"]
    assert pd.isna(row["items_95_high"])
    assert row["items_95"] > 20 * row["items"]


def test_four_systems_of_billboard_2013_have_nearly_one_mean():
    means = gt.load("chords-billboard-2013").groupby("system")["score"]
    gaps = means.mean().sort_values().diff()
    assert (gaps[2:5] < 0.6).all()
    assert gaps.iloc[[1, 5]].min() > 4
