"""Judges every public collection in one way: ten minutes of one processor.

Writes data/scores/atlas.csv, a row per collection, which chapter 14 shows
and recomputes, and data/scores/atlas-halves.csv, where plans on one half
of the items meet the other half. With names of collections after it, it
prints their rows and writes nothing.
"""

import sys
from time import perf_counter

import pandas as pd
from score_tables import write_table
from tqdm import tqdm

from gtapps import atlas


def row(name):
    """What is said of a collection, and what its scores say."""
    said = atlas.catalogue().loc[name]
    read = atlas.read(name)
    found = atlas.row(
        read.scores, read.design, families=read.families, judge=read.judge
    )
    return {
        "collection": name,
        "title": said["title"],
        "field": said["field"],
        "year": said["year"],
        "item": said["item"],
        "measure": said["measure"] or said["measure_of_all"],
        "design": read.design,
        **found,
        "dropped": read.dropped,
        "reading": said["reading"],
        "source": said["source"],
        "licence": said["licence"],
        "data": said["data"],
    }


def main():
    rows, names = [], sys.argv[1:] or atlas.catalogue().index
    for name in tqdm([*names], disable=None):
        begun = perf_counter()
        rows.append(row(name))
        taken = perf_counter() - begun
        if taken > 5:
            tqdm.write(f"{name}: {taken:.0f} s")
    if sys.argv[1:]:
        print(pd.DataFrame(rows).T.to_string())
        return
    write_table("atlas.csv", pd.DataFrame(rows))


if __name__ == "__main__":
    main()
