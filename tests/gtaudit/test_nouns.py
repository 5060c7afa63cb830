"""The reader's nouns, fixed facets, and columns that no design names."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from lxml import html

import gtaudit
from gtaudit.command import main
from gtaudit.nouns import Nouns
from tests.refusals import refused


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


NAMES = ["topic 3", "system", "Topics", "<b>item</b>", "*model*", "a_b"]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A folder with a table in which words of the report, HTML and Markdown
    are names of models and of items, and the report on it."""
    folder = tmp_path_factory.mktemp("nouns")
    rng = np.random.default_rng(3)
    items = [f"{name}, {k}" for k, name in enumerate(NAMES)]
    index = pd.MultiIndex.from_product([NAMES, items])
    long = index.to_frame(index=False, name=["model", "item_id"])
    long["score"] = rng.random(len(long)) + long["model"].map(NAMES.index)
    long.to_csv(folder / "a.csv", index=False)
    wide = long.pivot_table("score", "model", "item_id")
    wide.to_csv(folder / "wide.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        design = "model x item_id"
        assert main(["audit", "a.csv", "--design", design]) == 0
    return folder


@pytest.mark.slow
def test_a_report_has_the_readers_nouns_and_every_name(hostile):
    page = html.fromstring((hostile / "audit.html").read_text("utf-8"))
    (shown,) = page.xpath("//main")
    rows = [row.text_content() for row in shown.iter("th")]
    assert {*NAMES} <= {*rows}
    text = " ".join(shown.text_content().split())
    assert "6 models × 6 items." in text
    for name in NAMES:
        text = text.replace(name, "")
    text = re.sub("Read as: [^.]*[.]", "", text)  # which names the roles
    assert not re.findall(r"\b([Ss]ystems?|[Tt]opics?)\b", text)
    numbers = json.loads((hostile / "audit.json").read_text("utf-8"))
    assert {row["system"] for row in numbers["leaderboard"]} == {*NAMES}
    effects = [row["effect"] for row in numbers["g_study"]]
    assert effects == ["model", "item_id", "model x item_id"]


@pytest.mark.slow
def test_a_wide_table_may_have_a_noun_among_its_names(hostile):
    wide = pd.read_csv(hostile / "wide.csv", index_col=0)
    n = Nouns(system="model", topic="item_id")
    for names in [*"abcdef"], ["model", "item_id", *"cdef"]:
        found = gtaudit.prepare(wide.set_axis(names, axis=1), nouns=n)
        assert found.study.levels == {"model": 6, "item_id": 6}
        assert [*found.cells.columns] == names


def test_nouns_have_plurals_articles_and_capitals():
    n = Nouns(system="user", topic="query")
    said = n.systems, n.Systems, n.a_system, n.topics, n.Topics, n.a_topic
    assert said == (
        "users",
        "Users",
        "a user",
        "queries",
        "Queries",
        "a query",
    )
    assert Nouns(topic="item_id").markdown.a_topic == "an item"
    assert Nouns(topic="a_b").markdown.a_topic == "an a&#95;b"
    assert Nouns(system="objects").systems == "objects"
    assert Nouns(topic="question_id").topic == "question_id"
    assert n.list_facets(["class", "query"]) == "queries and classes"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.assign(score=1.0), "no model differs from another"),
        (lambda t: t[t["item"] == "s0-0"], "variance between items needs"),
        (
            lambda t: pd.concat([t, t[:1]]),
            "the first: model m 0, item s0-0",
        ),
        (lambda t: t.assign(score=np.nan), "has no score at all"),
    ],
)
def test_errors_of_a_study_have_the_names_of_its_design(
    change, words, tmp_path
):
    path = tmp_path / "a.csv"
    change(answers()).to_csv(path, index=False)
    refused(lambda: gtaudit.collect(path, design="model x item"), words)


# Fixed facets


def test_a_fixed_facet_is_not_drawn_anew(tmp_path):
    path = tmp_path / "answers.csv"
    long = answers()
    long.to_csv(path, index=False)
    design = "model x (item:subject)"
    fixed, drawn = (
        gtaudit.collect(path, design=design, fixed=held).collection
        for held in ("subject", None)
    )
    assert fixed.drawn == "items" and drawn.drawn == "items and subjects"
    assert fixed.fixed == ("subject",)
    known = fixed.study.plan(fixed="subject").generalizability
    table = gtaudit.coefficient_table(fixed.study, fixed=fixed.fixed)
    found = table.loc["generalizability", "estimate"]
    assert found == pytest.approx(known, rel=1e-9)
    assert known > drawn.plan.generalizability
    assert gtaudit.audit_leaderboard(fixed).drawn == ("item",)
    assert gtaudit.audit_leaderboard(drawn).drawn == ("subject",)
    assert len(fixed.notes) == len(drawn.notes) + 1


def test_a_mean_of_fixed_strata_weighs_them_alike(tmp_path):
    """Whatever number of questions each of them has."""
    long = answers()
    long = long[
        (long["subject"] != "s0") | long["item"].str[-1].isin(["0", "1"])
    ]
    path = tmp_path / "answers.csv"
    long.to_csv(path, index=False)
    design = "model x (item:subject)"
    found = gtaudit.collect(path, design=design, fixed="subject").collection
    strata = long.pivot_table("score", "model", "subject")
    board = gtaudit.audit_leaderboard(found).table["mean"]
    expected = strata.mean(axis=1)[board.index]
    np.testing.assert_allclose(board, expected, rtol=1e-12)


# Columns that no design names


def notes_on(long, **options):
    return gtaudit.split_measures(long, **options)[""].notes


def ours(**more):
    names = {"model": "system", "item": "topic"}
    return answers().rename(columns=names).assign(**more)


def test_a_column_that_is_not_used_is_named_with_what_it_may_be():
    unused, nested = notes_on(ours())
    assert unused.endswith(": subject.")
    design = re.search("--design '(.*?)'", nested)[1]
    assert design == "system x (topic:subject)"
    assert notes_on(ours(), design=design) == []


def test_a_column_of_the_systems_or_of_nothing_gets_no_advice():
    long = ours(lang="en", family=answers()["model"].str[-1], empty=np.nan)
    (said,) = notes_on(long.drop(columns="subject"))
    assert said.endswith(": lang, family.")


def test_another_measure_is_no_facet():
    long = ours().drop(columns="subject")
    assert notes_on(long.assign(recall=0.5)) == []


@pytest.mark.slow
def test_the_rows_of_a_wide_table_may_be_its_topics(tmp_path):
    """Names that begin alike are those of topics, wherever these stand."""
    table = pd.DataFrame(np.random.default_rng(1).random((9, 3)))
    table.index = [f"q{i}" for i in table.index]
    table.columns = ["bm25", "lm", "dense"]
    path = tmp_path / "a.csv"
    table.to_csv(path, index_label="topic")
    assert main(["audit", str(path), "--out", str(tmp_path)]) == 0
    numbers = json.loads((tmp_path / "audit.json").read_text("utf-8"))
    assert numbers["nouns"] == {}


def test_what_topics_belong_to_and_runs_have_their_nouns(tmp_path):
    long = answers().rename(columns={"subject": "benchmark"})
    long["item"] = long["item"].str[-1]  # numbered anew in each
    runs = [
        long.assign(attempt_id=k, score=long["score"] + k) for k in (1, 2)
    ]
    pd.concat(runs).to_csv(tmp_path / "a.csv", index=False)
    found = gtaudit.collect([tmp_path / "a.csv"])
    design = "(attempt_id:model) x (item:benchmark)"
    assert str(found.collection.design) == design
    for said in re.findall("--design '(.*?)'", " ".join(found.notes)):
        gtaudit.collect([tmp_path / "a.csv"], design=said)
    assert "Attempts are taken as nested" in " ".join(found.notes)


@pytest.mark.slow
@pytest.mark.usefixtures("short_report")
def test_nouns_of_other_languages_have_no_english_plural(tmp_path, capsys):
    rng = np.random.default_rng(4)
    rows = [
        (f"m{i}", f"a{j}", rng.random()) for i in range(3) for j in range(6)
    ]
    table = pd.DataFrame(rows, columns=["Modell", "Aufgabe", "Punkte"])
    table.to_csv(tmp_path / "a.csv", index=False)
    assert (
        main(["audit", str(tmp_path / "a.csv"), "--out", str(tmp_path)])
        == 0
    )
    said = "".join(capsys.readouterr())
    assert "3 Modell may be" in said and "more Aufgabe (" in said
