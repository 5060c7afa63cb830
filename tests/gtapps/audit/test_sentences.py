"""Sentences that no golden report reaches, a row to each branch."""

import dataclasses
import io
from html import unescape

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtapps import audit
from gtapps.audit.board import describe_best
from gtapps.audit.new_systems import FEWEST, judge_newcomers
from gtapps.audit.sentences import _grade_sentence
from gtapps.simulations import synthetic_runs
from tests.gtapps.audit.said import (
    answers_of,
    coefficients_of,
    findings_of,
    study_judgments,
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


def coins(interaction):
    """Scores of 0 and 1, drawn from chances; of each cell its own."""
    rng = np.random.default_rng(4)
    chance = 0.5 + rng.uniform(-0.2, 0.2, (20, 1))
    chance = chance + rng.uniform(-0.25, 0.25, 50)
    if interaction:
        chance = rng.random((20, 50)) < chance
    return pd.DataFrame((rng.random((20, 50)) < chance).astype(int))


def in_a_file(a, b):
    """Two systems that differ by a constant, though a file rounds it."""
    both = pd.DataFrame([a, b], ["a", "b"])
    return pd.read_csv(io.StringIO(both.to_csv()), index_col=0)


SPREAD = table(np.linspace(0, 3, 10))
ONE = table([0.4])
EIGHT = table(np.linspace(0.2, 0.6, 8), topics=10)


SAID = [
    (SPREAD, "% of all pairs of systems are told apart**"),
    (SPREAD, "**Best is s9**, on these topics and with others drawn anew"),
    (SPREAD, "Generalizability reaches 0.80 with 1 topic [1 to"),
    (table(np.zeros(10)), "**These topics cannot tell the systems apart**"),
    (table(np.zeros(10)), "may still differ. Generalizability is 0.000 ["),
    (table(np.zeros(10)), "10 of 10 systems may be"),
    (tied(1, 4), "First on these topics are s1, s4, with the same mean."),
    (pd.DataFrame(np.eye(6)), "**No system is first**: all tie on these"),
    (coins(True), "one score of 0 or 1 a cell cannot tell apart"),
    (coins(False), "one score of 0 or 1 a cell cannot tell apart"),
    (coins(False) / 2, "which systems do well depends on the topic."),
    (table([0, 1]), "**s1 is better than s0** by "),
    (table([1, 0]), "**s0 is better than s1** by "),
    (
        table([0, 0], seed=3),
        "**Which of s0 and s1 is better cannot",
    ),
    (
        pd.DataFrame([[1.0, 2, 3], [3, 1, 2]], [*"ab"]),
        "**a and b have the same mean** (0.000 [",
    ),
    (
        in_a_file(ONE.iloc[0], ONE.iloc[0] + 0.125),
        "**b is better than a** by 0.125 [0.125, 0.125] (as much on all "
        "these topics: is one made of the other?).",
    ),
]


@pytest.mark.parametrize(("scores", "sentence"), SAID, ids=range(len(SAID)))
def test_of_a_table_it_is_said(scores, sentence):
    collection = audit.prepare(scores)
    board = audit.audit_leaderboard(collection)
    pairs = audit.compare_systems(collection, board)
    said = findings_of(collection, pairs=pairs)
    assert sentence in unescape(" ".join(said))


def test_a_coin_is_not_said_to_depend_on_the_topic():
    for interaction in (True, False):
        said = " ".join(findings_of(audit.prepare(coins(interaction))))
        assert "systems do well depends on the topic" not in said
    said = " ".join(findings_of(audit.prepare(coins(False) / 2)))
    assert "cannot tell apart" not in said


def test_what_cannot_be_told_is_said_first():
    told = findings_of(audit.prepare(table(np.zeros(10))))
    assert ["cannot" in said for said in told][:3] == [True, True, False]
    assert sum("may still differ" in said for said in told) == 1


ANSWERS = [
    (SPREAD, ["%", "s9"]),
    (table(np.zeros(10)), ["no", "s1, or 9 others"]),
    (tied(1), ["%", "s1"]),
    (tied(1, 4), ["%", "s1, or 1 other"]),
    (pd.DataFrame(np.eye(6)), ["no", "none"]),
]


@pytest.mark.parametrize(("scores", "short"), ANSWERS, ids=range(5))
def test_an_answer_has_a_few_words(scores, short):
    collection = audit.prepare(scores)
    share = audit.audit_leaderboard(collection).told_apart
    short = [words.replace("%", f"{share:.0%}") for words in short]
    found = answers_of(collection)
    assert [unescape(answer.answer) for answer in found] == short


@pytest.mark.parametrize(
    "low, high, words",
    [
        (0.96, 0.98, "**It is very reliable**"),
        (0.9, 0.949, "**It is reliable**"),
        (0.83, 0.97, "**It is at least fairly reliable**"),
        (0.71, 0.95, "(anything from doubtfully reliable to very"),
        (0.548, 0.942, "**How reliable it is cannot be told from this"),
        (0.1, 0.69, "**It is not reliable**"),
        (0.1, 0.75, "**It is at best doubtfully reliable**"),
        (np.nan, np.nan, "**It is fairly reliable, as far as can be told"),
    ],
)
def test_a_verdict_is_what_the_interval_allows(low, high, words):
    row = pd.Series({"estimate": 0.895, "low": low, "high": high})
    assert words in _grade_sentence("It", "is", row)


def test_no_interval_is_no_judge_newcomers():
    """Of coefficients without one, as some tables with gaps have them."""
    collection = audit.prepare(SPREAD)
    known = coefficients_of(collection)
    none = known.assign(low=np.nan, high=np.nan, note="for a reason")
    required = audit.required_table(collection.study)
    found, *_ = answers_of(collection, none)
    assert found.answer.endswith("%")
    assert "(no interval: for a reason)" in found.sentence
    told = "as far as can be told without an interval"
    assert told in " ".join(audit.reasons(collection, none, required))


def test_no_system_in_common_is_no_agreement():
    stranger = audit.prepare(SPREAD.add_prefix("x", axis=0))
    found = answers_of(audit.prepare(SPREAD), other=stranger)[-1]
    assert found.answer == "cannot be told"
    assert "They share 0 systems" in found.sentence


def test_where_nothing_reaches_a_target_that_is_said():
    none = audit.prepare(pd.DataFrame(np.eye(6) - np.eye(6)[::-1]))
    told = [s for s in findings_of(none, target=0.9) if "cheapest" in s]
    assert len(told) == 2
    assert all(": none. No design reaches" in s for s in told)


def test_a_board_names_its_test():
    solved = (EIGHT > 0.4).astype(int)
    board = gt.leaderboard(solved)
    assert board.test == "exact McNemar"
    assert (
        "(exact McNemar, by Holm's method)"
        in audit.describe_order(board)[0]
    )
    assert audit.describe_other_rows(board) == []
    assert "Best is" not in describe_best(board)


# Judgments


RUNS, COMPLETE, _ = synthetic_runs(3, 2, 9, 80, 2)


def pooled(depth):
    first = RUNS[RUNS["rank"] <= depth][["topic", "document"]]
    return COMPLETE.merge(first.drop_duplicates())


TWINS = pd.concat([RUNS, RUNS.assign(system=RUNS["system"] + "b")])
NO_LOSS = "no lower for any that contributed; no rank changes"
VERDICTS = [
    (TWINS, COMPLETE, "enough: left out", NO_LOSS),
    (RUNS, pooled(1), "not enough: half of the runs", "left out"),
    (RUNS, pooled(12), "not enough: left out", "A run left out"),
    (
        RUNS,
        COMPLETE.sample(99, random_state=1),
        "do not show which",
        "cannot",
    ),
    (RUNS[RUNS["system"] < "s3"], COMPLETE, "cannot be told: ", "pools"),
    (RUNS[RUNS["topic"] == "t1"], COMPLETE, f"and {FEWEST} runs", "pools"),
]


@pytest.mark.parametrize(
    ("runs", "qrels", "head", "why"), VERDICTS, ids=range(len(VERDICTS))
)
def test_newcomers_are_told(runs, qrels, head, why):
    judged = qrels[qrels["topic"].isin(runs["topic"])]
    found = study_judgments(runs, judged)
    assert head in "".join(judge_newcomers(found))
    assert why in audit.describe_judgments(found)
    shown = audit.judgment_tables(found)
    assert (shown == "") == (why in ("cannot", "pools", NO_LOSS))


def test_a_collection_that_is_judged_answers_by_its_judge_newcomers():
    found = study_judgments(RUNS, pooled(12))
    collection = audit.prepare(SPREAD)
    answer, why = judge_newcomers(found)
    question = "Is it fair to systems that come later?"
    said = f"**{question} {answer.capitalize()}**{why}"
    assert said in findings_of(collection, judged=found)
    none = dataclasses.replace(found, noise=0.0)
    assert "cannot be told" in "".join(judge_newcomers(none))
