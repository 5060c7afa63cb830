"""Which designs of reuse there cannot be, and how that is said."""

import pandas as pd
import pytest

import gtlib as gt
from gtlib.reuse import Assignment
from tests.gtlib.reuse.test_permutation import example
from tests.refusals import refused

SCORES, SITE, ASSIGNMENT = example()
NO_REUSE = gt.BlockDesign(4, 2, 40, 40).assign()
ONE_EACH = example(held_out=1)


def agreement(*arguments, scores=SCORES, site=SITE, **options):
    return gt.significance_agreement(
        scores, site, ASSIGNMENT, *arguments, **options
    )


def reusability(**options):
    return gt.reusability_test(SCORES, SITE, ASSIGNMENT, **options)


def assigned(*held):
    return Assignment(pd.DataFrame([*held], ["t1", "t2"], ["A", "B"]))


DESIGN = gt.BlockDesign
REFUSED = {
    "held_out is 6: between 1 and 5": lambda: DESIGN(6, 6, 60),
    "held_out is 0": lambda: DESIGN(6, 0, 60),
    "at least two": lambda: DESIGN(1, 1, 60),
    "baseline=61: there are 60": lambda: DESIGN(6, 2, 60, 61),
    "site 'A' is given twice": lambda: DESIGN(["A", "A", "B"], 1, 9),
    "topic '7' is given twice": lambda: DESIGN(3, 1, ["7", "8", "7"]),
    "Every site is held out": lambda: assigned([True] * 2, [False, True]),
    "must be True or False": lambda: assigned([2, 0], [0, 1]),
    "System run3 has no site": lambda: agreement(site=SITE.drop("run3")),
    "Site 'S9' is not in the": lambda: agreement(
        site=SITE.replace("S1", "S9")
    ),
    "Topic 't5' of the assignment": lambda: agreement(
        scores=SCORES.drop(columns="t5")
    ),
    "comparison is 'across'": lambda: agreement("across"),
    "adjust is 'bonferroni'": lambda: agreement(adjust="bonferroni"),
    "No pair for the between": lambda: gt.significance_agreement(
        *ONE_EACH, "between"
    ),
    "shuffle is 'sites'": lambda: reusability(shuffle="sites"),
    "n_resamples=0: a whole number": lambda: reusability(n_resamples=0),
    "alpha=5: a number between 0 and 1": lambda: reusability(alpha=5),
    "'across'; choose from 'within', 'between', 'participant'": lambda: (
        reusability(comparisons=["across"])
    ),
    "choose another number": lambda: gt.reusability_test(
        SCORES, SITE, NO_REUSE
    ),
}

COUNTS = [
    ([1, 2, 3], [1, 2, 3], "exact", "four cells"),
    ([1, 2, 3, 4], [1, 2, 3, 9], "exact", "add to 10, the expected"),
    (
        [1, 2, 3, -4],
        [1, 2, 3, -4],
        "exact",
        "not negative, and the observed are whole",
    ),
    ([1.5, 2, 3, 3.5], [1, 2, 3, 4], "exact", "whole"),
    ([0, 0, 0, 0], [0, 0, 0, 0], "exact", "both should count"),
    ([1, 2, 3, 4], [1, 2, 3, 4], "fisher", "method is 'fisher'"),
]


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)


@pytest.mark.parametrize("observed, expected, method, words", COUNTS)
def test_counts(observed, expected, method, words):
    refused(lambda: gt.goodness_of_fit(observed, expected, method), words)


def test_files_that_cannot_be_right(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("topic,out\n1,A\n")
    refused(lambda: Assignment.read_csv(path), "no column 'held_out'")
    path.write_text("topic,held_out\n1,A\n2,B\n")
    refused(lambda: Assignment.read_csv(path, ["B", "C"]), "holds out 'A'")
    made = DESIGN(["a;b", "c"], 1, 2).assign()
    refused(lambda: made.to_csv(path), "contains ';'")
