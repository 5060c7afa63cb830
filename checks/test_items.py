"""The papers, item by item: their numbers stand in the book."""

import re
from copy import deepcopy
from functools import cache

import pytest

from book.support.ledger import record
from checks.conftest import ROOT, pages, tree
from checks.test_papers import NUMBER, WHY, as_number, is_given

RECORD = "book/record.html"
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
    """A page without the rows that show these claims."""
    found = deepcopy(tree(page))
    for row in found.xpath("//tr[starts-with(@id, 'item-')]"):
        row.getparent().remove(row)
    return found


@cache
def printed():
    """All numbers that the chapters, or the papers, print."""
    found = [*pages("notebooks/", "appendices/"), RECORD]
    chapters = map(chapter, found)
    texts = [" ".join(each.itertext()) for each in chapters]
    copied = [p.read_text() for p in ROOT.glob("data/published/*.csv")]
    return set().union(*map(numbers, texts + copied))


def items():
    return record.claims().to_dict("records")


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
    file = RECORD if page == "record" else f"{folder}/{page}.html"
    (target,) = chapter(file).xpath(f"//*[@id='{anchor}']")
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


def test_each_claim_and_each_number_has_one_row_of_the_record():
    rows = tree(RECORD).xpath("//tr[@data-verdict]/@id")
    assert len(rows) == len({*rows}) == len(record.items())
