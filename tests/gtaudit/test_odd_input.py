"""What is odd and may happen: constants, single scores, prices, names that
spreadsheets calculate with, files of an earlier call."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gtaudit
from gtaudit.board import board_table
from gtaudit.command import main
from gtaudit.page import as_table
from gtaudit.planning import check_plan

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
def call(tmp_path, monkeypatch, capsys, short_report):
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
    return gtaudit.prepare(wide)


def one_seed():
    rows = [
        (f"s{i}", f"q{t}", f"{i}-{s}", 0.2 + 0.1 * i + RNG.normal(0, 0.03))
        for i in range(4)
        for s in range(1 if i == 0 else 4)
        for t in range(6)
    ]
    columns = ["system", "topic", "seed", "score"]
    long = pd.DataFrame(rows, columns=columns)
    return gtaudit.prepare(long, "(seed:system) x topic")


@pytest.mark.parametrize("made", [one_score, one_seed])
def test_one_system_with_one_score_takes_no_interval_from_others(made):
    board = gtaudit.audit_leaderboard(made())
    known = board.table[["low", "high"]].notna().all(axis=1)
    (alone,) = known.index[~known]
    assert alone in ("r0", "s0")
    others = board.table.drop(index=alone)
    assert (others["low"] < others["mean"]).all()
    assert (others["mean"] < others["high"]).all()
    for name, *cells in as_table(board_table(board)).rows:
        assert (cells[0][1] == "–") == (name == alone)


def test_no_number_is_minus_zero():
    table = pd.DataFrame({"mean": [-1e-9, -0.0, -0.2]}, ["a", "b", "c"])
    cells = [cell for _, (cell,) in as_table(table).rows]
    assert cells == ["0.000", "0.000", "−0.200"]


# Prices and limits


@pytest.mark.parametrize("price", [2e-99, 1, 5e98])
@pytest.mark.parametrize("budget", [None, 1e-300, 7, 1e308])
def test_prices_that_are_taken_have_finite_plans(price, budget):
    collection = gtaudit.prepare(WIDE)
    cost = {"topic": price}
    check_plan(collection.design, budget, cost)
    table = gtaudit.advise(collection, cost=cost, budget=budget)
    assert np.isfinite(table[["price", "half_width", "error"]]).all(
        axis=None
    )
    (bought,) = table.index.drop("stop")
    assert 1 <= int(bought.split()[0]) <= gtaudit.planning.MOST_TOPICS


@pytest.mark.slow
def test_the_last_of_two_budgets_counts(call):
    code, _ = call(WIDE, "--budget", 9, "--budget", 20)
    assert code == 0
    numbers = json.loads(Path("audit.json").read_text("utf-8"))
    actions = [row["action"] for row in numbers["actions"]]
    assert "12 more questions" in actions


# Names


@pytest.mark.slow
def test_shares_from_sums_are_in_the_readers_nouns(tmp_path):
    pytest.importorskip("ibis.backends.duckdb")
    path = tmp_path / "a.csv"
    in_rows("model", "item").to_csv(path, index=False)
    found = gtaudit.collect(str(path), design="model x item", engine=True)
    assert found.reading.roles["model"] == "system"
    said = " ".join(found.every_note)
    assert "% model, " in said
    assert "system" not in said
    assert "topic" not in said


def test_a_column_with_two_roles_is_refused(call):
    long = in_rows("system", "topic")
    both = "--columns", "system=system,topic=system"
    code, said = call(long, *both)
    assert code == 2
    assert "the system and the topic" in said
    twice = gtaudit.collect("a.csv", columns="system=system,system=system")
    assert twice.reading.roles["system"] == "system"


def test_a_column_that_holds_text_is_quoted(call):
    table = WIDE.assign(model_card=["a text", *"bcde"])
    code, said = call(table[["model_card"]].rename_axis("system"))
    assert code == 2
    assert "hold text (as 'a text' in model_card)" in said
    averages = WIDE[["q1"]].rename(columns={"q1": "mean"})
    code, said = call(averages.rename_axis("system"))
    assert "mean" in said and "text (as" not in said


def test_the_terminal_names_its_own_option(call):
    table = WIDE.assign(x=WIDE.mean(axis=1))
    table.iloc[0, 0] = -999
    code, said = call(table.rename_axis("system"))
    assert code == 2
    assert "--allow sentinel" in said
    assert "gstudy(" not in said


@pytest.mark.parametrize("content", [b"", b" \n"])
def test_an_empty_workbook_is_called_empty(tmp_path, call, content):
    (tmp_path / "a.xlsx").write_bytes(content)
    code, said = call(None, "a.xlsx")
    assert code == 2
    assert "engine" not in said
    empty = "a.xlsx is empty" if not content else "not read as Excel"
    assert empty in said


def test_a_place_without_a_name_is_refused(tmp_path, call):
    code, said = call(WIDE.rename_axis("system"), "--out", "")
    assert code == 2
    assert "--out: name a file" in said
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]
