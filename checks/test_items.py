"""The papers, item by item: their numbers stand in the book."""

import re
from functools import cache

import pandas as pd
import pytest

from checks.conftest import ROOT, pages, tree

SAID = ["says", "assumption", "moves"]
NUMBER = re.compile(r"(?<![\w.])\d*\.\d+|(?<![\w.,])\d{1,3}(?:,\d{3})+|\d+")
# A whole number up to this may be a count in words, or a section.
SMALL = 20


def numbers(text):
    """Numbers as they are written, without signs and leading zeros."""
    found = {n.lstrip("0") or "0" for n in NUMBER.findall(text)}
    return {n.replace(",", "") for n in found}


@cache
def printed():
    """All numbers that the chapters, or the papers, print."""
    chapters = map(tree, pages("notebooks/"))
    texts = [" ".join(chapter.itertext()) for chapter in chapters]
    copied = [p.read_text() for p in ROOT.glob("data/published/*.csv")]
    return set().union(*map(numbers, texts + copied))


def items():
    table = pd.read_csv(ROOT / "data" / "items.csv", keep_default_na=False)
    return table.to_dict("records")


@pytest.mark.parametrize("row", items(), ids=lambda row: row["item"])
def test_every_number_of_an_item_stands_in_the_book(row):
    said = re.sub(r"“[^”]*”", "", " ".join(row[name] for name in SAID))
    asked = {n for n in numbers(said) if "." in n or int(n) > SMALL}
    assert not asked - printed()
