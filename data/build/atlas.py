"""Judges every public collection in one way: ten minutes of a processor.

Writes data/scores/atlas.csv, a row per collection, which chapter 15 shows
and computes again, and data/scores/atlas-halves.csv: plans made on half of
the items, and what the other half says. With names of collections after
it, it writes their rows only, and every other row stays as it is.
"""

import sys

import numpy as np
import pandas as pd
from score_tables import SCORES, write_rows, write_table
from tqdm import tqdm

import gtlib as gt
from book.support import atlas
from gtlib.scores import is_long

# The collections with most items, and as many beside the test sets of
# language understanding, which have the most.
LARGEST, MANY = 10, "language"
SPLITS, RESAMPLES = 100, 100
NEAR = 0.02  # of tau: a promise that came


def row(name):
    """Return the row of a collection, from the catalogue and from its
    scores."""
    read = atlas.read(name)
    said = atlas.catalogue().loc[name]
    return {
        "collection": name,
        **said[["title", "field", "year", "item"]],
        "measure": said["measure"] or said["usual"],
        "design": read["design"],
        **atlas.row(**read),
        **said[["reading", "source", "licence", "data"]],
    }


def halves(name):
    """Of halves of the items: what a plan on the one promises for another
    sample of as many, and how it agrees with the other."""
    read = atlas.read(name)
    scores, design = read["scores"], read["design"]
    item, long = atlas.item_facet(design, read["judge"]), is_long(scores)
    items = scores[item].unique() if long else scores.columns.to_numpy()
    size = len(items) // 2
    rng = np.random.default_rng(0)
    found = []
    for _ in range(SPLITS):
        order = rng.permutation(len(items))
        one, other = items[order[:size]], items[order[size : 2 * size]]
        if long:
            parts = [scores[scores[item].isin(x)] for x in (one, other)]
            means = [x.groupby("system")["score"].mean() for x in parts]
        else:
            parts = [scores[x] for x in (one, other)]
            means = [x.mean(axis=1) for x in parts]
        plan = gt.gstudy(parts[0], design).plan()
        promised = plan.ranking_agreement(n_resamples=RESAMPLES)
        tau = gt.kendall_tau(*means)
        found.append(
            {
                "promised_tau": promised.tau,
                "tau": tau,
                "in_range": promised.low <= tau <= promised.high,
            }
        )
    mean = pd.DataFrame(found).mean()
    return {
        "collection": name,
        "items": size,
        **mean,
        "tau_came": abs(mean["tau"] - mean["promised_tau"]) <= NEAR,
    }


def each(what, names):
    """A table with a row of each."""
    names = tqdm([*names], what.__name__, disable=None)
    return pd.DataFrame([what(name) for name in names])


def largest(table):
    """The collections whose halves are compared."""
    first = table.sort_values("items", ascending=False, kind="stable")
    others = first[first["field"] != MANY]
    both = [table["collection"][:LARGEST] for table in (first, others)]
    return [*pd.concat(both).unique()]


def write_all():
    table = each(row, atlas.catalogue().index)
    write_table("atlas.csv", table)
    write_table("atlas-halves.csv", each(halves, largest(table)))


def write_some(names):
    """The rows of these; their halves where they are among the largest."""
    write_rows("atlas.csv", each(row, names), atlas.catalogue().index)
    order = largest(pd.read_csv(SCORES / "atlas.csv"))
    known = {*pd.read_csv(SCORES / "atlas-halves.csv")["collection"]}
    new = [name for name in order if name in names or name not in known]
    if new:
        write_rows("atlas-halves.csv", each(halves, new), order)


if __name__ == "__main__":
    write_some(sys.argv[1:]) if sys.argv[1:] else write_all()
