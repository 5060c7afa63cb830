"""What chapters 7 and 16 show of tests of reusability, and its script."""

from itertools import islice

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support.simulations import (
    beta_collection,
    simulate_tests,
    skewed_collection,
)

KEY = ["test", "question", "statistic"]


@pytest.fixture(scope="module")
def trials():
    return gt.load("reuse-trials")


def test_every_study_has_all_of_its_collections(trials):
    draws = trials.groupby(["study", "population", "setting"], dropna=False)
    counts = draws["draw"].nunique().groupby(level="study").unique()
    assert {k: sorted(v) for k, v in counts.items()} == {
        "looks": [100],
        "losses": [100],
        "own topics": [50],
        "populations": [100],
        "worse": [15, 40],
    }
    assert trials["p"].between(0, 1).all()


def test_the_permutation_tests_keep_their_promise(trials):
    """Each of a hundred collections from which nothing is lost; the
    published test of participants does not."""
    own = trials[trials["study"] == "populations"]
    small = own["p"] <= 0.05
    rates = small.groupby(
        [own["population"], *(own[k] for k in KEY)]
    ).mean()
    error = np.sqrt(0.05 * 0.95 / 100)
    permuted = rates.xs("permutation", level="test")
    assert (permuted < 0.05 + 3.5 * error).all()
    published = rates.xs(
        ("published", "participant"), level=("test", "statistic")
    )
    assert (published > 0.05 + 3.5 * error).all()


def test_more_is_rejected_where_more_is_lost(trials):
    own = trials[(trials["study"] == "losses")]
    own = own[own["statistic"] == "effect"]
    rates = (own["p"] <= 0.05).groupby(own["setting"]).mean()
    assert rates.index.tolist() == [0, 0.03, 0.06, 0.12]
    assert rates.is_monotonic_increasing
    assert rates.iloc[-1] > 0.9


def test_limits_hold_their_median():
    assigned = gt.load("reuse-assigned")
    assert assigned["key"].is_unique
    assert (assigned["low"] <= assigned["value"]).all()
    assert (assigned["value"] <= assigned["high"]).all()


def test_fewer_pairs_become_significant_in_deeper_pools():
    pools = gt.load("reuse-pools")
    deep = pools[(pools["way"] == "all sites") & (pools["depth"] == 100)]
    shallow = pools[(pools["way"] == "all sites") & (pools["depth"] == 20)]
    assert deep["made"].item() < shallow["made"].item()
    teams = pools[pools["collection"] == "Deep Learning 2021"]
    known = teams.groupby(["way", "size"])["known"].mean()
    assert known["pools of", 1] < known["pools of", 3]
    assert known["pools of", 3] < known["pools of", 16]


@pytest.mark.slow
def test_the_p_values_on_record_come_out_again(trials):
    of = trials.set_index(["study", "population", "setting", "draw"])
    for reuse, draw in ((10, 0), (50, 7), (100, 39)):
        fit = gt.significance_agreement(*beta_collection(reuse, draw))
        key = "worse", "one of each site", reuse, draw
        kept = of.loc[[key]].iloc[0]
        found = fit.goodness_of_fit()
        assert found.statistic == pytest.approx(kept["x2"], rel=1e-5)
        assert found.p_value == pytest.approx(kept["p"], rel=1e-5)
    subsets = ["within", "participant"]
    found = simulate_tests(
        skewed_collection, 2, subsets, n_resamples=99, seed=7
    )
    own = trials[trials["population"] == "synthetic"]
    kept = own.set_index(["draw", *KEY])["p"]
    for draw, row in found.iterrows():
        for key, p in row.items():
            assert p == pytest.approx(kept[draw, *key], rel=1e-5)


@pytest.mark.slow
def test_assignments_come_out_again(script, monkeypatch):
    """Medians of twenty lie within the limits of three hundred."""
    build = script("held_out")
    monkeypatch.setattr(build, "ASSIGNMENTS", 20)
    found = build.assigned().set_index("key")["value"]
    kept = gt.load("reuse-assigned").set_index("key")
    assert found.index.equals(kept.index)
    assert found.between(kept["low"] - 1e-9, kept["high"] + 1e-9).all()


@pytest.mark.slow
def test_pools_come_out_again(script):
    build = script("held_out")
    teams = build.Teams()
    (found,) = teams.rows("pools of", len(teams.teams))
    pools = gt.load("reuse-pools").set_index(["measure", "way", "size"])
    kept = pools.loc[("AP", "pools of", len(teams.teams))].squeeze()
    for column in ("known", "mean", "tau", "lost", "made"):
        assert found[column] == pytest.approx(kept[column], rel=1e-5)
    looks = pd.DataFrame(islice(build.looks(), 8))
    trials = gt.load("reuse-trials").query("study == 'looks' and draw < 2")
    assert looks["p"].tolist() == pytest.approx(trials["p"].tolist())


@pytest.mark.slow
def test_the_cost_by_depth_comes_out_again(script):
    found = script("held_out").depths()
    kept = gt.load("reuse-depths")
    pd.testing.assert_frame_equal(
        found, kept, check_dtype=False, check_exact=False, rtol=1e-5
    )
