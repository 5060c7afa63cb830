"""The record of verdicts on samples of public collections."""

import pytest

import gtlib as gt
from gtapps import atlas


@pytest.fixture(scope="module")
def record():
    return gt.load("verdict-trials")


def test_what_is_called_enough_is_enough(record):
    """In at least 95 of a hundred; the first is never called the best."""
    called, right = record[["ranking", "ranking_right"]].sum()
    assert called > 100
    assert right / called >= 0.95
    assert record["first"].sum() == record["first_right"].sum() == 0


def test_counts_fit_their_samples(record):
    told = record["ranking"] + record["ranking_not_enough"]
    assert (told <= record["samples"]).all()
    assert (record["items"] >= 4 * record["size"]).all()
    assert {*record["collection"]} <= {*atlas.catalogue().index}


def test_a_row_is_what_its_script_finds(record, script, monkeypatch):
    verdicts = script("verdicts")
    monkeypatch.setattr(verdicts, "SAMPLES", 2)
    row = record.iloc[-1]
    table = atlas.read(row["collection"])["scores"]
    found = verdicts.trials(row["collection"], table, int(row["size"]))
    assert found["samples"] == 2
    assert found["generalizability"] == pytest.approx(
        row["generalizability"], rel=1e-4
    )
    assert found["ranking_right"] <= found["ranking"] <= 2
