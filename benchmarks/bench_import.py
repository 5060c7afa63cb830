"""What `import gtlib` costs, beside the library that it is built on.

Each import is a process of its own, whose processor time is the system's
count. A room of gtlib is loaded when one of its names is first used;
"all rooms" loads every one at once.
"""

import os
import resource
import statistics
import subprocess
import sys

from benchmarks.harness import Row

RUNS = 15


def rows():
    seconds = {"gtlib": [], "gtlib, all rooms": [], "pandas": []}
    for _ in range(RUNS + 1):  # the first, which fills caches, is dropped
        for who, taken in seconds.items():
            taken.append(seconds_of_import(who))
    median = {m: statistics.median(t[1:]) for m, t in seconds.items()}
    for who, taken in median.items():
        ratio = taken / median["gtlib"]
        yield Row("import, a process of its own", who, taken, None, ratio)


def seconds_of_import(who):
    """User and system time of a Python that imports and ends."""
    module, _, whole = who.partition(", ")
    environment = os.environ | ({"EAGER_IMPORT": "1"} if whole else {})
    before = children()
    subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        env=environment,
        check=True,
    )
    return children() - before


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
