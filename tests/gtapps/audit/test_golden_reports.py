"""Whole reports, kept as text: what page and terminal say of five studies.

A sentence that changed is shown with what it was. To accept it, write the
texts anew: ``GOLDEN=yes pytest tests/gtapps/audit/test_golden_reports.py``.
Numbers may differ by one unit of their last digit, names and whole numbers
may not. The data are the book's own scores, or synthetic.
"""

import json
import os
import re
import shlex
from difflib import SequenceMatcher
from functools import partial
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from lxml import html

import gtlib as gt
from gtapps import audit
from gtapps.audit import comparison, machines
from gtapps.audit.command import main
from gtapps.simulations import synthetic_runs

GOLDEN = Path(__file__).with_name("golden")
ACCEPT = "If this is right: GOLDEN=yes pytest tests/gtapps/audit/"
ACCEPT += Path(__file__).name
SCHEMA = Path(audit.__file__).with_name("report.schema.json")


# The studies


def standings():
    """A wide table, its sites, prices, and other topics beside it."""
    scores = gt.load("cf-ap").iloc[:, :30].rename(columns=str)
    means = scores.mean(axis=1)
    scores["alike"], scores["against"] = 0.0, means.max() - means
    scores.to_csv("scores.csv")
    other = gt.load("cf").query("topic > 80")
    other = other.pivot_table("RR", "system", "topic", aggfunc="mean")
    other.to_csv("other.csv")
    family = gt.load("cf").drop_duplicates("system").set_index("system")
    family["family"].rename("site").to_csv("sites.csv")
    sites, topics = family["family"].unique(), [*scores.columns]
    held = [sites[i % len(sites)] for i in range(len(topics) - 14)]
    held = pd.DataFrame({"topic": topics, "held_out": [*held, *[""] * 14]})
    held.to_csv("held.csv", index=False)
    return (
        "scores.csv --no-transpose --sites sites.csv --held-out held.csv "
        "--against other.csv --baseline bm25-all --atlas --target .9 "
        "--cost topic=5,judgment=1 --budget 300 --board board.csv "
        "--next next.csv --fail-under alpha.low=.9,dependability=.999"
    )


def ratings():
    """A long table in the reader's nouns: synthetic, with gaps, two
    measures, raters who disagree and a column that no design names. It is
    piped in."""
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
    kept = table.drop(index=[0, 7, *range(42, 56), 99, 200])
    kept.to_csv("standard input", index=False)
    return (
        "- --design 'model x item x rater' --measure style,depth "
        "--target .9 --cost item=5,rater=100,judgment=1 --next next.csv"
    )


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
        "llm3.txt --sites sites.csv --contributed who.csv --pool-depth 8 "
        "--measure nDCG@10,P@5 --cost topic=3 --next next.csv"
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
        "answers.csv --design 'model x (question:subject)' --fixed subject "
        "--atlas --target .9"
    )


def pair():
    """Two synthetic systems, of which the second lacks a topic."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(0.4, 0.1, (2, 12)), ["a", "b"])
    table.iloc[1, 4] = np.nan
    table.to_csv("two.csv", index_label="system")
    return "two.csv --no-transpose --budget 30 --atlas --board board.csv"


RUN = ["topic", "q", "document", "rank", "score", "system"]
QRELS = ["topic", "q", "document", "relevance"]
STUDIES = standings, ratings, judged_runs, answers, pair


def write_lines(table, path, columns):
    table[columns].to_csv(path, sep=" ", header=False, index=False)


def atlas():
    """Collections that nobody has, in the place of the public ones."""
    rows = gt.load("atlas").head(9)
    items = 40 * np.arange(1, 10)
    ends = {"items_95": 60.0, "items_95_low": 30.0, "items_95_high": 200.0}
    titles = [f"Synthetic {i}" for i in range(9)]
    return rows.assign(
        title=titles, items=items, systems=20, generalizability=0.9, **ends
    )


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
        patch.setattr(gt, "reusability_test", few)
        patch.setattr(comparison, "load", lambda name: atlas())
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


BLOCKS = "h1", "h2", "h3", "p", "li", "figcaption", "caption", "pre", "tr"


def text_of(page):
    """What a reader sees, a line to each sentence and row of a table."""
    (main,) = page.xpath("//main")
    for code in main.iter("code"):
        code.text = f"`{code.text}`"
    for block in main.iter(*BLOCKS):
        if block.tag == "tr":
            cells = (" ".join(c.text_content().split()) for c in block)
            yield "| " + " | ".join(cells)
            continue
        mark = {"h1": "\n= ", "h2": "\n== ", "h3": "=== "}
        text = " ".join(block.text_content().split())
        if text and not block.xpath("ancestor::svg"):
            first, *rest = sentences(text)
            yield from f"{mark.get(block.tag, '')}{first}".split("\n")
            yield from rest


# What is kept


NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?%?")


def last_digit(number):
    """What one unit of its last digit is; none of a whole number."""
    digits, _, power = number.rstrip("%").replace(",", "").partition("e")
    decimals = len(digits.partition(".")[2])
    exact = not decimals and not number.endswith("%")
    return 0.0 if exact else 10.0 ** (int(power or 0) - decimals)


def alike(kept, said):
    """Of two lines that are the same but for numbers."""
    pairs = zip(NUMBER.findall(kept), NUMBER.findall(said), strict=True)
    for pair in pairs:
        one, other = (float(n.strip("%").replace(",", "")) for n in pair)
        unit = max(map(last_digit, pair))
        if abs(one - other) > 1.001 * unit:
            return False
    return True


def changes(kept, said):
    """The lines that differ, as they were and as they are."""
    words = [[NUMBER.sub("0", line) for line in of] for of in (kept, said)]
    match = SequenceMatcher(None, *words, autojunk=False)
    for kind, *ends in match.get_opcodes():
        old, new = kept[ends[0] : ends[1]], said[ends[2] : ends[3]]
        pairs = [*zip(old, new, strict=True)] if kind == "equal" else []
        if not pairs:
            pairs = [("\n     ".join(old), "\n     ".join(new))]
        yield from (p for p in pairs if kind != "equal" or not alike(*p))


@pytest.mark.parametrize("study", STUDIES)
def test_a_report_says_what_it_said(study, reports):
    said, *_ = reports(study)
    path = GOLDEN / f"{study.__name__}.txt"
    if os.environ.get("GOLDEN"):
        path.write_text("\n".join(said) + "\n", "utf-8")
    kept = path.read_text("utf-8").splitlines()
    found = [f"was: {a}\nis:  {b}" for a, b in changes(kept, said)]
    assert not found, "\n\n".join([*found, ACCEPT])


@pytest.mark.parametrize("study", STUDIES)
def test_the_numbers_of_a_report_fit_the_schema(study, reports, jsonschema):
    *_, numbers = reports(study)
    jsonschema.validate(numbers, json.loads(SCHEMA.read_text("utf-8")))


def test_a_number_may_differ_by_one_unit_of_its_last_digit():
    kept = ["r1 has 0.412 [1.2e-05, 3] at 45%", "Same."]
    said = ["r1 has 0.413 [1.3e-05, 3] at 44%", "Same."]
    assert [*changes(kept, said)] == []
    for other in ("0.414", "0.412 ,"), ("3]", "4]"), ("r1", "r2"):
        wrong = [kept[0].replace(*other), "Same."]
        assert len([*changes(kept, wrong)]) == (other[0] in kept[0])
    assert [*changes(["a", "b"], ["a"])] == [("b", "")]


def test_numbers_speak_in_the_readers_nouns(reports):
    *_, numbers = reports(answers)
    assert numbers["nouns"] == {"system": "model", "topic": "question"}
    told = " ".join([*numbers["findings"], *numbers["notes"]])
    assert not re.findall(r"\b([Ss]ystems?|[Tt]opics?)\b", told)


@pytest.mark.parametrize("study", [standings, ratings, judged_runs])
def test_actions_are_the_same_in_every_file(study, reports):
    said, folder, numbers = reports(study)
    actions = [row["action"] for row in numbers["actions"]]
    assert pd.read_csv(folder / "next.csv")["action"].tolist() == actions
    rows = [line[2:].partition(" |")[0] for line in said]
    first = rows.index(actions[0])
    assert rows[first : first + len(actions)] == actions


def test_what_is_piped_in_is_called_so(reports):
    _, folder, numbers = reports(ratings)
    assert numbers["title"] == "standard input: style"
    executed = json.loads((folder / "audit.ipynb").read_text("utf-8"))
    given = "".join(executed["cells"][0]["source"])
    assert "table = ['-']" in given
    assert f"{os.sep}standard input" not in given


def test_what_is_broken_does_not_fit_the_schema(reports, jsonschema):
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    *_, numbers = reports(judged_runs)
    broken = [{}, {**numbers, "findings": "good"}]
    for key in ("actions", "verdict", "leaderboard"):
        broken += [{**numbers, key: [["no", "row"]]}]
    less = [
        {k: r[k] for k in r if k != "error"} for r in numbers["actions"]
    ]
    broken += [{**numbers, "actions": less}]
    for wrong in broken:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


@pytest.mark.parametrize("study", [standings, judged_runs])
def test_a_key_that_the_schema_does_not_know_is_refused(
    study, reports, jsonschema
):
    *_, numbers = reports(study)
    schema = json.loads(SCHEMA.read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    by_name = {"observations", "missing", "nouns", "roles"}
    places = [*objects(numbers, by_name)]
    assert len(places) > 15
    for place in places:
        place["unknown"] = 1
        errors = validator.iter_errors(numbers)
        assert (
            "'unknown'" in jsonschema.exceptions.best_match(errors).message
        )
        del place["unknown"]


def objects(value, by_name):
    """All objects with keys of the report's: the first of each list, and
    none whose keys are the reader's names."""
    if isinstance(value, list):
        value = value[:1]
        yield from (o for item in value for o in objects(item, by_name))
    elif isinstance(value, dict):
        yield value
        for name, item in value.items():
            if name not in by_name:
                yield from objects(item, by_name)
