"""Levels with the same scores are told where chance does not make them."""

import numpy as np
import pandas as pd
import pytest
import scipy

import gtlib as gt
from gtlib.scores import as_long, copies_notes
from tests.cases import first

SAID = "have the same scores: if one is a copy, the study counts it twice"


def normal(systems=6, topics=8, seed=0):
    rng = np.random.default_rng(seed)
    names = [f"q{t}" for t in range(topics)]
    table = pd.DataFrame(rng.normal(0.5, 0.2, (systems, topics)))
    return table.set_axis(names, axis=1)


def notes(table, design="system x topic"):
    return copies_notes(gt.gstudy(table, design).cells)


def test_a_copied_topic_is_told_in_the_notes():
    table = normal()
    assert notes(table) == []
    table["q7"] = table["q3"]
    study = gt.gstudy(table)
    assert f"topics q3 and q7 {SAID}." in str(study)
    assert f"topics q3 and q7 {SAID}." in study._repr_html_()
    assert notes(as_long(table)) == [f"topics q3 and q7 {SAID}."]


def test_so_is_a_copied_system_or_assessor():
    table = normal(systems=4)
    table.iloc[3] = table.iloc[1]
    assert notes(table) == [f"systems 1 and 3 {SAID}."]
    long = pd.concat([as_long(normal(seed=s)) for s in (1, 2, 1)])
    long["assessor"] = np.repeat([*"abc"], 48)
    design = "system x topic x assessor"
    assert notes(long, design) == [f"assessors a and c {SAID}."]


def test_several_copies_are_told_in_one_line():
    table = normal(topics=12)
    for copied, of in {
        "q1": "q0",
        "q2": "q0",
        "q5": "q4",
        "q7": "q6",
    }.items():
        table[copied] = table[of]
    assert notes(table) == [
        "topics q0, q1 and q2; q4 and q5; q6 and q7 have the same scores: "
        "if some are copies, the study counts them several times."
    ]


def test_nothing_is_told_of_a_study_with_gaps_or_of_nested_levels():
    long = as_long(normal().assign(q7=normal()["q3"]))
    assert notes(long.iloc[1:]) == []
    nested = pd.concat([long.assign(assessor=k) for k in range(2)])
    nested["assessor"] = nested["topic"] + nested["assessor"].astype(str)
    nested["score"] += np.random.default_rng(0).normal(size=len(nested))
    assert notes(nested, "system x (assessor:topic)") == []


def test_topics_that_all_solved_are_no_copies():
    solved = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (40, 30)))
    solved[[3, 4]] = 1
    assert notes(solved) == []
    solved[7] = solved[8]
    assert "7 and 8 have the same" in "".join(notes(solved))


@pytest.mark.parametrize("spread", first(1, [1, 0.5, 2]))
@pytest.mark.parametrize(
    ("systems", "topics"),
    first(2, [(3, 20), (20, 200), (5, 50), (10, 50), (40, 100), (60, 50)]),
)
def test_of_solved_or_not_hardly_one_table_of_a_hundred_is_told(
    systems, topics, spread
):
    """Where systems differ, and topics too, some are equal by chance."""
    rng = np.random.default_rng(systems + topics)
    told, number = 0, 40
    for _ in range(number):
        skill = rng.normal(0, spread, (systems, 1))
        hard = rng.normal(0, spread, topics)
        solved = rng.random((systems, topics)) < scipy.special.expit(
            skill - hard
        )
        told += bool(notes(solved.astype(int)))
    assert told <= 2  # of 0.4 expected at most
