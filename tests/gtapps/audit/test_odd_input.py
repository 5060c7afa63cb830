"""What is odd and may happen: constants, single scores, prices, names that
spreadsheets calculate with, files of an earlier call."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gtapps import audit
from gtapps.audit.command import main
from gtapps.audit.display import styled
from gtapps.audit.nouns import describe_design
from gtapps.audit.planning import check_plan
from gtapps.simulations import synthetic_runs

RNG = np.random.default_rng(5)
WIDE = pd.DataFrame(
    (np.linspace(0.2, 0.6, 5)[:, None] + RNG.normal(0, 0.1, (5, 8))).clip(
        0
    ),
    [f"r{i}" for i in range(5)],
    [f"q{i}" for i in range(8)],
)


def in_rows(system, topic):
    table = WIDE.rename_axis(system).reset_index()
    return table.melt(system, var_name=topic, value_name="score")


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """The command in a folder of its own: its code, and what it said."""
    monkeypatch.chdir(tmp_path)

    def run(table, *options):
        if table is not None:
            table.to_csv("a.csv", index=not {"topic", "item"} & {*table})
            options = "a.csv", *options
        try:
            code = main([*map(str, ("audit", *options))])
        except SystemExit as error:
            code = error.code
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


# Statistics


def one_score():
    wide = WIDE.copy()
    wide.iloc[0, 1:] = np.nan
    return audit.prepare(wide)


def one_seed():
    rows = [
        (f"s{i}", f"q{t}", f"{i}-{s}", 0.2 + 0.1 * i + RNG.normal(0, 0.03))
        for i in range(4)
        for s in range(1 if i == 0 else 4)
        for t in range(6)
    ]
    columns = ["system", "topic", "seed", "score"]
    long = pd.DataFrame(rows, columns=columns)
    return audit.prepare(long, "(seed:system) x topic")


@pytest.mark.parametrize("made", [one_score, one_seed])
def test_one_system_with_one_score_takes_no_interval_from_others(made):
    board = audit.board_of(made())
    known = board.table[["low", "high"]].notna().all(axis=1)
    (alone,) = known.index[~known]
    assert alone in ("r0", "s0")
    others = board.table.drop(index=alone)
    assert (others["low"] < others["mean"]).all()
    assert (others["mean"] < others["high"]).all()
    shown = audit.board_style(board).data["95% interval"]
    assert shown[alone] == "–"
    assert shown.drop(alone).str.fullmatch(r"\[0\.\d+, 0\.\d+\]").all()


def test_two_systems_that_differ_by_a_constant_have_no_error():
    """Though a file rounds it."""
    both = pd.DataFrame([WIDE.iloc[0], WIDE.iloc[0] + 0.125], ["a", "b"])
    both = pd.read_csv(io.StringIO(both.to_csv()), index_col=0)
    collection = audit.prepare(both)
    board = audit.board_of(collection)
    (said,) = audit.describe_pairs(audit.pairs_of(collection, board), board)
    assert said == (
        "**b is better than a** by 0.125 [0.125, 0.125] (as much on all "
        "these topics: is one made of the other?)."
    )
    both.iloc[1, 0] += 1e-6  # what differs is no constant
    board = audit.board_of(other := audit.prepare(both))
    (said,) = audit.describe_pairs(audit.pairs_of(other, board), board)
    assert "p = " in said


def test_no_number_is_minus_zero():
    table = pd.DataFrame({"mean": [-1e-9, -0.0, -0.2]}, ["a", "b", "c"])
    text = styled(table).to_html()
    assert "-0.000" not in text
    assert "-0.200" in text


# Prices and limits


@pytest.mark.parametrize("price", [1e308, 1e99, 1e-99, 1e-300, 5e-324])
def test_prices_that_no_sum_can_hold_are_refused(call, price):
    code, said = call(WIDE, "--cost", f"topic={price}", "--budget", 5)
    assert code == 2
    assert "--cost: prices lie between 1e-99 and 1e99." in said


@pytest.mark.parametrize("price", [2e-99, 1e-9, 1, 1e9, 5e98])
@pytest.mark.parametrize("budget", [None, 1e-300, 7, 1e308])
def test_prices_that_are_taken_have_finite_plans(price, budget):
    collection = audit.prepare(WIDE)
    cost = {"topic": price}
    check_plan(collection.design, budget, 0.9, cost)
    table = audit.advise(collection, cost=cost, budget=budget).table
    assert np.isfinite(table[["price", "half_width", "error"]]).all(
        axis=None
    )
    (bought,) = table.index.drop("stop")
    assert 1 <= int(bought.split()[0]) <= audit.planning.MOST_TOPICS


def test_a_limit_of_memory_that_is_too_low_is_input(call):
    pytest.importorskip("ibis.backends.duckdb")
    long = in_rows("system", "topic")
    code, said = call(long, "--memory-limit", "1B")
    assert code == 2
    assert "1B is too little memory" in said


def test_the_last_of_two_budgets_counts(call):
    code, _ = call(WIDE, "--budget", 9, "--budget", 20, "--next", "n.csv")
    assert code == 0
    assert "12 more topics" in (pd.read_csv("n.csv")["action"]).tolist()


@pytest.mark.parametrize("option", ["--budget", "--target", "--cost"])
def test_two_systems_are_told_that_nothing_is_planned(call, option):
    given = {"--budget": 30, "--target": 0.9, "--cost": "topic=2"}[option]
    assert call(WIDE.iloc[[0, 4]], option, given)[0] == 0
    page = Path("audit.html").read_text("utf-8")
    said = "Nothing is planned for <code>--budget</code>"
    assert page.count(said) == 1
    assert "What to do next" not in page


def test_two_systems_are_told_nothing_of_plans_unasked(call):
    assert call(WIDE.iloc[[0, 4]])[0] == 0
    page = Path("audit.html").read_text("utf-8")
    assert "Nothing is planned" not in page


def test_a_target_that_is_reached_ends_the_plans_of_the_page(call):
    assert call(WIDE, "--target", 0.5, "--next", "n.csv")[0] == 0
    page = Path("audit.html").read_text("utf-8")
    assert "<strong>Next: stop</strong>: generalizability is " in page
    assert ", and 0.5 is the target." in page
    assert pd.read_csv("n.csv")["action"][0] == "stop"


# Names


def test_a_design_in_an_error_is_the_readers():
    error = (
        "topic 'topic' occurs twice. If it is the same, the two are "
        "crossed: 'topic x subject'. If not: scores['subject'] = "
        "scores['topic'].astype(str)."
    )
    assert describe_design("model x (subject:item)", error) == (
        "item 'topic' occurs twice. If it is the same, the two are "
        "crossed: 'item x subject'. If not: scores['subject'] = "
        "scores['item'].astype(str)."
    )


def test_actions_are_in_the_readers_nouns(call):
    long = in_rows("model", "item")
    options = "--design", "model x item", "--next", "n.csv"
    assert call(long, *options)[0] == 0
    text = Path("n.csv").read_text("utf-8")
    assert "1 more item," in text
    assert "topic" not in text
    numbers = json.loads(Path("audit.json").read_text("utf-8"))
    told = [row["action"] for row in numbers["actions"]]
    assert told == pd.read_csv("n.csv")["action"].tolist()


def test_shares_from_sums_are_in_the_readers_nouns(call):
    pytest.importorskip("ibis.backends.duckdb")
    long = in_rows("model", "item")
    options = "--design", "model x item", "--memory-limit", "100MB"
    code, said = call(long, *options)
    assert code == 0
    assert "% model, " in said
    assert "system" not in said
    assert "topic" not in said


STRANGE = ["=cmd()", "+1", "-2", "@SUM(A1)", "'quoted"]


def test_names_that_spreadsheets_calculate_stay_as_they_are(call):
    """Machines read them. The chapter says how to open the file."""
    table = WIDE.set_axis(STRANGE)
    assert call(table, "--board", "b.csv")[0] == 0
    assert {*pd.read_csv("b.csv")["system"]} == {*STRANGE}


def test_options_in_prose_are_code(call):
    """Where they are not, the book's pages make one dash of two."""
    assert call(WIDE)[0] == 0
    page = Path("audit.html").read_text("utf-8")
    body = page.split("What it was computed from")[0]
    for option in ("runs", "qrels", "budget", "cost"):
        assert f"<code>--{option}</code>" in body
        assert f" --{option}" not in body


@pytest.mark.parametrize("code", ["nosuch", ",", " "])
def test_what_is_allowed_is_named_with_its_option(call, code):
    ended, said = call(WIDE, "--allow", code)
    assert ended == 2
    assert "(--allow) is '" in said
    assert "choose from 'average', " in said


# Files of an earlier call


def of_runs(folder):
    runs, complete, _ = synthetic_runs(3, 2, 6, 60, 2)
    pooled = ~runs["system"].isin(["s1", "s5"]) & (runs["rank"] <= 5)
    top = runs.loc[pooled, ["topic", "document"]].drop_duplicates()
    lines = complete.merge(top).assign(i=0)
    columns = ["topic", "i", "document", "relevance"]
    write = {"sep": " ", "header": False, "index": False}
    lines[columns].to_csv(folder / "q.txt", **write)
    (folder / "runs").mkdir()
    columns = ["topic", "i", "document", "rank", "score", "system"]
    for system, run in runs.assign(i="Q0").groupby("system"):
        run[columns].to_csv(folder / "runs" / system, **write)
    return "--runs", "runs", "--qrels", "q.txt", "--next", "n.csv"


def test_no_documents_of_an_earlier_call_stay_to_be_judged(call, tmp_path):
    beside = tmp_path / "n-judge.csv"
    assert call(None, *of_runs(tmp_path))[0] == 0
    assert len(pd.read_csv(beside)) > 0
    assert call(WIDE, "--next", "n.csv")[0] == 0
    assert beside.read_text() == "topic,document\n"


@pytest.mark.parametrize(
    "mine", ["topic,document,relevance\n1,d,1\n", "", "my notes", b"\xff\0"]
)
def test_what_only_has_the_name_is_left_alone(call, tmp_path, mine):
    beside = tmp_path / "n-judge.csv"
    mine = mine if isinstance(mine, bytes) else mine.encode()
    beside.write_bytes(mine)
    assert call(WIDE, "--next", "n.csv")[0] == 0
    assert beside.read_bytes() == mine
    code, said = call(None, *of_runs(tmp_path))
    assert code == 2
    assert "n-judge.csv is there already, and no audit wrote it" in said
    assert beside.read_bytes() == mine


def test_a_link_or_a_folder_of_that_name_is_left_alone(call, tmp_path):
    elsewhere = tmp_path / "other.csv"
    elsewhere.write_text("topic,document\n1,d\n")
    beside = tmp_path / "n-judge.csv"
    beside.symlink_to(elsewhere)
    assert call(WIDE, "--next", "n.csv")[0] == 0
    assert elsewhere.read_text() == "topic,document\n1,d\n"
    beside.unlink()
    beside.mkdir()
    assert call(WIDE, "--next", "n.csv")[0] == 0
    assert beside.is_dir()
