"""The papers, item by item: places exist, calls run, verdicts agree."""

import json
import re
import tomllib
import unicodedata
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book._ext.overviews import overview
from gtapps.ledger import verdicts

ROOT = Path(__file__).resolve().parents[1]
ITEMS = pd.read_csv(
    ROOT / "data" / "items.csv", dtype=str, keep_default_na=False
)
RECORD = pd.read_csv(ROOT / "data" / "verdicts.csv")
ABOUT = tomllib.loads((ROOT / "book" / "chapters.toml").read_text("utf-8"))
VERDICTS = [
    *("holds", "holds here", "with conditions"),
    *("refuted here", "not testable", "not shown"),
]
COMES_OUT = {verdicts.EXACT, verdicts.WITHIN}
LABEL = re.compile(r"^\(([\w-]+)\)=$", re.M)
HEADING = re.compile(r"^#+ (.+)$", re.M)

pytestmark = pytest.mark.sources


@cache
def anchors(chapter):
    """What links can lead to in a chapter."""
    text = (ROOT / "notebooks" / f"{chapter}.ipynb").read_text("utf-8")
    cells = [
        "".join(cell["source"])
        for cell in json.loads(text)["cells"]
        if cell["cell_type"] == "markdown"
    ]
    labels = {name for cell in cells for name in LABEL.findall(cell)}
    return labels | {
        slug(title) for cell in cells for title in HEADING.findall(cell)
    }


def slug(title):
    """The name that Sphinx gives a heading."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore")
    return re.sub("[^a-z0-9]+", "-", plain.decode().lower()).strip("-")


def numbers(row):
    """The ledger's verdicts on the numbers of an item."""
    own = RECORD[RECORD["paper"] == row.paper]
    about = [
        any(fnmatchcase(key, pattern) for pattern in row.ledger.split())
        for key in own["key"]
    ]
    return own[about]


def test_items_are_whole():
    assert not ITEMS.duplicated(["paper", "item"]).any()
    assert {*ITEMS["verdict"]} <= {*VERDICTS}
    assert (ITEMS["says"].str.split().str.len() <= 40).all()
    assert ITEMS["says"].str.endswith((".", "”", "?")).all()


def test_every_place_exists():
    for where in ITEMS["where"]:
        chapter, _, anchor = where.partition("#")
        assert not where or anchor in anchors(chapter), where


def test_what_has_no_place_has_no_evidence():
    nowhere = ITEMS[ITEMS["where"] == ""]
    assert {*nowhere["verdict"]} <= {"not shown", "not testable"}


@pytest.mark.parametrize("call", sorted({*ITEMS["call"]} - {""}))
def test_every_call_runs(call):
    assert eval(call, {"gt": gt, "np": np, "pd": pd}) is not None


def expected(found):
    """What the ledger's verdicts on its numbers make of an item."""
    if found <= COMES_OUT:
        return "holds"
    if found <= COMES_OUT | {verdicts.CONSISTENT, verdicts.OTHER}:
        return "holds here"
    if found == {verdicts.DIFFERS}:
        return "refuted here"
    if found == {verdicts.MISSING}:
        return "not testable"
    return "with conditions"


def test_verdicts_of_numbers_are_the_ledger_s():
    for row in ITEMS[ITEMS["ledger"] != ""].itertuples():
        found = {*numbers(row)["verdict"]}
        assert found, row
        assert row.verdict == expected(found), (row, found)


def test_every_number_of_the_ledger_is_about_an_item():
    rows = ITEMS[ITEMS["ledger"] != ""].itertuples()
    about = pd.concat([numbers(row) for row in rows])
    left = RECORD.drop(about.index.unique())
    assert left.empty, left


@pytest.mark.parametrize("chapter", ABOUT)
def test_the_head_of_a_chapter_links_to_its_papers(chapter):
    for paper in ABOUT[chapter].get("papers", ()):
        assert f"<items-{paper}>" in overview(chapter)
