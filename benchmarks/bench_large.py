"""Tables larger than memory.

Parquet files of crossed random effects, written by DuckDB. Each way has a
process of its own: the time is that process's processor time, and the
memory its peak, with Python, numpy and pandas in it. *Bare group-bys* are
the sums over pairs of facets in DuckDB and nothing else, the least that
such a study can do. DuckDB may hold 400 MB.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import Row, peer

SIZES = (1000, 100, 10), (1000, 1000, 10), (1000, 2000, 50)
MOST_IN_MEMORY = 20_000_000
DESIGN = "system x topic x assessor"
SPREAD = {
    "system": 0.1,
    "topic": 0.15,
    "assessor": 0.02,
    "system, topic": 0.1,
    "system, assessor": 0.01,
    "topic, assessor": 0.04,
}
NOISE = 0.04

MEASURED = """
import json, resource, sys, time
path = sys.argv[1]
{start}
start = time.process_time()
{work}
used = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
print(json.dumps([used, peak]))
"""

IN_MEMORY = f"gt.gstudy(pd.read_parquet(path), {DESIGN!r}, method=%r)"

BARE = """
rows = f"read_parquet('{path}')"
con = duckdb.connect()
con.execute("set memory_limit='400MB'")
con.execute("set preserve_insertion_order=false")
for i, pair in enumerate(("system, topic", "system, assessor",
                          "topic, assessor")):
    more = ", sum(score * score) as q" if i == 0 else ""
    con.execute(f"create temp table t{i} as select {pair}, "
                f"sum(score) as t, count(*) as n{more} "
                f"from {rows} group by all")
"""

PANDAS = """
t = pd.read_parquet(path)
t["q"] = (t["score"] - t["score"].mean()) ** 2
for pair in (["system", "topic"], ["system", "assessor"],
             ["topic", "assessor"]):
    t.groupby(pair)[["score", "q"]].sum()
"""


def rows():
    for size in SIZES:
        yield from one(size, 0)
    yield from one(SIZES[1], 0.1)


def one(size, missing):
    """A file of this size, and every way to sum it."""
    if peer("ibis") is None or peer("duckdb") is None:
        yield Row(f"G-study of {size}, Parquet", "gtlib")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.parquet")
        n = write(path, size, missing)
        work = f"G-study of {n / 1e6:,.0f} million rows"
        work += ", a tenth missing" if missing else ""
        method = "henderson" if missing else "anova"
        engine = (
            "import gtlib as gt, ibis, duckdb",
            f"gt.gstudy(path, {DESIGN!r}, memory_limit='400MB')",
        )
        ways = {
            "bare group-bys": ("import duckdb", BARE),
            "gtlib in memory": (
                "import gtlib as gt, pandas as pd, pyarrow",
                IN_MEMORY % method,
            ),
            "pandas group-bys": ("import pandas as pd, pyarrow", PANDAS),
        }
        if n > MOST_IN_MEMORY:
            ways = {"bare group-bys": ways["bare group-bys"]}
        seconds, megabytes = measured(path, *engine)
        yield Row(work, "gtlib", seconds, 1, megabytes, 1.0)
        for who, way in ways.items():
            theirs, megabytes = measured(path, *way)
            yield Row(work, who, theirs, 1, megabytes, theirs / seconds)


def measured(path, start, work):
    """Processor seconds and peak megabytes of a process of its own."""
    code = MEASURED.format(start=start, work=work)
    found = subprocess.check_output([sys.executable, "-c", code, path])
    return json.loads(found.splitlines()[-1])


def write(path, size, missing):
    """Random effects, normal but for the error, which is uniform."""
    import duckdb

    con = duckdb.connect()
    con.execute("set memory_limit='2GB'; select setseed(0.5)")
    for facet, n in zip(DESIGN.split(" x "), size, strict=True):
        con.execute(
            f"create temp table {facet}s as "
            f"select range::integer as {facet} from range({n})"
        )
    normal = "sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())"
    score, joins = "0.5", ""
    for i, (facets, sd) in enumerate(SPREAD.items()):
        tables = ", ".join(f"{f}s" for f in facets.split(", "))
        con.execute(
            f"create temp table e{i} as select {facets}, "
            f"{sd} * {normal} as e{i} from {tables}"
        )
        score += f" + e{i}"
        joins += f" join e{i} using ({facets})"
    error = f"{NOISE * 12**0.5} * (random() - 0.5)"
    con.execute(
        f"copy (select system, topic, assessor, {score} + {error} as score "
        "from systems cross join topics cross join assessors"
        f"{joins} "
        f"where random() >= {missing}) to '{path}' (format parquet)"
    )
    return con.execute(f"select count(*) from '{path}'").fetchone()[0]
