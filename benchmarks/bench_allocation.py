"""Optimal allocation.

No library for generalizability theory allocates a budget, so the peer is a
general optimiser for whole numbers, which is not certain to find the best.
"""

from collections import Counter
from itertools import compress
from math import prod

import numpy as np
from scipy.optimize import differential_evolution

import gtlib as gt
from benchmarks.harness import compare

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


def general_optimiser(sums):
    def penalised(x):
        return error(sums, *x) + 1e3 * max(prod(x) / BUDGET - 1, 0)

    return differential_evolution(
        penalised, [(1, 5000)] * 3, integrality=[True] * 3, seed=0
    )


def rows():
    g = study()
    sums = errors(g)
    yield from compare(
        "Best design, 3 facets, budget a million",
        lambda: g.plan().best(BUDGET),
        {"scipy differential_evolution": lambda: general_optimiser(sums)},
    )
    target = g.plan().best(BUDGET).dependability
    yield from compare(
        "Cheapest design of that dependability",
        lambda: g.plan().cheapest(target),
    )
