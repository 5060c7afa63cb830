"""The swap rates on record, and the script that draws them."""

import numpy as np
import pytest

import gtlib as gt
from book.support.simulations import recorded_rates
from tests.refusals import refused

BINS = [0.03, 0.05, 0.10]


def test_rates_are_means_over_the_collections():
    rates = recorded_rates("five TRECs")
    assert rates.rate.shape == (25, 21)
    each = rates.table.pivot(
        index="low", columns="collection", values="rate"
    )
    assert each.shape == (21, 5)
    np.testing.assert_allclose(
        each.mean(axis=1), rates.rate.loc[25], rtol=1e-7
    )
    pairs = rates.table.groupby("collection")["pairs"].sum()
    overall = rates.overall.set_index("collection")["pairs"]
    assert (pairs == overall[pairs.index]).all()


def test_curves_are_fitted_to_the_rates_on_record():
    curves = gt.extrapolate_swaps(recorded_rates("five TRECs"), [50])
    assert curves.rate.loc[50, BINS].is_monotonic_decreasing


def test_a_study_that_is_not_on_record_is_named():
    refused(
        lambda: recorded_rates("six TRECs"),
        "'six TRECs' is not on record ... five TRECs",
    )


@pytest.mark.slow
def test_the_rates_come_out_again(script):
    build = script("swaps")
    (found,) = build.alone(gt.load("cf-ap"))
    kept = recorded_rates("Cystic Fibrosis alone")
    found = found.pivot(index="size", columns="low", values="rate")
    np.testing.assert_allclose(found, kept.rate, rtol=1e-7)
    few = gt.swap_rates(gt.load_all(*build.TRECS), [5], n_resamples=1000)
    shown = recorded_rates("swap rates by size").rate.loc[5]
    np.testing.assert_allclose(few.rate.loc[5], shown, rtol=1e-7)
