"""Time two ways to do the same work, in the same process and run.

A file bench_NAME.py defines `rows()`, which yields from `compare`:

    from benchmarks.harness import compare, peer

    inspect = peer("inspect_ai.scorer")

    def rows():
        scores = ...
        yield from compare(
            "errors of 36 means, 98 topics",
            lambda: estimate_means(gt.gstudy(scores)).errors(),
            {"inspect-ai": inspect and (lambda: ...)},
        )

What a peer needs to be told once (its data in its own form) is made before
`compare` is called, so that the work is timed and not the conversion. A
function `agreements()` may yield what both compute, for `agreement_table`.

Why not pytest-benchmark, pyperf or asv: none of them has memory, time and
ratio beside a peer of the same run, nor says that a peer is missing; the
tables, which are most of what follows, would have to be written all the
same.
"""

import math
import os
import platform
import statistics
import time
import tracemalloc
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module, metadata
from timeit import timeit

import numpy as np
import pandas as pd

import gtlib

ENOUGH_SECONDS = 3.0
MOST_RUNS = 15
SLOW = 20.0
APART = 1e-12
NBSP = "\N{NO-BREAK SPACE}"
SPREAD = {  # standard deviations of the effects in tables that are made up
    ("system",): 0.1,
    ("topic",): 0.15,
    ("assessor",): 0.02,
    ("system", "topic"): 0.1,
    ("system", "assessor"): 0.01,
    ("topic", "assessor"): 0.04,
    ("system", "topic", "assessor"): 0.04,
}


@dataclass(frozen=True)
class Row:
    """One way to do one piece of work.

    `seconds` is processor time, the median of several runs; `megabytes`
    the peak of what Python allocated; both None where the peer is missing
    or, as `note` then says, something else is in the way.
    """

    work: str
    who: str
    seconds: float | None = None
    megabytes: float | None = None
    ratio: float | None = None
    note: str = "not installed"


def peer(module):
    """The module of that name, or None where it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        return None


def compare(work, ours, peers=None):
    """Yield a Row for `ours` and one for each of `peers` (name: function).

    A peer that is None, because it is not installed, yields a row that
    says so.
    """
    seconds, megabytes = measure(ours)
    yield Row(work, "gtlib", seconds, megabytes, 1.0)
    for who, function in (peers or {}).items():
        if function is None:
            yield Row(work, who)
            continue
        theirs, megabytes = measure(function)
        yield Row(work, who, theirs, megabytes, theirs / seconds)


def measure(function):
    """Median seconds and peak megabytes of a function.

    The first run is not counted, unless it is slow: then it is the only
    one, and its memory is not traced.
    """
    first = seconds_of(function)
    if first > SLOW:
        return first, None
    times = []
    while len(times) < MOST_RUNS and sum(times) < ENOUGH_SECONDS:
        times.append(seconds_of(function))
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return statistics.median(times), peak / 1e6


def seconds_of(function):
    return timeit(function, number=1, timer=time.process_time)


def made_up_long(missing=0.0, **levels):
    """A long table of crossed random effects, some rows left out."""
    rng = np.random.default_rng(0)
    facets = list(levels)
    index = np.indices(tuple(levels.values()), dtype=np.int32)
    score = np.full(index.shape[1:], 3.0)  # of no measure from 0 to 1
    for effect, spread in SPREAD.items():
        if set(effect) <= set(facets):
            shape = [n if f in effect else 1 for f, n in levels.items()]
            score += rng.normal(0, spread, shape)
    kept = rng.random(score.size) >= missing
    codes = index.reshape(len(facets), -1)
    long = {f: code[kept] for f, code in zip(facets, codes, strict=True)}
    return pd.DataFrame(long | {"score": score.ravel()[kept]})


def as_markdown(rows):
    """A table in which each piece of work is named once."""
    shown, before = [], None
    for row in rows:
        shown.append(["" if row.work == before else row.work, *cells(row)])
        before = row.work
    return markdown("work", "by", "time", "peak memory", "ratio", *shown)


def agreement_table(compared):
    """What was computed twice, how often, and how far apart it is.

    A number that differs by more than `APART` ends the run.
    """
    shown = []
    for what, who, ours, theirs in compared:
        apart = np.abs(np.subtract(ours, theirs)).max()
        if not apart <= APART:
            raise AssertionError(f"{what}, {who}: apart by {apart}")
        found = f"{apart:.0e}" if apart else "0"
        shown.append([what, versioned(who), f"{len(ours):,}", found])
    return markdown(
        "the same number", "by", "times", "largest difference", *shown
    )


def markdown(*cells):
    """A table: its columns' names, of which the first two hold words, and
    its rows as lists."""
    names = [name for name in cells if isinstance(name, str)]
    line = ["---", "---", *["---:"] * (len(names) - 2)]
    rows = [names, line, *cells[len(names) :]]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def cells(row):
    """A row's texts: who, time, memory and times gtlib's time."""
    if row.seconds is None:
        return [versioned(row.who), row.note, "", ""]
    return [
        versioned(row.who),
        duration(row.seconds),
        "" if row.megabytes is None else memory(row.megabytes),
        significant(row.ratio),
    ]


def duration(seconds):
    """Two significant digits and a unit: 0.0026 is "2.6 ms"."""
    units = {"s": 1, "ms": 1e-3, "µs": 1e-6}
    name = next(n for n, size in units.items() if seconds >= size)
    return f"{significant(seconds / units[name])}{NBSP}{name}"


def memory(megabytes):
    least = f"{megabytes:,.0f}" if megabytes >= 1 else f"<{NBSP}1"
    return f"{least}{NBSP}MB"


def significant(number):
    """Rounded to two digits, and written without an exponent."""
    places = 1 - math.floor(math.log10(number))
    return f"{round(number, places):,.{max(places, 0)}f}"


def versioned(who):
    try:
        return f"{who}{NBSP}{metadata.version(who)}"
    except metadata.PackageNotFoundError:
        return who


def machine():
    """One line that says when, with what and where it was measured."""
    return (
        f"On {datetime.now(UTC):%d %B %Y}. "
        f"Measured with gtlib {gtlib.__version__}, Python "
        f"{platform.python_version()} and numpy "
        f"{metadata.version('numpy')}, on {os.cpu_count()} "
        f"{platform.machine()} processors."
    )
