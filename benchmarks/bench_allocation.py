"""Optimal allocation.

No library for generalizability theory allocates a budget, so the peers are
the plain methods: try every design, or let a general optimiser for whole
numbers look, which is not certain to find the best.
"""

from collections import Counter
from itertools import compress
from math import prod

import numpy as np

import gtlib as gt
from benchmarks.harness import compare, peer

optimize = peer("scipy.optimize")

BUDGET = 1e6
FACETS = "topic", "assessor", "session"
DESIGN = " x ".join(["system", *FACETS])


def study():
    rng = np.random.default_rng(4)
    labels = gt.Design(DESIGN).labels
    sizes = rng.lognormal(0, 1, len(labels))
    return gt.GStudy.from_components(
        DESIGN, dict(zip(labels, sizes, strict=True))
    )


def errors(g):
    """Sums of the components that each set of numbers divides."""
    sums = Counter()
    for effect in g.design.effects:
        key = tuple(f in effect.facets for f in FACETS)
        sums[key] += g.variance[effect.label]
    del sums[False, False, False]
    return sums


def error(sums, *numbers):
    return sum(
        weight / prod(compress(numbers, key))
        for key, weight in sums.items()
    )


def every_design(sums):
    """Each pair of topics and assessors with as many sessions as fit."""
    topics = np.arange(1, int(BUDGET) + 1)
    counts = (BUDGET // topics).astype(int)
    best = np.inf
    for part in np.array_split(topics, 200):
        count = counts[part - 1]
        topic = np.repeat(part, count)
        start = np.repeat(np.cumsum(count) - count, count)
        assessor = np.arange(len(topic)) - start + 1
        session = BUDGET // (topic * assessor)
        best = min(best, error(sums, topic, assessor, session).min())
    return best


def general_optimiser(sums):
    def penalised(x):
        return error(sums, *x) + 1e3 * max(prod(x) / BUDGET - 1, 0)

    return optimize.differential_evolution(
        penalised, [(1, 5000)] * 3, integrality=[True] * 3, seed=0
    )


def rows():
    g = study()
    sums = errors(g)
    best = "Best design, 3 facets, budget a million"
    yield from compare(
        best,
        lambda: g.plan().best(BUDGET),
        {
            "every design (numpy)": lambda: every_design(sums),
            "scipy differential_evolution": optimize
            and (lambda: general_optimiser(sums)),
        },
    )
    prices = {"judgment": 1, "topic": 20, "assessor": 500}

    def cost(topic, assessor, session):
        return topic * (20 + assessor * session) + 500 * assessor

    for name, price in (("prices", prices), ("a function", cost)):
        yield from compare(
            f"{best}, {name}",
            lambda price=price: g.plan().best(BUDGET, price),
        )
    target = g.plan().best(BUDGET).dependability
    yield from compare(
        "Cheapest design of that dependability",
        lambda: g.plan().cheapest(target),
    )
