"""What is doubtful of scores is told, refused, or allowed."""

import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

import gtaudit
from gtaudit.command import main
from gtaudit.doubts import CODES, REFUSED
from tests.cases import only
from tests.doubtful_tables import DOUBTFUL, design_of

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


def doubts(folder):
    return json.loads((folder / "audit.json").read_text())["doubts"]


GATE = "--fail-under", "alpha=0.0001"


@pytest.mark.slow
def test_a_clean_table_has_none_and_passes_a_gate(tmp_path, table, run):
    assert run(table, *GATE) == 0
    assert doubts(tmp_path) == []


def test_an_average_is_left_out_or_told_unless_it_is_allowed(
    tmp_path, table
):
    table["mean"] = table.mean(axis=1).round(4)
    hidden = table.rename(columns={"mean": "q12"})
    (told,) = read(tmp_path, hidden).doubts
    assert (told.code, told.where) == ("summary", "question q12")
    assert not read(tmp_path, hidden, allow="summary").doubts
    found = read(tmp_path, table)
    assert found.reading.left_out == ("mean",)
    found = read(tmp_path, table, allow="summary")
    assert found.collection.cells.shape == (8, 13)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "seeded"),
    [
        ("sentinel", lambda table: table.mask(table == table.max(), -999)),
        ("percent", lambda table: table.mul([1, 100] + [1] * 6, axis=0)),
    ],
)
def test_what_a_refusal_says_is_a_command_that_runs(
    code, seeded, tmp_path, table, run, capsys
):
    table = seeded(table).rename_axis("system")
    assert run(table) == 2
    (allow,) = re.findall(r"say (--allow \S+)", capsys.readouterr().err)
    assert allow == f"--allow {code}"
    assert run(table, *allow.split()) == 0
    assert {d["code"] for d in doubts(tmp_path)} <= {"scale"}


@pytest.mark.slow
def test_a_doubt_is_told_and_fails_a_gate(tmp_path, table, run, capsys):
    """Where it stands on a page is kept with the report of judged runs."""
    twin = table.loc[["<b>*x*"]].rename({"<b>*x*": "twin"})
    table = pd.concat([table, twin]).rename_axis("system")
    assert run(table, *GATE) == 3
    said = capsys.readouterr().err
    assert "<b>*x*, twin" in said and "(copies)" in said
    (found,) = doubts(tmp_path)
    assert found["where"] == "system <b>*x*, twin"
    (allow,) = re.findall(r"say (--allow \w+)", said)
    assert run(table, *GATE, *allow.split()) == 0
    assert doubts(tmp_path) == []


def test_many_of_one_kind_are_told_in_one_sentence(tmp_path, table):
    twins = [table.rename("{}-again".format), table]
    found = read(tmp_path, pd.concat(twins).rename_axis("system"))
    assert len(found.doubts) == len(found.by_code["copies"]) == 8
    assert [*found.by_code] == ["copies"]


@pytest.mark.slow
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
    assert [s.code for s in found.doubts] == ["unjudged"]
    assert "of c none was judged" in found.doubts[0].what
    found = gtaudit.collect(runs=runs, qrels=two)
    told = [s.what for s in found.doubts if s.code == "copies"]
    assert told[0] == "ann and bob have the same judgments."
    every = tmp_path / "every"
    every.write_text("\n".join(run.read_text() for run in runs))
    found = gtaudit.collect(runs=every, qrels=one)
    assert {s.code for s in found.doubts} == {"run", "unjudged"}
    told = [s.what for s in found.doubts if s.code == "run"]
    assert told == ["every has several runs: a, b, c."]
    found = gtaudit.collect(runs=every, qrels=one, allow="run")
    assert {s.code for s in found.doubts} == {"unjudged"}


# The engine looks for doubts by the same function, in what it samples.
OF_AN_ENGINE = ["an assessor in per cent"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    only(OF_AN_ENGINE, [s for s, d in DOUBTFUL.items() if d[0] in REFUSED]),
)
def test_an_engine_refuses_what_memory_refuses(said, tmp_path):
    large = pytest.importorskip("gtaudit.large", exc_type=ImportError)
    code, table = DOUBTFUL[said]
    design, path = design_of(table), tmp_path / "a.parquet"
    if "score" not in table:
        table = table.rename_axis("system").reset_index()
        table = table.melt("system", var_name="topic", value_name="score")
    table.to_parquet(path)
    with pytest.raises(ValueError, match=f"say --allow {code}"):
        large.gstudy(path, design)


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
