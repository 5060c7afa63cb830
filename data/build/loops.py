"""Do experts who steer what is judged get more pairs of systems right?

Writes data/scores/loop-trials.csv, which chapter 6 shows: the trials of
confidence.py, with the same topics and systems, each judged twice, with
even odds for unjudged documents and with what the experts expect of them.
Seven minutes of a CPU.
"""

import numpy as np
import pandas as pd
from confidence import EFFORTS, EVALUATED, N_RESAMPLES, real, synthetic
from score_tables import judged_collections, write_table
from tqdm import tqdm

import gtlib as gt
from book.support.simulations import ordered_pairs
from gtlib.experts import relevance_estimates

SCORES = ["right", "confidence", "brier"]
PRIORS = {"uniform": "even odds", "experts": "experts"}


def repetition(draw, repeat):
    """Scores of ten other systems, by effort and by prior of the loop."""
    rng = np.random.default_rng(repeat)
    pool, qrels = draw(rng)
    names = rng.permutation(pool.systems)[: EVALUATED + 2]
    two, ten = pool.only(names[:2]), pool.only(names[2:])
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    for prior, loop in PRIORS.items():
        judged = gt.judge(two, qrels, "mtc", max(EFFORTS), prior=prior)
        for effort in EFFORTS:
            told = judged[judged["step"] <= effort]
            p = relevance_estimates(pool, told, "experts")
            pairs = ordered_pairs(ten.confidence(p), truth)
            gap = pairs["right"] - pairs["confidence"]
            means = pairs.assign(brier=gap**2)[SCORES].mean()
            yield {"effort": effort, "loop": loop} | means.to_dict()


def summary(trials):
    """Means of both loops, and of their difference, with its error."""
    keys = ["effort", "score", "repeat"]
    trials = trials.melt(["repeat", "effort", "loop"], SCORES, "score")
    trials = trials.pivot_table("value", keys, "loop", sort=False)
    trials["gain"] = trials["experts"] - trials["even odds"]
    groups = trials.groupby(["effort", "score"], sort=False)
    table = groups.mean().assign(error=groups["gain"].sem())
    return table.assign(n_resamples=groups.size()).reset_index()


def main():
    draws = {"synthetic": synthetic}
    for name, judged in judged_collections().items():
        draws[name] = real(*judged)
    tables = {}
    for name, draw in draws.items():
        rows = [
            row | {"repeat": repeat}
            for repeat in tqdm(range(N_RESAMPLES), name, disable=None)
            for row in repetition(draw, repeat)
        ]
        tables[name] = summary(pd.DataFrame(rows))
    table = pd.concat(tables, names=["collection"])
    write_table("loop-trials.csv", table.reset_index("collection"))


if __name__ == "__main__":
    main()
