"""Which facets the rows and columns of a table are, and who says so."""

import re

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.scores import as_long, as_wide
from tests.refusals import refused

SYSTEMS, TOPICS = [*"abcd"], [301, 302, 303, 304, 305, 306]
SCORES = np.random.default_rng(0).normal(0.5, 0.2, (4, 6))
PLAIN = pd.DataFrame(SCORES, SYSTEMS, TOPICS)
TURNED = PLAIN.T
CALLED_TOPICS = ["qid", "Query", "TOPICS", "question", "Items", "query_id"]
CALLED_SYSTEMS = ["system", "Run", "models", "run_id", "Model Name"]


def right(table):
    """Whether every function that takes a table reads it as the plain
    one."""
    study, expected = gt.gstudy(table), gt.gstudy(PLAIN)
    assert study.estimate.to_dict() == pytest.approx(
        expected.estimate.to_dict()
    )
    alpha = gt.cronbach_alpha(PLAIN).estimate
    assert gt.cronbach_alpha(table).estimate == pytest.approx(alpha)
    assert as_wide(table).index.tolist() == SYSTEMS
    assert len(gt.item_analysis(table)) == len(TOPICS)
    assert gt.drop_worst(table).shape == (3, 6)
    assert sorted(gt.leaderboard(table).table.index) == SYSTEMS
    assert len(gt.compare(table, b="a")) == 3
    assert as_long(table)["system"].unique().size == 4
    assert gt.tidy(table)["system"].unique().size == 4
    return study


@pytest.mark.parametrize("name", CALLED_TOPICS)
@pytest.mark.parametrize("where", ["index", "column", "file"])
def test_rows_that_are_called_topics_are_topics(name, where):
    table = TURNED.rename_axis(index=name)
    if where == "column":
        table = table.reset_index()
    if where == "file":  # the names of columns are not in a file
        table = table.rename_axis(columns="x").reset_index()
    study = right(table)
    said = f"rows are called {name}, so they are the topics"
    assert str(study).splitlines()[0] == (
        "G-study system x topic, 4 systems (columns) x 6 topics (rows) "
        f"(anova); {said}"
    )
    assert said in study._repr_html_()


@pytest.mark.parametrize("name", CALLED_SYSTEMS)
def test_columns_that_are_called_systems_are_systems(name):
    study = right(TURNED.rename_axis(columns=name))
    said = f"columns are called {name}, so they are the systems"
    assert said in str(study).splitlines()[0]


@pytest.mark.parametrize("name", [*CALLED_SYSTEMS, "annotator", None])
def test_other_rows_are_systems_and_nothing_is_said_of_names(name):
    study = right(PLAIN.rename_axis(index=name))
    assert str(study).splitlines()[0] == (
        "G-study system x topic, 4 systems (rows) x 6 topics (columns) "
        "(anova)"
    )
    right(PLAIN.rename_axis(columns="question"))


def test_a_first_column_of_names_is_the_names_of_rows():
    right(PLAIN.rename_axis("run").reset_index())
    right(PLAIN.reset_index())  # of texts, whatever it is called
    right(PLAIN.set_axis(["a", "b", "c", "d"]).reset_index())
    numbered = PLAIN.set_axis([1, 2, 3, 4]).rename_axis("Unnamed: 0")
    table = as_wide(numbered.reset_index())
    assert table.index.tolist() == [1, 2, 3, 4]
    assert table.shape == (4, 6)


def test_a_first_column_of_texts_that_are_numbers_is_no_name():
    wrong = pd.DataFrame({"t1": ["0.1", "n/a", "0.3"], "t2": [1, 2, 3]})
    refused(lambda: as_wide(wrong), "topic t1 is '0.1'")


@pytest.mark.parametrize(
    ("index", "columns", "words"),
    [
        (
            "qid",
            "Query",
            "Rows are called qid and columns Query: both are topics ... "
            "scores.rename_axis(index='system')",
        ),
        ("run", "model", "both are systems ... (columns='topic')"),
    ],
)
def test_names_that_contradict_each_other_are_refused(
    index, columns, words
):
    table = PLAIN.rename_axis(index=index, columns=columns)
    for take in (gt.gstudy, gt.cronbach_alpha, gt.tidy, gt.leaderboard):
        refused(lambda take=take: take(table), words)
    right(table.rename_axis(index="system", columns="topic"))


def test_alpha_and_a_leaderboard_say_what_they_took():
    size = "4 systems (rows) x 6 topics (columns)"
    alpha = gt.cronbach_alpha(SCORES, method="exact")
    assert str(alpha).endswith(f"(95%, feldt); {size}")
    assert gt.leaderboard(SCORES).taken == size
    turned = TURNED.rename_axis("qid")
    size = "4 systems (columns) x 6 topics (rows)"
    why = "rows are called qid, so they are the topics"
    assert gt.cronbach_alpha(turned).taken == f"{size}; {why}"
    assert gt.leaderboard(turned).taken == f"{size}; {why}"
    assert gt.compare(turned, b="a").attrs["taken"] == f"{size}; {why}"


def test_of_a_long_table_nothing_is_said_of_rows():
    long = as_long(PLAIN)
    assert str(gt.gstudy(long)).splitlines()[0] == (
        "G-study system x topic, 4 systems · 6 topics (anova)"
    )
    assert gt.cronbach_alpha(long).taken == "4 systems x 6 topics"


def test_names_of_a_design_come_before_those_that_are_known():
    table = PLAIN.rename_axis(index="item", columns="person")
    long = as_long(table, ["person", "item"])
    assert long["item"].unique().tolist() == SYSTEMS
    other = as_long(table.rename_axis(index="QID"), ["person", "item"])
    assert other["item"].unique().tolist() == SYSTEMS


@pytest.mark.parametrize("axis", [0, 1])
def test_axes_with_several_names_are_refused(axis):
    table = pd.DataFrame(SCORES)
    names = pd.MultiIndex.from_product([[1, 2], range(3 if axis else 2)])
    table = table.set_axis(names, axis=axis)
    for take in (gt.gstudy, gt.cronbach_alpha, gt.tidy, gt.leaderboard):
        refused(
            lambda take=take: take(table), "2 names each ... by stack([0"
        )


# A long table without a design: the call in the message runs.

LONG = as_long(PLAIN).set_axis(["model", "sample_id", "correct"], axis=1)
N = len(LONG)
OTHERS = np.random.default_rng(1)
SEEDS = pd.concat(
    [LONG.assign(seed=s, correct=OTHERS.random(N)) for s in ("s1", "s2")]
)
FRAMES = {
    "plain": LONG,
    "shuffled": LONG.sample(frac=1, random_state=1)[
        ["correct", "sample_id", "model"]
    ],
    "text with each row": LONG.assign(note=[f"row {i}" for i in range(N)]),
    "a count of rows": LONG.assign(id=range(N)),
    "several numbers": LONG.assign(latency=OTHERS.random(N)),
    "0 and 1": LONG.assign(correct=OTHERS.integers(0, 2, N)),
    "true and false": LONG.assign(correct=OTHERS.random(N) < 0.5),
    "quotes in names": LONG.rename(
        columns={"model": "my \"mo'del", "correct": 'is "right"'}
    ),
    "signs in names": LONG.rename(
        columns={"model": "x", "sample_id": "sample no.", "correct": "%"}
    ),
    "quotes in texts": LONG.assign(model=LONG["model"] + ' "it\'s"'),
    "numbers for names": LONG.set_axis([0, 1, 2], axis=1),
    "a text called score": LONG.assign(score="good"),
    "a score of that name": LONG.rename(columns={"correct": "score"}),
    "repeated": SEEDS,
    "gaps": LONG.assign(correct=LONG["correct"].where(LONG.index > 0)),
    "numbers alone": LONG.assign(
        model=pd.factorize(LONG["model"])[0]
    ).rename(columns={"sample_id": "item"}),
    "the names of the library": as_long(PLAIN).assign(family="f"),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_long_table_without_a_design_has_its_call_in_the_message(name):
    df = FRAMES[name]
    with pytest.raises(ValueError, match=r"gt\.gstudy\(df") as refusal:
        gt.gstudy(df)
    call = re.search(r"gt\.gstudy\(df.*\)$", str(refusal.value))
    study = eval(call[0], {"gt": gt, "df": df})
    facets = 3 if name == "repeated" else 2
    assert len(study.levels) == facets
    assert list(study.levels.values())[:2] == [4, 6]
    plain = name not in ("0 and 1", "true and false", "repeated", "gaps")
    if plain:
        expected = gt.gstudy(PLAIN).estimate.tolist()
        assert study.estimate.tolist() == pytest.approx(expected)
    said = "Several columns hold numbers, correct, latency"
    assert (said in str(refusal.value)) == (name == "several numbers")


def test_the_call_that_people_want_to_read():
    words = 'gt.gstudy(df, "model x sample_id", score="correct")'
    refused(lambda: gt.gstudy(LONG), words)


@pytest.mark.parametrize(
    "name", [n for n in FRAMES if n not in ("repeated", "gaps")]
)
def test_where_columns_are_to_be_renamed_the_line_runs(name):
    df = FRAMES[name]
    if name == "the names of the library":
        return
    with pytest.raises(ValueError, match="df = df") as refusal:
        gt.cronbach_alpha(df)
    line = re.search(r"df = df.*\)$", str(refusal.value))
    names = {"df": df}
    exec(line[0], names)
    assert gt.cronbach_alpha(names["df"]).taken == "4 systems x 6 topics"


def test_texts_in_a_wide_table_are_told_as_such():
    """A wide table with one wrong cell is not called long."""
    ratings = (
        np.random.default_rng(2).integers(1, 6, (20, 6)).astype(object)
    )
    ratings[4, 2] = "n/a"
    refused(lambda: gt.gstudy(pd.DataFrame(ratings)), "is 'n/a'")
    table = PLAIN.astype(object)
    table.iloc[1, 2] = "absent"
    refused(lambda: gt.gstudy(table), "topic 303 is 'absent'")
