"""Sentences that no kept report reaches, kept as they are: `kept.py`."""

import dataclasses
import io
from html import unescape

import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtlib as gt
from book.support.simulations import synthetic_runs
from gtaudit.new_systems import judge_newcomers
from tests.gtaudit.kept import require_kept
from tests.gtaudit.said import (
    coefficients_of,
    findings_of,
    study_judgments,
    verdicts_of,
)


def table(true, noise=0.1, topics=40, seed=0):
    """Synthetic scores of systems called s0, s1, ..."""
    rng = np.random.default_rng(seed)
    true = np.array(true, dtype=float)
    names = [f"s{i}" for i in range(len(true))]
    scores = true[:, None] + rng.normal(0, noise, (len(true), topics))
    return pd.DataFrame(scores, names)


def tied(*rows):
    """Two or three systems that share the first place."""
    scores = table(np.linspace(0, 1, 6))
    scores.iloc[[*rows]] = scores.iloc[5] + 0.5
    return scores


def coins():
    """Scores of 0 and 1, drawn from chances."""
    rng = np.random.default_rng(4)
    chance = 0.5 + rng.uniform(-0.2, 0.2, (20, 1))
    chance = chance + rng.uniform(-0.25, 0.25, 50)
    return pd.DataFrame((rng.random((20, 50)) < chance).astype(int))


def in_a_file(a, b):
    """Two systems that differ by a constant, though a file rounds it."""
    both = pd.DataFrame([a, b], ["a", "b"])
    return pd.read_csv(io.StringIO(both.to_csv()), index_col=0)


SPREAD = table(np.linspace(0, 3, 10))
ONE = table([0.4])
EIGHT = table(np.linspace(0.2, 0.6, 8), topics=10)


TABLES = {
    "far apart": SPREAD,
    "all alike": table(np.zeros(10)),
    "one first": tied(1),
    "two first": tied(1, 4),
    "all tie": pd.DataFrame(np.eye(6)),
    "coins": coins(),
    "halves of coins": coins() / 2,
    "two, the second better": table([0, 1]),
    "two, the first better": table([1, 0]),
    "two that may be equal": table([0, 0], seed=3),
    "two with the same mean": pd.DataFrame(
        [[1.0, 2, 3], [3, 1, 2]], [*"ab"]
    ),
    "two that differ by a constant": in_a_file(
        ONE.iloc[0], ONE.iloc[0] + 0.125
    ),
    "nothing reaches a target": pd.DataFrame(np.eye(6) - np.eye(6)[::-1]),
}


def test_of_tables():
    lines = []
    for title, scores in TABLES.items():
        collection = gtaudit.prepare(scores)
        board = gtaudit.audit_leaderboard(collection)
        lines += ["", f"== {title}", *verdicts_of(collection).lines]
        lines += findings_of(collection)
        lines += gtaudit.describe_order(board)
    require_kept("tables", [*map(unescape, lines)])


def test_of_intervals():
    """Where there is none, as in some tables with gaps, that is said."""
    collection = gtaudit.prepare(SPREAD)
    known = coefficients_of(collection)
    none = known.assign(low=np.nan, high=np.nan, note="for a reason")
    lines = findings_of(collection, none)
    require_kept("intervals", [*map(unescape, lines)])


def test_of_scores_of_0_and_1():
    solved = gt.leaderboard((EIGHT > 0.4).astype(int))
    require_kept("others", [*map(unescape, gtaudit.describe_order(solved))])


# Judgments


RUNS, COMPLETE, _ = synthetic_runs(3, 2, 9, 80, 2)


def pooled(depth):
    first = RUNS[RUNS["rank"] <= depth][["topic", "document"]]
    return COMPLETE.merge(first.drop_duplicates())


TWINS = pd.concat([RUNS, RUNS.assign(system=RUNS["system"] + "b")])
JUDGED = {
    "each run is there twice": (TWINS, COMPLETE),
    "one document of each run": (RUNS, pooled(1)),
    "twelve documents of each run": (RUNS, pooled(12)),
    "at random": (RUNS, COMPLETE.sample(99, random_state=1)),
    "two runs": (RUNS[RUNS["system"] < "s3"], COMPLETE),
    "one topic": (RUNS[RUNS["topic"] == "t1"], COMPLETE),
}
WITHOUT_TABLES = "each run", "at random", "two runs", "one topic"


@pytest.mark.slow
def test_of_judgments():
    lines = []
    for title, (runs, qrels) in JUDGED.items():
        judged = qrels[qrels["topic"].isin(runs["topic"])]
        found = study_judgments(runs, judged)
        lines += ["", f"== {title}", "".join(judge_newcomers(found))]
        lines += [f"- {said}" for said in gtaudit.describe_judgments(found)]
        shown = gtaudit.judgment_tables(found)
        assert (shown == "") == title.startswith(WITHOUT_TABLES)
    require_kept("judgments", [*map(unescape, lines)])


def test_a_collection_that_is_judged_answers_by_its_judge_newcomers():
    found = study_judgments(RUNS, pooled(12))
    answer, why = judge_newcomers(found)
    told = verdicts_of(gtaudit.prepare(SPREAD), judged=found).fair
    assert told.answer == answer
    assert told.sentence.endswith(why[3:])
    none = dataclasses.replace(found, noise=0.0)
    assert judge_newcomers(none)[0] == "cannot be told"
