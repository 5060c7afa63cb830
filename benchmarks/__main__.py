"""Run every bench_*.py, or those that are named, and print their tables.

The tables go to benchmarks/results.md, which a page of the book includes.
Of a run of some, these tables are new there, and say when and with what
they were measured.
"""

import re
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from benchmarks.harness import (
    agreement_table,
    as_markdown,
    machine,
    versioned,
)

HERE = Path(__file__).parent


def main(names):
    every = sorted(path.stem[6:] for path in HERE.glob("bench_*.py"))
    parts = [section(name) for name in names or every]
    print("\n".join(["", machine(), "", *parts]))
    results = HERE / "results.md"
    if not names:
        results.write_text("\n".join([machine(), "", *parts]), "utf-8")
        return
    text = results.read_text("utf-8")
    for part in parts:
        when = f"On {datetime.now(UTC):%d %B %Y}. {machine()}"
        text = replaced(text, f"{part}\n{when}\n")
    results.write_text(text, "utf-8")


def replaced(text, part):
    """Results with a section in the place of the one with its title."""
    title = re.escape(part.partition("\n")[0])
    old = re.compile(rf"^{title}\n.*?(?=^## |\Z)", re.M | re.S)
    if not old.search(text):
        return f"{text}\n{part}"
    end = "\n" if old.search(text).end() < len(text) else ""
    return old.sub(lambda _: part + end, text)


def section(name):
    """What a module says of itself, and its table."""
    module = import_module(f"benchmarks.bench_{name}")
    title, about = module.__doc__.strip().split("\n\n", 1)
    rows = []
    for row in module.rows():
        print(row, flush=True)
        rows.append(row)
    text = f"## {title.rstrip('.')}\n\n{about}\n\n{as_markdown(rows)}"
    if used := getattr(module, "WITH", None):
        text += f"\nWith {' and '.join(map(versioned, used))}.\n"
    if agreements := getattr(module, "agreements", None):
        text += f"\n{agreement_table(agreements())}"
    return text


if __name__ == "__main__":
    main(sys.argv[1:])
