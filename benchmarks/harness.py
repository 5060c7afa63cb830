"""Time two ways to do the same work, in the same process and run.

A file bench_NAME.py defines `rows()`, which yields from `compare`:

    from benchmarks.harness import compare, peer

    generalizit = peer("generalizit")

    def rows():
        scores = ...
        yield from compare(
            "G-study, 129 systems x 50 topics",
            lambda: gt.gstudy(scores),
            {"GeneralizIT": generalizit and (lambda: ...)},
        )

What a peer needs to be told once (its data in its own form) is made before
`compare` is called, so that the work is timed and not the conversion.  A
function `agreements()` may yield what both compute, for `agreement_table`.
"""

import math
import os
import platform
import statistics
import time
import tracemalloc
from dataclasses import dataclass
from importlib import import_module, metadata

import numpy as np

import gtlib

ENOUGH_SECONDS = 3.0
MOST_RUNS = 15
SLOW = 20.0
APART = 1e-12
NBSP = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Row:
    """One way to do one piece of work.

    `seconds` is processor time, the median of `runs` runs; `megabytes` the
    peak of what Python allocated; both None where the peer is missing or,
    as `note` then says, something else is in the way.
    """

    work: str
    who: str
    seconds: float | None = None
    runs: int = 0
    megabytes: float | None = None
    ratio: float | None = None
    note: str = "not installed"

    def __str__(self):
        return " · ".join(cells(self))


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
    seconds, runs, megabytes = measure(ours)
    yield Row(work, "gtlib", seconds, runs, megabytes, 1.0)
    for who, function in (peers or {}).items():
        if function is None:
            yield Row(work, who)
            continue
        theirs, runs, megabytes = measure(function)
        yield Row(work, who, theirs, runs, megabytes, theirs / seconds)


def measure(function):
    """Median seconds, number of runs and peak megabytes of a function.

    The first run is not counted, unless it is slow: then it is the only
    one, and its memory is not traced.
    """
    first = seconds_of(function)
    if first > SLOW:
        return first, 1, None
    times = []
    while len(times) < MOST_RUNS and sum(times) < ENOUGH_SECONDS:
        times.append(seconds_of(function))
    return statistics.median(times), len(times), peak_megabytes(function)


def seconds_of(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def peak_megabytes(function):
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def as_markdown(rows):
    """A table in which each piece of work is named once."""
    lines = [
        "| work | by | time | peak memory | ratio |",
        "|---|---|---:|---:|---:|",
    ]
    before = None
    for row in rows:
        work, *rest = cells(row)
        name = "" if work == before else work
        lines.append("| " + " | ".join([name, *rest]) + " |")
        before = work
    return "\n".join(lines) + "\n"


def agreement_table(compared):
    """What was computed twice, how often, and how far apart it is.

    A number that differs by more than `APART` ends the run.
    """
    lines = [
        "| the same number | by | times | largest difference |",
        "|---|---|---:|---:|",
    ]
    for what, who, ours, theirs in compared:
        apart = np.abs(np.subtract(ours, theirs)).max()
        if not apart <= APART:
            raise AssertionError(f"{what}, {who}: apart by {apart}")
        found = f"{apart:.0e}" if apart else "0"
        lines.append(
            f"| {what} | {versioned(who)} | {len(ours):,} | {found} |"
        )
    return "\n".join(lines) + "\n"


def cells(row):
    """A row's texts: work, who, time, memory and times gtlib's time."""
    if row.seconds is None:
        return [row.work, versioned(row.who), row.note, "", ""]
    return [
        row.work,
        versioned(row.who),
        duration(row.seconds),
        "" if row.megabytes is None else memory(row.megabytes),
        significant(row.ratio, 2),
    ]


def duration(seconds):
    """Two significant digits and a unit: 0.0026 is "2.6 ms"."""
    for unit, size in ((1, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{significant(seconds / unit, 2)}{NBSP}{size}"
    return f"{significant(seconds / 1e-6, 2)}{NBSP}µs"


def memory(megabytes):
    least = f"{megabytes:,.0f}" if megabytes >= 1 else f"<{NBSP}1"
    return f"{least}{NBSP}MB"


def significant(number, digits):
    """Rounded to so many digits, and written without an exponent."""
    places = digits - 1 - math.floor(math.log10(number))
    return f"{round(number, places):,.{max(places, 0)}f}"


def versioned(who):
    if who == "gtlib":
        return who
    try:
        return f"{who}{NBSP}{metadata.version(who)}"
    except metadata.PackageNotFoundError:
        return who


def machine():
    """One line that says where the figures were measured."""
    return (
        f"Measured with gtlib {gtlib.__version__}, Python "
        f"{platform.python_version()} and numpy "
        f"{metadata.version('numpy')}, on {os.cpu_count()} "
        f"{platform.machine()} processors."
    )
