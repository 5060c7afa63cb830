"""How often each interval holds the truth: simulated, an hour of one CPU.

Writes data/scores/interval-coverage.csv, which chapter 9 shows.
"""

import concurrent.futures
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from gtapps.simulations import Population, interval_coverage

OUTPUT = Path(__file__).parents[1] / "scores" / "interval-coverage.csv"
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
    average precision, by name."""
    like_ap = Population.ap_like()
    normal = Population.normal(like_ap.components)
    return {p.name: p for p in (normal, like_ap)}


def coverage(name, size, n_simulations=N_SIMULATIONS):
    """The rows of one population and size."""
    systems, topics, missing = size
    table = interval_coverage(
        populations()[name],
        systems,
        topics,
        missing=missing,
        n_simulations=n_simulations,
        seed=systems * topics,
    )
    of_size = {"population": name, "systems": systems, "topics": topics}
    of_size |= {"missing": missing, "n_simulations": n_simulations}
    for place, (column, value) in enumerate(of_size.items()):
        table.insert(place, column, value)
    return table


def main():
    jobs = [(name, size) for size in SIZES for name in populations()]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        running = [pool.submit(coverage, *job) for job in jobs]
        for job in tqdm(
            concurrent.futures.as_completed(running), total=len(jobs)
        ):
            job.result()
    table = pd.concat([job.result() for job in running])
    table.to_csv(OUTPUT, index=False, float_format="%.5g")


if __name__ == "__main__":
    main()
