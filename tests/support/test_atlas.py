"""book.support.atlas: rows of collections, and the table of all."""

import re

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support import atlas
from gtlib.scores import is_long
from tests.cases import only

TABLE = gt.load("atlas").set_index("collection")
ORACLES = gt.load("atlas-oracles")
SHARES = [name for name in TABLE if name.startswith("share_")]
INTERVALS = ["generalizability", "dependability", "best_generalizability"]
EFFECTS = {
    "system": "share_system",
    "system x problem": "share_system_item",
    "system x topic": "share_system_item",
    "system x song": "share_system_item",
}
FAST = [
    "trec-5", "dl-2021", "cystic-fibrosis", "clef-tar-2017",
    "wmt-2021-zhen", "chords-casd", "chords-jay-chou", "nlu-wsc", "nlu-rte",
    "terminal-bench",
]  # fmt: skip


class TestTable:
    def test_rows_are_those_of_the_catalogue(self):
        assert len(TABLE) >= 55
        assert TABLE.index.tolist() == atlas.catalogue().index.tolist()
        assert TABLE["title"].is_unique
        assert set(TABLE["field"]) == {
            "retrieval", "code", "translation", "music", "language",
            "agents",
        }  # fmt: skip
        said = ["title", "item", "measure", "reading", "source", "licence"]
        assert TABLE[said].notna().all(axis=None)

    def test_columns_are_those_of_a_row_and_described(self):
        scores = pd.DataFrame(np.random.default_rng(0).random((12, 9)))
        assert {*atlas.row(scores)} <= {*TABLE, "dropped"}

    def test_shares_add_up_to_one(self):
        np.testing.assert_allclose(TABLE[SHARES].sum(axis=1), 1, atol=5e-5)
        assert TABLE[SHARES].min(axis=None) >= 0
        several = TABLE["judges"].notna()
        assert TABLE["share_judge"].notna().equals(several)
        assert TABLE["judge_tau"].notna().equals(several)

    @pytest.mark.parametrize("name", INTERVALS)
    def test_estimates_lie_between_their_limits(self, name):
        ends = [f"{name}_low", name, f"{name}_high"]
        rows = TABLE[ends].dropna().to_numpy()
        assert len(rows) > 40
        assert (rows >= 0).all()
        assert (rows <= 1).all()
        assert (np.diff(rows, axis=1) >= -1e-9).all()

    def test_dependability_is_not_above_generalizability(self):
        gap = TABLE["generalizability"] - TABLE["dependability"]
        assert (gap > -1e-9).all()

    def test_more_is_asked_for_more(self):
        order = TABLE[["items_80", "items_90", "items_95"]]
        assert (order.diff(axis=1).iloc[:, 1:] > 0).all(axis=None)
        limits = TABLE[["items_95_low", "items_95", "items_95_high"]]
        rows = limits.dropna().to_numpy()
        assert (np.diff(rows, axis=1) >= 0).all()
        open_ = limits.isna().any(axis=1)
        assert TABLE["blocked"].notna().equals(open_)

    def test_numbers_of_items_and_coefficients_agree(self):
        enough = TABLE["items"] >= TABLE["items_95"]
        assert (TABLE["generalizability"] >= 0.95).equals(enough)

    def test_ties_and_ranges(self):
        assert TABLE["tied"].between(0, TABLE["systems"] - 1).all()
        assert TABLE["tau"].between(0, 1).all()
        assert (TABLE["difference"] > 0).all()
        assert (TABLE["detectable"] > 0).all()
        families = TABLE["families"].dropna()
        assert families.between(2, TABLE["systems"][families.index]).all()

    def test_the_best_are_ten_of_more(self):
        empty = TABLE["best_generalizability"].isna()
        assert empty.equals(TABLE["systems"] <= atlas.BEST)

    def test_families_never_make_an_interval_narrower(self):
        known = TABLE.dropna(subset="families")
        width = (
            known["generalizability_high"] - known["generalizability_low"]
        )
        alone = known["alone_high"] - known["alone_low"]
        assert (width >= alone - 1e-4).all()

    def test_few_systems_are_said_to_be_few(self):
        few = TABLE["systems"] < 8
        assert TABLE.loc[few, "doubt"].str.contains("too few").all()

    def test_whose_scores_may_not_be_passed_on_is_said(self):
        for name in TABLE.index[TABLE.index.str.match("nlu|chords")]:
            assert "no licence" in TABLE.loc[name, "licence"]


class TestHalves:
    table = gt.load("atlas-halves").set_index("collection")

    def test_the_ten_largest_are_there(self):
        assert len(self.table) == 20
        largest = TABLE["items"].nlargest(10)
        assert {*largest.index} <= {*self.table.index}
        halves = TABLE["items"][self.table.index] // 2
        assert self.table["items"].equals(halves)

    def test_what_came_is_what_is_near(self):
        gap = (self.table["tau"] - self.table["promised_tau"]).abs()
        assert self.table["tau_came"].equals(gap <= 0.02)
        assert self.table["tau_came"].iloc[:10].all()


QUICK = "trec-5", "nlu-wsc"


@pytest.mark.parametrize("name", only(QUICK, FAST))
def test_a_row_comes_out_again(name):
    found = pd.Series(atlas.row(**atlas.read(name)))
    stored = TABLE.loc[name]
    for column, value in found.items():
        if isinstance(value, str):
            assert value == (stored[column] if value else "")
        else:
            np.testing.assert_allclose(
                stored[column], value, rtol=6e-5, err_msg=column
            )


@pytest.mark.parametrize("name", only(QUICK, TABLE.index))
def test_every_collection_is_what_its_row_says(name):
    read = atlas.read(name)
    scores = read["scores"]
    systems = scores["system"] if is_long(scores) else scores.index
    assert systems.nunique() == TABLE.loc[name, "systems"]
    if read["families"] is not None:
        assert {*read["families"].index} == {*systems}
        assert read["families"].notna().all()
        assert read["families"].nunique() == TABLE.loc[name, "families"]
    if is_long(scores):  # every system has every item
        counts = systems.value_counts()
        assert counts.min() == counts.max()


class TestOracles:
    """Against code that is not ours: ``published/atlas-oracles.csv``.

    lme4 was given every effect as a random intercept, such as
    ``score ~ 1 + (1|system) + (1|problem) + (1|sample) +
    (1|system:problem)``; GeneralizIT the scores of CLEF TAR a thousand
    times as large, since it prints four decimals.
    """

    COLLECTIONS = ORACLES.index.str.partition("/").get_level_values(0)

    @pytest.mark.parametrize(
        "name",
        only(["cystic-fibrosis"], dict.fromkeys(COLLECTIONS)),
    )
    def test_components(self, name):
        read = atlas.read(name)
        study = gt.gstudy(read["scores"], read["design"])
        printed = ORACLES[name == self.COLLECTIONS].copy()
        printed.index = printed.index.str.partition("/").get_level_values(2)
        factor = 1e6 if "1000 times" in printed["note"].iloc[0] else 1
        theirs = printed.loc[[*study.variance.index], "value"]
        half = 0.5 * 10.0 ** -printed["decimals"].iloc[0]
        # lme4's optimizer stops before the last digits.
        exact = printed["location"].iloc[0].startswith("GeneralizIT")
        np.testing.assert_allclose(
            factor * study.variance,
            theirs,
            rtol=0 if exact else 5e-4,
            atol=half,
        )
        for coefficient in printed.index.intersection(INTERVALS):
            ours = getattr(study.plan(), coefficient)
            assert round(ours, 4) == printed.loc[coefficient, "value"]

    @pytest.mark.parametrize("name", dict.fromkeys(COLLECTIONS))
    def test_shares(self, name):
        printed = ORACLES.loc[name == self.COLLECTIONS, "value"]
        printed.index = printed.index.str.partition("/").get_level_values(2)
        shares = printed.drop(INTERVALS, errors="ignore")
        shares = shares / shares.sum()
        row = TABLE.loc[name]
        for effect, share in shares.items():
            last = effect == shares.index[-1]
            column = "share_residual" if last else EFFECTS.get(effect)
            if column:
                np.testing.assert_allclose(row[column], share, rtol=2e-4)


@pytest.mark.parametrize("name", ["nlu-wsc", "trec-5", "wmt-2021-ende"])
def test_a_row_by_hand(name):
    """Systems x items, by sums over an array and by counting pairs."""
    scores = atlas.read(name)["scores"]
    if is_long(scores):
        scores = scores.pivot_table("score", "system", "segment")
    x, row = scores.to_numpy(), TABLE.loc[name]
    n, k = x.shape
    mean, of_item = x.mean(axis=1), x.mean(axis=0)
    between = k * mean.var(ddof=1)
    rest = x - mean[:, None] - of_item + x.mean()
    error = (rest**2).sum() / ((n - 1) * (k - 1))
    system = (between - error) / k
    item = of_item.var(ddof=1) - error / n
    total = system + item + error
    expected = {
        "share_system": system / total,
        "share_item": item / total,
        "share_residual": error / total,
        "generalizability": 1 - error / between,
        "dependability": system / (system + (item + error) / k),
    }
    for target in (80, 90, 95):
        odds = target / (100 - target)
        expected[f"items_{target}"] = np.ceil(odds * error / system)
    pairs = [
        abs(mean[i] - mean[j]) for i in range(n) for j in range(i + 1, n)
    ]
    expected["difference"] = np.median(pairs)
    for column, value in expected.items():
        np.testing.assert_allclose(
            row[column], value, rtol=6e-5, err_msg=column
        )
    top = x[np.argsort(-mean, kind="stable")[:10]]
    above = top.mean(axis=1).var(ddof=1) * k
    off = top - top.mean(axis=1)[:, None] - top.mean(axis=0) + top.mean()
    within = (off**2).sum() / (9 * (k - 1))
    np.testing.assert_allclose(
        row["best_generalizability"], max(1 - within / above, 0), atol=1e-4
    )


def test_the_difference_that_items_show_is_found_as_often():
    """Simulated pairs of systems with this true difference."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(30, 1)) + rng.normal(size=(30, 40))
    found = atlas.row(pd.DataFrame(table))["detectable"]
    drawn = found + rng.normal(0, 2**0.5, (4000, 40))
    t = drawn.mean(axis=1) / drawn.std(axis=1, ddof=1) * 40**0.5
    assert abs(np.mean(np.abs(t) > 2.0227) - 0.8) < 0.05


def test_two_judges_by_hand():
    rows = [
        (s, t, j, merit + (j == "b" and s == "z") * 5 + 0.01 * t)
        for s, merit in zip("xyz", (3, 2, 1), strict=True)
        for t in range(4)
        for j in "ab"
    ]
    names = ["system", "topic", "judge", "score"]
    scores = pd.DataFrame(rows, columns=names)
    scores["score"] += np.random.default_rng(0).normal(0, 0.01, len(scores))
    found = atlas.row(scores, "system x topic x judge", judge="judge")
    assert found["judges"] == 2
    assert found["judge_tau"] == pytest.approx(-1 / 3)
    assert np.isnan(found["families"])


def test_an_unknown_collection_is_named():
    with pytest.raises(ValueError, match="no 'trec-99'"):
        atlas.read("trec-99")


def test_the_best_of_one_family_have_no_interval():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.random((20, 30)))
    scores.iloc[:10] += 1
    families = pd.Series(["a"] * 10 + ["b"] * 5 + ["c"] * 5)
    found = atlas.row(scores, families=families)
    assert found["families"] == 3
    assert np.isfinite(found["best_generalizability"])
    assert np.isnan(found["best_generalizability_low"])
    assert found["best_doubt"] == "They are of one family"
    assert found["alone_low"] >= found["generalizability_low"] - 1e-9


@pytest.mark.sources
def test_every_column_is_described():
    text = (atlas.data_folder() / "README.md").read_text("utf-8")
    said = text.partition("## The atlas")[2].partition("\n## ")[0]
    names = set(re.findall(r"`(\w+)`", said))
    ends = {f"{n}{e}" for n in names for e in ("", "_low", "_high")}
    assert {*TABLE, "collection"} <= ends


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nlu-wsc", "nlu-rte"])
def test_trios_of_models_come_out_again(script, name):
    found = script("trios").row(name)
    kept = gt.load("atlas-trios").set_index("collection").loc[name]
    assert found["families"] == kept["families"] == 10
    for end in ("low", "high"):
        assert found[end] == pytest.approx(kept[end], rel=1e-4)
