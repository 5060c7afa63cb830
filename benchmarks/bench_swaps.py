"""Swap rates and discriminative power.

No installable tool computes either; what people run are scripts that
loop over trials and pairs.
"""

from itertools import combinations

import numpy as np

import gtlib as gt
from benchmarks.harness import compare, made_up

TRIALS = 50
RESAMPLES = 1000


def rows():
    scores = made_up(129, 50)
    yield from compare(
        "swap rates, 129 systems x 50 topics, 50 trials, sizes 1-25",
        lambda: gt.swap_rates(scores, range(1, 26), drop=0),
    )
    yield from compare(
        "swap rates, 129 systems x 50 topics, 50 trials, size 25",
        lambda: gt.swap_rates(scores, [25], drop=0),
        {"a loop over pairs": lambda: loop(scores, 25)},
    )
    yield from compare(
        "discriminative power, 129 systems x 50 topics, B = 1000",
        lambda: gt.discriminative_power(scores, n_resamples=RESAMPLES),
        {"a loop over pairs": lambda: bootstrap(scores)},
    )


def loop(scores, size):
    """One size: bins and signs, a trial and a pair at a time."""
    rng = np.random.default_rng(0)
    pairs, swaps = [0] * 21, [0] * 21
    for _ in range(TRIALS):
        order = rng.permutation(scores.shape[1])
        first = scores[:, order[:size]].mean(axis=1).tolist()
        second = scores[:, order[size : 2 * size]].mean(axis=1).tolist()
        for i, j in combinations(range(len(first)), 2):
            d, e = first[i] - first[j], second[i] - second[j]
            bin_ = min(int(abs(d) * 100), 20)
            pairs[bin_] += 1
            swaps[bin_] += d * e < 0
    return [s / p if p else None for s, p in zip(swaps, pairs, strict=True)]


def bootstrap(scores):
    """Sakai's test, a pair at a time."""
    n = scores.shape[1]
    drawn = np.random.default_rng(0).integers(n, size=(RESAMPLES, n))
    found = 0
    for one, other in combinations(scores, 2):
        z = one - other
        t = abs(z.mean()) / z.std(ddof=1)
        w = (z - z.mean())[drawn]
        star = np.abs(w.mean(axis=1)) / w.std(axis=1, ddof=1)
        found += (star >= t).mean() < 0.05
    return found
