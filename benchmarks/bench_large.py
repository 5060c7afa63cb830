"""Tables larger than memory.

Parquet files of crossed random effects, read by DuckDB, which may hold
400 MB. Each way has a process of its own: the time is that process's
processor time, reading the file included, and the memory its peak, with
Python, numpy and pandas in it. *Bare group-bys* are counts and sums over
pairs of facets in DuckDB and nothing else. They and gtlib take turns, five
times: times are medians, and the ratio is the median of five. All others
run once. Each is ended after 60 seconds of processor time, or when it asks
for more than 12 GB.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
import pandas as pd

from benchmarks.harness import Row, made_up_long
from book.support.figures import theme

WITH = "duckdb", "ibis-framework"
SIZES = (1000, 100, 10), (1000, 1000, 10), (1000, 2000, 50)
TURNS = 5
MOST_SECONDS = 60
MOST_BYTES = 12 * 10**9
ROW_GROUP = 122_880  # what DuckDB itself writes
DESIGN = "system x topic x assessor"
HERE = Path(__file__).parent
RECORD = HERE / "large.csv"
PICTURE = HERE.parent / "book" / "_static" / "large-growth.svg"
SHOWN = ["gtlib", "bare group-bys", "gtlib in memory", "numpy"]
TITLES = {"seconds": "processor time, s", "megabytes": "peak memory, MB"}

MEASURED = r"""
import json, re, sys, time
path, method = sys.argv[1:]
{start}
start = time.process_time()
{work}
used = time.process_time() - start
status = open("/proc/self/status").read()  # of this program alone
peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024 / 1e6
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

# Studied first, so that all that is imported when it is needed is there.
SMALL = "gt.tidy(gt.load('cf-ap'))"

WAYS = {  # what is imported, and what is timed
    "gtlib": (
        "import gtlib as gt\nfrom gtaudit import large\n"
        f"large.gstudy({SMALL})",
        f"large.gstudy(path, {DESIGN!r}, memory_limit='400MB')",
    ),
    "bare group-bys": ("import duckdb", BARE),
    "gtlib in memory": (
        f"import gtlib as gt, pandas as pd, pyarrow\ngt.gstudy({SMALL})",
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
    for size in SIZES:
        yield from one(size, 0)
    yield from one(SIZES[1], 0.1)


def one(size, missing):
    """A file of this size, and every way to sum it."""
    with NamedTemporaryFile(suffix=".parquet") as file:
        levels = dict(zip(DESIGN.split(" x "), size, strict=True))
        table = made_up_long(missing, **levels)
        table.to_parquet(file.name, row_group_size=ROW_GROUP)
        work = f"G-study of {len(table) / 1e6:,.0f} million rows"
        work += ", a tenth missing" if missing else ""
        del table
        command = [file.name, "henderson" if missing else "anova"]
        in_turn, once = [*WAYS][:2], [*WAYS][2:]
        found = [measured(command, w) for w in TURNS * in_turn]
        turns = np.reshape(found, (TURNS, 2, 2))
        medians = np.median(turns, axis=0)
        ratios = np.median(turns[:, :, 0] / turns[:, :1, 0], axis=0)
        for nth, who in enumerate(in_turn):
            yield Row(work, who, *medians[nth], ratios[nth])
        for who in once:
            if found := measured(command, who):
                yield Row(work, who, *found, found[0] / medians[0, 0])
            else:
                yield Row(work, who, note="not finished")


def measured(command, who):
    """Processor seconds and peak megabytes of a process of its own, or
    None if it goes beyond its limits."""
    start, work = WAYS[who]
    code = MEASURED.format(start=start, work=work)
    found = subprocess.run(
        [sys.executable, "-c", code, *command],
        stdout=subprocess.PIPE,
        preexec_fn=_limit,
    )
    if found.returncode:
        return None
    return json.loads(found.stdout.splitlines()[-1])  # after any progress


def _limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def record(rows):
    """Keep the figures, and draw those of balanced studies for the book."""
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
    table = recorded().pivot_table(
        index="rows", columns="who", values=[*TITLES]
    )
    figure, axes = theme.panels(2, 3.1, sharey=False)
    for axis, (what, title) in zip(axes, TITLES.items(), strict=True):
        table[what][SHOWN].plot(
            ax=axis,
            style="o-",
            loglog=True,
            legend=False,
            title=title,
            xlabel="million rows",
        )
        axis.xaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_major_formatter("{x:,g}")
        axis.minorticks_off()
    theme.key(figure, SHOWN, loc="outside lower center", ncols=4)
    figure.savefig(PICTURE, metadata={"Date": None})
