"""The record of intervals where systems come in groups."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support import atlas


@pytest.fixture(scope="module")
def record():
    return gt.load("group-coverage")


def test_groups_that_are_known_hold_more_often(record):
    table = record.pivot_table(
        "coverage", ["collection", "groups"], "way", sort=False
    )
    assert (table["exact"] <= table["jackknife"]).all()
    assert (table["jackknife"] <= table["jackknife by groups"]).all()
    # Four standard errors below .93, which is what groups are worth.
    lowest = 0.93 - 4 * np.sqrt(0.93 * 0.07 / record["studies"].min())
    assert table["jackknife by groups"].min() > lowest
    assert table.loc[("robust-2004", 10), "jackknife"] < 0.8


@pytest.mark.slow
@pytest.mark.sources
@pytest.mark.parametrize("row", [0, 6, 12])
def test_a_row_is_what_its_script_finds(record, script, row):
    groups = script("groups")
    name, drawn = record.loc[row, ["collection", "groups"]]
    found = pd.DataFrame(groups.coverage(name, drawn, studies=40))
    kept = record[row : row + 3].reset_index(drop=True)
    np.testing.assert_allclose(found["truth"], kept["truth"], rtol=1e-4)
    error = np.sqrt(kept["coverage"] * (1 - kept["coverage"]) / 40)
    off = found["coverage"] - kept["coverage"]
    assert (off.abs() < 4 * error + 0.01).all()


def test_the_truth_is_that_of_endless_draws(script):
    """Of systems and items with replacement: by simulation."""
    groups = script("groups")
    table = atlas.read("cystic-fibrosis")["scores"]
    table = table.pivot_table("score", "system", "topic").to_numpy()
    truth = groups.true_coefficient(table, 50)
    rng = np.random.default_rng(0)
    universe = table.mean(axis=1)
    columns = rng.integers(table.shape[1], size=(2000, 50))
    means = table[:, columns].mean(axis=2)  # systems x draws
    off = means - means.mean(axis=0) - (universe - universe.mean())[:, None]
    found = universe.var() / (universe.var() + np.mean(off**2))
    assert found == pytest.approx(truth, rel=0.002)
