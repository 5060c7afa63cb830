"""The coverage on record, and the script that makes it."""

import numpy as np
import pytest

import gtlib as gt

KEYS = ["kind", "of", "errors"]
RECORD = gt.load("error-coverage").set_index(KEYS).sort_index()
DESIGN = RECORD.xs("design", level="errors")
SAFE = {("2 assessors", "differences"), ("2 assessors", "ranks")}
NESTS = "30 passages of 10", "30 uneven passages", "10 passages of 10"


@pytest.fixture
def build(script):
    return script("errors")


def test_every_kind_has_every_interval_and_enough_studies():
    assert len(DESIGN) == 9 * 3
    assert len(RECORD) == 9 * 5
    assert RECORD["studies"].min() >= 400


@pytest.mark.parametrize("of", ["means", "differences", "ranks"])
def test_errors_of_the_design_hold(of):
    """At 95%, or more where two assessors tell little of the others."""
    found = DESIGN.xs(of, level="of")
    least = 0.95 - 3 * np.maximum(found["error"], 0.002)
    assert (found["coverage"] > least).all()
    if of != "ranks":  # which hold too often, if all are sure
        bound = found.index.map(lambda kind: (kind, of) in SAFE)
        assert (found.loc[~bound, "coverage"] < 0.965).all()
        assert (found["coverage"] < 0.99).all()


def test_plain_errors_do_not_where_topics_share_a_level():
    plain = RECORD.xs("plain", level="errors")["coverage"]
    shared = [*NESTS, "4 assessors", "2 assessors"]
    assert (plain[shared] < 0.75).all()
    assert (plain.drop(shared, level="kind") > 0.93).all()


def test_least_squares_are_narrower_where_scores_are_missing():
    for kind in ("30% deleted", "60% deleted"):
        for of in ("means", "differences"):
            width = RECORD.loc[kind, of]["width"]
            assert width["design"] < 0.91 * width["plain"]


@pytest.mark.sources
@pytest.mark.slow
def test_the_record_is_what_comes_out(build):
    """Other studies of two assessors, within four standard errors."""
    (kind,) = (k for k in build.KINDS if k.name == "2 assessors")
    assert {k.name for k in build.KINDS} == {*RECORD.index.unique("kind")}
    found = build.held(kind, studies=30, seed=99).set_index(KEYS)
    kept = RECORD.loc[found.index]
    error = kept["error"] * np.sqrt(1 + kept["studies"] / 30)
    apart = (found["coverage"] - kept["coverage"]).abs()
    assert (apart < 4 * error + 0.001).all()
