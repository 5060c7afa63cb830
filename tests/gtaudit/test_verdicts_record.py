"""The record of verdicts on samples of public collections."""

import pytest

import gtlib as gt
from book.support import atlas


@pytest.fixture(scope="module")
def record():
    return gt.load("verdict-trials")


def test_what_is_called_enough_is_enough(record):
    """In at least 95 of a hundred."""
    for question in "first", "ranking":
        called, right = record[[question, f"{question}_right"]].sum()
        assert called > 100
        assert right / called >= 0.95


def test_counts_fit_their_samples(record):
    told = record["ranking"] + record["ranking_not_enough"]
    assert (told <= record["samples"]).all()
    assert (record["items"] >= 4 * record["size"]).all()
    assert {*record["collection"]} <= {*atlas.catalogue().index}


@pytest.mark.slow
@pytest.mark.parametrize("index", [0, 1])
def test_a_row_is_what_its_script_finds(record, script, monkeypatch, index):
    verdicts = script("verdicts")
    monkeypatch.setattr(verdicts, "SAMPLES", 2)
    row = record.iloc[index]
    table = atlas.read(row["collection"])["scores"]
    size, drawn = int(row["size"]), int(row["drawn"])
    found = verdicts.trials(row["collection"], table, size, drawn)
    assert found["samples"] == 2
    if drawn == row["systems"]:  # all, so that it is one number
        assert found["generalizability"] == pytest.approx(
            row["generalizability"], rel=1e-4
        )
    assert found["first_right"] <= found["first"] <= 2
    assert found["ranking_right"] <= found["ranking"] <= 2
