"""Run every bench_*.py, or those that are named, and print their tables.

A run of all of them also writes the tables to benchmarks/results.md,
which a page of the book includes.
"""

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.harness import agreement_table, as_markdown, machine

HERE = Path(__file__).parent


def main(names):
    every = sorted(path.stem[6:] for path in HERE.glob("bench_*.py"))
    parts = [section(name) for name in names or every]
    text = "\n".join([machine(), "", *parts])
    print(f"\n{text}")
    if not names:
        (HERE / "results.md").write_text(text, "utf-8")


def section(name):
    """What a module says of itself, and its table."""
    module = import_module(f"benchmarks.bench_{name}")
    title, about = module.__doc__.strip().split("\n\n", 1)
    rows = []
    for row in module.rows():
        print(row, flush=True)
        rows.append(row)
    text = f"## {title.rstrip('.')}\n\n{about}\n\n{as_markdown(rows)}"
    if agreements := getattr(module, "agreements", None):
        text += f"\n{agreement_table(agreements())}"
    return text


if __name__ == "__main__":
    main(sys.argv[1:])
