"""The papers, item by item: their numbers stand in the book."""

import re
from copy import deepcopy
from functools import cache

import items as item_tables
import numpy as np
import pandas as pd
import pytest

from checks.conftest import ROOT, pages, tree
from tests.test_items import NUMBER, WHY, as_number, is_given

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
    chapters = map(chapter, pages("notebooks/"))
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


SHOWN = [r for r in items() if not r["call"] and r["prints"] not in WHY]


@pytest.mark.parametrize("row", SHOWN, ids=lambda row: row["item"])
def test_numbers_without_a_call_stand_where_the_row_leads(row):
    page, _, anchor = row["where"].partition("#")
    (place,) = chapter(f"notebooks/{page}.html").xpath(
        f"//*[@id='{anchor}']"
    )
    section = place.xpath("ancestor-or-self::section")[-1]
    text = " ".join(section.itertext())
    found = [as_number(n) for n in NUMBER.findall(text)]
    for number in row["prints"].split():
        assert is_given(number, found), number


def test_the_tables_at_the_head_count_every_item_once():
    table = item_tables.items()
    whole = [*table["paper"].value_counts()[[*item_tables.PAPERS]]]
    for found in (item_tables.counts(table), item_tables.features(table)):
        *kinds, total = found.to_numpy().tolist()
        assert total == [*whole, len(table)]
        assert np.sum(kinds, axis=0).tolist() == total
