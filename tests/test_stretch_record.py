"""The records behind the default interval: its prior, and its coverage."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support import atlas
from gtlib.anova import COEFFICIENTS
from gtlib.intervals import PRIOR, PRIOR_SYSTEMS


@pytest.fixture(scope="module")
def rows():
    return gt.load("stretch").set_index("collection")


@pytest.fixture(scope="module")
def trials():
    return gt.load("stretch-trials")


def test_the_constants_are_what_other_collections_say(rows):
    """Whichever of them is left out: of generalizability the first, and
    between the two coefficients the second."""
    own = rows["generalizability_prior"]
    assert (own - PRIOR).abs().max() < 0.1
    assert rows["dependability_prior"].min() > PRIOR
    systems = [rows[f"{name}_prior_systems"] for name in COEFFICIENTS]
    least, most = sorted(x.median() for x in systems)
    assert least < PRIOR_SYSTEMS < most
    assert {*rows.index} == {*atlas.catalogue().index}


@pytest.mark.slow
@pytest.mark.sources
@pytest.mark.parametrize("name", ["trec-3", "terminal-bench"])
def test_a_row_is_what_its_script_finds(rows, script, name):
    found = script("stretch").row(name)
    kept = rows.loc[name]
    for column in ("systems", *COEFFICIENTS, "noise"):
        if np.isfinite(kept[column]):
            assert found[column] == pytest.approx(kept[column], rel=1e-3)
        else:
            assert column not in found


def test_the_prior_is_that_of_a_simulation(script):
    """Collections whose log r is drawn about log 2, and seen with noise."""
    rng = np.random.default_rng(5)
    systems = rng.integers(8, 90, 400)
    own = np.log(2) + rng.normal(0, 0.6, 400)
    seen = own + rng.normal(0, np.sqrt(3 / systems))
    table = {"systems": systems, "noise": 3 / systems, "r": np.exp(seen)}
    prior, tells = script("stretch").prior(pd.DataFrame(table), "r")
    assert prior == pytest.approx(2, rel=0.08)
    assert tells == pytest.approx(3 / 0.36, rel=0.3)


def test_no_track_falls_below_what_was_asked(trials):
    """Of the default interval: on no track below .91, in the mean .94 to
    .965, and hardly wider than what it replaces."""
    large = trials[trials["systems"] == 30]
    shrunk = large[large["way"] == "r shrunk"].set_index("population")
    before = large[large["way"].str.startswith("r as seen")]
    before = before.set_index("population")
    tracks = shrunk["chose"]
    assert shrunk["coverage"][tracks].min() >= 0.91
    assert 0.94 <= shrunk["coverage"][tracks].mean() <= 0.965
    ratio = shrunk["width"] / before["width"]
    assert ratio.mean() < 1.05
    small = trials[trials["systems"] == 10]
    held = small.groupby("way")["coverage"].mean()
    assert held["r shrunk"] > held["r as seen, at least .7"]


def test_the_bootstraps_of_the_record_are_those_of_their_definition(script):
    """log F and its jackknife error of a resampled table, by hand."""
    stretch = script("stretch")
    x = gt.load("cf-ap").iloc[:9, :12].to_numpy()
    weights = np.random.default_rng(0).multinomial(9, [1 / 9] * 9, 3)
    found, errors, _ = stretch._log_f(x, weights)

    def log_f(part):
        table = gt.gstudy(pd.DataFrame(part)).table
        return np.log(
            table["mean_square"].iloc[0] / table["mean_square"].iloc[2]
        )

    for row, value, error in zip(weights, found, errors, strict=True):
        drawn = x[np.repeat(range(9), row)]
        left = [log_f(np.delete(drawn, i, 0)) for i in range(9)]
        apart = np.sum((left - np.mean(left)) ** 2)
        assert value == pytest.approx(log_f(drawn))
        assert error == pytest.approx(np.sqrt(8 / 9 * apart))


def test_as_many_other_topics_order_systems_as_often_as_is_said():
    orders = gt.load("order-trials")
    assert len(orders) == 13
    assert (orders["said"] - orders["came"]).abs().max() < 0.03
    assert orders["said"].mean() == pytest.approx(
        orders["came"].mean(), abs=0.01
    )
