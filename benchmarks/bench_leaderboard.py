"""A leaderboard with intervals.

Means with intervals, ranks with theirs, and a test of every pair by Holm's
method, with 2,000 resamples. evalstats gives intervals for every pair as
well, and gtlib tiers and universe scores.
"""

import numpy as np

import gtlib as gt
from benchmarks.harness import compare, peer

RESAMPLES = 2000
evalstats = peer("evalstats")


def rows():
    scores = gt.load("cf-ap")
    yield from compare(
        "leaderboard, 36 systems x 98 topics, B = 2000",
        lambda: gt.leaderboard(scores, n_resamples=RESAMPLES),
        {"evalstats": evalstats and analysis(scores)},
    )


def analysis(scores):
    """evalstats' analysis of the same table, made ready."""
    table = evalstats.BenchmarkResult(
        scores.to_numpy(), list(scores.index), [*map(str, scores.columns)]
    )
    return lambda: evalstats.analyze(
        table,
        n_bootstrap=RESAMPLES,
        correction="holm",
        p_values=True,
        rng=np.random.default_rng(0),
    )
