"""What a G-study and a plan refuse, and in which words."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib import gstudy, mgstudy
from gtlib.scores import as_long
from tests import oracle
from tests.gtlib.gtheory.test_plan import only
from tests.gtlib.gtheory.test_study import WIDE, table_1
from tests.gtlib.test_multivariate import tables
from tests.refusals import refused

from_components = gt.GStudy.from_components
SIX = table_1(48)
LABELS = "p", "i", "a:i", "p x i", "p x (a:i)"
NEST = from_components("p x (a:i)", dict.fromkeys(LABELS, 1.0))
NONE = from_components("p x i", {"p": -0.1, "i": 1, "p x i": 1})
NESTED = oracle.table(gt.Design("p x (a:i)"), {"p": 3, "i": 4, "a": 2})
PLAIN = oracle.table(gt.Design("p x i"), {"p": 4, "i": 4})
APART = PLAIN["p"].isin(["p0", "p1"]) == PLAIN["i"].isin(["i0", "i1"])
WITH_Z = pd.Categorical(PLAIN["i"], [*PLAIN["i"].unique(), "z"])
FIRSTS = NESTED["a"].str.endswith("a0")
UNEVEN = oracle.table(gt.Design("p x (a:i)"), {"p": 3, "i": 4, "a": 3})
UNEVEN = UNEVEN[~UNEVEN["a"].isin(UNEVEN["a"].iloc[[0, 1, 3]])]
ALIKE = np.array([[6, 2, 2], [3, 6, 6], [6, 6, 6.0]])
CONDITIONS = tables(np.random.default_rng(4))
A, B = CONDITIONS.values()
SMALL = PLAIN.rename(columns={"p": "system"})


def required(plan, *arguments):
    return plan.required("i", *arguments)


def squares(levels, **found):
    named = {k.replace("_", " x "): v for k, v in found.items()}
    return gt.GStudy.from_mean_squares("p x i", levels, named)


def correlation(**options):
    return mgstudy(CONDITIONS).correlation("a", "b", **options)


STUDIES = {
    "method is 'magic'; choose from 'auto', 'anova', 'henderson', "
    "'reml'": lambda: gstudy(WIDE, method="magic"),
    'Say of which design it is: gt.gstudy(df, "system x topic")': lambda: (
        gstudy(as_long(WIDE).assign(run=1))
    ),
    "A long table needs a design, for instance design='system x topic x "
    "run'": lambda: gstudy(pd.concat([as_long(WIDE).assign(run=1)] * 2)),
    "Every score is 2": lambda: gstudy(WIDE * 0 + 2),
    "Give a mapping from each effect to its variance component; got "
    "[1, 2]": lambda: from_components("p x i", [1, 2]),
    "component of p x i is inf; it must be a finite number": lambda: (
        from_components("p x i", {"p": 1, "i": 1, "p x i": np.inf})
    ),
    "component of p x i is given twice": lambda: from_components(
        "p x i", {"p x i": 1, "i x p": 1}
    ),
    "component of 'p', 'i' is missing: the design p x i has 3 effects": (
        lambda: from_components("p x i", {"p x i": 1})
    ),
    "variance component of p x i is 'big'": lambda: from_components(
        "p x i", {"p": 1, "i": 1, "p x i": "big"}
    ),
    "mean square of 'p x i' is missing": lambda: squares(
        {"p": 5, "i": 4}, p=1, i=1
    ),
    "i=1: one level": lambda: squares({"p": 5, "i": 1}, p=1, i=1, p_i=1),
    "mean square of p is -1": lambda: squares(
        {"p": 5, "i": 4}, p=-1, i=1, p_i=1
    ),
    "The study is not balanced: between 1 and 3 levels of a in a nest. "
    "Use method='reml' or 'henderson'": lambda: gstudy(
        UNEVEN, "p x (a:i)", method="anova"
    ),
    "a is declared crossed with i, but every a occurs with one i ... "
    "Write 'a:i' in the design": lambda: gstudy(NESTED, "p x i x a"),
    "a is declared nested within i, but a 1 occurs in both i i0 and i i3 "
    "... give each its own label: scores['a'] = scores['i']": lambda: (
        gstudy(NESTED.assign(a=[1, 2] * 12), "p x (a:i)")
    ),
    "i z is a category without observations ... remove_unused_categories"
    "()": lambda: gstudy(PLAIN.assign(i=WITH_Z), "p x i"),
    "disconnected: p p0, p1 and p p2, p3 have no i in common ... add "
    "scores that link them": lambda: gstudy(PLAIN[APART], "p x i"),
    "The table has 1 i ... needs at least two": lambda: gstudy(
        NESTED[NESTED["i"] == "i0"], "p x (a:i)"
    ),
    "Every i has one a only ... leave a out of the design": lambda: gstudy(
        NESTED[FIRSTS], "p x (a:i)"
    ),
    "2 rows repeat a cell, the first: p p1, i i3 ... remove or average "
    "the rest": lambda: gstudy(PLAIN.loc[[*range(16), 7, 9]], "p x i"),
    "apart topic and system x topic": lambda: gt.GStudy.from_sums(
        "system x topic", {"system": 2, "topic": 3}, [1, 1, 1], ALIKE
    ),
}

PLANS = {
    "nests a within i, so it cannot tell a from a x i; the design p x i x "
    "a needs them apart. Plan with a nested within i, or run": lambda: (
        NEST.plan("p x i x a", i=5, a=1)
    ),
    "a is a facet of the G-study only (p x (a:i) against p x i): give it "
    "a=1 or more": lambda: NEST.plan("p x i", i=5),
    "q is a facet of the D-study only (p x (a:i) against p x q x r x "
    "(a:i)): its variance was not studied": lambda: NEST.plan(
        "p x (a:i) x q x r", i=5, a=1
    ),
    "'p' takes no number in a D-study of p x (a:i); give numbers for i, "
    "a.": lambda: NEST.plan(i=5, a=1, p=3),
    "'q' takes no number": lambda: NEST.plan(i=5, a=1, q=3),
    "How many levels of a? Give one number, a=..., for instance a=50": (
        lambda: NEST.plan(i=5).dependability
    ),
    "How many levels of a? The study has 9 observations": lambda: (
        gstudy(UNEVEN, NEST.design).plan().levels
    ),
    "assessor is fixed at the 2 levels of the G-study; assessor=3 is not "
    "possible": lambda: SIX.plan(fixed="assessor", assessor=3),
    "fixed at the 2 levels": lambda: SIX.plan(fixed="assessor").grid(
        topic=50, assessor=[2, 3]
    ),
    "a is nested within i, which is random: every new i brings other "
    "levels, so a cannot be fixed": lambda: NEST.plan(fixed="a", i=1, a=1),
    "fixed='run' is no facet of": lambda: NEST.plan(fixed="run"),
    "p is the object of measurement": lambda: NEST.plan(fixed="p"),
    "Every facet is fixed": lambda: NEST.plan(fixed=["i", "a"]),
    "a=0: a whole number": lambda: NEST.plan(i=5, a=0),
    "i: the list of numbers is empty": lambda: NEST.plan().grid(i=[], a=1),
    "i=0": lambda: NEST.plan().grid(i=[1, 0], a=1),
    "topic is given twice": lambda: SIX.plan(levels={"topic": 5}, topic=6),
    "levels maps each facet to a": lambda: SIX.plan(levels=[("topic", 5)]),
    "How many levels of topic?": lambda: (
        SIX.plan(topic=(10, 60), assessor=2).dependability
    ),
    "'q' is no facet of the design p x (a:i)": lambda: NEST.plan().required(
        "q", 0.9
    ),
    "p is the object of measurement: more of it does not make its scores "
    "more reliable": lambda: NEST.plan().required("p", 0.9),
    "target=0: a number between 0 and 1, both excluded, is needed; .95 is "
    "usual": lambda: required(NEST.plan(a=1), 0),
    "target=1.0": lambda: required(NEST.plan(a=1), 1.0),
    "target='x'": lambda: required(NEST.plan(a=1), "x"),
    "coefficient is 'alpha'; choose from 'generalizability', "
    "'dependability'": lambda: required(NEST.plan(a=1), 0.9, "alpha"),
    "assessor is fixed: its number cannot change": lambda: SIX.plan(
        fixed="assessor", topic=5
    ).required("assessor", 0.9),
    "No number of is brings dependability to 0.8: its ceiling is 0.7500, "
    "because of the error that stays: a (100%)": lambda: required(
        only(p=3, a=1, p_i=1).plan(a=1), 0.8
    ),
    # A ceiling that is the target itself is approached, never reached.
    "No number of is brings generalizability to 0.5: its ceiling is "
    "0.5000, because of the error that stays: p x a (100%)": lambda: (
        required(
            only(p=1, p_a=1, a=9, p_i=1).plan(a=1), 0.5, "generalizability"
        )
    ),
    "because of the error that stays: i": lambda: NEST.plan(i=5).required(
        "a", 0.9
    ),
    "stays: p x a (75%), a (25%)": lambda: required(
        only(p=10, a=1, p_a=3, p_i=1).plan(a=1), 0.95
    ),
    "to 0.5: the variance of p is estimated as zero": lambda: required(
        only(p_i=1).plan(a=1), 0.5
    ),
    "to 0.9: the variance of p is estimated as": lambda: required(
        NONE.plan(), 0.9
    ),
}

MULTIVARIATE = {
    "'z' ... 'a', 'b'": lambda: mgstudy(CONDITIONS).composite({"z": 1.0}),
    "systems is 'all'; choose": lambda: correlation(systems="all"),
    "two conditions": lambda: mgstudy({"a": A}),
    "systems and topics of b": lambda: mgstudy(
        {"a": A, "b": B.rename(index={"s0": "another"})}
    ),
    "give all conditions the same": lambda: mgstudy(
        {"a": A, "b": B.iloc[:, 1:]}
    ),
    "The score of system s0 on topic t0 is nan": lambda: mgstudy(
        {"a": A.mask(np.eye(12, 9, dtype=bool)), "b": B}
    ),
    "share a facet beside it": lambda: mgstudy(
        {"a": SMALL, "b": SMALL.rename(columns={"i": "judge"})},
        {"a": "system x i", "b": "system x judge"},
    ),
}

REFUSED = STUDIES | PLANS | MULTIVARIATE


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)


@pytest.mark.parametrize("unit", [1e308, 1e-320])
def test_scores_whose_squares_are_no_numbers(unit):
    scores = unit * np.random.default_rng(0).uniform(-1, 1, (4, 5))
    refused(lambda: gstudy(scores), "lose their digits")


@pytest.mark.parametrize("level", [0, 1, 95, np.nan, "high"])
def test_a_confidence_level_is_between_0_and_1(level):
    refused(lambda: correlation(confidence_level=level), "confidence_level")
