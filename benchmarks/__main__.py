"""Run every bench_*.py, or those that are named, and print their rows.

Their tables take the place of the old ones in benchmarks/results.md, which
a page of the book includes, and say when and with what they were measured.
"""

import re
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
RESULTS = HERE / "results.md"


def main(names):
    for name in names or sorted(
        p.stem[6:] for p in HERE.glob("bench_*.py")
    ):
        text = replaced(RESULTS.read_text("utf-8"), section(name))
        RESULTS.write_text(text, "utf-8")


def replaced(text, part):
    """Results with a section in the place of the one with its title."""
    title = re.escape(part.partition("\n")[0])
    new, found = re.subn(
        rf"^{title}\n.*?(?=^## |\Z)",
        lambda _: f"{part}\n",
        text,
        flags=re.M | re.S,
    )
    return (new if found else f"{text}\n{part}").rstrip() + "\n"


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
