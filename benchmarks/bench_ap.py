"""Average precision as a random variable.

No installable tool computes them. The peers are the formula as it is
printed (a sum over triples of documents, Carterette 2007) and the way it
is mostly coded (a matrix of documents x documents). Our work grows as
n log n: the rows from 100 documents to a million say how.
"""

import numpy as np

import gtlib as gt
from benchmarks.harness import compare
from gtlib.ap import quadratic


def rows():
    for n in (100, 300):
        a, b, p = topic(n)
        agree(difference(a, b, p), matrix(a, b, p), triples(a, b, p))
        yield from compare(
            f"variance of a difference in AP, {n} documents",
            lambda a=a, b=b, p=p: difference(a, b, p),
            {
                "a matrix": lambda a=a, b=b, p=p: matrix(a, b, p),
                "the triple sum": lambda a=a, b=b, p=p: triples(a, b, p),
            },
        )
    for n in (1000, 5000):
        a, b, p = topic(n)
        agree(difference(a, b, p), matrix(a, b, p))
        yield from compare(
            f"variance of a difference in AP, {n:,} documents",
            lambda a=a, b=b, p=p: difference(a, b, p),
            {"a matrix": lambda a=a, b=b, p=p: matrix(a, b, p)},
        )
    for n in (10**4, 10**5, 10**6):
        a, b, p = topic(n)
        yield from compare(
            f"variance of a difference in AP, {n:,} documents",
            lambda a=a, b=b, p=p: difference(a, b, p),
        )
    for n in (100, 10**4, 10**6):
        a, _, p = topic(n)
        yield from compare(
            f"moments of one AP, {n:,} documents",
            lambda a=a, p=p: gt.ap_moments(a, p),
        )
    a, b, p = topic(1000)
    yield from compare(
        "exact moments of a difference in AP, 1,000 documents",
        lambda: gt.delta_ap_moments(a, b, p, ratio="exact"),
    )
    ranks, p = runs(100, 1000)
    yield from compare(
        "all pairs of 100 runs, 1,000 documents",
        lambda: quadratic.pairs(ranks, p),
        {"gtlib, pair by pair": lambda: each_pair(ranks, p)},
    )


def topic(n):
    ranks, p = runs(2, n)
    return *ranks, p


def runs(systems, n):
    rng = np.random.default_rng(n)
    ranks = [rng.permutation(n) + 1.0 for _ in range(systems)]
    return np.stack(ranks), rng.beta(0.4, 2, n)


def difference(a, b, p):
    return quadratic.difference(a, b, p).s_var


def matrix(a, b, p):
    c = 1 / np.maximum.outer(a, a) - 1 / np.maximum.outer(b, b)
    v, own = p * (1 - p), np.diag(c).copy()
    np.fill_diagonal(c, 0)
    return v @ (own + c @ p) ** 2 + v @ c**2 @ v / 2


def triples(a, b, p):
    """The variance as printed, its triple sum over j < k, both not i."""
    c = 1 / np.maximum.outer(a, a) - 1 / np.maximum.outer(b, b)
    q, own, total = 1 - p, np.diag(c), 0.0
    for i in range(len(p)):
        total += own[i] ** 2 * p[i] * q[i]
        for j in range(len(p)):
            if j == i:
                continue
            both = p[i] * p[j]
            total += 2 * own[i] * c[i, j] * both * q[i]
            if j > i:
                total += c[i, j] ** 2 * both * (1 - both)
            for k in range(j + 1, len(p)):
                if k != i:
                    total += 2 * c[i, j] * c[i, k] * both * p[k] * q[i]
    return total


def each_pair(ranks, p):
    for i in range(len(ranks)):
        for j in range(i):
            gt.delta_ap_moments(ranks[i], ranks[j], p)


def agree(*values):
    np.testing.assert_allclose(values, values[0], rtol=1e-9)
