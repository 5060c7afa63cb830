"""How often a test of equal systems errs that is looked at again: a minute.

Writes data/scores/looks.csv, which chapter 9 shows. Pairs of systems are
drawn from real collections and made equal: each difference less the mean of
the pair. Topics are drawn with replacement, 50 and then a fifth more up to
six times. `looks` is how often one has looked; `paired`, `betting` and
`mixture` are the shares of pairs that were called different so far, by the
paired t-test and by the tests that may be looked at any time. `every`, in
the place of a number of looks, is a look at each topic from the fifth on.
The widths are those of the intervals of the two beside that of the t-test,
medians.
"""

import numpy as np
import pandas as pd
import scipy
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from gtlib.comparisons import betting_limits, mixture_limits

COLLECTIONS = "robust2004", "trec8", "web2012", "cf-ap", "nlu-boolq"
PAIRS, FIRST, MORE, LOOKS, LEVEL = 1000, 50, 1.2, 6, 0.05
WIDTHS = 50, 200, 800


def paired(z):
    """The p-values and the widths of the paired t-test."""
    n = z.shape[1]
    error = z.std(axis=1, ddof=1) / np.sqrt(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, z.mean(axis=1) / error, 0)
    half = scipy.special.stdtrit(n - 1, 1 - LEVEL / 2) * error
    return 2 * scipy.special.stdtr(n - 1, -np.abs(t)), 2 * half


def draw(scores, topics, rng):
    """Differences of pairs that are equal, on topics drawn anew."""
    n, total = scores.shape
    first = rng.integers(n, size=PAIRS)
    second = (first + rng.integers(1, n, size=PAIRS)) % n
    gaps = scores[first] - scores[second]
    gaps -= gaps.mean(axis=1, keepdims=True)
    chosen = rng.integers(total, size=(PAIRS, topics))
    return np.clip(np.take_along_axis(gaps, chosen, axis=1), -1, 1)


def rows(name):
    scores = gt.load(name).to_numpy(float)
    rng = np.random.default_rng(0)
    sizes = np.round(FIRST * MORE ** np.arange(LOOKS)).astype(int)
    z = draw(scores, sizes[-1], rng)
    kinds = {
        "paired": lambda z: paired(z)[0],
        "betting": lambda z: betting_limits(z)[2],
        "mixture": lambda z: mixture_limits(z)[2],
    }
    called = {kind: np.zeros(PAIRS, bool) for kind in kinds}
    for looks, size in enumerate(sizes, 1):
        for kind, test in kinds.items():
            called[kind] |= test(z[:, :size]) < LEVEL
        shares = {kind: found.mean() for kind, found in called.items()}
        yield {"collection": name, "looks": looks, **shares}
    every = {kind: np.zeros(PAIRS, bool) for kind in kinds}
    for size in range(5, sizes[-1] + 1):
        for kind, test in kinds.items():
            every[kind] |= test(z[:, :size]) < LEVEL
    shares = {kind: found.mean() for kind, found in every.items()}
    yield {"collection": name, "looks": "every", **shares}
    for size in WIDTHS:
        z = draw(scores, size, rng)
        plain = paired(z)[1]
        kept = plain > 0
        wider = {}
        for kind, limits in (
            ("betting", betting_limits),
            ("mixture", mixture_limits),
        ):
            low, high, _ = limits(z)
            wider[kind] = np.median((high - low)[kept] / plain[kept])
        yield {"collection": name, "looks": f"width at {size}", **wider}


def main():
    every = [row for name in tqdm(COLLECTIONS) for row in rows(name)]
    write_table("looks.csv", pd.DataFrame(every))


if __name__ == "__main__":
    main()
