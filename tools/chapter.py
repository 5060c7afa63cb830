"""Write a new chapter from a template, and renumber those behind it.

    python3 tools/chapter.py NAME [AFTER]

NAME is like ``my-subject``, AFTER the file of the chapter before it, such
as ``07-reusability``; the last one, if nothing is said. Chapters bear the
numbers of the order in which they stand in `_toc.yml`.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What is history, or nobody's sentence.
LEFT = ("CHANGELOG.md", "data/published/", "data/scores/", "paper/")
READ = {".py", ".md", ".ipynb", ".toml", ".yml", ".csv", ".html", ".js"}
SAID = re.compile(
    r"\b[Cc]hapters?`?[ ~]\d+"
    r"(?:(?:, | and | or | to |, and )\d+)*(?![\d.]*\d)"
)
# A chapter of somebody's book: "(Brennan 2001, chapter 9)".
CITED = re.compile(r"(\d{4}\)?|\d{4}`),? $")
PLANNED = re.compile(r"\b\d+(?= (?:read|code)\b)")
TEMPLATE = Path(__file__).with_name("chapter-template.md")
CELL = re.compile(r"^%% (\w+) ([\w-]+) ?([\w-]*)\n", re.M)
KERNEL = {"display_name": "Python 3", "language": "python"}
ASKS = "What does a reader want to know?"


def main(name: str, after: str = "") -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        sys.exit(
            f"NAME is like my-subject, in small letters, not {name!r}."
        )
    stems = sorted(
        path.stem for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")
    )
    if name in {stem[3:] for stem in stems}:
        sys.exit(f"There is a chapter {name!r}.")
    after = after or stems[-1]
    if after not in stems:
        sys.exit(f"AFTER is one of {', '.join(stems)}, not {after!r}.")
    place = stems.index(after) + 1
    behind = enumerate(stems[place:], place + 1)
    renumber({old: f"{i:02}{old[2:]}" for i, old in behind})
    stem = f"{place:02}-{name}"
    write(stem)
    insert("_toc.yml", f"notebooks/{after}", f"notebooks/{stem}")
    about = f'[{stem}]\nasks = "{ASKS}"\noptional = true\n'
    add_section("book/chapters.toml", f"[{after}]", about)
    exercises = filled(TEMPLATE.with_suffix(".toml"), stem)
    path = ROOT / "book" / "exercises.toml"
    path.write_text(f"{path.read_text('utf-8')}\n{exercises}", "utf-8")
    print(f"notebooks/{stem}.ipynb: write it, then its question in")
    print("book/chapters.toml and its exercises in book/exercises.toml.")


def write(stem: str) -> None:
    """Write the notebook that the template describes."""
    _, *parts = CELL.split(filled(TEMPLATE, stem))
    cells = [
        cell(kind, f"{stem[3:]}-{name}", tag, source.rstrip("\n"))
        for kind, name, tag, source in zip(
            *(parts[i::4] for i in range(4)), strict=True
        )
    ]
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": {**KERNEL, "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path = f"notebooks/{stem}.ipynb"
    (ROOT / path).write_text(f"{text}\n", "utf-8")
    git("add", "--intent-to-add", path)


def cell(kind: str, name: str, tag: str, source: str) -> dict:
    made = {
        "cell_type": kind,
        "execution_count": None,
        "id": name[:64],
        "metadata": {"tags": [tag]} if tag else {},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }
    if kind == "markdown":
        del made["execution_count"], made["outputs"]
    return made


def filled(template: Path, stem: str) -> str:
    """The template with the chapter's own names."""
    name = stem[3:]
    title = name.replace("-", " ").capitalize()
    text = template.read_text("utf-8")
    return text.replace("STEM", name).replace("TITLE", title)


def insert(file: str, old: str, new: str) -> None:
    """Put a copy of the line that ends with `old` below it, about `new`."""
    path = ROOT / file
    line = re.compile(rf"^(.*){re.escape(old)}\n", re.M)
    text = line.sub(rf"\g<0>\g<1>{new}\n", path.read_text("utf-8"))
    path.write_text(text, "utf-8")


def add_section(file: str, head: str, section: str) -> None:
    """Put a section behind the one that begins with the line `head`."""
    path = ROOT / file
    before, found, rest = path.read_text("utf-8").partition(f"{head}\n")
    own, more, others = rest.partition("\n\n")
    own = own.rstrip("\n")
    text = f"{before}{found}{own}\n\n{section}"
    path.write_text(text + (f"\n{others}" if more else ""), "utf-8")


def renumber(stems: dict[str, str]) -> None:
    """Give chapters new stems, such as ``08-swap-rates``, everywhere."""
    if not stems:
        return
    numbers = {int(old[:2]): int(new[:2]) for old, new in stems.items()}
    names = re.compile("|".join(rf"\b{re.escape(old)}\b" for old in stems))
    for path in texts():
        was = path.read_text("utf-8")
        text = names.sub(lambda match: stems[match[0]], was)
        text = SAID.sub(lambda match: moved(match, numbers), text)
        if path.name == "teaching.md":
            text = PLANNED.sub(
                lambda match: moved_number(match, numbers), text
            )
        if text != was:
            path.write_text(text, "utf-8")
    stems = stems | {
        f"details-{old}": f"details-{new}"
        for old, new in stems.items()
        if (ROOT / f"notebooks/details-{old}.ipynb").exists()
    }
    aside = {old: f"{new}.moving" for old, new in stems.items()}
    for old, new in aside.items():
        move(f"notebooks/{old}.ipynb", f"notebooks/{new}")
    for new in aside.values():
        move(
            f"notebooks/{new}",
            f"notebooks/{new.removesuffix('.moving')}.ipynb",
        )


def moved(said: re.Match, numbers: dict[int, int]) -> str:
    """The words with new numbers, but for another book's chapter."""
    if CITED.search(said.string[: said.start()]):
        return said[0]
    return re.sub(
        r"\d+", lambda match: moved_number(match, numbers), said[0]
    )


def moved_number(match: re.Match, numbers: dict[int, int]) -> str:
    number = int(match[0])
    return str(numbers.get(number, number))


def texts() -> list[Path]:
    """The files whose text may name a chapter."""
    listed = git("ls-files").splitlines()
    return [
        ROOT / name
        for name in listed
        if not name.startswith(LEFT)
        and Path(name).suffix in READ
        and (ROOT / name).exists()
    ]


def move(old: str, new: str) -> None:
    git("mv", old, new)


def git(*command: str) -> str:
    """What git says to a command, in this repository."""
    done = subprocess.run(
        ["git", *command], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode("utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
