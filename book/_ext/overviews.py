"""What the notebooks say of themselves: in which part of the book each
stands, and of its Overview the outcomes, which chapters it needs, and how
long it takes."""

import json
import re
from functools import cache
from pathlib import Path

import yaml
from plain import as_myst
from runs import file_of

ROOT = Path(__file__).resolve().parents[2]
NEEDS = re.compile(r"\*\*(?:Prerequisites:|You need)\*\*(.*?)\n\n", re.S)
LINK = re.compile(
    r"(?:\{doc\}`(?:[^`<]*<)?(?:/?notebooks/)?|\]\()(\d\d-[\w-]+)"
)
NUMBER = re.compile(r"(details-|appendix-)?(\d\d)-")
OUTCOME = re.compile(r"^[-*] (.+(?:\n  .+)*)", re.M)
TIME = re.compile(
    r"\*\*Time:\*\* (\d+) minutes to read, (\d+) with the code"
    r"(?:,\s+(\d+))?"
)


def parts():
    """The parts of the book that have chapters, and these; not details."""
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
