"""Swap rates and p-values by difference: a minute of one processor.

Writes data/scores/swap-rates.csv, which chapters 8, 9 and 16 show. A
`study` is a call of `gt.swap_rates` or of `gtlib.swaps.p_value_rates` with
seed 0: of the five TRECs together, without
their worst quarter of systems and with all, with topic sets of 1 to 25; of
p-values, of 25 and 50 topics, and by size; and of every track `alone`, of
which those bins are kept that the slides print. The collection `all` is the
mean over the collections. A row from 0 to inf counts all pairs.
"""

import numpy as np
import pandas as pd
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from book.support.simulations.swaps import ALL
from gtlib.swaps import p_value_rates

TRIALS, MOST, PRINTED = 1000, 25, [0.03, 0.05, 0.10]
TRECS = "trec3", "trec5", "trec6", "trec7", "trec8"
TRACKS = [*TRECS, "robust2004"]
TRACKS += [f"web{year}" for year in range(2010, 2015)] + ["cf-ap"]
BY_SIZE = [5, 10, 15, 20, 25, 30, 40, 50]


def joint(rates, sizes=None, bins=None):
    """A row for each size and bin, all collections counted alike."""
    rate, error = (
        table.loc[sizes or table.index, bins or table.columns]
        for table in (rates.rate, rates.error)
    )
    rows = rate.melt(ignore_index=False, value_name="rate")
    rows["error"] = error.melt()["value"].array
    rows = rows.reset_index()
    edges = pd.arrays.IntervalArray(rows.pop("difference"))
    rows = rows.assign(collection=ALL, low=edges.left, high=edges.right)
    return rows.sort_values(["size", "low"])


def by_collection(rates, size):
    """The rows of each collection, and of all of its pairs."""
    every = rates.overall.assign(low=0.0, high=np.inf)
    rows = pd.concat([rates.table, every])
    return rows[rows["size"] == size]


def of_the_trecs(tables):
    """The studies of the five TRECs, by name."""
    sizes = range(1, MOST + 1)
    best = gt.swap_rates(tables, sizes, n_resamples=TRIALS)
    whole = gt.swap_rates(tables, sizes, n_resamples=TRIALS, drop=0)
    p = p_value_rates(tables, [MOST, 2 * MOST], n_resamples=TRIALS)
    p_by_size = p_value_rates(tables, BY_SIZE, n_resamples=200)
    few = [size for size in BY_SIZE if size <= MOST]
    by_size = gt.swap_rates(tables, few, n_resamples=TRIALS)
    return {
        "five TRECs": [joint(best), by_collection(best, MOST)],
        "five TRECs, all systems": [
            joint(whole, [MOST]),
            by_collection(whole, MOST),
        ],
        "p-values": [joint(p)],
        "p-values by size": [joint(p_by_size)],
        "swap rates by size": [joint(by_size)],
    }


def alone(table):
    """A track by itself, to half of its topics or 25."""
    half = min(table.shape[1] // 2, MOST)
    sizes = range(1, half + 1)
    rates = gt.swap_rates(table, sizes, n_resamples=TRIALS)
    return [joint(rates, bins=PRINTED)]


def main():
    studies = of_the_trecs(gt.load_all(*TRECS))
    for title, table in tqdm(gt.load_all(*TRACKS).items()):
        studies[f"{title} alone"] = alone(table)
    names = ["study", "collection", "size", "low", "high"]
    rows = pd.concat(
        part.assign(study=study)
        for study, parts in studies.items()
        for part in parts
    )
    write_table(
        "swap-rates.csv", rows[[*names, "pairs", "rate", "error"]], "%.9g"
    )


if __name__ == "__main__":
    main()
