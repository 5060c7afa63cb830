"""Which designs, tables and numbers are none, and how that is said."""

import math

import numpy as np
import pandas as pd
import pytest

from gtlib import checks, drop_worst, gstudy, tidy
from gtlib.design import Design, as_design
from gtlib.scores import as_long, as_wide, read_cells
from tests import oracle
from tests.gtlib.scores.test_scores import WIDE, small
from tests.refusals import refused

PLAIN = Design("system x topic")
NEST = Design("system x (assessor:topic)")
TABLE = oracle.table(NEST, {"system": 3, "topic": 4, "assessor": 2})
FIRSTS = TABLE.groupby("topic")["assessor"].transform("first")
TOPICS = [*TABLE["topic"].unique(), "topic99"]
EMPTY = pd.DataFrame({"system": [], "topic": [], "score": []})
LEVELS = {"system": 3, "topic": 2}


def cells(design=NEST, **columns):
    return read_cells(TABLE.assign(**columns), as_design(design))


def sizes(levels):
    return PLAIN.check_levels(levels)


REFUSED = {
    "got ''": lambda: Design(""),
    "got None": lambda: Design(None),
    "'b' is not expected": lambda: Design("a b"),
    "bracket is not closed": lambda: Design("(a x b"),
    "The design 'a x b)' cannot be read: ')' is not expected there; join "
    "facets with 'x' or ':'. Write for instance 'system x topic x "
    "assessor' or 'system x (assessor:topic)'": lambda: Design("a x b)"),
    "'a' is nested within itself": lambda: Design("a:a"),
    "'a:b:a' cannot be read: 'a' is nested within itself": lambda: Design(
        "a:b:a"
    ),
    "'x' stands where": lambda: Design("a x x b"),
    "ends where a facet": lambda: Design("a x"),
    "'*' is not expected": lambda: Design("a * b"),
    "'a' is nested in two ways": lambda: Design("a x (a:b)"),
    "object='run' is not a facet of the design 'system × topic'; it has "
    "'system', 'topic'.": lambda: Design("system × topic", object="run"),
    "A design is a text such as 'system x topic x assessor'; got 7.": (
        lambda: as_design(7)
    ),
    "no effect 'assessor'": lambda: NEST.find("assessor"),
    "The design system x topic has no effect 'run'; its effects are "
    "'system', 'topic', 'system x topic'.": lambda: PLAIN.find("run"),
    "levels must map each facet to a number, for instance {'system': 30}; "
    "got 7.": lambda: sizes(7),
    "'run' in levels is no facet of the design system x topic; it has "
    "'system', 'topic'.": lambda: sizes({**LEVELS, "run": 3}),
    "levels lacks a number for 'system', 'topic'; give one, for instance "
    "system=50.": lambda: sizes({}),
    "lacks a number for 'topic'": lambda: sizes({"system": 3}),
    "declared nested within topic, but assessor a occurs in both": (
        lambda: cells(assessor=["a", "b"] * 12)
    ),
    "Write 'assessor:topic'": lambda: cells("system x topic x assessor"),
    "The table has 1 topic; ... needs at least two": lambda: cells(
        PLAIN, topic="only"
    ),
    "12 rows repeat a cell, the first: system system0, topic topic0. The "
    "column assessor may tell them apart": lambda: cells(
        PLAIN, measure="AP"
    ),
    "no column 'query'": lambda: cells("system x query"),
    "topic0, assessor topic0/assessor0 is nan; scores must be": lambda: (
        cells(score=np.nan)
    ),
    " is inf; scores must be finite": lambda: cells(score=np.inf),
    " is 'high'; scores must be finite numbers. If it was not observed, "
    "leave the row out": lambda: cells(score="high"),
    "leave assessor out": lambda: read_cells(
        TABLE[TABLE["assessor"] == FIRSTS], NEST
    ),
    "topic topic99 is a category": lambda: cells(
        topic=pd.Categorical(TABLE["topic"], TOPICS)
    ),
    "columns system, topic, ass": lambda: as_long(
        np.ones((2, 2)), ["system", "topic", "assessor"]
    ),
    "0 systems": lambda: as_long(EMPTY.astype({"system": int})),
    "topics=1: ... at least 2": lambda: checks.whole_number(
        1, "topics", least=2
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)


# Tables of scores

GAP = WIDE.replace(0.9, np.nan)
NAMED = WIDE.rename_axis(index="run").reset_index()
NINE = pd.DataFrame(
    {"system": [*"aaaaaaaaab"], "topic": [*range(9), 0], "score": 0.5}
)
SCORES = [
    (WIDE.iloc[:1], "1 system;"),
    (WIDE.iloc[:, :1], "1 topic;"),
    (GAP, "system b on topic 303 is nan"),
    (
        GAP.rename({"b": "system 4"}),
        "The score of system 4 on topic 303 is",
    ),
    (WIDE.replace(0.9, np.inf), "system b on topic 303 is inf"),
    (WIDE.astype(object).replace(0.9, "n/a"), "303 is 'n/a'"),
    (WIDE.astype(str), "system a on topic 301 is '0.1'"),
    (WIDE.replace(0.9, None), "b on topic 303 is "),
    (pd.concat([WIDE, WIDE]), "same system appears twice: a, b"),
    (WIDE[[301, 302, 301]], "same topic appears twice: 301"),
    ([1.0, 2.0], "two dimensions"),
    (WIDE[301], "two dimensions"),
    (
        NAMED.assign(**{"303": "bad"}),
        "system a on topic 303 is 'bad'",
    ),
    (small().iloc[:3], "1 cell without a score: b on topic 2"),
    (small(score=[1, 2, 3, np.nan]), "system b, topic 2 is nan"),
    (small(score=[1, 2, 3, -np.inf]), "system b, topic 2 is -inf"),
    (small(score=[1, 2, 3, "x"]), "system b, topic 2 is 'x'"),
    (small(score=[*"1234"]), "system a, topic 1 is '1'"),
    (small(score=[1, 2, 3, None]), "system b, topic 2 is nan"),
    (small(score=[1, 2, 3, [4]]), "system b, topic 2 is [4]"),
    (small(topic=[1, 1, 1, 2]), "repeat ... a cell ... system a, topic 1"),
    (small(topic=[1, None, 1, 2]), "Row 1 has no topic"),
    (small(system="a", topic=[1, 2, 3, 4]), "1 system;"),
    (small(system=[*"abcd"], topic=1), "1 topic;"),
    (small().drop(columns="score"), "no column 'score'"),
    (small().drop(columns="topic"), "no column 'topic'"),
    (NINE, "8 cells ... and 3 more"),
    (
        pd.concat([small(measure="AP"), small(measure="RR")]),
        "column measure may tell them",
    ),
]


@pytest.mark.parametrize(("table", "words"), SCORES, ids=range(len(SCORES)))
def test_what_is_no_table_of_scores(table, words):
    refused(lambda: as_wide(table), words)


def test_duplicates_are_found_in_sparse_large_designs():
    facets = {f: np.arange(2000) for f in ("system", "topic", "assessor")}
    table = pd.DataFrame(facets | {"score": 0.5})
    assert len(as_long(table, facets)) == 2000
    twice = pd.concat([table, table.iloc[[7]]])
    refused(lambda: as_long(twice, facets), "1 row repeat ... system 7")


@pytest.mark.parametrize(
    ("fraction", "words"),
    [(f, "must be in") for f in (-0.1, 1.0, 2)] + [(0.5, "leaves 1")],
)
def test_a_fraction_that_cannot_be_dropped(fraction, words):
    refused(lambda: drop_worst(WIDE, fraction), words)


@pytest.mark.parametrize(
    "text",
    ["(" * 5000 + "a" + ")" * 5000, ":".join(f"a{i}" for i in range(5000))],
)
def test_a_design_without_end(text):
    with pytest.raises(ValueError, match="more than 200 words") as refusal:
        Design(text)
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize(
    "bad", [0, -1, 1.5, True, "7", None, math.nan, math.inf, [7]]
)
def test_what_is_no_whole_number(bad):
    says = "topic= ... whole number"
    if bad is not True:
        refused(lambda: sizes({**LEVELS, "topic": bad}), says)
    refused(
        lambda: checks.whole_number(bad, "n_resamples"),
        "n_resamples= ... of at least 1",
    )


@pytest.mark.parametrize("kind", [complex, np.complex64, object])
def test_complex_scores_are_not_cut_to_their_real_part(kind):
    wide = pd.DataFrame([[0.1, 0.4], [0.3, 0.2]], ["a", "b"], [1, 2])
    wide = wide.astype(kind)
    wide.loc["b", 1] = 0.5 + 2j
    long = wide.rename_axis("system").reset_index()
    long = long.melt("system", var_name="topic", value_name="score")
    for scores in (wide, long, wide.to_numpy()):
        refused(lambda s=scores: gstudy(s, PLAIN), "must be finite numbers")


@pytest.mark.parametrize("name", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("axis", [0, 1])
def test_every_row_and_column_has_a_name(name, axis):
    names = ["a", name, "c"]
    table = pd.DataFrame(np.eye(3)).set_axis(names, axis=axis)
    what = "number 2 of the " + ("rows", "columns")[axis]
    for function in (as_wide, gstudy, tidy):
        refused(lambda read=function: read(table), what)


def test_what_is_masked_is_missing():
    scores = np.ma.masked_greater(np.arange(12.0).reshape(3, 4), 10)
    refused(lambda: as_wide(scores), "system 3 on topic 4 is nan")


def test_a_number_beyond_all_floats_is_not_finite():
    table = pd.DataFrame([[1, 2], [3, 10**400]], dtype=object)
    refused(lambda: as_wide(table), "must be finite numbers")


def test_texts_that_are_numbers_are_told_how_to_become_some():
    table = pd.DataFrame([["0.1", "0.2"], ["0.3", "0.5"]], ["a", "b"])
    refused(lambda: as_wide(table), "scores.apply(pd.to_numeric)")
    assert as_wide(table.apply(pd.to_numeric)).loc["b"].tolist() == [
        0.3,
        0.5,
    ]


def test_names_of_a_category_are_those_that_are_there():
    names = pd.CategoricalIndex(["a", "b"], categories=["a", "b", "c"])
    table = pd.DataFrame([[0.1, None], [0.3, 0.4]], names, ["q1", "q2"])
    assert tidy(table)["system"].tolist() == ["a", "b", "b"]
