"""Run every bench_*.py, or those that are named, and print one table.

A run of all of them also writes the table to benchmarks/results.md, which
a page of the book includes.
"""

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.harness import as_markdown, machine

HERE = Path(__file__).parent


def main(names):
    every = sorted(path.stem[6:] for path in HERE.glob("bench_*.py"))
    rows = []
    for name in names or every:
        module = import_module(f"benchmarks.bench_{name}")
        for row in module.rows():
            print(row, flush=True)
            rows.append(row)
    table = f"{as_markdown(rows)}\n{machine()}\n"
    print(f"\n{table}")
    if not names:
        (HERE / "results.md").write_text(table)


if __name__ == "__main__":
    main(sys.argv[1:])
