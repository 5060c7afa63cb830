"""A table of two assessors, who cannot tell, drawn from our own scores.

Writes data/scores/two-assessors.csv: AP of 8 systems on 25 topics by 2
assessors of Cystic Fibrosis, drawn by a seed; and
data/scores/advice-trials.csv: the design that `best` advises from each of
200 such tables, and what its dependability is by all the scores. Half a
minute.
"""

import numpy as np
import pandas as pd
from score_tables import write_table
from tqdm import trange

import gtlib as gt

LEVELS = {"system": 8, "topic": 25, "assessor": 2}
DESIGN = " x ".join(LEVELS)
# Its coefficients are high, and its two assessors happen to agree.
SEED = 4
TABLES, BUDGET = 200, 400


def draw_table(scores, seed):
    """The scores of as many levels of each facet."""
    rng = np.random.default_rng(seed)
    for facet, number in LEVELS.items():
        names = np.unique(scores[facet])
        kept = rng.choice(names, number, replace=False)
        scores = scores[scores[facet].isin(kept)]
    return scores


def advice(table, truth):
    """The best design by a table: what it promises, and what is true."""
    best = gt.gstudy(table, DESIGN).plan().best(BUDGET)
    true = truth.plan(levels=best.levels)
    return {
        **best.levels,
        "promised": best.dependability,
        "true": true.dependability,
    }


def main():
    scores = gt.load("cf", measure="AP")[[*LEVELS, "score"]]
    truth = gt.gstudy(scores, DESIGN)
    write_table("two-assessors.csv", draw_table(scores, SEED), "%.6f")
    rows = [
        {"table": seed, **advice(draw_table(scores, seed), truth)}
        for seed in trange(TABLES)
    ]
    write_table("advice-trials.csv", pd.DataFrame(rows))


if __name__ == "__main__":
    main()
