"""Run every bench_*.py, or those that are named, and print their rows.

Each writes its tables into a file of benchmarks/results, which a page of
the book includes. They say when and with what they were measured.
"""

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.harness import (
    agreement_table,
    as_markdown,
    cells,
    machine,
    versioned,
)

HERE = Path(__file__).parent


def main(names):
    for name in names or sorted(
        p.stem[6:] for p in HERE.glob("bench_*.py")
    ):
        path = HERE / "results" / f"{name}.md"
        path.write_text(section(name), "utf-8")


def section(name):
    """What a module says of itself, and what it measures."""
    module = import_module(f"benchmarks.bench_{name}")
    title, about = module.__doc__.strip().split("\n\n", 1)
    rows = []
    for row in module.rows():
        print(row.work, *cells(row), sep=" · ", flush=True)
        rows.append(row)
    parts = [f"## {title.rstrip('.')}\n", f"{about}\n", as_markdown(rows)]
    if used := getattr(module, "WITH", None):
        parts.append(f"With {' and '.join(map(versioned, used))}.\n")
    if agreements := getattr(module, "agreements", None):
        parts.append(agreement_table(agreements()))
    if record := getattr(module, "record", None):
        record(rows)
    return "\n".join([*parts, f"{machine()}\n"])


if __name__ == "__main__":
    main(sys.argv[1:])
