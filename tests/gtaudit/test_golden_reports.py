"""Whole reports, kept as text: what page and terminal say of seven studies.

`kept.py` compares them. The data are the book's own scores, or synthetic.
"""

import json
import os
import re
import shlex
from functools import partial
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from lxml import html

import gtaudit
import gtlib as gt
from book.support.simulations import synthetic_runs
from gtaudit import machines
from gtaudit import study as study_module
from gtaudit.command import main
from tests.cases import first
from tests.gtaudit.kept import changes, require_kept

SCHEMA = Path(gtaudit.__file__).with_name("report.schema.json")


# The studies


def standings():
    """A wide table, its sites, and prices."""
    scores = gt.load("cf-ap").iloc[:, :30].rename(columns=str)
    means = scores.mean(axis=1)
    scores["alike"], scores["against"] = 0.0, means.max() - means
    scores.to_csv("scores.csv")
    family = gt.load("cf").drop_duplicates("system").set_index("system")
    family["family"].rename("site").to_csv("sites.csv")
    sites, topics = family["family"].unique(), [*scores.columns]
    held = [sites[i % len(sites)] for i in range(len(topics) - 14)]
    held = pd.DataFrame({"topic": topics, "held_out": [*held, *[""] * 14]})
    held.to_csv("held.csv", index=False)
    return (
        "scores.csv --columns system=rows --sites sites.csv held.csv "
        "--baseline bm25-all --cost topic=5,judgment=1 --budget 300 "
        "--fail-under alpha.low=.9,dependability=.999"
    )


def rated():
    """A long table in the reader's nouns: synthetic, with two measures,
    raters who disagree and a column that no design names. It is piped
    in."""
    write_ratings(lacking=[])
    return (
        "- --design 'model x item x rater' --measure style,depth "
        "--cost item=5,rater=100,judgment=1"
    )


def ratings():
    """The same with gaps."""
    write_ratings(lacking=[0, 7, *range(42, 56), 99, 200])
    return (
        "- --design 'model x item x rater' --measure style,depth "
        "--cost item=5,rater=100,judgment=1"
    )


def write_ratings(lacking):
    rng = np.random.default_rng(6)
    shape = 9, 14, 3
    index = np.indices(shape).reshape(3, -1)
    table = pd.DataFrame(index.T, columns=["model", "item", "rater"])
    for name, sign in {"model": "m ", "item": "i", "rater": "r"}.items():
        table[name] = sign + table[name].astype(str)
    true = np.linspace(0, 1, 9)[index[0]] + rng.normal(size=14)[index[1]]
    true += (rng.normal(size=(9, 3)) / 3)[index[0], index[2]]
    true += (rng.normal(size=(9, 14)) / 3)[index[0], index[1]]
    table["form"] = "f" + (index[1] // 4).astype(str)
    table["style"] = true + rng.normal(size=true.size) / 2
    table["depth"] = true + rng.normal(size=true.size)
    table.drop(index=lacking).to_csv("standard input", index=False)


def judged_runs():
    """Synthetic runs, pools that some did not contribute to, and three
    machines: one graded half, and once beyond people's scale."""
    runs, complete, site = synthetic_runs(4, 3, 12, 60, 5)
    top = runs[(runs["rank"] <= 8) & ~runs["system"].isin(["s2", "s9"])]
    people = complete.merge(top[["topic", "document"]].drop_duplicates())
    write_lines(runs.assign(q="Q0"), "runs.txt", RUN)
    write_lines(people.assign(q=0), "people.txt", QRELS)
    for seed in (1, 2, 3):
        turned = np.random.default_rng(seed).random(len(people)) < 0.15
        grade = people["relevance"].where(~turned, 1 - people["relevance"])
        machine = people.assign(q=0, relevance=grade)
        if seed == 3:
            machine = machine.iloc[: len(people) // 2]
            machine.iloc[0, machine.columns.get_loc("relevance")] = 3
        write_lines(machine, f"llm{seed}.txt", QRELS)
    site.rename("site").to_csv("sites.csv", index_label="system")
    said = [
        f"{s},{'no' if s in ('s2', 's9') else 'yes'}" for s in site.index
    ]
    lines = ["run,contributed", *said, "stranger,yes"]
    Path("who.csv").write_text("\n".join(lines))
    return (
        "--runs runs.txt --qrels people.txt --judges llm1.txt llm2.txt "
        "llm3.txt --sites sites.csv --pools 8 who.csv "
        "--measure nDCG@10,P@5 --cost topic=3"
    )


def answers():
    """Right or wrong answers to questions of four subjects, which are all
    there are: synthetic, of six models that hardly differ."""
    rng = np.random.default_rng(2)
    index = np.indices((6, 4, 5)).reshape(3, -1)
    names = ["model", "subject", "question"]
    table = pd.DataFrame(index.T, columns=names).astype(str)
    table["question"] = table["subject"] + "-" + table["question"]
    table["score"] = (rng.random(len(table)) < 0.5).astype(int)
    table.to_csv("answers.csv", index=False)
    return (
        "answers.csv --design 'model x (question:subject)' --fixed subject"
    )


def pair():
    """Two synthetic systems, of which the second lacks a topic."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(0.4, 0.1, (2, 12)), ["a", "b"])
    table.iloc[1, 4] = np.nan
    table.to_csv("two.csv", index_label="system")
    return "two.csv --columns system=rows --budget 30"


def repeated():
    """Synthetic agents that ran three times on each task."""
    rng = np.random.default_rng(0)
    index = np.indices((4, 12, 3)).reshape(3, -1)
    table = pd.DataFrame(index.T, columns=["agent", "task", "run"])
    solved = rng.beta(0.6, 0.6, (4, 12))[index[0], index[1]]
    table["reward"] = (rng.random(len(table)) < solved).astype(int)
    table["task"] = "t" + table["task"].astype(str)
    table.to_csv("runs.csv", index=False)
    return "runs.csv --cost task=10,run=1"


RUN = ["topic", "q", "document", "rank", "score", "system"]
QRELS = ["topic", "q", "document", "relevance"]
STUDIES = standings, rated, judged_runs, pair, answers, repeated, ratings


def write_lines(table, path, columns):
    table[columns].to_csv(path, sep=" ", header=False, index=False)


# Their reports


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Text, folder and numbers of a study, which is made once."""
    made = {}

    def report(study):
        if study not in made:
            folder = tmp_path_factory.mktemp(study.__name__)
            made[study] = report_of(study, folder)
        return made[study]

    return report


def report_of(study, folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(machines, "N_RESAMPLES", 60)
        few = partial(gt.reusability_test, n_resamples=199)
        patch.setattr(study_module, "reusability_test", few)
        patch.setattr("sys.stdout", out := StringIO())
        patch.setattr("sys.stderr", err := StringIO())
        command = study()
        if command.startswith("- "):
            piped = Path("standard input").read_bytes()
            stdin = TextIOWrapper(BytesIO(piped))
            patch.setattr("sys.stdin", stdin)
        code = main(["audit", *shlex.split(command)])
        patch.undo()
    page = html.fromstring((folder / "audit.html").read_text("utf-8"))
    numbers = json.loads((folder / "audit.json").read_text("utf-8"))
    lines = [
        f"gtlib audit {command}",
        f"exit code {code}",
        "",
        "# Terminal",
    ]
    lines += [*out.getvalue().splitlines(), *sentences(err.getvalue())]
    lines += ["", "# Page", *text_of(page), "", "# Findings"]
    lines += [s for text in numbers["findings"] for s in sentences(text)]
    return lines, folder, numbers


def sentences(text):
    return re.split(r"(?<=[.?!]) (?=[A-Z])|\n", text.strip())


BLOCKS = "h1", "h2", "dt", "p", "li", "caption", "pre", "tr"


def text_of(page):
    """What a reader sees, a line to each sentence and row of a table."""
    (main,) = page.xpath("//main")
    for code in main.iter("code"):
        code.text = f"`{code.text}`"
    for block in main.iter(*BLOCKS):
        if block.tag == "tr":
            texts = (c for c in block if c.get("class") != "axis")
            cells = (" ".join(c.text_content().split()) for c in texts)
            yield "| " + " | ".join(cells)
            continue
        mark = {"h1": "\n= ", "h2": "\n== "}
        text = " ".join(block.text_content().split())
        if text and not block.xpath("ancestor::svg"):
            first, *rest = sentences(text)
            yield from f"{mark.get(block.tag, '')}{first}".split("\n")
            yield from rest


# What is kept


@pytest.mark.parametrize("study", first(4, STUDIES))
def test_a_report_says_what_it_said(study, reports, validator):
    """And its numbers fit the schema."""
    said, _, numbers = reports(study)
    require_kept(study.__name__, said)
    validator.validate(numbers)


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_a_number_may_differ_by_one_unit_of_its_last_digit():
    kept = ["r1 has 0.412 [1.2e-05, 3] at 45%", "Same."]
    said = ["r1 has 0.413 [1.3e-05, 3] at 44%", "Same."]
    assert [*changes(kept, said)] == []
    for other in ("0.414", "0.412 ,"), ("3]", "4]"), ("r1", "r2"):
        wrong = [kept[0].replace(*other), "Same."]
        assert len([*changes(kept, wrong)]) == (other[0] in kept[0])
    assert [*changes(["a", "b"], ["a"])] == [("b", "")]


def test_numbers_speak_in_the_readers_nouns(reports):
    *_, numbers = reports(rated)
    nouns = {"system": "model", "topic": "item", "assessor": "rater"}
    assert numbers["nouns"] == nouns
    told = " ".join([*numbers["findings"], *numbers["notes"]])
    assert not re.findall(r"\b([Ss]ystems?|[Tt]opics?)\b", told)


@pytest.mark.parametrize("study", [standings, rated, judged_runs])
def test_actions_are_the_same_on_the_page_and_in_the_numbers(
    study, reports
):
    said, _, numbers = reports(study)
    actions = [row["action"] for row in numbers["actions"]]
    rows = [line[2:].partition(" |")[0] for line in said]
    place = rows.index(actions[0])
    assert rows[place : place + len(actions)] == actions


def test_what_is_piped_in_is_called_so(reports):
    _, folder, numbers = reports(rated)
    assert numbers["title"] == "standard input: style"
    executed = json.loads((folder / "audit.ipynb").read_text("utf-8"))
    given = "".join(executed["cells"][0]["source"])
    assert "table = ['-']" in given
    assert f"{os.sep}standard input" not in given


@pytest.mark.parametrize("key", ["verdict", "actions", "findings"])
def test_what_is_broken_does_not_fit_the_schema(key, reports, validator):
    *_, numbers = reports(judged_runs)
    broken = {**numbers, key: [["no", "row"]]}
    if key == "actions":
        rows = numbers[key]
        less = [{k: r[k] for k in r if k != "error"} for r in rows]
        broken = {**numbers, key: less}
    assert not validator.is_valid(broken)
    assert not validator.is_valid({})


# What has columns of the reader's, or is part of what forbids others.
FREE = {"parts", "choices", "whole_runs", "passes", "allOf", "agreement"}


def test_an_object_has_no_keys_that_the_schema_does_not_know():
    schema = json.loads(SCHEMA.read_text("utf-8"))
    places = [*objects(schema)]
    assert len(places) > 30
    for place in places:
        told = {"additionalProperties", "unevaluatedProperties"} & {*place}
        assert told, place


def objects(value, name=None):
    """All objects that a schema describes, but for those that are free."""
    if name in FREE:
        return
    if isinstance(value, list):
        for part in value:
            yield from objects(part)
    elif isinstance(value, dict):
        if "object" in str(value.get("type")):
            yield value
        for key, part in value.items():
            yield from objects(part, key)
