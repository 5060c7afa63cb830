"""Seeds faults into every table, and counts what is noticed: one minute.

Writes data/scores/plausibility.csv, which chapter 11 shows: a row for each
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


def with_topic(table, scores, name="one more"):
    return table.assign(**{name: scores})


def with_system(table, scores, name="one more"):
    return pd.concat([table, pd.DataFrame([scores], [name], table.columns)])


def with_cell(table, rng, value):
    row, column = (rng.integers(n) for n in table.shape)
    changed = table.copy()
    changed.iloc[row, column] = value(table.iloc[row, column])
    return changed


def printed(scores):
    """As trec_eval prints them."""
    return np.round(scores, 4)


def per_cent(table, rng):
    good = rng.choice(table.index[table.mean(axis=1) > 0.05])
    factor = np.where(table.index == good, 100, 1)
    return table.mul(factor, axis=0)


def twice(table, rng, axis):
    """One of a table's systems, or topics, which differ, once more."""
    lines = table if axis == "system" else table.T
    varied = lines[lines.max(axis=1) > lines.min(axis=1)]
    one = varied.iloc[rng.integers(len(varied))]
    add = with_system if axis == "system" else with_topic
    return add(table, one.to_numpy())


# Of each fault: its code, and how a table and random numbers get it.
FAULTS = {
    "a topic is the mean of the others": (
        "average",
        lambda t, rng: with_topic(t, printed(t.mean(axis=1))),
    ),
    "a topic is their median": (
        "average",
        lambda t, rng: with_topic(t, printed(t.median(axis=1))),
    ),
    "a topic is their sum": (
        "average",
        lambda t, rng: with_topic(t, printed(t.sum(axis=1))),
    ),
    "a system is the mean of the others": (
        "average",
        lambda t, rng: with_system(t, printed(t.mean())),
    ),
    "a system is their median": (
        "average",
        lambda t, rng: with_system(t, printed(t.median())),
    ),
    "a system is their sum": (
        "average",
        lambda t, rng: with_system(t, printed(t.sum())),
    ),
    "a topic is called amean": (
        "average-name",
        lambda t, rng: with_topic(
            t, rng.permutation(t.iloc[:, 0]), "amean"
        ),
    ),
    "a system is called All": (
        "average-name",
        lambda t, rng: with_system(t, rng.permutation(t.iloc[0]), "All"),
    ),
    "a topic counts the systems": (
        "index",
        lambda t, rng: with_topic(t, np.arange(len(t))),
    ),
    "a topic is called Unnamed: 0": (
        "index",
        lambda t, rng: with_topic(
            t, rng.permutation(t.iloc[:, 0]), "Unnamed: 0"
        ),
    ),
    "a score is -999": (
        "sentinel",
        lambda t, rng: with_cell(t, rng, lambda x: -999),
    ),
    "a score is -1": (
        "sentinel",
        lambda t, rng: with_cell(t, rng, lambda x: -1),
    ),
    "a score is 9999": (
        "sentinel",
        lambda t, rng: with_cell(t, rng, lambda x: 9999),
    ),
    "a score is below zero": (
        "negative",
        lambda t, rng: with_cell(t, rng, lambda x: -0.05 - x / 2),
    ),
    "one system is in per cent": ("percent", per_cent),
    "a topic is there twice": (
        "equal",
        lambda t, rng: twice(t, rng, "topic"),
    ),
    "a system is there twice": (
        "equal",
        lambda t, rng: twice(t, rng, "system"),
    ),
    "two names of one system": (
        "two-names",
        lambda t, rng: with_system(
            t, rng.permutation(t.iloc[0]), f" {t.index[0]}".upper()
        ),
    ),
    "a blank after a name": (
        "blank-names",
        lambda t, rng: with_system(
            t, rng.permutation(t.iloc[0]), f"{t.index[0]} "
        ),
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
    print(found.T[found.T.eq(0).any(axis=1)].to_string())
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
