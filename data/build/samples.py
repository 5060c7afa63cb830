"""What intervals cover that a sample of a large table gives: 3 minutes.

Writes data/scores/sample-coverage.csv, which book/large-tables.md shows:
the share of 95% intervals that hold the truth, of studies with a tenth of
the scores missing. A study is of a sample of topics that an engine has, or
in memory, of as many topics.
"""

from itertools import product

import ibis
import numpy as np
import pandas as pd
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from gtaudit.large import Table

STUDIES = 300
LEVELS = {"system": 30, "topic": 60, "assessor": 5}
DESIGN = " x ".join(LEVELS)
SIZES = 0.01, 0.0225, 0.0004, 0.01, 0.0001, 0.0016, 0.0016
COMPONENTS = dict(zip(gt.Design(DESIGN).labels, SIZES, strict=True))
COEFFICIENTS = "dependability", "generalizability"


def scores_with_gaps(seed):
    """Normal effects with `COMPONENTS`, and nine scores of ten."""
    rng = np.random.default_rng(seed)
    index = np.indices([*LEVELS.values()]).reshape(len(LEVELS), -1)
    table = pd.DataFrame(dict(zip(LEVELS, index, strict=True)))
    score = np.zeros(len(table))
    for effect, component in COMPONENTS.items():
        facets = effect.split(" x ")
        drawn = rng.normal(0, component**0.5, [LEVELS[f] for f in facets])
        score += drawn[tuple(table[f] for f in facets)]
    return table.assign(score=score)[rng.random(len(table)) >= 0.1]


def sample(scores, seed):
    database = ibis.duckdb.connect(threads=1)
    table = Table(database.create_table("t", scores))
    return table.sample(table.gstudy(DESIGN), len(scores) // 3, seed)


def in_memory(scores, seed):
    third = scores[scores["topic"] < LEVELS["topic"] // 3]
    return gt.gstudy(third, DESIGN, method="henderson")


def held(study, truth, seed):
    """Whether each interval of a study holds the truth."""
    options = {"n_resamples": 500, "seed": seed}
    plan, true = (g.plan(topic=50, assessor=2) for g in (study, truth))
    table = study.component_intervals(**options)
    found = truth.estimate.between(table["low"], table["high"])
    for coefficient in COEFFICIENTS:
        limits = plan.interval(coefficient, **options)
        value = getattr(true, coefficient)
        found[coefficient] = limits.low <= value <= limits.high
    return found


def main():
    truth = gt.GStudy.from_components(DESIGN, COMPONENTS)
    rows = [
        held(way(scores_with_gaps(seed), seed), truth, seed).rename(
            way.__name__.replace("_", " ")
        )
        for way, seed in tqdm(
            [*product((sample, in_memory), range(STUDIES))]
        )
    ]
    shares = pd.DataFrame(rows).groupby(level=0, sort=False).mean().T
    shares = shares.loc[[*COEFFICIENTS, *COMPONENTS]]
    table = shares.rename_axis("interval of").reset_index()
    write_table("sample-coverage.csv", table)


if __name__ == "__main__":
    main()
