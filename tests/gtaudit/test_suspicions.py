"""What is suspicious of scores is said, refused, or allowed."""

import json
import sys
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

import gtaudit
from gtaudit.command import main
from gtaudit.doubts import (
    CODES,
)
from tests.cases import first, only
from tests.doubtful_tables import REFUSED, design_of

NAMES = [f"s{i}" for i in range(7)] + ["<b>*x*"]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    scores = rng.beta(2, 4, (8, 12)).round(4)
    topics = [f"q{i}" for i in range(12)]
    return pd.DataFrame(scores, NAMES, topics).rename_axis("system")


@pytest.fixture
def run(tmp_path, short_report):
    """The command with a table; its exit code."""

    def call(table, *more):
        table.to_csv(tmp_path / "a.csv")
        given = [str(tmp_path / "a.csv"), "--out", str(tmp_path), *more]
        return main(["audit", *given])

    return call


def read(folder, table, **options):
    table.to_csv(folder / "a.csv")
    return gtaudit.collect(str(folder / "a.csv"), **options)


def suspicions(folder):
    return json.loads((folder / "audit.json").read_text())["suspicions"]


GATE = "--fail-under", "alpha=0.0001"


def test_a_clean_table_has_none_and_passes_a_gate(tmp_path, table, run):
    assert run(table, *GATE) == 0
    assert suspicions(tmp_path) == []


def test_an_average_is_left_out_or_refused_unless_it_is_allowed(
    tmp_path, table
):
    table["mean"] = table.mean(axis=1).round(4)
    hidden = table.rename(columns={"mean": "q12"})
    with pytest.raises(ValueError, match="allow='average'"):
        read(tmp_path, hidden)
    found = read(tmp_path, table)
    assert found.reading.left_out == ("mean",)
    found = read(tmp_path, table, allow="average-name,average")
    codes = [found.code for found in found.suspicions]
    assert codes == ["average-name", "average"]


def test_what_is_allowed_may_be_said_twice(tmp_path, table, run):
    table["mean"] = table.mean(axis=1).round(4)
    allow = "--allow", "average-name", "--allow", "average"
    assert run(table, *allow) == 0
    codes = [found["code"] for found in suspicions(tmp_path)]
    assert codes == ["average-name", "average"]


def test_a_suspicion_is_told_and_fails_a_gate(tmp_path, table, run, capsys):
    """Where it stands on a page is kept with the report of judged runs."""
    twin = table.loc[["<b>*x*"]].rename({"<b>*x*": "twin"})
    table = pd.concat([table, twin]).rename_axis("system")
    assert run(table, *GATE) == 3
    said = capsys.readouterr().err
    assert "<b>*x*, twin" in said and "(equal)" in said
    assert "--allow equal" in said
    (found,) = suspicions(tmp_path)
    assert found["where"] == "system <b>*x*, twin"
    assert run(table, *GATE, "--allow", "equal") == 0


def test_many_of_one_kind_are_told_in_one_sentence(tmp_path, table):
    twins = [table.rename("{}-again".format), table]
    found = read(tmp_path, pd.concat(twins).rename_axis("system"))
    assert len(found.suspicions) == len(found.by_code["equal"]) == 8
    assert [*found.by_code] == ["equal"]
    head, folded = found.introduction.split("</summary>")
    assert "Suspicious (equal, 8 times)." in head
    assert "<details><summary>7 more like it" in head
    assert folded.partition("</details>")[0].count("\n- ") == 7


def test_runs_and_judgments(tmp_path):
    docs = [f"d{i:02}" for i in range(20)]
    rng = np.random.default_rng(0)
    for name in "abc":
        lines = [
            f"{t} Q0 {'x' * (name == 'c')}{d} {k} {40 - k} {name}"
            for t in range(5)
            for k, d in enumerate(rng.permutation(docs))
        ]
        (tmp_path / name).write_text("\n".join(lines))
    lines = [f"{t} 0 {d} {rng.integers(2)}" for t in range(5) for d in docs]
    for name in ("ann", "bob"):
        (tmp_path / name).write_text("\n".join(lines))
    runs = [tmp_path / name for name in "abc"]
    one, two = [tmp_path / "ann"], [tmp_path / "ann", tmp_path / "bob"]
    found = gtaudit.collect(runs=runs, qrels=one)
    assert [s.code for s in found.suspicions] == ["unjudged-run"]
    assert "of c none was judged" in found.suspicions[0].what
    assert found.open
    with pytest.raises(ValueError, match="ann and bob have the same"):
        gtaudit.collect(runs=runs, qrels=two)
    every = tmp_path / "every"
    every.write_text("\n".join(run.read_text() for run in runs))
    found = gtaudit.collect(runs=every, qrels=one)
    assert {s.code for s in found.open} == {"several-runs", "unjudged-run"}
    told = [s.what for s in found.open if s.code == "several-runs"]
    assert told == ["every has several runs: a, b, c."]
    found = gtaudit.collect(runs=every, qrels=one, allow="several-runs")
    assert {s.code for s in found.open} == {"unjudged-run"}


@pytest.mark.slow
def test_an_engine_refuses_names(tmp_path, table):
    large = pytest.importorskip("gtaudit.large", exc_type=ImportError)
    table["All"] = table["q0"].to_numpy()[::-1]
    long = table.reset_index().melt(
        "system", var_name="topic", value_name="score"
    )
    path = tmp_path / "a.parquet"
    long.to_parquet(path)
    g = large.gstudy(path, "system x topic", allow="average-name")
    assert g.levels["topic"] == 13
    with pytest.raises(ValueError, match="average-name"):
        gtaudit.collect(str(path), memory_limit="100MB")


# The engine looks for faults by the same function, in what it samples.
OF_AN_ENGINE = ["an assessor in per cent"]


@pytest.mark.parametrize("said", only(OF_AN_ENGINE, REFUSED))
def test_an_engine_refuses_what_memory_refuses(said, tmp_path):
    large = pytest.importorskip("gtaudit.large", exc_type=ImportError)
    code, table = REFUSED[said]
    design, path = design_of(table), tmp_path / "a.parquet"
    if "score" not in table:
        table = table.rename_axis("system").reset_index()
        table = table.melt("system", var_name="topic", value_name="score")
    table.to_parquet(path)
    with pytest.raises(ValueError, match=f"allow='{code}'"):
        large.gstudy(path, design)


@pytest.mark.parametrize(
    ("label", "code"),
    first(1, [("s0 ", "blank-names"), ("S0", None)]),
)
def test_an_engine_compares_names(label, code, table, tmp_path):
    large = pytest.importorskip("gtaudit.large", exc_type=ImportError)
    renamed = table.rename({"s1": label}).rename_axis("system")
    long = renamed.reset_index().melt(
        "system", var_name="topic", value_name="score"
    )
    long.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=code) if code else nullcontext():
        large.gstudy(tmp_path / "a.parquet", "system x topic")


def test_sites_have_one_spelling(tmp_path, table):
    sites = dict(zip(NAMES, ["NIST", "nist "] * 4, strict=True))
    pd.Series(sites, name="site").to_csv(
        tmp_path / "sites.csv", index_label="system"
    )
    with pytest.raises(ValueError, match="'nist ' differs from 'NIST'"):
        read(tmp_path, table, sites=str(tmp_path / "sites.csv"))


def test_the_codes_are_listed_where_they_are_explained():
    text = sys.modules["gtaudit.doubts"].__doc__
    assert all(f"`{code}`" in text for code in CODES)
