"""Write a new chapter from a template, and renumber those behind it.

    .venv/bin/python tools/chapter.py NAME [AFTER]

NAME is like ``my-subject``, AFTER the file of the chapter before it, such
as ``07-reusability``; the last one, if nothing is said. Chapters bear the
numbers of the order in which they stand in `_toc.yml`.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
# What is history, or nobody's sentence.
LEFT = ("CHANGELOG.md", "data/published/", "data/scores/", "paper/")
MOVED = [
    "notebooks/{}.ipynb",
    "appendices/appendix-{}.ipynb",
    "data/outputs/{}.json",
    "data/outputs/appendix-{}.json",
    "book/openings/{}.svg",
]
READ = {".py", ".md", ".ipynb", ".json", ".toml", ".yml", ".csv"}
READ |= {".html", ".js"}
# A line may end between two words: in a notebook, a comment, a list.
GAP = r"(?:[ ~]|[ ~]?(?:\\n\",)?\n[ \t]*[\"#>]?[ \t]*)"
AND = rf"(?:,?{GAP}(?:and|or|to){GAP}|,{GAP}|[-–])"
SAID = re.compile(rf"\b[Cc]hapters?`?{GAP}\d+(?:{AND}\d+)*(?![\d.]*\d)")
RANGE = re.compile(rf"(\d+)(?:{GAP}to{GAP}|[-–])(\d+)")
# A chapter of somebody's book: "(Brennan 2001, chapter 9)".
CITED = re.compile(r"(\d{4}\)?|\d{4}`),?\s+$")
# What may speak of a chapter by its place, or by a number in other words.
PLACED = re.compile(
    rf"\b(?:next|last|previous|following){GAP}chapters?\b"
    r"|\b[Cc]hapters?[-–`*_~:# ]+\d+"
)
# Numbers that a chapter has typed: **Figure 3.2.**
TYPED = re.compile(
    rf"\b(?:Figure|Table|[Ee]xercise|(?i:equation))s?{GAP}"
    r"A?\d+(?=\.\d+\b(?! of [A-Z]))"
    r"|\\tag\{A?\d+(?=\.)|\b(?:fig|tab)-a?\d+(?=-\d+\b)"
)
TEMPLATE = Path(__file__).with_name("chapter-template.md")
CELL = re.compile(r"^%% (\w+) ([\w-]+)(.*)\n", re.M)
KERNEL = {
    "display_name": "Python 3",
    "language": "python",
    "name": "python3",
}
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
    doubtful = [*doubts(place)]
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
    if doubtful:
        print("Is it still true there? Nothing but a reader can tell:")
        print("\n".join(doubtful))


def doubts(place: int) -> Iterator[str]:
    """List the sentences that no rule here can mend, each with its line.

    They name a chapter by its place, have a number in a form that is not
    known, or a range that ends before the new chapter or has taken it in.
    """
    for path in texts():
        text = path.read_text("utf-8")
        known = {
            match.start(): match[0]
            for match in SAID.finditer(text)
            if not cited(match)
        }
        taken = {
            start
            for start, words in known.items()
            for first, last in RANGE.findall(words)
            if int(first) < place <= int(last) + 1
        }
        asked = {
            match.start()
            for match in PLACED.finditer(text)
            if match.start() not in known and not cited(match)
        }
        lines = text.splitlines()
        for start in sorted(taken | asked):
            number = text.count("\n", 0, start)
            said = " ".join(lines[number : number + 2])
            yield f"{path.relative_to(ROOT)}:{number + 1}: {said.strip()}"


def cited(match: re.Match) -> bool:
    """Whether these words are of a chapter of another book."""
    return bool(CITED.search(match.string[: match.start()]))


def write(stem: str) -> None:
    """Write the notebook that the template describes."""
    _, *parts = CELL.split(filled(TEMPLATE, stem))
    cells = []
    for kind, name, tags, source in zip(
        *(parts[i::4] for i in range(4)), strict=True
    ):
        new = new_code_cell if kind == "code" else new_markdown_cell
        cell = new(source.rstrip("\n"), id=f"{stem[3:]}-{name}"[:64])
        if tags:
            cell.metadata.tags = tags.split()
        cells.append(cell)
    path = f"notebooks/{stem}.ipynb"
    made = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    nbformat.write(made, ROOT / path)
    git("add", "--intent-to-add", path)


def filled(template: Path, stem: str) -> str:
    """The template with the chapter's own names and number."""
    name = stem[3:]
    number = str(int(stem[:2]))
    title = name.replace("-", " ").capitalize()
    text = template.read_text("utf-8")
    text = text.replace("FILE", stem).replace("NUMBER", number)
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
    numbers = {str(int(old[:2])): str(int(stems[old][:2])) for old in stems}
    names = re.compile("|".join(rf"\b{re.escape(old)}\b" for old in stems))

    def moved(match: re.Match) -> str:
        return numbers.get(match[0], match[0])

    def said(match: re.Match) -> str:
        """The words with new numbers, but for another book's chapter."""
        return match[0] if cited(match) else re.sub(r"\d+", moved, match[0])

    for path in texts():
        was = path.read_text("utf-8")
        text = names.sub(lambda match: stems[match[0]], was)
        text = SAID.sub(said, text)
        if path.suffix == ".ipynb":
            text = TYPED.sub(said, text)
        if text != was:
            path.write_text(text, "utf-8")
    for old, new in stems.items():
        for form in MOVED:
            if (ROOT / form.format(old)).exists():
                git("mv", form.format(old), form.format(new))


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


def git(*command: str) -> str:
    """Return the output of a git command in this repository."""
    done = subprocess.run(
        ["git", *command], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode("utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
