"""Optimal allocation.

No library for generalizability theory allocates a budget, so the peers are
the plain methods: try every design, or let a general optimiser for whole
numbers look, which is not certain to find the best.
"""

from math import prod

import numpy as np

import gtlib as gt
from benchmarks.harness import compare, peer

optimize = peer("scipy.optimize")

BUDGET = 1e6
DESIGN = "system x topic x assessor x session"


def study():
    rng = np.random.default_rng(4)
    labels = gt.Design(DESIGN).labels
    sizes = rng.lognormal(0, 1, len(labels))
    return gt.GStudy.from_components(
        DESIGN, dict(zip(labels, sizes, strict=True))
    )


def errors(g):
    """Sums of the components that each set of numbers divides."""
    facets = ("topic", "assessor", "session")
    sums = {}
    for effect in g.design.effects:
        key = tuple(f for f in facets if f in effect.facets)
        sums[key] = sums.get(key, 0.0) + g.variance[effect.label]
    sums.pop(())
    return sums


def error(sums, topic, assessor, session):
    numbers = {"topic": topic, "assessor": assessor, "session": session}
    return sum(
        weight / prod(numbers[f] for f in key)
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
    yield from compare(
        "Best design, 3 facets, budget a million",
        lambda: g.plan().best(BUDGET),
        {
            "every design (numpy)": lambda: every_design(sums),
            "scipy differential_evolution": optimize
            and (lambda: general_optimiser(sums)),
        },
    )
    prices = {"judgment": 1, "topic": 20, "assessor": 500}
    yield from compare(
        "Best design, 3 facets, budget a million, prices",
        lambda: g.plan().best(BUDGET, prices),
    )
    yield from compare(
        "Best design, 3 facets, budget a million, a function",
        lambda: g.plan().best(
            BUDGET,
            lambda topic, assessor, session: (
                topic * (20 + assessor * session) + 500 * assessor
            ),
        ),
    )
    target = g.plan().best(BUDGET).dependability
    yield from compare(
        "Cheapest design of that dependability",
        lambda: g.plan().cheapest(target),
    )
