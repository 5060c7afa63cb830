"""How often each interval holds the truth: simulated, an hour of one CPU.

Writes data/scores/interval-coverage.csv, which chapter 9 shows.
"""

from itertools import product

import pandas as pd
from tables import write_table
from tqdm.contrib.concurrent import process_map

from gtapps.simulations import Population, interval_coverage

N_SIMULATIONS = 1000
SIZES = [  # systems, topics, share of the scores that is missing
    (5, 10, 0.0),
    (8, 25, 0.0),
    (30, 50, 0.0),
    (129, 50, 0.0),
    (10, 20, 0.2),
    (10, 20, 0.4),
    (30, 50, 0.4),
]


def populations():
    """Components like TREC-3's, with normal effects and with scores like
    average precision."""
    like_ap = Population.ap_like()
    return Population.normal(like_ap.components), like_ap


def coverage(job):
    """The rows of one size and population."""
    (systems, topics, missing), population = job
    sizes = {"missing": missing, "n_simulations": N_SIMULATIONS}
    table = interval_coverage(
        population, systems, topics, seed=systems * topics, **sizes
    )
    of = {"population": population.name, "systems": systems} | {
        "topics": topics
    }
    of |= sizes
    return table.assign(**of)[[*of, *table.columns]]


def main():
    jobs = [*product(SIZES, populations())]
    tables = process_map(coverage, jobs, chunksize=1)
    write_table("interval-coverage.csv", pd.concat(tables))


if __name__ == "__main__":
    main()
