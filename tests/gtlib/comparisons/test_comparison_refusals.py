"""What cannot be compared, and how that is said."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support.simulations import Population
from gtlib.comparisons import estimate_means, predicted_tau
from tests.gtlib.comparisons.test_errors import three
from tests.refusals import refused

G = gt.gstudy(Population.ap_like().scores(6, 8, seed=2))
BARE = gt.GStudy.from_components("system x topic", G.variance)
_, LONG = three(np.random.default_rng(7), assessors=2)
LONG["assessor"] = LONG["assessor"].map({0: "a", 1: "b"})
DESIGN = "system x topic x assessor"
CROSSED = gt.gstudy(LONG, DESIGN)
ABSENT = (LONG["system"] == 2) & (LONG["assessor"] == "b")
ABSENT &= LONG["topic"] != LONG["topic"].iloc[0]  # one score is left


def agreement(g=G, levels=None, **options):
    return g.plan(levels=levels).ranking_agreement(**options)


REFUSED = {
    "method is 'halves'; choose from": lambda: agreement(method="halves"),
    "n_resamples=0: a whole": lambda: agreement(n_resamples=0),
    "How many levels of system are": lambda: agreement(BARE, {"topic": 5}),
    "at least two topics": lambda: gt.paired_t_power(0.3, [5, 1]),
    "effect_size is not a number": lambda: gt.paired_t_power(np.nan, 9),
    "alpha=5: a number": lambda: gt.paired_t_power(0.3, 20, alpha=5),
    "tied in the reference": lambda: gt.tau_ap([1, 1, 2], [1, 2, 3]),
    "ties is 'c'": lambda: gt.tau_ap([1, 2], [1, 2], ties="c"),
    "between 0 and 1": lambda: predicted_tau([0.5, 1.5]),
    "weights": lambda: estimate_means(CROSSED, (), {"a": 1, "b": 1}),
    "system 2 has fewer than two scores": lambda: estimate_means(
        gt.gstudy(LONG[~ABSENT], DESIGN), "assessor"
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)


@pytest.mark.parametrize(
    "weights",
    [
        *({"a": 1}, {"a": 1, "c": 2}, {"a": -1, "b": 3}, {"a": 0, "b": 0}),
        {"a": 1, "b": 1, "c": 1},
    ],
)
def test_weights_that_do_not_fit(weights):
    refused(lambda: estimate_means(CROSSED, "assessor", weights), "weights")


PAIRS = [
    ([1, 2], [1, 2, 3], "shapes are"),
    ([1], [1], "shapes are"),
    ([[1, 2]], [[1, 2]], "shapes are"),
    ([1, 2], [1, np.nan], "missing or infinite"),
    ([np.inf, 2], [1, 2], "missing or infinite"),
    (
        pd.Series({"a": 1, "b": 2}),
        pd.Series({"a": 1, "c": 2}),
        "System b is in one of the two only",
    ),
]


@pytest.mark.parametrize("function", [gt.kendall_tau, gt.tau_ap])
@pytest.mark.parametrize(
    ("first", "second", "words"), PAIRS, ids=range(len(PAIRS))
)
def test_rankings(function, first, second, words):
    refused(lambda: function(first, second), words)
