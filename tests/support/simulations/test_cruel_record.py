"""The cruel population of chapter 10, and the script that draws it."""

import pytest

import gtlib as gt

KEY = ["quantity", "method"]


@pytest.fixture(scope="module")
def kept():
    return gt.load("cruel-coverage").set_index(KEY)


def test_the_jackknife_holds_and_arteaga_does_not(kept):
    """What the chapter says of five hundred collections."""
    z = (kept["coverage"] - 0.95) / kept["error"]
    for name in ("generalizability", "dependability"):
        assert abs(z[name, "jackknife"]) < 2
    assert -2 < z["generalizability", "exact"] < 0
    assert z["dependability", "exact"] < -2.5


@pytest.mark.slow
def test_forty_collections_agree_with_five_hundred(script, kept):
    found = script("coverage").cruel(40).set_index(KEY)
    gap = (found["coverage"] - kept["coverage"]).abs()
    assert (gap <= 4 * (0.1 * 0.9 / 40) ** 0.5).all()
