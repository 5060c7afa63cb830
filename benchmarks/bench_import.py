"""What `import gtlib` costs, beside the library that it is built on.

Each import is a process of its own, whose processor time is the system's
count. A room of gtlib is loaded when one of its names is first used;
"all rooms" loads every one at once.
"""

import os
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage

import numpy as np

from benchmarks.harness import Row

RUNS = 15


def rows():
    names = "gtlib", "gtlib, all rooms", "pandas"
    seconds = [[*map(seconds_of_import, names)] for _ in range(RUNS + 1)]
    medians = np.median(seconds[1:], axis=0)  # the first fills caches
    for who, taken in zip(names, medians, strict=True):
        ratio = taken / medians[0]
        yield Row("import, a process of its own", who, taken, None, ratio)


def seconds_of_import(who):
    """User and system time of a Python that imports and ends."""
    module, _, whole = who.partition(", ")
    environment = os.environ | ({"EAGER_IMPORT": "1"} if whole else {})
    before = sum(getrusage(RUSAGE_CHILDREN)[:2])
    subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        env=environment,
        check=True,
    )
    return sum(getrusage(RUSAGE_CHILDREN)[:2]) - before
