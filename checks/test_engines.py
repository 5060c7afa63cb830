"""Engines that a table larger than memory is left to: DuckDB and Spark.

The same numbers as in memory, of many designs and of both engines; and
their page shows what was measured.
"""

import shutil
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gtlib as gt
from tests import oracle
from tools import large as page

ibis = pytest.importorskip("ibis")


@pytest.fixture(scope="module")
def database():
    connection = ibis.duckdb.connect(threads=1)
    yield connection
    connection.disconnect()


@pytest.fixture(scope="module")
def spark():
    if not shutil.which("java"):
        pytest.skip("Spark needs Java")
    sql = pytest.importorskip("pyspark.sql")
    session = (
        sql.SparkSession.builder.master("local[1]")
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


def both(frame, design, table, method):
    """The study in memory and by an engine, or why it is refused."""
    found = []
    for given_as in frame, table:
        try:
            found.append(gt.gstudy(given_as, design, method=method))
        except ValueError as error:
            found.append(str(error))
    return found


def agree(one, other):
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    assert other.levels == one.levels
    assert other.estimate.to_numpy() == pytest.approx(
        one.estimate.to_numpy(),
        rel=1e-9,
        abs=1e-12 * np.abs(one.estimate).max(),
    )


def a_study(seed, gaps):
    frame, design = oracle.random_study(seed, 60)
    if not gaps:
        levels = {
            f: 2 + (seed + i) % 3 for i, f in enumerate(design.facets)
        }
        frame = oracle.table(design, levels, np.random.default_rng(seed))
    return frame, design, "henderson" if gaps else "auto"


@settings(max_examples=50, derandomize=True)
@given(seed=st.integers(0, 10**6), gaps=st.booleans())
def test_any_design_on_duckdb(database, seed, gaps):
    frame, design, method = a_study(seed, gaps)
    table = database.create_table("t", frame, overwrite=True)
    agree(*both(frame, design, table, method))


@pytest.mark.parametrize(("seed", "gaps"), [(1, False), (21, True)])
def test_the_same_numbers_on_spark(spark, tmp_path, seed, gaps):
    frame, design, method = a_study(seed, gaps)
    frame.to_parquet(tmp_path / "t.parquet")
    table = spark.read_parquet(tmp_path / "t.parquet")
    one, other = both(frame, design, table, method)
    assert isinstance(one, gt.GStudy), one
    agree(one, other)


def test_the_table_of_the_page_is_what_is_computed():
    written = (page.STATIC / "large-precision.md").read_text("utf-8")
    assert written == page.precision()


def test_the_growth_on_the_page_is_what_the_benchmarks_recorded():
    found = page.measured(page.RESULTS.read_text("utf-8"))
    assert found.keys() >= page.SHOWN.keys()
    ours, bare = (found[who] for who in ("gtlib", "bare group-bys"))
    assert [*ours] == [*bare] == [1, 10, 100]
    seconds, megabytes = ours[100]
    assert seconds <= 1.3 * bare[100][0]
    assert megabytes < 700
    for who in page.SHOWN:  # as the caption says
        both = [*found[who].values()]
        for (seconds, memory), (later, more) in pairwise(both):
            if who == "gtlib":
                assert later < 10 * seconds
                assert more < 2 * memory
            elif who != "bare group-bys":
                assert 4 < more / memory < 9
    assert len(page.growth(found).axes) == 2
