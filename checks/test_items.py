"""The papers, item by item: their numbers stand in the book."""

import re
from copy import deepcopy
from functools import cache

import items as item_tables
import numpy as np
import pandas as pd
import pytest

from checks.conftest import ROOT, pages, tree
from checks.test_papers import NUMBER, WHY, as_number, is_given

SAID = ["says", "assumption", "moves"]
WRITTEN = re.compile(
    r"(?<![\w.])\d*\.\d+|(?<![\w.,])\d{1,3}(?:,\d{3})+|\d+"
)
# A whole number up to this may be a count in words, or a section.
SMALL = 20


def numbers(text):
    """Numbers as they are written, without signs and leading zeros."""
    found = {n.lstrip("0") or "0" for n in WRITTEN.findall(text)}
    return {n.replace(",", "") for n in found}


@cache
def chapter(page):
    """A chapter without the tables that show these items."""
    found = deepcopy(tree(page))
    for table in found.xpath("//table[contains(@class, 'items')]"):
        table.getparent().remove(table)
    return found


@cache
def printed():
    """All numbers that the chapters, or the papers, print."""
    chapters = map(chapter, pages("notebooks/", "appendices/"))
    texts = [" ".join(each.itertext()) for each in chapters]
    copied = [p.read_text() for p in ROOT.glob("data/published/*.csv")]
    return set().union(*map(numbers, texts + copied))


def items():
    table = pd.read_csv(ROOT / "data" / "items.csv", keep_default_na=False)
    return table.to_dict("records")


@pytest.mark.parametrize("row", items(), ids=lambda row: row["item"])
def test_every_number_of_an_item_stands_in_the_book(row):
    said = re.sub(r"“[^”]*”", "", " ".join(row[name] for name in SAID))
    asked = {n for n in numbers(said) if "." in n or int(n) > SMALL}
    given = numbers(row["prints"]) if row["call"] else set()
    assert not asked - printed() - given


@cache
def section(place):
    """The numbers of the section that a row leads to."""
    page, _, anchor = place.partition("#")
    folder = "appendices" if page.startswith("appendix-") else "notebooks"
    (target,) = chapter(f"{folder}/{page}.html").xpath(
        f"//*[@id='{anchor}']"
    )
    text = " ".join(
        target.xpath("ancestor-or-self::section")[-1].itertext()
    )
    return [as_number(n) for n in NUMBER.findall(text)]


@pytest.mark.parametrize(
    "row", [r for r in items() if r["where"]], ids=lambda row: row["item"]
)
def test_results_stand_where_the_row_leads_or_its_call_gives_them(row):
    """All that has no call, and of what moves, all with a point or %."""
    moved = re.sub(r"“[^”]*”", "", row["moves"])
    asked = {n for n in NUMBER.findall(moved) if {*".%"} & {*n}}
    prints = [] if row["prints"] in WHY else row["prints"].split()
    asked = asked - {*prints} if row["call"] else asked | {*prints}
    found = [n for place in row["where"].split() for n in section(place)]
    assert not [n for n in asked if not is_given(n, found)]


def test_the_tables_at_the_head_count_every_item_once():
    table = item_tables.items()
    whole = [*table["paper"].value_counts()[[*item_tables.PAPERS]]]
    for found in (item_tables.counts(table), item_tables.features(table)):
        *kinds, total = found.to_numpy().tolist()
        assert total == [*whole, len(table)]
        assert np.sum(kinds, axis=0).tolist() == total
