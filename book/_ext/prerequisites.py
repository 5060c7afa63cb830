"""What the Overview of a chapter says: which chapters it needs, and how
long it takes."""

import json
import re
from functools import cache
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
NEEDS = re.compile(r"\*\*Prerequisites:\*\*(.*?)\n\n", re.S)
LINK = re.compile(r"\{doc\}`(?:[^`<]*<)?(?:/?notebooks/)?(\d\d-[\w-]+)>?`")
TIME = re.compile(
    r"\*\*Time:\*\* (\d+) minutes to read, (\d+) with the code,\s+(\d+)"
)


def overview(chapter):
    """The first cell of a chapter, which has its Overview."""
    notebook = (NOTEBOOKS / f"{chapter}.ipynb").read_text("utf-8")
    return "".join(json.loads(notebook)["cells"][0]["source"])


@cache
def needs(chapter):
    """The chapters that a chapter says it needs."""
    said = NEEDS.search(overview(chapter))
    return sorted({*LINK.findall(said[1])})


def needed(chapter):
    """Those, and the ones that they need in turn."""
    return {*needs(chapter)}.union(*map(needed, needs(chapter)))


def minutes(chapter):
    """To read it, with its code, and with its exercises too."""
    return [*map(int, TIME.search(overview(chapter)).groups())]
