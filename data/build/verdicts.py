"""How often the verdict of an audit is right: some forty minutes.

Writes data/scores/verdict-trials.csv, which the chapter on the audit shows.
Each public collection with one score of a system on an item, and at least
four times as many items as a sample, is taken for the truth. Samples of its
items are audited, with all systems and with `FEW` that are drawn for each
sample; `drawn` says how many. `first` counts the samples that call the
first the best, `first_right` those of them whose first has the highest mean
of all items; `ranking` those that call the ranking enough, `ranking_right`
those of them whose systems have, by all items, a generalizability of .95 or
more on so many. Beside them is how often either was not enough or
could not be told, and the median number of further items that would settle
it, where one is known.
"""

import sys

import numpy as np
import pandas as pd
from score_tables import write_table
from tqdm import tqdm

import gtaudit
import gtlib as gt
from book.support import atlas
from gtaudit.doubts import (
    CODES,
)
from gtaudit.verdict import ENOUGH, NOT_ENOUGH, TARGET
from gtlib.scores import is_long

SIZES = 20, 50, 100
SAMPLES = 20
FEW = 5


def whole_tables():
    """The collections of the atlas that are systems x items, without
    gaps."""
    for name in atlas.catalogue().index:
        table = atlas.read(name)["scores"]
        if not is_long(table) and table.notna().all(axis=None):
            yield name, table


def one(scores):
    """The verdicts of one sample."""
    collection = gtaudit.prepare(scores, allow=CODES)
    board = gtaudit.audit_leaderboard(collection)
    pairs = gtaudit.compare_systems(collection, board)
    coefficients = gtaudit.coefficient_table(collection.study)
    given = gtaudit.give_verdicts(collection, coefficients, board, pairs)
    return board.table.index[0], given.answers


def trials(name, table, size, drawn):
    """A row of counts."""
    rng = np.random.default_rng(0)
    row = dict.fromkeys(
        ["first", "first_right", "ranking", "ranking_right"], 0
    )
    row |= {"ranking_not_enough": 0, "samples": 0}
    prices = {"first": [], "ranking": []}
    coefficients = []
    of_all, true = table, true_coefficient(table, size)
    for _ in range(SAMPLES):
        chosen = rng.choice(table.shape[1], size, replace=False)
        try:
            if drawn < len(table):
                few = rng.choice(len(table), drawn, replace=False)
                of_all = table.iloc[few]
                true = true_coefficient(of_all, size)
            first, answers = one(of_all.iloc[:, chosen])
        except ValueError:  # as where no system differs on these items
            continue
        means = of_all.mean(axis=1)
        row["samples"] += 1
        coefficients.append(true)
        for of, verdict in zip(prices, answers, strict=True):
            row[of] += verdict.answer == ENOUGH
            if verdict.remedy is not None:
                prices[of].append(verdict.remedy.levels)
        row["first_right"] += answers[0].answer == ENOUGH and (
            means[first] >= means.max() - 1e-12
        )
        row["ranking_right"] += (
            answers[1].answer == ENOUGH and true >= TARGET
        )
        row["ranking_not_enough"] += answers[1].answer == NOT_ENOUGH
    more = {
        f"{of}_more": float(np.median(numbers)) if numbers else np.nan
        for of, numbers in prices.items()
    }
    return {
        **{"collection": name, "systems": len(table), "drawn": drawn},
        **{"items": table.shape[1], "size": size},
        **{"generalizability": float(np.mean(coefficients))},
        **{**row, **more},
    }


def true_coefficient(scores, size):
    """The generalizability of so many items, by all items."""
    study = gt.gstudy(scores)
    return study.plan(**{study.design.facets[1]: size}).generalizability


def main():
    rows = []
    for name, table in tqdm([*whole_tables()], file=sys.stderr):
        for size in SIZES:
            if table.shape[1] >= 4 * size and len(table) >= FEW:
                for drawn in sorted({FEW, len(table)}, reverse=True):
                    rows.append(trials(name, table, size, drawn))
    write_table("verdict-trials.csv", pd.DataFrame(rows))


if __name__ == "__main__":
    main()
