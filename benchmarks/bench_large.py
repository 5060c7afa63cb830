"""Tables larger than memory.

Parquet files of crossed random effects, written by DuckDB, which may hold
400 MB. Each way has a process of its own: the time is that process's
processor time, reading the file included, and the memory its peak, with
Python, numpy and pandas in it. *Bare group-bys* are counts and sums over
pairs of facets in DuckDB and nothing else. They and gtlib take turns, five
times: times are medians, and the ratio is the median of five. All others
run once, and are ended after 60 seconds of processor time, or when they ask
for more than 12 GB.
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import pandas as pd

from benchmarks.harness import SPREAD, Row, peer
from gtapps.figures import theme

WITH = "duckdb", "ibis-framework"
SIZES = (1000, 100, 10), (1000, 1000, 10), (1000, 2000, 50)
TURNS = 5
MOST_SECONDS = 60
MOST_BYTES = 12 * 10**9
DESIGN = "system x topic x assessor"
HERE = Path(__file__).parent
RECORD = HERE / "large.csv"
PICTURE = HERE.parent / "book" / "_static" / "large-growth.svg"
SHOWN = {  # and by how many points a name is beside the end of its line
    "gtlib": (0, 11),
    "bare group-bys": (6, -34),
    "gtlib in memory": (16, 13),
    "numpy": (-9, 0),
}

MEASURED = """
import json, sys, time
path, method = sys.argv[1:]
{start}
start = time.process_time()
{work}
used = time.process_time() - start
with open("/proc/self/status") as status:  # of this program, since it began
    peak = next(line for line in status if line.startswith("VmHWM"))
peak = int(peak.split()[1]) * 1024 / 1e6
print(json.dumps([used, peak]))
"""

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

NUMPY = """
t = pq.read_table(path)
code = {c: t[c].to_numpy() for c in ("system", "topic", "assessor")}
y = t["score"].to_numpy()
y = y - y.mean()
for one, other in (("system", "topic"), ("system", "assessor"),
                   ("topic", "assessor")):
    cell = code[one] * (code[other].max() + 1) + code[other]
    np.bincount(cell)
    np.bincount(cell, y)
(y * y).sum()
"""

GENERALIZIT = """
with contextlib.redirect_stdout(io.StringIO()):
    t = pd.read_parquet(path)
    study = generalizit.GeneralizIT(t, "system x topic x assessor", "score")
    study.calculate_anova()
"""

# What is imported, and what is timed: of an engine, and in memory.
ENGINE = (
    "from gtapps import large",
    f"large.gstudy(path, {DESIGN!r}, memory_limit='400MB')",
)
GROUP_BYS = "import duckdb", BARE
IN_MEMORY = {
    "gtlib in memory": (
        "import gtlib as gt, pandas as pd, pyarrow",
        f"gt.gstudy(pd.read_parquet(path), {DESIGN!r}, method=method)",
    ),
    "numpy": (
        "import numpy as np, pyarrow.dataset, pyarrow.parquet as pq",
        NUMPY,
    ),
    "generalizit": (
        "import contextlib, io, generalizit, pandas as pd, pyarrow",
        GENERALIZIT,
    ),
}


def rows():
    if not all(map(peer, ("duckdb", "generalizit", "ibis"))):
        yield Row("G-studies of Parquet files", "gtlib and its peers")
        return
    for size in SIZES:
        yield from one(size, 0)
    yield from one(SIZES[1], 0.1)


def one(size, missing):
    """A file of this size, and every way to sum it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.parquet")
        n = write(path, size, missing)
        work = f"G-study of {n / 1e6:,.0f} million rows"
        work += ", a tenth missing" if missing else ""
        command = [path, "henderson" if missing else "anova"]
        turns = [
            measured(command, *ENGINE) + measured(command, *GROUP_BYS)
            for _ in range(TURNS)
        ]
        seconds, memory, bare, least = map(median, zip(*turns, strict=True))
        ratio = median(turn[2] / turn[0] for turn in turns)
        yield Row(work, "gtlib", seconds, memory, 1.0)
        yield Row(work, "bare group-bys", bare, least, ratio)
        for who, way in IN_MEMORY.items():
            if found := measured(command, *way, limited=True):
                yield Row(work, who, *found, found[0] / seconds)
            else:
                yield Row(work, who, note="not finished")


def measured(command, start, work, limited=False):
    """Processor seconds and peak megabytes of a process of its own, or
    None if it goes beyond its limits."""
    code = MEASURED.format(start=start, work=work)
    found = subprocess.run(
        [sys.executable, "-c", code, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if limited else None,
        preexec_fn=_limit if limited else None,
        check=not limited,
    )
    if found.returncode:
        return None
    return json.loads(found.stdout.splitlines()[-1])


def _limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


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
    *effects, (_, noise) = SPREAD.items()
    for i, (facets, sd) in enumerate(effects):
        con.execute(
            f"create temp table e{i} as select {', '.join(facets)}, "
            f"{sd} * {normal} as e{i} from {'s, '.join(facets)}s"
        )
        score += f" + e{i}"
        joins += f" join e{i} using ({', '.join(facets)})"
    error = f"{noise * 12**0.5} * (random() - 0.5)"
    con.execute(
        f"copy (select system, topic, assessor, {score} + {error} as score "
        f"from systems cross join topics cross join assessors {joins} "
        f"where random() >= {missing}) to '{path}' (format parquet)"
    )
    return con.execute(f"select count(*) from '{path}'").fetchone()[0]


def record(rows):
    """Keep the figures, and draw those of balanced studies for the book."""
    if rows[0].seconds:
        pd.DataFrame(rows).drop(columns="note").to_csv(RECORD, index=False)
        draw()


def recorded():
    """What was measured of balanced studies, with their size in `rows`."""
    table = pd.read_csv(RECORD).dropna()
    rows = table["work"].str.extract(r"of (\d+) million rows$")[0]
    return table.assign(rows=rows.astype(float)).dropna()


def draw():
    """Time and memory of each way against the number of rows."""
    theme.use_style()
    table = recorded()
    figure, axes = theme.panels(2, 3.1, sharey=False)
    titles = {
        "seconds": "processor time, s",
        "megabytes": "peak memory, MB",
    }
    for axis, (what, title) in zip(axes, titles.items(), strict=True):
        for color, (who, away) in zip(
            theme.PALETTE, SHOWN.items(), strict=False
        ):
            line = table[table["who"] == who].set_index("rows")[what]
            axis.loglog(line, "o-", c=color)
            if axis is axes[-1]:
                end = line.index[-1], line.iloc[-1]
                theme.label(axis, *end, who, color, *away, "right")
        axis.set(title=title, xlabel="million rows")
        axis.xaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_major_formatter("{x:,g}")
        axis.minorticks_off()
    axes[0].set_ylim(top=20)
    axes[1].set_ylim(50, 2e4)
    figure.savefig(PICTURE, metadata={"Date": None})
