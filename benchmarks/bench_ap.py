"""Average precision as a random variable.

No installable tool computes them. The peer is the way it is mostly coded:
a matrix of documents x documents. Our work grows as n log n: the rows from
100 documents to a million say how.
"""

from functools import partial

import numpy as np

import gtlib as gt
from benchmarks.harness import compare
from gtlib import ap

MATRIX = 5000  # documents; with more, its memory goes


def rows():
    for n in (100, 300, 1000, 5000, 10**4, 10**5, 10**6):
        (a, b), p = runs(2, n)
        peers = {}
        if n <= MATRIX:
            peers["a matrix"] = partial(matrix, a, b, p)
            np.testing.assert_allclose(
                difference(a, b, p), matrix(a, b, p), rtol=1e-9
            )
        yield from compare(
            f"variance of a difference in AP, {n:,} documents",
            partial(difference, a, b, p),
            peers,
        )
    for n in (100, 10**4, 10**6):
        (a, _), p = runs(2, n)
        yield from compare(
            f"moments of one AP, {n:,} documents",
            partial(gt.ap_moments, a, p, ratio="plugin"),
        )
    (a, b), p = runs(2, 1000)
    yield from compare(
        "exact moments of a difference in AP, 1,000 documents",
        lambda: gt.delta_ap_moments(a, b, p),
    )
    ranks, p = runs(100, 1000)
    yield from compare(
        "all pairs of 100 runs, 1,000 documents",
        lambda: ap.pair_forms(ranks, p),
    )


def runs(systems, n):
    rng = np.random.default_rng(n)
    ranks = [rng.permutation(n) + 1.0 for _ in range(systems)]
    return np.stack(ranks), rng.beta(0.4, 2, n)


def difference(a, b, p):
    score = ap.difference(a, b)
    return score.form(p[score.order]).s_var


def matrix(a, b, p):
    c = 1 / np.maximum.outer(a, a) - 1 / np.maximum.outer(b, b)
    v, own = p * (1 - p), np.diag(c).copy()
    np.fill_diagonal(c, 0)
    return v @ (own + c @ p) ** 2 + v @ c**2 @ v / 2
