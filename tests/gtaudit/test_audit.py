"""The audit as a command: a report, or one message and nothing written."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtlib as gt
from gtaudit.board import board_table
from gtaudit.command import main
from gtaudit.results import as_json_values
from gtlib.reuse import Assignment

RNG = np.random.default_rng(3)
WIDE = pd.DataFrame(
    0.3 + 0.1 * RNG.normal(size=(8, 1)) + 0.1 * RNG.normal(size=(8, 12)),
    index=[f"run{i}" for i in range(8)],
    columns=[f"q{i}" for i in range(12)],
)


def run(tmp_path, *arguments):
    out = tmp_path / "report.html"
    return main(["audit", *map(str, arguments), "--out", str(out)])


def test_a_table_becomes_a_report(tmp_path, capsys):
    WIDE.to_csv(tmp_path / "scores.csv", index_label="system")
    assert run(tmp_path, tmp_path / "scores.csv") == 0
    first, order, next_, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("ENOUGH          Is ")
    assert "  Can the order be trusted? " in order
    assert next_.startswith("NEXT            ")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<h1>scores.csv</h1>" in page
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", page)
    assert "Exercise" not in page
    assert "filter" not in page and "<img" not in page
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
    notebook = (tmp_path / "report.ipynb").read_text("utf-8")
    assert "scores.csv" in notebook
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "report.html",
        "report.ipynb",
        "report.json",
        "scores.csv",
    ]


def test_who_may_be_the_best_is_the_first_tier():
    """B differs from A; C, a noisy system below it, may be the best, and
    so nothing is said against B."""
    rng = np.random.default_rng(2)
    base = rng.normal(0.5, 0.1, 60)
    noisy = rng.normal(0, 0.4, 60)
    noisy += base.mean() + 0.02 - noisy.mean()
    close = base + 0.03 + rng.normal(0, 0.004, 60)
    table = pd.DataFrame(
        [base + 0.05, close, noisy, base - 0.5], index=[*"ABCD"]
    )
    board = gt.leaderboard(table)
    assert board.table["tier"].tolist() == [1, 1, 1, 2]
    maybe = board.table["may_be_best"]
    assert [*maybe.index[maybe]] == [*"ABC"]


def test_the_share_of_pairs_told_apart_is_the_same_wherever_it_stands():
    """By hand, of all pairs and of neighbours."""
    rng = np.random.default_rng(4)
    true = np.r_[np.linspace(0.2, 0.5, 8), np.linspace(0.7, 0.8, 4)]
    wide = pd.DataFrame(true[:, None] + rng.normal(0, 0.1, (12, 30)))
    board = gt.leaderboard(wide)
    differ = board.p_values.to_numpy()[np.triu_indices(12, 1)] < 0.05
    assert 0.2 < differ.mean() < 0.9
    (told,) = gtaudit.describe_order(board)
    assert f"**{differ.mean():.0%}** of all pairs" in told
    order = board.table.index
    p = board.p_values
    near = sum(p.loc[a, b] < 0.05 for a, b in pairwise(order))
    assert 0 < near < 11
    assert f"and {near} of 11 pairs of neighbours" in told


def test_a_boards_ranks_have_a_level():
    board = gt.leaderboard(WIDE, confidence_level=0.9)
    shown = board_table(board)
    assert {"from, 90%", "to, 90%", "ranks, 95%"} <= {*shown}
    best, worst = board.table[["best_rank", "worst_rank"]].T.to_numpy()
    assert shown["ranks, 95%"].tolist() == [
        f"{b} to {w}" if b < w else str(b)
        for b, w in zip(best, worst, strict=True)
    ]


def test_numbers_are_plain_json():
    results = {
        "table": pd.DataFrame({"a": [1, np.nan]}, index=["x", "y"]),
        "series": pd.Series([True], ["yes"]),
        "infinite": np.inf,
        "result": gt.Interval(0.1, 0.2),
        "missing": pd.NA,
    }
    found = json.loads(json.dumps(as_json_values(results)))
    assert found["table"][1] == {"index": "y", "a": None}
    assert found["series"] == {"yes": True}
    assert found["infinite"] is found["missing"] is None
    assert found["result"]["high"] == 0.2


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
        *gtaudit.block_design(WIDE, table, assignment), n_resamples=99
    )
    assert report.table["p"].between(0, 1).all()
    pd.Series(sites, name="site")[1:].to_csv(table, index_label="system")
    with pytest.raises(ValueError, match="run0 has no site"):
        gtaudit.block_design(WIDE, table, assignment)
