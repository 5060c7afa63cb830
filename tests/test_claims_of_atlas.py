"""What chapter 13 says of the atlas, apart from the notebook: sentences
whose numbers stand in its tables only."""

import pandas as pd
import pytest

import gtlib as gt

ROWS = gt.load("atlas").set_index("collection")
FIELDS = ROWS.groupby("field")
KINDS = "generalizability", "alone"
HALVES = gt.load("atlas-halves").set_index("collection")

pytestmark = pytest.mark.sources


def at(n, field, end=""):
    """Generalizability with n items, of one judge."""
    of = ROWS[(ROWS["field"] == field) & ROWS["judges"].isna()]
    value = of[f"generalizability{end}"]
    odds = value / (1 - value) * n / of["items"]
    return odds / (1 + odds)


def test_trec_5_looks_good_and_is_not_for_its_best():
    row = ROWS.loc["trec-5"]
    assert row["generalizability_low"] > 0.9
    assert row["best_generalizability"] < row["generalizability"] / 2
    assert row["best_generalizability_low"] == 0
    assert row["difference"] < row["detectable"]


def test_few_retrieval_collections_tell_their_best_ten_apart():
    best = ROWS[ROWS["field"] == "retrieval"]
    assert (best["best_generalizability"] < 0.8).mean() > 0.5
    assert (best["best_generalizability_low"] >= 0.8).sum() <= 2
    language = ROWS[ROWS["field"] == "language"]
    assert (language["best_generalizability"] >= 0.8).mean() > 0.5
    few = language["best_doubt"].str.match("[34] groups are too few")
    assert few.mean() > 0.8


def test_the_best_are_told_apart_worse_nearly_everywhere():
    better = ROWS["best_generalizability"] > ROWS["generalizability"]
    assert better.sum() < ROWS["best_generalizability"].count() / 10


def test_the_mix_of_sources():
    medians = FIELDS[[*ROWS.filter(like="share_")]].median()
    system, item, rest = (
        medians[f"share_{name}"] for name in ("system", "item", "residual")
    )
    assert system.idxmax() == "retrieval"
    assert item["retrieval"] > rest["retrieval"]
    assert rest["language"] > max(0.6, item["language"])
    assert item["music"] > 0.5
    language = ROWS.loc[ROWS["field"] == "language", "share_residual"]
    assert (language > 0.5).mean() > 0.8
    assert (ROWS["share_system"] < 1 / 3).all()


def test_fifty_and_a_hundred_topics():
    fifty, hundred = at(50, "retrieval"), at(100, "retrieval")
    assert fifty.min() > 0.9
    assert 0 < (fifty >= 0.95).mean() < 0.5
    assert (at(50, "retrieval", "_low") >= 0.95).mean() < 0.25
    assert hundred.min() >= 0.95
    assert (at(100, "retrieval", "_low") >= 0.95).mean() > 0.5


def test_five_hundred_segments():
    assert at(500, "translation").max() < 0.95


def test_wsc_lacks_an_upper_end():
    row = ROWS.loc["nlu-wsc"]
    assert pd.isna(row["items_95_high"])
    assert row["items_95"] > 20 * row["items"]


def test_those_that_are_surely_enough_have_hundreds_of_items():
    sure = ROWS["generalizability_low"] >= 0.95
    language = ROWS[sure & (ROWS["field"] == "language")]
    assert language["items"].min() >= 200
    assert ROWS.loc[ROWS["doubt"].notna(), "systems"].max() <= 7
    music = ROWS[ROWS["field"] == "music"]
    assert music["doubt"].notna().all()


def test_few_systems_have_wide_intervals():
    few = ROWS[ROWS["systems"] < 8]
    factor = ROWS["items_95_high"] / ROWS["items_95_low"]
    assert factor[few.index].max() > 100
    assert factor["nlu-winogrande"] > 100


def test_families_widen_intervals_and_change_few_verdicts():
    known = ROWS[ROWS["alone_low"].notna()]
    alone = known["alone_high"] - known["alone_low"]
    families = (
        known["generalizability_high"] - known["generalizability_low"]
    )
    ratio = (families / alone).groupby(known["field"])
    assert (ratio.get_group("language") > 1).mean() > 0.9
    assert (ratio.get_group("retrieval") > 1).all()
    sure = (known[["alone_low", "generalizability_low"]] >= 0.95).sum()
    assert 0 < sure["alone_low"] - sure["generalizability_low"] <= 3


def test_four_systems_of_billboard_2013_have_nearly_one_mean():
    means = gt.load("chords-billboard-2013").groupby("system")["score"]
    gaps = means.mean().sort_values().diff()
    assert (gaps[2:5] < 0.6).all()
    assert gaps.iloc[[1, 5]].min() > 4


def test_what_halves_say():
    came = HALVES["tau_came"]
    language = ROWS.loc[HALVES.index, "field"] == "language"
    assert came[language].all()
    assert ROWS.loc[HALVES.index[~came], "systems"].max() <= 8
    assert HALVES["in_range"].min() > 0.75
    gap = HALVES["promised_tau"] - HALVES["tau"]
    assert gap.idxmax() == "chords-billboard-2013"
    assert gap.max() > 0.2
