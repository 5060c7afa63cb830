"""Scores of which less is better: error rates, losses, failures."""

import json

import numpy as np
import pandas as pd
import pytest

from gtapps import audit
from gtapps.audit.command import main
from gtapps.audit.direction import turn_round

RNG = np.random.default_rng(3)
TRUTH = np.linspace(0.2, 0.6, 6)[:, None]  # the first errs least
ERRORS = (TRUTH + RNG.normal(0, 0.05, (6, 25))).clip(0, 1).round(4)


def long(name, errors=ERRORS):
    systems, topics = np.indices(errors.shape).reshape(2, -1)
    names = {"model": [f"m{s}" for s in systems], "item": topics}
    return pd.DataFrame({**names, name: errors.ravel()})


@pytest.fixture
def audited(tmp_path, monkeypatch):
    """The command's numbers and leaderboard, of a table."""
    monkeypatch.chdir(tmp_path)

    def run(table, *options):
        table.to_csv("a.csv", index=False)
        made = ["--out", "a.html", "--board", "board.csv"]
        assert main(["audit", "a.csv", *made, *options]) == 0
        with open("a.json", encoding="utf-8") as file:
            return json.load(file), pd.read_csv("board.csv")

    return run


@pytest.mark.parametrize("name", ["wer", "test_error_rate", "ValLoss"])
def test_an_error_is_no_score(name, tmp_path):
    path = tmp_path / "a.csv"
    long(name).to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"--less-is-better.*allow='loss'"):
        audit.collect(str(path))


def test_the_system_that_errs_least_is_the_best(audited):
    numbers, board = audited(long("wer"), "--less-is-better")
    assert [*board["system"]] == [f"m{k}" for k in range(6)]
    assert board["mean"].to_numpy() == pytest.approx(
        np.sort(1 - ERRORS.mean(axis=1))[::-1]
    )
    said = "Of wer less is better, so the audit is of 1 − wer."
    assert said in numbers["notes"]
    allowed, other = audited(long("wer"), "--allow", "loss")
    assert [*other["system"]] == [*board["system"]][::-1]
    coefficient = [found["coefficients"] for found in (numbers, allowed)]
    assert coefficient[0] == coefficient[1]


def test_errors_beyond_1_get_the_other_sign(audited):
    _, board = audited(long("rmse", 7 * ERRORS), "--less-is-better")
    assert board["mean"].to_numpy() == pytest.approx(
        np.sort(-7 * ERRORS.mean(axis=1))[::-1]
    )


def test_of_several_measures_those_called_like_errors_are_turned(audited):
    measures = {"wer": ERRORS, "accuracy": 1 - ERRORS}
    table = pd.concat(
        long("value", scores).assign(metric=name)
        for name, scores in measures.items()
    )
    options = "--measure", "wer,accuracy", "--less-is-better"
    numbers, board = audited(table, *options)
    assert board["system"][0] == "m0"
    assert len([n for n in numbers["notes"] if "less is better" in n]) == 1


def test_a_wide_table_and_gaps():
    wide = pd.DataFrame(ERRORS)
    wide.iloc[1, 2] = np.nan
    tables, notes, faults = turn_round("a.csv", {None: wide}, True)
    pd.testing.assert_frame_equal(tables[None], 1 - wide)
    assert len(notes) == 1
    assert not faults
    _, _, faults = turn_round("a.csv", {None: wide}, False)
    assert not faults  # it has no name
