"""Whether a system is as good as a baseline, but for a margin."""

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import gtaudit
from gtaudit.command import main
from gtaudit.verdict import WIDE
from tests.cases import first
from tests.gtaudit.test_golden_reports import SCHEMA

RNG = np.random.default_rng(5)
MERIT = np.array([[0.5], [0.49], [0.3], [0.52]])
TABLE = pd.DataFrame(
    MERIT + RNG.normal(0, 0.2, 60) + RNG.normal(0, 0.1, (4, 60)),
    ["old", "new", "poor", "best"],
)


def asked(table, baseline, margin):
    """The answers of a table, and its pairs."""
    collection = gtaudit.prepare(table)
    board = gtaudit.audit_leaderboard(collection)
    pairs = gtaudit.compare_systems(collection, board, baseline, margin)
    known = gtaudit.coefficient_table(collection.study)
    return gtaudit.give_verdicts(collection, known, board, pairs), pairs


@pytest.mark.parametrize("margin", [0.001, 0.03, 0.1])
@pytest.mark.parametrize("name", ["new", "poor"])
def test_the_answer_is_that_of_a_one_sided_t_test(name, margin):
    pair = TABLE.loc[["old", name]]
    found, pairs = asked(pair, "old", margin)
    apart = (pair.loc[name] - pair.loc["old"]).to_numpy()
    error, n = stats.sem(apart), len(apart)
    low, high = apart.mean() + error * stats.t.ppf([0.05, 0.95], n - 1)
    row = pairs.iloc[0]
    assert [row["at_worst"], row["at_best"]] == pytest.approx([low, high])
    is_good = stats.ttest_1samp(apart, -margin, alternative="greater")
    is_poor = stats.ttest_1samp(apart, -margin, alternative="less")
    answer = "cannot be told"
    if is_good.pvalue < 0.05:
        answer = "enough"
    elif is_poor.pvalue < 0.05:
        answer = "not enough"
    assert found.answers[0].answer == answer
    said = found.answers[0].sentence
    end = high if answer == "not enough" else low
    which = "best" if answer == "not enough" else "worst"
    assert f"By {apart.mean():.3f}, at {which} {end:.3f}." in said


def test_what_would_settle_it_is_next():
    found, pairs = asked(TABLE.loc[["old", "new"]], "old", 0.01)
    assert found.answers[0].answer == "cannot be told"
    more = pairs["more_at_least"].iloc[0]
    assert found.remedy.levels == more
    assert f"{more:,.0f} more topics" in found.lines[-1]


def test_of_several_the_best_is_asked_and_the_page_has_all():
    found, pairs = asked(TABLE, "old", 0.05)
    assert "Is best as good as old within 0.05?" in found.lines[0]
    number = (pairs["at_least"] == "enough").sum()
    assert 0 < number < 3
    assert f"So good are {number} of the 3 other" in found.answers[0].more


def test_scores_without_error_are_not_told():
    table = pd.DataFrame(np.tile(np.arange(8.0), (2, 1)), ["a", "b"])
    table.loc["b"] += 1
    (found,) = asked(table, "a", 0.5)[0].answers
    assert found.answer in ("enough", "cannot be told")


@pytest.mark.slow
@pytest.mark.parametrize("scale", first(1, [1e5, 1, 1e-6]))
def test_a_line_is_no_wider_than_a_terminal(scale):
    table = TABLE.set_axis(["abcdefghijkl", "W" * 12, "poor", "b" * 12])
    for margin in (0.001, 0.02, 0.3):
        found, _ = asked(scale * table, "W" * 12, scale * margin)
        for line in found.lines:
            assert len(" ".join(line.split())) <= WIDE, line


@pytest.mark.slow
def test_the_command_writes_it(tmp_path, capsys):
    path = tmp_path / "a.csv"
    TABLE.to_csv(path, index_label="system")
    told = ["--baseline", "old", "--margin", "0.05"]
    out = ["--out", str(tmp_path / "audit.html")]
    assert main(["audit", str(path), *told, *out]) == 0
    assert "as good as old within 0.05?" in capsys.readouterr().out
    numbers = json.loads((tmp_path / "audit.json").read_text("utf-8"))
    jsonschema.validate(numbers, json.loads(SCHEMA.read_text("utf-8")))
    _, pairs = asked(TABLE, "old", 0.05)
    assert [row["at_least"] for row in numbers["pairs"]] == [
        *pairs["at_least"]
    ]
    page = (tmp_path / "audit.html").read_text("utf-8")
    assert "as good" in page and "equivalent" in page


@pytest.mark.slow
def test_errors_are_better_where_they_are_fewer(tmp_path, capsys):
    path = tmp_path / "a.csv"
    (1 - TABLE).to_csv(path, index_label="system")
    told = ["--baseline", "old", "--margin", "0.05", "--less-is-better"]
    out = ["--out", str(tmp_path / "audit.html")]
    assert main(["audit", str(path), *told, *out]) == 0
    turned = capsys.readouterr().out.splitlines()[0]
    assert turned.split() == asked(TABLE, "old", 0.05)[0].lines[0].split()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (["--margin", "0.1"], "say which with --baseline"),
        (["--baseline", "old", "--margin", "0"], "--margin=0"),
        (["--baseline", "old", "--margin", "-1"], "--margin=-1"),
        (["--baseline", "old", "--margin", "nan"], "--margin=nan"),
        (["--baseline", "old", "--margin", "99"], "all scores lie within"),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path, capsys, told, said):
    path = tmp_path / "a.csv"
    TABLE.to_csv(path, index_label="system")
    assert main(["audit", str(path), *told]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("baseline", ["old", "new", "poor", "best"])
def test_without_a_margin_the_baseline_is_beaten_or_not(baseline):
    """As by t tests of all pairs with it, and statsmodels' Holm."""
    found, _ = asked(TABLE, baseline, None)
    others = TABLE.drop(baseline)
    apart = others - TABLE.loc[baseline]
    p = [stats.ttest_1samp(row, 0).pvalue for row in apart.to_numpy()]
    p = pd.Series(multipletests(p, method="holm")[1], others.index)
    mean = apart.mean(axis="columns")
    beats = mean[(p < 0.05) & (mean > 0)]
    first = (mean if beats.empty else beats).idxmax()
    is_sure = p[first] < 0.05
    names = [first, baseline][:: 1 if mean[first] > 0 else -1]
    said = found.answers[0]
    assert said.question == "Is {} better than {}?".format(*names)
    assert said.answer == ("enough" if is_sure else "not enough")
    assert f"By {abs(mean[first]):.3f} [" in said.sentence
    worse = ((p < 0.05) & (mean < 0)).sum()
    counted = f"{len(beats)} of the 3 other systems; worse: {worse}."
    assert counted in said.more
    if not is_sure:
        assert "the pair" in found.next or "the order" in found.next


@pytest.mark.slow
def test_a_baseline_like_the_others_is_seldom_beaten():
    rng = np.random.default_rng(0)
    came = 0
    for _ in range(300):
        table = rng.normal(0, 0.2, 25) + rng.normal(0, 0.1, (6, 25))
        found, _ = asked(pd.DataFrame(table, [*"abcdef"]), "a", None)
        came += found.answers[0].answer == "enough"
    assert 2 <= came <= stats.binom.ppf(0.999, 300, 0.05)
