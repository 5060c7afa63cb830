"""How often each interval holds the truth: simulated, an hour of one CPU.

Writes data/scores/interval-coverage.csv, which chapter 9 shows.
"""

from itertools import product

import pandas as pd
from score_tables import write_table
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
    sizes = {
        "systems": systems,
        "topics": topics,
        "missing": missing,
        "n_simulations": N_SIMULATIONS,
    }
    table = interval_coverage(population, seed=systems * topics, **sizes)
    of = {"population": population.name, **sizes}
    return pd.DataFrame(of, table.index).join(table)


def main():
    jobs = [*product(SIZES, populations())]
    tables = process_map(coverage, jobs, chunksize=1)
    write_table("interval-coverage.csv", pd.concat(tables))


if __name__ == "__main__":
    main()
