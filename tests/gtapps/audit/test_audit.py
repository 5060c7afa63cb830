"""The audit as a command: a report, or one message and nothing written."""

import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtapps import audit
from gtapps.audit.board import top
from gtapps.audit.command import main
from gtapps.audit.sentences import _verdict
from gtlib.reuse import Assignment
from tests.gtapps.audit.said import findings_of

RNG = np.random.default_rng(3)
WIDE = pd.DataFrame(
    0.3 + 0.1 * RNG.normal(size=(8, 1)) + 0.1 * RNG.normal(size=(8, 12)),
    index=[f"run{i}" for i in range(8)],
    columns=[f"q{i}" for i in range(12)],
)
BOTH = gt.Design("system x topic")


def run(tmp_path, *arguments):
    out = tmp_path / "report.html"
    return main(["audit", *map(str, arguments), "--out", str(out)])


def test_a_table_becomes_a_report(tmp_path, capsys):
    WIDE.to_csv(tmp_path / "scores.csv", index_label="system")
    assert run(tmp_path, tmp_path / "scores.csv", "--title", "Mine") == 0
    assert len(capsys.readouterr().out.split()) == 3
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<h1>Mine</h1>" in page
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", page)
    assert "Exercise" not in page
    assert page.count("<figcaption>") == page.count("<svg") == 1
    HTMLParser().feed(page)
    numbers = json.loads((tmp_path / "report.json").read_text("utf-8"))
    g = gt.gstudy(WIDE)
    by_name = {row["coefficient"]: row for row in numbers["coefficients"]}
    assert by_name["generalizability"]["estimate"] == pytest.approx(
        g.plan().generalizability
    )
    assert numbers["alpha"]["estimate"] == pytest.approx(
        gt.cronbach_alpha(WIDE).estimate
    )
    executed = json.loads((tmp_path / "report.ipynb").read_text("utf-8"))
    assert "scores.csv" in json.dumps(executed)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "report.html",
        "report.ipynb",
        "report.json",
        "scores.csv",
    ]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "a table of scores, or runs"),
        (["no.csv"], "no file"),
        (["good.csv", "--budget", "-5"], "budget"),
        (["good.csv", "--design", "system x x"], "cannot be read"),
        (["good.csv", "--design", "system x judge"], "needs a long table"),
        (["good.csv", "--held-out", "s.csv"], "--held-out needs --sites"),
        (["good.csv", "--runs", "good.csv"], "Give a table"),
        (["--runs", "good.csv"], "need qrels"),
        (["empty.csv"], "is empty"),
        (
            ["good.csv", "--sites", "good.csv", "--held-out", "good.csv"],
            "no column 'site'",
        ),
        (
            ["good.csv", "--sites", "sites.csv", "--held-out", "no.csv"],
            "no file",
        ),
        (["good.csv", "--out", "nowhere/report.html"], "no folder"),
    ],
)
def test_bad_input_is_one_message_and_nothing_is_written(
    tmp_path, capsys, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    WIDE.to_csv("good.csv", index_label="system")
    sites = pd.Series([*"aabbccdd"], WIDE.index, name="site")
    sites.to_csv("sites.csv", index_label="system")
    (tmp_path / "empty.csv").touch()
    before = sorted(tmp_path.iterdir())
    assert main(["audit", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert sorted(tmp_path.iterdir()) == before


EFFECTS = ("system", "topic", "system x topic")


def said(*components, levels=(20, 30)):
    g = gt.GStudy.from_mean_squares(
        "system x topic",
        dict(zip(("system", "topic"), levels, strict=True)),
        dict(zip(EFFECTS, components, strict=True)),
    )
    collection = audit.prepare(pd.DataFrame(np.eye(*levels)))
    return findings_of(replace(collection, study=g))


def test_findings_say_what_the_numbers_say():
    good = " ".join(said(2.0, 0.9, 0.01))
    assert "differences between systems are very reliable" in good
    assert "expected Kendall's tau of 0.9" in good
    assert "**system x topic**, the only error of theirs" in good
    assert "100%" not in good
    assert "Generalizability reaches 0.80 with 1 topic [1 to" in good
    hopeless = " ".join(said(0.009, 0.9, 0.01))
    assert "cannot tell the systems apart" in hopeless
    assert "may still differ. Generalizability is 0.000 [" in hopeless


def coins(seed, interaction, systems=20, topics=50, runs=2):
    """Scores of 0 and 1, drawn several times from the same chances."""
    rng = np.random.default_rng(seed)
    chance = 0.5 + rng.uniform(-0.2, 0.2, (systems, 1))
    chance = chance + rng.uniform(-0.25, 0.25, topics)
    if interaction:  # sure of each cell, and another for each system
        chance = rng.random((systems, topics)) < chance
    drawn = rng.random((runs, systems, topics)) < chance
    return [pd.DataFrame(1 * once) for once in drawn]


def said_of(scores, design=None):
    return " ".join(findings_of(audit.prepare(scores, design)))


@pytest.mark.parametrize("interaction", [False, True])
def test_one_score_of_0_or_1_a_cell_may_be_luck(interaction):
    """What is said of one run, and of two that are drawn."""
    once, again = coins(4, interaction)
    said = said_of(once)
    assert "different systems find different topics hard" not in said
    assert "one score of 0 or 1 a cell cannot tell apart" in said
    both = pd.concat([once, again], keys=["1", "2"], names=["repetition"])
    both = both.rename_axis(["repetition", "system"]).reset_index()
    both = both.melt(
        ["repetition", "system"], var_name="topic", value_name="score"
    )
    cell = both["system"].astype(str) + "/" + both["topic"].astype(str)
    both["repetition"] = cell + "/" + both["repetition"]
    other = said_of(both, "repetition:(system x topic)")
    assert "cannot tell apart" not in other


def test_other_scores_are_no_coins():
    said = said_of(coins(1, False)[0] / 2)
    assert "which systems do well depends on the topic. More topics" in said
    assert "cannot tell apart" not in said


@pytest.mark.parametrize(
    "low, high, words",
    [
        (0.96, 0.98, "**It is very reliable**"),
        (0.9, 0.949, "**It is reliable**"),
        (0.83, 0.97, "**It is at least fairly reliable**"),
        (0.71, 0.95, "(anything from doubtfully reliable to very"),
        (0.548, 0.942, "**How reliable it is cannot be told from this"),
        (0.1, 0.69, "**It is not reliable**"),
        (0.1, 0.75, "**It is at best doubtfully reliable**"),
        (np.nan, np.nan, "**It is fairly reliable, as far as can be told"),
    ],
)
def test_a_verdict_is_what_the_interval_allows(low, high, words):
    row = pd.Series({"estimate": 0.895, "low": low, "high": high})
    assert words in _verdict("It", "is", row)


def test_what_cannot_be_reached_is_said_before_what_can():
    long = gt.load("cf", measure="AP")
    g = gt.gstudy(long, "system x topic x assessor")
    required = audit.required_table(g, [0.9, 0.95, 0.97])
    found = findings_of(audit.prepare(long), required=required)
    places = {
        words: next(i for i, s in enumerate(found) if words in s)
        for words in ("No number of topics", "reaches 0.90")
    }
    assert places["No number of topics"] < places["reaches 0.90"]
    stopped = found[places["No number of topics"]]
    assert (
        "dependability to 0.95: the ceiling of dependability is 0.9"
        in unescape(stopped)
    )
    assert "the error that stays: assessor (91%), system x" in unescape(
        stopped
    )
    assert any("reliable to reliable" in s for s in found)


def test_topics_on_which_all_score_alike_are_named():
    scores = WIDE.copy()
    scores["q3"], scores["q7"] = 0.5, 0.0
    told = unescape(" ".join(audit.odd(gt.item_analysis(scores), 8)))
    assert "All systems score alike** on 2 topics: q3, q7" in told


def test_the_board_says_who_shares_the_first_place():
    scores = WIDE.copy()
    scores.loc["run1"] = scores.loc["run0"] = 0.9 + RNG.random(12) / 9
    board = gt.leaderboard(scores)
    told = unescape(top(board))
    assert "First on these topics are run0, run1, with the same" in told
    assert "with other topics drawn anew, 2 of" in told
    solved = (WIDE > 0.3).astype(int)
    assert gt.leaderboard(solved).test == "exact McNemar"
    _, words = audit.describe_alpha(solved)
    assert words.startswith("alpha (KR-20")


def test_who_may_be_the_best_is_named_in_any_tier():
    """B differs from A, and so begins a tier; C, a noisy system below it,
    may be the best."""
    rng = np.random.default_rng(2)
    base = rng.normal(0.5, 0.1, 60)
    noisy = rng.normal(0, 0.4, 60)
    noisy += base.mean() + 0.02 - noisy.mean()
    close = base + 0.03 + rng.normal(0, 0.004, 60)
    table = pd.DataFrame(
        [base + 0.05, close, noisy, base - 0.5], index=[*"ABCD"]
    )
    board = gt.leaderboard(table)
    assert board.table["tier"].tolist() == [1, 2, 2, 3]
    told = top(board)
    assert "2 of 4 systems may be (A, C; 95% confidence" in unescape(told)


def test_the_share_of_pairs_told_apart_is_the_same_wherever_it_stands():
    """By hand, of all pairs and of neighbours."""
    rng = np.random.default_rng(4)
    true = np.r_[np.linspace(0.2, 0.5, 8), np.linspace(0.7, 0.8, 4)]
    wide = pd.DataFrame(true[:, None] + rng.normal(0, 0.1, (12, 30)))
    board = gt.leaderboard(wide)
    differ = board.p_values.to_numpy()[np.triu_indices(12, 1)] < 0.05
    assert 0.2 < differ.mean() < 0.9
    (told,) = audit.leaders(board)
    assert f"**{differ.mean():.0%}** of all pairs" in told
    order = board.table.index
    p = board.p_values
    near = sum(p.loc[a, b] < 0.05 for a, b in pairwise(order))
    assert 0 < near < 11
    assert f"and {near} of 11 pairs of neighbours" in told
    assert f"it has {board.table['tier'].max()} tiers" in told


def test_what_a_number_draws_anew_and_what_it_keeps_is_named():
    """The coefficient, the ranking and the board draw the same anew."""
    long = gt.load("cf", measure="AP")
    collection = audit.prepare(long[long["topic"].isin(range(1, 31))])
    told = " ".join(findings_of(collection))
    assert "would change with other topics and assessors." in told
    assert "as many other topics and assessors would rank" in told
    board = audit.board_of(collection)
    for told in (top(board), *audit.leaders(board)):
        assert "with other topics and assessors drawn anew" in told
    assert "change with other topics." in said(2.0, 0.9, 0.01)[0]


def test_a_boards_ranks_have_a_level():
    board = gt.leaderboard(WIDE, confidence_level=0.9)
    shown = audit.board_style(board).data
    assert {"90% interval", "ranks together, 95%"} <= {*shown}
    best, worst = board.table[["best_rank", "worst_rank"]].T.to_numpy()
    assert shown["ranks together, 95%"].tolist() == [
        f"{b} to {w}" for b, w in zip(best, worst, strict=True)
    ]


def test_a_long_board_is_cut_and_the_rest_summed_up():
    rng = np.random.default_rng(1)
    many = rng.random((30, 1)) + rng.normal(0, 0.1, (30, 9))
    board = gt.leaderboard(pd.DataFrame(many))
    assert audit.board_style(board).data.shape == (20, 7)
    (told,) = audit.rest_of(board)
    assert told.startswith("10 systems below those shown")
    few = gt.leaderboard(WIDE)
    assert audit.rest_of(few) == []


def test_numbers_are_plain_json(tmp_path):
    path = tmp_path / "n.json"
    audit.write_numbers(
        path,
        table=pd.DataFrame({"a": [1, np.nan]}, index=["x", "y"]),
        series=pd.Series([True], ["yes"]),
        infinite=np.inf,
        result=gt.Interval(0.1, 0.2),
        missing=pd.NA,
    )
    found = json.loads(path.read_text("utf-8"))
    assert found["table"][1] == {"index": "y", "a": None}
    assert found["series"] == {"yes": True}
    assert found["infinite"] is found["missing"] is None
    assert found["result"]["high"] == 0.2
    audit.write_numbers(None, unwritten=1)


def test_reusability_from_files(tmp_path):
    sites = {system: f"site{i % 4}" for i, system in enumerate(WIDE.index)}
    held = gt.BlockDesign(4, 1, list(WIDE.columns), baseline=4).assign()
    assignment, table = tmp_path / "held.csv", tmp_path / "sites.csv"
    new = sorted(set(sites.values()))
    names = dict(zip(held.held_out, new, strict=True))
    held = Assignment(held.held_out.rename(columns=names))
    held.to_csv(assignment)
    pd.Series(sites, name="site").to_csv(table, index_label="system")
    report = gt.reusability_test(
        *audit.block_design(WIDE, table, assignment), n_resamples=99
    )
    assert report.table["p"].between(0, 1).all()
    pd.Series(sites, name="site")[1:].to_csv(table, index_label="system")
    with pytest.raises(ValueError, match="run0 has no site"):
        audit.block_design(WIDE, table, assignment)
