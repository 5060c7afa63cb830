"""Seeds faults into every table, and counts what is noticed: one minute.

Writes data/scores/plausibility.csv, which chapter 12 shows: a row for each
fault, with the tables it was seeded into and those where it was noticed
under its own code, and a row for the tables as they are. What tells of the
table as it is does not count for a fault.
"""

import numpy as np
import pandas as pd
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from gtlib.tables import as_design, read_cells, suspicions


def tables():
    """Every table of scores of systems on topics, by name."""
    known = gt.datasets().set_index("name")
    for name in known.index[known["design"] == "system x topic"]:
        yield name, gt.load(name)


def one_more(facet, scores, name="one more"):
    """Seeds another system, or topic, below those that a table has."""

    def seeded(table, rng):
        lines = table if facet == "system" else table.T
        called = name if isinstance(name, str) else name(lines.index[0])
        new = pd.DataFrame([scores(lines, rng)], [called], lines.columns)
        more = pd.concat([lines, new])
        return more if facet == "system" else more.T

    return seeded


def shuffled(lines, rng):
    return rng.permutation(lines.iloc[0])


def counted(lines, rng):
    return np.arange(lines.shape[1])


def copied(lines, rng):
    """One of those that differ."""
    varied = lines[lines.max(axis=1) > lines.min(axis=1)]
    return varied.iloc[rng.integers(len(varied))].to_numpy()


def averaged(how):
    """As trec_eval prints them."""
    return lambda lines, rng: np.round(lines.agg(how), 4)


def one_score(value):
    """Seeds what `value` makes of a score into its cell."""

    def seeded(table, rng):
        row, column = (rng.integers(n) for n in table.shape)
        changed = table.copy()
        changed.iloc[row, column] = value(table.iloc[row, column])
        return changed

    return seeded


def per_cent(table, rng):
    good = rng.choice(table.index[table.mean(axis=1) > 0.05])
    factor = np.where(table.index == good, 100, 1)
    return table.mul(factor, axis=0)


AVERAGES = {
    "the mean of the others": "mean",
    "their median": "median",
    "their sum": "sum",
}
# Of each fault: its code, and how a table and random numbers get it.
FAULTS = {
    **{
        f"a {facet} is {said}": ("average", one_more(facet, averaged(how)))
        for facet in ("topic", "system")
        for said, how in AVERAGES.items()
    },
    "a topic is called amean": (
        "average-name",
        one_more("topic", shuffled, "amean"),
    ),
    "a system is called All": (
        "average-name",
        one_more("system", shuffled, "All"),
    ),
    "a topic counts the systems": ("index", one_more("topic", counted)),
    "a topic is called Unnamed: 0": (
        "index",
        one_more("topic", shuffled, "Unnamed: 0"),
    ),
    "a score is -999": ("sentinel", one_score(lambda x: -999)),
    "a score is -1": ("sentinel", one_score(lambda x: -1)),
    "a score is 9999": ("sentinel", one_score(lambda x: 9999)),
    "a score is below zero": (
        "negative",
        one_score(lambda x: -0.05 - x / 2),
    ),
    "one system is in per cent": ("percent", per_cent),
    "a topic is there twice": ("equal", one_more("topic", copied)),
    "a system is there twice": ("equal", one_more("system", copied)),
    "two names of one system": (
        "two-names",
        one_more("system", shuffled, lambda first: f" {first}".upper()),
    ),
    "a blank after a name": (
        "blank-names",
        one_more("system", shuffled, lambda first: f"{first} "),
    ),
}


def noticed(table):
    """What is suspected of a table: codes and where they are."""
    cells = read_cells(table, as_design("system x topic"))
    return {(found.code, found.where) for found in suspicions(cells)}


def truly_equal(table, where):
    """Whether what is said to be equal is equal, to the last digit."""
    facet, _, named = where.partition(" ")
    lines = table if facet == "system" else table.T
    return len(lines.loc[named.split(", ")].drop_duplicates()) == 1


def of_table(table, rng):
    """Of each fault whether it is noticed in a table; False alarms of the
    table as it is, and levels that truly are equal."""
    before = noticed(table)
    true = {
        s for s in before if s[0] == "equal" and truly_equal(table, s[1])
    }
    found = {"none": bool(before - true), "equal": bool(true)}
    for fault, (code, seeded) in FAULTS.items():
        new = noticed(seeded(table, rng)) - before
        found[fault] = code in {suspicion for suspicion, _ in new}
    return found


def study(which):
    """A row for each fault, of tables by their names."""
    rows = {}
    for n, (name, table) in enumerate(which):
        rows[name] = of_table(table, np.random.default_rng(n))
    found = pd.DataFrame(rows).T.astype(int)
    table = pd.DataFrame(
        {
            "tables": len(found),
            "noticed": found.sum(),
            "share": found.mean(),
        }
    )
    codes = {fault: code for fault, (code, _) in FAULTS.items()}
    table.insert(0, "code", table.index.map(codes).fillna(""))
    return table.rename_axis("fault").reset_index()


def main():
    table = study(tqdm([*tables()]))
    write_table("plausibility.csv", table, "%.4g")


if __name__ == "__main__":
    main()
