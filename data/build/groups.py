"""How often intervals hold the truth where systems come in groups.

Writes data/scores/group-coverage.csv, which chapter 10 shows: two minutes.
Of public collections whose groups are known, whole groups are drawn with
replacement, with all their systems, and with them items, as many as `ITEMS`
or as there are. Each study has three intervals of its generalizability: of
the `exact` method and the jackknife, which take each system for itself,
and the `jackknife by groups`. The truth is the generalizability of so many
items where each system of the collection counts alike.
"""

import sys

import numpy as np
import pandas as pd
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from book.support import atlas

ITEMS, STUDIES = 50, 500
# A collection, and how many of its groups are drawn; the first two are
# among those on which the jackknife's constants were chosen.
DRAWN = [
    ("robust-2004", 10),
    ("robust-2004", 6),
    ("dl-2021", 7),
    ("clef-ehealth-2015", 10),
    ("clef-tar-2017", 10),
    ("wmt-2021-ende", 8),
    ("nlu-copa", 10),
    ("nlu-rte", 10),
    ("nlu-wic", 10),
    ("nlu-boolq", 10),
]
CHOSE = "robust-2004", "dl-2021"
WAYS = "exact", "jackknife", "jackknife by groups"


def coverage(name, groups, studies=STUDIES):
    """A row for each way."""
    scores = atlas.read_wide(name)
    families = atlas.read(name)["families"]
    members = [
        scores.loc[families.index[families == group]].to_numpy()
        for group in families.unique()
    ]
    items = min(ITEMS, scores.shape[1])
    truth = true_coefficient(scores.to_numpy(), items)
    rng = np.random.default_rng(0)
    found = {way: [] for way in WAYS}
    sizes = []
    for _ in range(studies):
        drawn = [
            members[k] for k in rng.integers(len(members), size=groups)
        ]
        columns = rng.integers(scores.shape[1], size=items)
        table = pd.DataFrame(np.concatenate(drawn)[:, columns])
        of = np.repeat(range(groups), [*map(len, drawn)])
        sizes.append(len(table))
        for way, interval in intervals(table, of).items():
            found[way].append((interval.low, interval.high))
    rows = []
    for way, ends in found.items():
        low, high = np.array(ends).T
        held = (low <= truth) & (truth <= high)  # without one: missed
        rows.append(
            {
                **{"collection": name, "groups": groups},
                **{"systems": np.mean(sizes), "items": items},
                "chose": name in CHOSE,
                **{"truth": truth, "way": way, "coverage": held.mean()},
                "width": np.nanmean(np.minimum(high, 1) - low),
                "studies": studies,
            }
        )
    return rows


def true_coefficient(table, items):
    """Return the coefficient, with the table's systems and items as the
    whole population."""
    by_system = table.mean(axis=1, keepdims=True) - table.mean()
    by_item = table.mean(axis=0) - table.mean()
    rest = table - table.mean() - by_system - by_item
    universe = np.mean(by_system**2)
    return universe / (universe + np.mean(rest**2) / items)


def intervals(table, groups):
    """The interval of each way."""
    try:
        plan = gt.gstudy(table).plan()
    except ValueError:  # as where no score differs
        return dict.fromkeys(WAYS, gt.Interval(np.nan, np.nan))
    name = "generalizability"
    return {
        "exact": plan.interval(name, method="exact"),
        "jackknife": plan.interval(name),
        "jackknife by groups": plan.interval(
            name, groups=pd.Series(groups, table.index)
        ),
    }


def main():
    rows = []
    for name, groups in tqdm(DRAWN, file=sys.stderr):
        rows += coverage(name, groups)
    write_table("group-coverage.csv", pd.DataFrame(rows))


if __name__ == "__main__":
    main()
