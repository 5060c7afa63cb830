"""The record of what intervals hold of judges beside people."""

from pathlib import Path

import numpy as np
import pytest

import gtlib as gt
from gtaudit.beside_people import SUBSTANTIAL

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def record():
    return gt.load("mark-coverage")


def test_intervals_hold_the_truth_as_often_as_is_said(record):
    """The reference of the command says so."""
    page = (ROOT / "book" / "audit-reference.md").read_text("utf-8")
    said = " ".join(page.split())
    kappa, mean, width = (record[k] for k in ("kappa", "mean", "width"))
    assert f"all items in {kappa.min():.2f} to {kappa.max():.2f}" in said
    few, many = record.groupby("human")["kappa"].mean().round(2)
    assert f"({few} on average with 30 items, {many} with 100)" in said
    assert f"mean in {mean.min():.2f} to {mean.max():.2f}." in said
    assert f"was {width.min():.2f} to {width.max():.2f} times" in said
    # Four errors of 300 draws below .95
    assert record[["mean", "people"]].min(axis=None) > 0.9
    assert kappa.min() > 0.88


def test_numbers_that_would_settle_came_true_as_often_as_is_said(record):
    near = (record["truth"] - SUBSTANTIAL).abs() < 0.06
    settled = record["told"] * record["settled"].fillna(0)
    by = settled.groupby(near).sum() / record["told"].groupby(near).sum()
    page = (ROOT / "book" / "audit-reference.md").read_text("utf-8")
    said = " ".join(page.split())
    assert f"it came true in {by[False]:.2f} where" in said
    assert f"and in {by[True]:.2f} where it is nearer" in said


@pytest.mark.slow
@pytest.mark.sources
def test_a_row_is_what_its_script_finds(record, script):
    marks = script("marks")
    kept = record[record["collection"] == "simulated"].iloc[-1]
    *_, (_, _, grades) = marks.populations()
    found = marks.row((grades >= marks.RELEVANT) * 1, 100, trials=40)
    assert found["truth"] == pytest.approx(kept["truth"], rel=1e-3)
    for kind in ("kappa", "mean", "people"):
        error = np.sqrt(max(kept[kind] * (1 - kept[kind]), 0.02) / 40)
        assert abs(found[kind] - kept[kind]) < 4 * error
