"""What the chapters say of themselves, and directives that show it.

Of a chapter's first cell: its outcomes, which chapters it needs, and how
long it takes.

``{chapter-map}`` maps them: what each asks and needs, how long it takes,
and which papers it follows. It reads the parts from `_toc.yml`, the
questions and the papers from `book/chapters.toml`, and the rest from the
Overview of each chapter, so that the map never lags behind them.

``{exercise-map}`` sets a chapter's outcomes beside its exercises: the list
in each Overview, and the exercises in their order, each with its minutes,
its assignment, and whether it is of the core. A link to
``exercises-of-NAME``, without the number, leads to a chapter's.
``{mistake-list}`` lists the wrong answers that their checks foresee.
"""

import json
import re
import tomllib
from functools import cache
from pathlib import Path

import yaml
from plain import as_myst, file_of

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
ABOUT = BOOK / "chapters.toml"
HEAD = """\
```{list-table}
:class: chapter-map
:header-rows: 1
:widths: 54 10 14 22"""
PAPERS = {
    "bodoff-li-2007": "Bodoff and Li (2007)",
    "voorhees-2006": "Voorhees (2006)",
    "carterette-2007": "Carterette (2007)",
    "carterette-2010": "Carterette et al. (2010)",
}
TITLES = ["chapter, and what it asks", "needs", "minutes", "follows"]
EXERCISE = re.compile(
    r"^```\{exercise-start\}([^\n]*)\n:label: (\S+)", re.M
)
NEEDS = re.compile(r"\*\*You need\*\*(.*?)\n\n", re.S)
LINK = re.compile(r"\]\((\d\d-[\w-]+)")
NUMBER = re.compile(r"(appendix-)?(\d\d)-")
OUTCOME = re.compile(r"^[-*] (.+(?:\n  .+)*)", re.M)
TIME = re.compile(
    r"\*\*Time:\*\* (\d+) minutes to read, (\d+) with the code"
    r"(?:,\s+(\d+))?"
)


def parts():
    """The parts of the book that have chapters, and these."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    for part in contents["parts"]:
        files = [Path(row["file"]) for row in part["chapters"]]
        chapters = [f.name for f in files if f.name[:1].isdigit()]
        if chapters:
            yield part["caption"], chapters


def number_of(stem):
    """The number of a chapter, "A1" for the appendix to chapter 1; None for
    what is neither."""
    found = NUMBER.match(stem)
    return found and (found[1] or "")[:1].upper() + str(int(found[2]))


def known_of(which):
    """The entries of a file such as exercises.toml, by their labels."""
    path = BOOK / f"{which}.toml"
    return tomllib.loads(path.read_text("utf-8"))


@cache
def cells(chapter, kind="markdown"):
    """The sources of a chapter's cells, as its page is made from them; the
    first text has its Overview."""
    notebook = file_of(chapter).read_text("utf-8")
    return [
        "".join(cell["source"])
        for cell in as_myst(json.loads(notebook))["cells"]
        if cell["cell_type"] == kind
    ]


def overview(chapter):
    """The first cell of a chapter."""
    return cells(chapter)[0]


@cache
def needs(chapter):
    """The chapters that a chapter says it needs."""
    said = NEEDS.search(overview(chapter))
    return sorted({*LINK.findall(said[1])})


def needed(chapter):
    """The chapters that a chapter needs, and those that they need in
    turn."""
    return {*needs(chapter)}.union(*map(needed, needs(chapter)))


def outcomes(chapter):
    """What readers of a chapter can do then, by its Overview."""
    found = OUTCOME.findall(overview(chapter))
    return [" ".join(outcome.split()) for outcome in found]


def minutes(chapter):
    """The minutes to read a chapter, to follow its code, and to do its
    exercises, if it has any."""
    read, code, every = TIME.search(overview(chapter)).groups()
    return [int(read), int(code), int(every or code)]


def table():
    """The map, as lines of MyST."""
    about = tomllib.loads(ABOUT.read_text("utf-8"))
    yield from HEAD.splitlines()
    yield from row(TITLES)
    for caption, chapters in parts():
        yield from row([f"**{caption}**", "", "", ""])
        for chapter in chapters:
            known = about[chapter]
            title = f"{number_of(chapter)}. {{doc}}`/notebooks/{chapter}`"
            title += " (optional)" if known.get("optional") else ""
            numbers = [*map(number_of, needs(chapter))]
            papers = known.get("papers", ())
            cited = "; ".join(map(PAPERS.get, papers))
            yield from row(
                [
                    f"{title}: {known['asks']}",
                    ", ".join(numbers) or "–",
                    "{}–{}".format(*minutes(chapter)[::2]),
                    "all four papers" if len(papers) == 4 else cited,
                ]
            )
    yield "```"


def row(cells):
    """A row of the list that the table is made of."""
    for mark, cell in zip("*   ", cells, strict=True):
        yield f"{mark} - {cell}"


def mistakes(name, known):
    """What goes wrong in a chapter's exercises, as lines of MyST."""
    exercises = EXERCISE.findall("\n\n".join(cells(name)))
    foreseen = [
        (title, label, wrong)
        for title, label in exercises
        if (wrong := known[label].get("mistakes"))
    ]
    if foreseen:
        yield f"\n**{{doc}}`/notebooks/{name}`**\n"
    for title, label, wrong in foreseen:
        yield f"* {{ref}}`{label}`,{title}:"
        for _, value, says in wrong:
            numbers = value if isinstance(value, list) else [value]
            yield f"  * {' and '.join(map(str, numbers))}: {says}"


def chapter(name, known):
    """A chapter's outcomes and exercises, as lines of MyST."""
    label = re.sub(r"\d+-", "", name, count=1)
    yield f"(exercises-of-{label})=\n**{{doc}}`/notebooks/{name}`**\n"
    for outcome in outcomes(name):
        yield f"- {outcome}"
    yield ""
    exercises = EXERCISE.findall("\n\n".join(cells(name)))
    for place, (title, label) in enumerate(exercises, 1):
        file = f"exercise-{number_of(name)}.{place}.ipynb"
        takes = f"{known[label]['minutes']} minutes"
        core = ", **core**" if known[label].get("core") else ""
        yield f"* {{ref}}`{label}`,{title}, {takes}{core}:"
        yield f'  <a href="../assignments/{file}">{file}</a>'
    yield ""
