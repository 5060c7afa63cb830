"""Renumber the chapters, in files, links and sentences.

Chapters bear the numbers of the order in which they stand in `_toc.yml`.
"""

import re
import subprocess
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


def renumber(stems: dict[str, str]) -> None:
    """Give chapters new stems, such as ``08-swap-rates``, everywhere."""
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
    listed = subprocess.run(
        ["git", "ls-files"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    return [
        ROOT / name
        for name in listed
        if not name.startswith(LEFT)
        and Path(name).suffix in READ
        and (ROOT / name).exists()
    ]


def move(old: str, new: str) -> None:
    subprocess.run(["git", "mv", old, new], cwd=ROOT, check=True)
