"""Seeds faults into every table, and counts what is noticed: a minute.

Writes data/scores/plausibility.csv, which chapter 14 shows: a row for each
fault, with the tables it was seeded into and those where it was noticed
under its own code, and rows for the tables as they are and for parts of
them. What tells of the table as it is does not count for a fault. A fault
that leaves a table as it might well be has no code: of these any new doubt
counts, and none is expected.
"""

import numpy as np
import pandas as pd
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from gtaudit.doubts import REFUSED, find_doubts
from gtlib.design import as_design
from gtlib.scores import is_long, read_cells

PARTS = 40  # of each table


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
    """Seeds averages, rounded to four decimals as trec_eval prints them."""
    return lambda lines, rng: np.round(lines.agg(how), 4)


def one_score(value):
    """Seeds what `value` makes of a score into its cell."""

    def seeded(table, rng):
        row, column = (rng.integers(n) for n in table.shape)
        changed = table.copy()
        changed.iloc[row, column] = value(table.iloc[row, column])
        return changed

    return seeded


def in_cells(share, change):
    """Seeds what `change` makes of its score into a share of the cells."""

    def seeded(table, rng):
        return table.where(rng.random(table.shape) > share, change(table))

    return seeded


def in_one(facet, change):
    """Seeds what `change` makes of its scores into one system or topic,
    but for those with hardly any score above zero."""

    def seeded(table, rng):
        lines = table if facet == "system" else table.T
        good = rng.choice(lines.index[lines.mean(axis=1) > 0.05])
        new = lines.astype(float)
        new.loc[good] = change(lines.loc[good])
        return new if facet == "system" else new.T

    return seeded


def slipped(table, rng):
    """One score above .1 is ten times as large."""
    rows, columns = np.nonzero(table.to_numpy() > 0.1)
    cell = rng.integers(len(rows))
    changed = table.copy()
    changed.iloc[rows[cell], columns[cell]] *= 10
    return changed


def per_cent(scores):
    return scores * 100


def sign(value):
    return lambda scores: scores * 0 + value


def nearly(lines, rng):
    """A copy with another score in one place."""
    new = copied(lines, rng).astype(float)
    place = rng.integers(len(new))
    new[place] = round(1 - new[place], 4) + (new[place] == 0.5) / 10
    return new


def metadata(*values):
    """What a column beside scores may hold: something of each system."""
    return lambda lines, rng: rng.choice(values, lines.shape[1])


def assessed(*others):
    """Seeds assessors: the scores as they are, and what each of `others`
    makes of scores that a tenth of all judgments would change."""

    def seeded(table, rng):
        tables = [table]
        for other in others:
            drawn = rng.choice(table.to_numpy().ravel(), table.shape)
            changed = table.where(rng.random(table.shape) > 0.1, drawn)
            tables.append(other(table, changed))
        long = [
            t.reset_index(names="system")
            .melt("system", var_name="topic", value_name="score")
            .assign(assessor=f"assessor {k}")
            for k, t in enumerate(tables)
        ]
        return pd.concat(long, ignore_index=True)

    return seeded


def own(table, changed):
    return changed


def right_or_wrong(seeded):
    """Seeds into scores of 0 and 1 that are made of a table."""

    def of_binary(table, rng):
        return seeded((table > np.median(table)) * 1.0, rng)

    return of_binary


def zeros_put_in(table, rng):
    """One system of the better half has 0 on half of the topics."""
    changed = table.astype(float)
    good = table.index[table.mean(axis=1) >= table.mean(axis=1).median()]
    row = table.index.get_loc(rng.choice(good))
    gone = rng.permutation(table.shape[1])[: table.shape[1] // 2]
    changed.iloc[row, gone] = 0
    return changed


def in_points(table, rng):
    """Whole marks, as of questions with 3 to 10 points."""
    points = rng.choice([3, 5, 10], table.shape[1])
    best = np.maximum(table.quantile(0.7), 1e-9)
    return (table / best * points).round().clip(upper=points, axis=1)


def ranked(lines, rng):
    return lines.mean().rank(ascending=False, method="first")


def look_alike(table, rng):
    """Two systems are called BM25-o, one of them with a Cyrillic o."""
    names = ["BM25-o", "BM25-\u043e", *table.index[2:]]
    return table.set_axis(names, axis=0)


def renamed(table, rng):
    return table.set_axis(
        [f"run{k}" for k in range(table.shape[1])], axis=1
    )


SUMMARIES = {
    "the mean of the others": "mean",
    "their median": "median",
    "their sum": "sum",
    "their maximum": "max",
}
# Of each fault: its code, and how a table and random numbers get it.
FAULTS = {
    **{
        f"a {facet} is {said}": ("summary", one_more(facet, averaged(how)))
        for facet in ("topic", "system")
        for said, how in SUMMARIES.items()
    },
    "a topic is called amean": (
        "summary",
        one_more("topic", shuffled, "amean"),
    ),
    "a system is called All": (
        "summary",
        one_more("system", shuffled, "All"),
    ),
    "a topic counts the systems": ("index", one_more("topic", counted)),
    "a topic is called Unnamed: 0": (
        "names",
        one_more("topic", shuffled, "Unnamed: 0"),
    ),
    "a score is -999": ("sentinel", one_score(lambda x: -999)),
    "a score is -1": ("sentinel", one_score(lambda x: -1)),
    "a score is 9999": ("sentinel", one_score(lambda x: 9999)),
    "a score is below zero": (
        "scale",
        one_score(lambda x: -0.05 - x / 2),
    ),
    "10% of the scores are below zero": (
        "scale",
        in_cells(0.1, lambda scores: -0.05 - scores / 2),
    ),
    "10% of the scores have another sign": (
        "scale",
        in_cells(0.1, lambda scores: -scores),
    ),
    "one system has another sign": (
        "scale",
        in_one("system", lambda scores: -scores),
    ),
    "one system is 0": ("constant", in_one("system", sign(0))),
    "6% of the scores are -1": ("sentinel", in_cells(0.06, sign(-1))),
    "10% of the scores are -1": ("sentinel", in_cells(0.1, sign(-1))),
    "10% of the scores are -99": ("sentinel", in_cells(0.1, sign(-99))),
    "one system is -1": ("sentinel", in_one("system", sign(-1))),
    "one system is -9": ("sentinel", in_one("system", sign(-9))),
    "one system is in per cent": ("percent", in_one("system", per_cent)),
    "one topic is in per cent": ("scale", in_one("topic", per_cent)),
    "6% of the scores are in per cent": (
        "scale",
        in_cells(0.06, per_cent),
    ),
    "one assessor of three is in per cent": (
        "scale or percent",
        assessed(own, lambda table, changed: changed * 100),
    ),
    "one assessor of two is in per cent": (
        "percent",
        assessed(lambda table, changed: changed * 100),
    ),
    "a decimal point has slipped": ("scale", slipped),
    "one system is multiplied by 10": (
        "scale",
        in_one("system", lambda scores: scores * 10),
    ),
    "a topic is a number of parameters": (
        "scale",
        one_more("topic", metadata(0.5, 3, 7, 13, 70)),
    ),
    "a topic is a year": (
        "scale",
        one_more("topic", metadata(2021, 2022, 2023, 2024)),
    ),
    "a topic is a year, scores are 0 or 1": (
        "scale",
        right_or_wrong(one_more("topic", metadata(2021, 2022, 2023))),
    ),
    "a topic is the mean, to two digits": (
        "summary",
        one_more("topic", lambda t, rng: np.round(t.mean(), 2)),
    ),
    "a topic is there twice": ("copies", one_more("topic", copied)),
    "a system is there twice": ("copies", one_more("system", copied)),
    "a topic is there twice but for one score": (
        "",
        one_more("topic", nearly),
    ),
    "a system is there twice but for one score": (
        "",
        one_more("system", nearly),
    ),
    "both assessors are the same": (
        "copies",
        assessed(lambda table, changed: table),
    ),
    "three assessors are the same": (
        "copies",
        assessed(*[lambda table, changed: table] * 2),
    ),
    "two assessors of three are the same": (
        "copies",
        assessed(lambda table, changed: table, own),
    ),
    "topics are called run0, run1, ...": ("names", renamed),
    "two names of one system": (
        "names",
        one_more("system", shuffled, lambda first: f" {first}".upper()),
    ),
    "a blank after a name": (
        "names",
        one_more("system", shuffled, lambda first: f"{first} "),
    ),
    "a name with a sign that cannot be seen": (
        "names",
        one_more("system", shuffled, lambda first: f"{first}\u200b"),
    ),
    "a name with a Cyrillic letter": ("names", look_alike),
    "10% of the scores are 0, for what is missing": (
        "",
        in_cells(0.1, sign(0)),
    ),
    "10% of scores of 0 or 1 are -1": (
        "",
        right_or_wrong(in_cells(0.1, sign(-1))),
    ),
    "a topic is a share, such as of the price": (
        "",
        one_more("topic", lambda lines, rng: rng.random(lines.shape[1])),
    ),
    "one system has 0 on half of the topics": ("constant", zeros_put_in),
    "topics have 3 to 10 points": ("scale", in_points),
    "a topic is the rank of each system": (
        "ranks",
        one_more("topic", ranked),
    ),
    "one system is 0.5": ("constant", in_one("system", sign(0.5))),
    "one system is its mean": (
        "constant",
        in_one("system", lambda scores: scores * 0 + scores.mean()),
    ),
    "one system is 1": ("constant", in_one("system", sign(1))),
}


def noticed(table):
    """What is doubted of a table: codes and where they are."""
    facets = "system x topic" + " x assessor" * is_long(table)
    cells = read_cells(table, as_design(facets))
    return {(doubt.code, doubt.where) for doubt in find_doubts(cells)}


def truly_equal(table, where):
    """Whether levels that are said to be equal are so in a whole table, to
    the last digit."""
    facet, _, named = where.partition(" ")
    lines = table if facet == "system" else table.T
    named = lines.loc[named.split(", ")]
    return (named == named.iloc[0]).all(axis=None)


def of_table(table, number):
    """Of each fault whether it is noticed in a table, seeded by random
    numbers of its own; false alarms of the table as it is, and levels that
    truly are equal."""
    before = noticed(table)
    true = {
        s for s in before if s[0] == "copies" and truly_equal(table, s[1])
    }
    found = {"none": bool(before - true), "copies": bool(true)}
    for k, (fault, (code, seeded)) in enumerate(FAULTS.items()):
        rng = np.random.default_rng([number, k])
        new = noticed(seeded(table, rng)) - before
        codes_of_new = {code for code, _ in new}
        own = codes_of_new & {*code.split(" or ")} if code else new
        found[fault] = bool(own)
    return found


def of_parts(table, rng):
    """Parts of a table, of 2 to 50 systems and 10 to 50 topics: how many
    there are, in how many something is refused, in how many levels are
    said to be equal that are not so in the whole table, in how many scores
    are said to be constant, and in how many anything else is told."""
    found = dict.fromkeys(["refused", "copies", "constant", "others"], 0)
    for _ in range(PARTS):
        rows, columns = (
            rng.permutation(n)[: rng.integers(least, min(n, 50) + 1)]
            for n, least in zip(table.shape, (2, 10), strict=True)
        )
        part = table.iloc[rows, columns]
        doubts = noticed(part)
        codes = {code for code, _ in doubts}
        found["refused"] += bool(codes & {*REFUSED})
        found["copies"] += any(
            code == "copies" and not truly_equal(table, where)
            for code, where in doubts
        )
        found["constant"] += "constant" in codes
        found["others"] += bool(codes - {*REFUSED, "copies", "constant"})
    return found


def study(which):
    """A row for each fault, of tables by their names."""
    rows, parts = {}, {}
    for n, (name, table) in enumerate(which):
        rows[name] = of_table(table, n)
        parts[name] = of_parts(table, np.random.default_rng(n))
    found = pd.DataFrame(rows).T.astype(int)
    of_all = pd.DataFrame({"tables": len(found), "noticed": found.sum()})
    counts = {
        "tables": PARTS * len(parts),
        "noticed": pd.DataFrame(parts).T.sum(),
    }
    of_parts_of_all = pd.DataFrame(counts).rename(index="parts: {}".format)
    table = pd.concat([of_all[:2], of_parts_of_all, of_all[2:]])
    table["share"] = table["noticed"] / table["tables"]
    codes = {fault: code for fault, (code, _) in FAULTS.items()}
    table.insert(0, "code", table.index.map(codes).fillna(""))
    return table.rename_axis("fault").reset_index()


def main():
    table = study(tqdm([*tables()]))
    write_table("plausibility.csv", table, "%.4g")


if __name__ == "__main__":
    main()
