"""A collection beside public ones: `gtlib audit FILE --atlas`."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtlib as gt
from book.support.figures.the_atlas import FIELDS
from gtaudit import comparison
from gtaudit.comparison import NEAREST, NUMBERS, compare_with_atlas
from gtlib.data import DatasetUnavailable
from tests.cases import first

SCORES = gt.load("cf-ap")
ATLAS = gt.load("atlas")


def placed(collection, targets=(0.8, 0.95)):
    of = collection.study, collection.fixed
    required = gtaudit.required_table(of[0], targets, of[1])
    return compare_with_atlas(
        collection, gtaudit.coefficient_table(*of), required
    )


@pytest.fixture
def shipped(monkeypatch):
    """Another table in the place of the one that is shipped."""

    def put(table):
        def load(name):
            assert name == "atlas"
            if isinstance(table, Exception):
                raise table
            return table

        monkeypatch.setattr(comparison, "load", load)

    return put


def small(systems=5, topics=6):
    rng = np.random.default_rng(4)
    merit = np.linspace(0.2, 0.6, systems)[:, None]
    scores = merit + rng.normal(0, 0.1, (systems, topics))
    names = [f"s{i}" for i in range(systems)]
    return pd.DataFrame(scores, names, [f"q{i}" for i in range(topics)])


def test_its_row_is_what_the_report_says_elsewhere():
    collection = gtaudit.prepare(SCORES)
    mine = placed(collection).rows.iloc[0]
    goals = gtaudit.required_table(collection.study, [0.95])
    (goal,) = goals[goals["coefficient"] == "generalizability"].itertuples()
    names = ["items_95", "items_95_low", "items_95_high"]
    goals = [goal.topics, goal.low, goal.high]
    assert [*mine[names]] == pytest.approx(goals)
    coefficient = collection.plan.generalizability
    assert mine["generalizability"] == pytest.approx(coefficient)
    assert (mine["systems"], mine["items"]) == SCORES.shape
    percent = collection.study.table["percent"].iloc[0]
    assert mine["share_system"] == pytest.approx(percent / 100)


def test_the_atlas_is_shipped_with_what_it_takes():
    assert {"title", "field", *NUMBERS} <= {*ATLAS.columns}
    assert len(ATLAS) >= 55 and ATLAS["title"].is_unique
    assert {*ATLAS["field"]} <= {*FIELDS}


@pytest.mark.parametrize("name", ["dl-2021", "web-2012", "nlu-wsc"])
def test_a_collection_of_the_atlas_stands_where_it_stands_there(name):
    data = ATLAS.set_index("collection").loc[name, "data"]
    row = ATLAS[ATLAS["collection"] == name].iloc[0]
    found = placed(gtaudit.prepare(gt.load(data))).rows
    for column in ("systems", "items", "items_95", "share_system"):
        assert found[column].iloc[0] == pytest.approx(row[column], rel=1e-4)
    assert row["title"] in found.index[1:]


def test_topics_in_nests_are_counted_in_all_of_them():
    rng = np.random.default_rng(2)
    rows = [
        (f"m{i}", f"s{s}", f"s{s}q{q}", i / 9 + rng.normal(0, 0.2))
        for i in range(6)
        for s in range(4)
        for q in range(5)
    ]
    columns = ["system", "subject", "topic", "score"]
    table = pd.DataFrame(rows, columns=columns)
    collection = gtaudit.prepare(table, "system x (topic:subject)")
    collection = replace(collection, fixed=("subject",))
    found = placed(collection)
    mine = found.rows.iloc[0]
    assert mine["items"] == 20
    goals = gtaudit.required_table(
        collection.study, [0.95], fixed=("subject",)
    )
    assert mine["items_95"] == 4 * goals["topics"][0]
    assert "counted in all subjects" in found.note
    assert "subjects are all there are" in found.note
    assert "this one has 20 topics" in found.note


@pytest.mark.parametrize("with_gaps", first(1, [False, True]))
def test_crossed_assessors_and_gaps(with_gaps):
    rng = np.random.default_rng(3)
    index = np.indices((6, 9, 3)).reshape(3, -1)
    names = ["system", "topic", "assessor"]
    table = pd.DataFrame(index.T, columns=names).astype(str)
    table["score"] = index[0] / 9 + rng.normal(0, 0.3, len(table))
    if with_gaps:
        table = table.drop(index=[0, 5, 40])
    mine = placed(gtaudit.prepare(table)).rows.iloc[0]
    assert (mine["systems"], mine["items"]) == (6, 9)
    assert mine["items_95"] > 0


def test_what_no_number_of_topics_reaches_stands_at_the_edge():
    """A facet that is drawn anew, and of which there are two levels."""
    rng = np.random.default_rng(8)
    index = np.indices((6, 12, 2)).reshape(3, -1)
    table = pd.DataFrame(index.T, columns=["system", "topic", "assessor"])
    table = table.astype(str)
    whims = rng.normal(size=(6, 2))[index[0], index[2]]
    table["score"] = index[0] / 3 + whims + rng.normal(0, 0.1, len(table))
    found = placed(gtaudit.prepare(table))
    (own,) = found.rows["items_95"]  # and nothing is near it
    assert not np.isfinite(own)
    assert "No number of topics brings generalizability" in found.note


def test_a_number_without_an_upper_limit_is_so_many_or_more():
    rng = np.random.default_rng(0)
    scores = 0.15 * rng.normal(size=(10, 1)) + rng.normal(size=(10, 30))
    found = placed(gtaudit.prepare(pd.DataFrame(scores)))
    own = found.rows.iloc[0]
    assert own["items_95"] > 30 and np.isnan(own["items_95_high"])
    assert f"[{own['items_95_low']:.0f} or more]" in found.note


BROKEN = {
    "not here": DatasetUnavailable("atlas: not on this machine."),
    "unknown": ValueError("There is no data set 'atlas'."),
    "without a column": ATLAS.drop(columns="items_95"),
    "words for numbers": ATLAS.astype({"items": str}).replace("50", "many"),
    "without rows": ATLAS.head(0),
    "without numbers": ATLAS.assign(items_95=np.nan),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_table_that_cannot_be_read_is_said(broken, shipped):
    shipped(BROKEN[broken])
    found = placed(gtaudit.prepare(small()))
    assert found.rows is None
    assert found.note.startswith("The atlas cannot be read: ")


@pytest.mark.parametrize("rows", [1, 2, 3000])
def test_a_table_may_be_short_or_long(rows, shipped):
    some = ATLAS.iloc[np.arange(rows) % len(ATLAS)]
    rng = np.random.default_rng(0)
    titles = [f"number {i}" for i in range(rows)]
    some = some.assign(title=titles, items=rng.integers(5, 9999, rows))
    shipped(some.reset_index(drop=True))
    found = placed(gtaudit.prepare(small()))
    assert len(found.rows) == 1 + min(rows, NEAREST)
    assert f"Of {rows} public collections" in found.note
