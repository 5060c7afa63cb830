"""The report on judges beside people: its numbers, words and prices."""

import json
import re
from itertools import combinations
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.proportion import proportion_confint

import gtaudit
import gtlib as gt
from gtaudit import answer, collect
from gtaudit.command import main
from gtaudit.study import Asked
from gtaudit.verdict import WIDE, WORD
from gtlib.comparisons import kendall_tau
from tests.cases import first

SCHEMA = Path(gtaudit.__file__).with_name("report.schema.json")


def grades(seed=0, items=80, raters=("human", "judge"), systems=0):
    """Grades from 1 to 5 of the same merits."""
    rng = np.random.default_rng([seed, 73])
    rows = items * max(systems, 1)
    merit = rng.normal(0, 1, (rows, 1))
    if systems:
        merit += np.repeat(np.linspace(0, 0.8, systems), items)[:, None]
    noise = rng.normal(0, 0.6, (rows, len(raters)))
    table = pd.DataFrame(np.clip(np.round(3 + merit + noise), 1, 5))
    table.columns = [*raters]
    table.insert(0, "item", np.tile(np.arange(items), max(systems, 1)))
    if systems:
        names = [f"model {k}" for k in range(systems)]
        table.insert(0, "model", np.repeat(names, items))
    return table


def found(folder, table, **asked):
    """What is answered of a table, and its verdicts."""
    path = folder / "marks.csv"
    table.to_csv(path, index=False)
    first = answer(collect(path), Asked(**asked))
    return first.found, first.verdicts


@pytest.mark.parametrize("people", [["human"], ["human1", "human2"]])
def test_wrong_marks_are_counted_as_by_others(tmp_path, people):
    """By scikit-learn's confusion matrix and statsmodels' Wilson."""
    table = grades(raters=[*people, "judge"])
    marks = table[[*people, "judge"]] > 3
    table = table.assign(**marks.astype(int))
    table.loc[:20, people[0]] = np.nan
    judged, verdicts = found(tmp_path, table)
    long = table.melt(["item", "judge"], people).dropna()
    counts = confusion_matrix(long["value"], long["judge"])
    rows = judged.errors.set_index("mark")
    for mark in (0, 1):
        row, number = rows.loc[mark], counts[mark].sum()
        wrong = counts[mark, 1 - mark]
        assert row["human_marks"] == number
        assert row["estimate"] == pytest.approx(wrong / number)
        assert f"{wrong / number:.2f} [" in verdicts.answers[0].more
        if len(people) == 1:
            ends = proportion_confint(wrong, number, method="wilson")
            assert [row["low"], row["high"]] == pytest.approx(ends)


def test_other_marks_are_not_called_wrong(tmp_path):
    judged, _ = found(tmp_path, grades())
    assert judged.errors.empty


def test_agreement_is_that_of_sklearn(tmp_path):
    table = grades()
    judged, _ = found(tmp_path, table)
    kappa = cohen_kappa_score(
        table["human"], table["judge"], weights="quadratic"
    )
    assert judged.statistic == "weighted kappa"
    assert judged.agreement.loc["judge", "estimate"] == pytest.approx(kappa)
    passed = table.assign(
        human=table["human"] > 3,
        judge=np.where(table["judge"] > 3, "pass", "fail"),
    )
    judged, _ = found(tmp_path, passed)
    kappa = cohen_kappa_score(table["human"] > 3, table["judge"] > 3)
    assert judged.agreement["estimate"].item() == pytest.approx(kappa)


def test_several_people_and_judges_are_averaged_over_pairs(tmp_path):
    people, judges = ["rater1", "rater2", "expert"], ["gpt4", "claude"]
    table = grades(1, 60, [*people, *judges])
    judged, verdicts = found(tmp_path, table)

    def kappa(pairs):
        each = [
            cohen_kappa_score(table[a], table[b], weights="quadratic")
            for a, b in pairs
        ]
        return np.mean(each)

    expected = kappa(combinations(people, 2))
    assert judged.people["estimate"] == pytest.approx(expected)
    for judge in judges:
        row = judged.agreement.loc[judge]
        expected = kappa([(p, judge) for p in people])
        assert row["estimate"] == pytest.approx(expected)
    best = judged.agreement["estimate"].idxmax()
    assert judged.judge == best
    assert f"; people {judged.people['estimate']:.2f}" in verdicts.lines[0]


def test_the_mean_is_that_of_the_library(tmp_path):
    """Also of each system, and of people alone where they marked all."""
    table = grades(2, 50, systems=3)
    rng = np.random.default_rng(3)
    few = table.assign(
        human=table["human"].where(rng.random(len(table)) < 0.3)
    )
    judged, _ = found(tmp_path, few)
    for row in judged.means.to_dict("records"):
        own = few[few["model"] == row["system"]].set_index("item")
        human = own["human"].dropna().to_frame().T
        machine = own[["judge"]].T.set_axis(human.index)
        theirs = gt.prediction_powered(human, machine, bounds=(1, 5)).iloc[
            0
        ]
        ours = [row[name] for name in ("estimate", "low", "high")]
        assert ours == pytest.approx(theirs[["mean", "low", "high"]])
        assert row["human_low"] == pytest.approx(theirs["human_low"])
    judged, verdicts = found(tmp_path, table)
    means = judged.means.set_index("system")["estimate"]
    truth = table.groupby("model")["human"].mean()
    assert means.to_numpy() == pytest.approx(truth)
    cells = [
        table.pivot_table(who, "model", "item")
        for who in ("human", "judge")
    ]
    tau = kendall_tau(*(part.mean(axis=1) for part in cells))
    assert judged.ranking["estimate"].item() == pytest.approx(tau)
    assert f"mean of {means.idxmax()}?" in verdicts.lines[2]


@pytest.mark.slow
@pytest.mark.parametrize("systems", [0, 4])
@pytest.mark.parametrize("sparse", first(1, [True, False]))
@pytest.mark.parametrize("asked", first(1, [{"cost": {"human": 2.5}}, {}]))
def test_lines_fit_and_something_is_next(systems, sparse, asked, tmp_path):
    raters = ["rater1", "rater2", "claude_judge", "gpt4_score"]
    for seed in range(3):
        table = grades(seed, 60, raters, systems)
        if sparse:
            few = np.random.default_rng(seed).random(len(table)) < 0.2
            table = table.assign(
                **{p: table[p].where(few) for p in raters[:2]}
            )
        _, verdicts = found(tmp_path, table, **asked)
        for line in verdicts.lines:
            word, rest = line[:WORD].strip(), line[WORD:]
            assert len(f"{word} {rest}") <= WIDE, line
        assert " marked by people" in verdicts.next
        assert ("(price " in verdicts.next) == bool(asked)


def test_a_budget_says_what_it_buys(tmp_path):
    table = grades(0, 80)
    table.loc[40:, "human"] = np.nan
    asked = {"cost": {"human": 2}, "budget": 100.0}
    _, verdicts = found(tmp_path, table, **asked)
    assert verdicts.next.endswith(
        "; your budget buys 10."
    )  # of 40 spent 80


def test_items_that_several_mark_cost_as_many_marks(tmp_path):
    table = grades(0, 80)
    table = table.assign(human2=table["human"].iloc[::-1].to_numpy())
    _, alone = found(tmp_path, table, cost={"human": 2})
    price = re.search(r"([\d,]+) more .*? \(price ([\d,]+)\)", alone.next)
    items, asked = (int(x.replace(",", "")) for x in price.groups())
    assert asked == 2 * 2 * items


@pytest.mark.slow
def test_halving_comes_true(tmp_path):
    """So many more human marks halve the interval of the mean; a first
    correlation of forty is off by its error."""
    ratios = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        marks = rng.normal(0, 1, (2000, 1)) + rng.normal(0, 0.5, (2000, 2))
        table = pd.DataFrame(marks.round(2), columns=["human", "judge"])
        table.insert(0, "item", range(2000))
        widths, number = [], 40
        for _ in range(2):
            few = table["human"].where(table.index < number)
            judged, verdicts = found(tmp_path, table.assign(human=few))
            widths.append(judged.means.eval("high - low").item())
            said = r"([\d,]+)(?: more human marks would)? halve"
            more = re.search(said, verdicts.next)
            number += int(more[1].replace(",", ""))
        ratios.append(widths[1] / widths[0])
    assert np.mean(ratios) == pytest.approx(0.5, abs=0.06)


EVIL = "<img src=x onerror=alert(1)> judge"
HOSTILE = {
    "one item": ("item,human,judge\n1,1,1", "Fewer than two items"),
    "all are equal": (
        "item,human,judge\n" + "".join(f"{i},1,1\n" for i in range(9)),
        "All marks are the same",
    ),
    "nothing is shared": (
        "item,human,judge\n"
        + "".join(f"{i},{i % 2},\n{i + 9},,1\n" for i in range(9)),
        "Fewer than two items",
    ),
    "letters": (
        "item,human,judge\n"
        + "".join(
            f"{i},{'AB'[i % 2]},{'AB'[i % 3 > 0]}\n" for i in range(9)
        ),
        "κ ",
    ),
    "other scales": (
        "item,human,judge\n"
        + "".join(f"{i},{i % 2},{20 + i * 7}\n" for i in range(20)),
        "another scale",
    ),
    "words beside numbers": (
        "item,human,judge\n"
        + "".join(f"{i},{'AB'[i % 2]},{i % 3}\n" for i in range(9)),
        "another scale",
    ),
    "other words": (
        "item,human,judge\n"
        + "".join(
            f"{i},{'AB'[i % 2]},{'xy'[i % 3 > 0]}\n" for i in range(9)
        ),
        "another scale",
    ),
    "names that are HTML": (
        f"item,<b>human</b>,{EVIL}\n"
        + "".join(f"<i>{i}</i>,{i % 2},{i % 3 > 0:d}\n" for i in range(9)),
        "κ ",
    ),
    "systems without a mark": (
        "model,item,human,judge\n"
        + "".join(
            f"{m},{i},{'' if m == 'w' else i % 3},{i % 4}\n"
            for m in "uvwx"
            for i in range(9)
        ),
        "Does it rank models",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_odd_is_told(what, tmp_path, capsys):
    text, said = HOSTILE[what]
    path = tmp_path / "marks.csv"
    path.write_text(text, "utf-8")
    out = tmp_path / "a.html"
    assert main(["audit", str(path), "--out", str(out)]) == 0
    assert said in capsys.readouterr().out
    numbers = json.loads((tmp_path / "a.json").read_text("utf-8"))
    jsonschema.validate(numbers, json.loads(SCHEMA.read_text("utf-8")))
    page = out.read_text("utf-8")
    assert ">nan<" not in page.lower()
    assert "Next" in page
    html = pytest.importorskip("lxml.html")
    parsed = html.fromstring(page)
    assert not parsed.xpath("//img | //main//b | //main//i")


@pytest.mark.parametrize(
    "given",
    [
        *(["--baseline", "judge"], ["--fail-under", "alpha=.5"]),
        *(["--less-is-better"], ["--fixed", "item"], ["--margin", "1"]),
        ["--by", "item"],
        *(["--cost", "topic=3"], ["--cost", "human=0"], ["--budget", "-1"]),
    ],
    ids=lambda given: given[0],
)
def test_what_has_no_answer_here_is_refused(given, tmp_path, capsys):
    path = tmp_path / "marks.csv"
    grades().to_csv(path, index=False)
    out = str(tmp_path / "a.html")
    assert main(["audit", str(path), "--out", out, *given]) == 2
    assert given[0] in capsys.readouterr().err
    assert not (tmp_path / "a.html").exists()
