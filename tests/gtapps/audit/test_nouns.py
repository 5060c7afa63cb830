"""The reader's nouns, fixed facets, and columns that no design names."""

import re
from html import escape

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtapps import audit
from gtapps.audit.nouns import Nouns, describe_design
from gtlib.tables import as_text

OURS = Nouns({"system": "model", "topic": "item", "assessor": "rater"})


def answers(systems=6, subjects=4, items=5, seed=2):
    """Answers to questions of several subjects, which matter."""
    rng = np.random.default_rng(seed)
    shape = systems, subjects, items
    scores = rng.normal(0, 0.3, shape) + rng.normal(0, 0.4, (systems, 1, 1))
    scores += rng.normal(0, 0.5, (1, subjects, 1))
    scores += rng.normal(0, 0.3, (systems, subjects, 1))
    index = pd.MultiIndex.from_product(
        [
            [f"m {i}" for i in range(systems)],
            [f"s{i}" for i in range(subjects)],
            range(items),
        ],
        names=["model", "subject", "item"],
    )
    long = pd.DataFrame({"score": scores.ravel()}, index).reset_index()
    long["item"] = long["subject"] + "-" + long["item"].astype(str)
    return long


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Systems differ; a system, 3 systems.",
            "Models differ; a model, 3 models.",
        ),
        (
            "A topic of the topic x assessor table",
            "An item of the item x rater table",
        ),
        (
            "the system's scores (system x topic)",
            "the model's scores (model x item)",
        ),
        ("an assessor and a subsystem", "a rater and a subsystem"),
        ("by system-1, system_2, a/topic, topic 7", None),
        ("topic&#45;9 and &#95;topic&#46;x", None),
        ("Of topics&#46; More", "Of items&#46; More"),
    ],
)
def test_nouns_change_and_names_do_not(text, expected):
    assert OURS(text, as_text) == (expected or text)


def test_plurals_and_articles_are_english():
    words = Nouns({"system": "user", "topic": "query", "assessor": "class"})
    said = words("a system, topics, an assessor, assessors")
    assert said == "a user, queries, a class, classes"
    assert Nouns({"topic": "item_id"})("a topic") == "an item_id"


def test_two_nouns_may_change_places():
    words = Nouns({"system": "topic", "topic": "system"})
    assert words("systems x topics") == "topics x systems"


@given(
    st.lists(
        st.sampled_from(
            ["my system", "topic <b>", "the topics (old)", "a & system"]
        ),
        min_size=1,
        max_size=9,
    )
)
def test_a_name_that_holds_a_noun_is_kept_in_every_form(names):
    words = Nouns.from_roles({"model": "system", "item": "topic"}, {*names})
    for form in (str, as_text, escape):
        said = " system, ".join(map(form, names))
        new = words(said, str if form is str else as_text)
        assert new == " model, ".join(map(form, names))


@pytest.mark.parametrize("name", ["topic", "Systems"])
def test_where_a_noun_is_itself_a_name_all_nouns_stay(name):
    assert (
        Nouns.from_roles({"model": "system", "item": "topic"}, [name]).nouns
        == {}
    )


def test_in_html_only_text_and_descriptions_change():
    html = (
        '<style>.system {}</style><td class="topic">topic</td>'
        '<div aria-label="a system">'
    )
    assert OURS.put_into_html(html) == (
        '<style>.system {}</style><td class="topic">item</td>'
        '<div aria-label="a model">'
    )


def test_an_error_keeps_what_is_quoted():
    said = describe_design(
        "model x item", "The system 'my system' has no topic."
    )
    assert said == "The model 'my system' has no item."
    assert describe_design("x x", "no topic") == "no topic"


# Fixed facets


def test_a_fixed_facet_is_not_drawn_anew(tmp_path):
    path = tmp_path / "answers.csv"
    long = answers()
    long.to_csv(path, index=False)
    design = "model x (item:subject)"
    fixed, drawn = (
        audit.collect(path, design=design, fixed=held).collection
        for held in ("subject", None)
    )
    assert fixed.drawn == "topics" and drawn.drawn == "topics and subjects"
    assert fixed.fixed == ("subject",)
    known = fixed.study.plan(fixed="subject").generalizability
    table = audit.coefficient_table(fixed.study, fixed=fixed.fixed)
    assert table.loc["generalizability", "estimate"] == known
    assert known > drawn.plan.generalizability
    assert audit.audit_leaderboard(fixed).drawn == ("topic",)
    assert audit.audit_leaderboard(drawn).drawn == ("subject",)
    assert "nothing is said of others" in fixed.notes[0]


def test_a_mean_of_fixed_strata_weighs_them_alike(tmp_path):
    """Whatever number of questions each of them has."""
    long = answers()
    long = long[
        (long["subject"] != "s0") | long["item"].str[-1].isin(["0", "1"])
    ]
    path = tmp_path / "answers.csv"
    long.to_csv(path, index=False)
    design = "model x (item:subject)"
    found = audit.collect(path, design=design, fixed="subject").collection
    strata = long.pivot_table("score", "model", "subject")
    board = audit.audit_leaderboard(found).table["mean"]
    expected = strata.mean(axis=1)[board.index]
    np.testing.assert_allclose(board, expected, rtol=1e-12)


# Columns that no design names


def notes_on(long, **options):
    return audit.split_measures(long, **options)[""].notes


def ours(**more):
    names = {"model": "system", "item": "topic"}
    return answers().rename(columns=names).assign(**more)


def test_a_column_that_is_not_used_is_named_with_what_it_may_be():
    unused, nested = notes_on(ours())
    assert unused == "Not used, as no design names them: subject."
    assert "--design 'system x (topic:subject)'" in nested
    design = re.search("--design '(.*?)'", nested)[1]
    assert notes_on(ours(), design=design) == []


def test_a_column_of_the_systems_or_of_nothing_gets_no_advice():
    long = ours(lang="en", family=answers()["model"].str[-1], empty=np.nan)
    (said,) = notes_on(long.drop(columns="subject"))
    assert said == "Not used, as no design names them: lang, family."


def test_another_measure_is_no_facet():
    long = ours().drop(columns="subject")
    assert notes_on(long.assign(recall=0.5)) == []


def test_a_hostile_column_is_shown_as_it_stands():
    long = ours().rename(columns={"subject": "<b>x</b>'"})
    found = audit.AuditData(audit.split_measures(long))
    assert "<b>" not in found.introduction
    assert "&#60;b&#62;x" in found.introduction
