"""Engines that a table larger than memory is left to: DuckDB and Spark.

The same numbers as in memory, of many designs and of both engines; and
their page shows what was measured.
"""

import shutil

import ibis
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import gtlib as gt
from benchmarks import bench_large
from benchmarks.bench_large import DESIGN
from benchmarks.harness import SPREAD, cells
from checks.conftest import ROOT
from gtaudit import large
from tests import oracle
from tests.gtaudit.large.test_sums import both, same


@pytest.fixture(scope="module")
def database():
    connection = ibis.duckdb.connect(threads=1)
    yield connection
    connection.disconnect()


@pytest.fixture(scope="module")
def spark():
    if not shutil.which("java"):
        pytest.skip("Spark needs Java")
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.sql.shuffle.partitions", 1)
        .config("spark.ui.enabled", False)
        # Of tables this small, most of the time is Java's compiler's.
        .config("spark.sql.codegen.wholeStage", False)
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield ibis.pyspark.connect(session)
    session.stop()


def a_study(seed, gaps):
    frame, design = oracle.random_study(seed, 60)
    if not gaps:
        levels = {
            f: 2 + (seed + i) % 3 for i, f in enumerate(design.facets)
        }
        frame = oracle.table(design, levels, np.random.default_rng(seed))
    return frame, design, "henderson" if gaps else "auto"


@pytest.mark.slow
@settings(max_examples=50, derandomize=True)
@given(seed=st.integers(0, 10**6), gaps=st.booleans())
def test_any_design_on_duckdb(database, seed, gaps):
    frame, design, method = a_study(seed, gaps)
    one, other = both(frame, design, database, method=method)
    if isinstance(one, str):
        assert one == other
    else:
        same(one, other)


@pytest.mark.slow
def test_the_same_numbers_on_spark(spark, tmp_path):
    """One test, for one start of Java."""
    for seed, gaps in [(1, False), (21, True)]:
        frame, design, method = a_study(seed, gaps)
        path = tmp_path / f"{seed}.parquet"
        frame.to_parquet(path)
        table = spark.read_parquet(path)
        same(
            gt.gstudy(frame, design, method=method),
            large.gstudy(table, design, method=method),
        )


def on_page(*row):
    page = ROOT.joinpath("book", "large-tables.md").read_text("utf-8")
    return f"\n| {' | '.join(row)} |\n" in page


@pytest.mark.parametrize("topics", [50, 200, 1_000, 10_000])
def test_the_precision_on_the_page_is_what_is_computed(topics):
    components = {" x ".join(e): sd**2 for e, sd in SPREAD.items()}
    levels = {"system": 1000, "topic": topics, "assessor": 10}
    g = gt.GStudy.from_components(DESIGN, components, levels=levels)
    table = g.component_intervals(method="mls")
    half = 50 * (table["high"] - table["low"]) / table["estimate"]
    shown = half[["system", "topic", "system x topic"]]
    phi = g.plan(topic=50, assessor=1).interval(
        "dependability", method="pivotal"
    )
    row = [f"{topics:,}", f"{10_000 * topics:,}"]
    row += [f"± {percent:.1f}%" for percent in shown]
    assert on_page(*row, f"{phi.low:.3f} to {phi.high:.3f}")


def test_the_coverage_on_the_page_is_what_was_simulated():
    for what, *shares in gt.load("sample-coverage").itertuples(index=False):
        assert on_page(what, *(f"{share:.1%}" for share in shares))


def test_the_growth_on_the_page_is_what_the_benchmarks_recorded():
    table = bench_large.recorded()
    results = ROOT / "benchmarks" / "results" / "large.md"
    results = results.read_text("utf-8")
    for row in table.itertuples():
        assert " | ".join(cells(row)[1:]) in results
    found = table.pivot(index="rows", columns="who")
    seconds, memory = found["seconds"], found["megabytes"]
    assert (seconds["gtlib"] <= 1.5 * seconds["bare group-bys"])[100]
    assert memory["gtlib"][100] < 700
    longer, more = (by / by.shift() for by in (seconds, memory))
    assert longer["gtlib"].max() < 10
    assert more["gtlib"].max() < 2
    held = more[["gtlib in memory", "numpy"]].melt()["value"].dropna()
    assert held.between(3.5, 9.5).all()
