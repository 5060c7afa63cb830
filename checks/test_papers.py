"""The papers, item by item: places exist, calls run, verdicts agree."""

import ast
import re
import unicodedata
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book._ext.overviews import cells
from book.support.ledger import record, verdicts

ROOT = Path(__file__).resolve().parents[1]
ITEMS = record.claims()
RECORD = record.numbers()
VERDICTS = [
    *("holds", "holds here", "with conditions"),
    *("refuted here", "not testable", "not shown"),
]
WHY = "a definition", "a proof", "no data"
NUMBER = re.compile(
    r"(?<![\w.,])[−-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.\d+|\d+)"
    r"(?:[eE][-+]?\d+)?%?(?!\w)"
)
COMES_OUT = {verdicts.EXACT, verdicts.WITHIN}
LABEL = re.compile(r"^\(([\w-]+)\)=$", re.M)
HEADING = re.compile(r"^#+ (.+)$", re.M)


@cache
def anchors(chapter):
    """What links can lead to in a chapter, or in the record."""
    texts = [(ROOT / "book" / "record.md").read_text("utf-8")]
    if chapter != "record":
        texts = cells(chapter)
    labels = {name for text in texts for name in LABEL.findall(text)}
    return labels | {
        slug(title) for text in texts for title in HEADING.findall(text)
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
    for place in " ".join(ITEMS["where"]).split():
        chapter, _, anchor = place.partition("#")
        assert anchor in anchors(chapter), place


def test_what_has_no_place_has_no_evidence():
    nowhere = ITEMS[ITEMS["where"] == ""]
    assert {*nowhere["verdict"]} <= {"not shown", "not testable"}


def run(call):
    """What a reader gets who pastes a call after ``import gtlib as gt``."""
    names = {"gt": gt, "np": np, "pd": pd}
    *before, last = ast.parse(call).body
    exec(compile(ast.Module(before, []), call, "exec"), names)
    return eval(compile(ast.Expression(last.value), call, "eval"), names)


def numbers_in(value):
    """Yield the numbers of whatever a call returns."""
    if isinstance(value, pd.DataFrame):
        value = [*value.index, *value.to_numpy().ravel()]
    elif isinstance(value, gt.Interval):
        value = value.estimate, value.low, value.high
    elif isinstance(value, dict):
        value = value.values()
    if isinstance(value, str) or not np.iterable(value):
        yield from map(as_number, NUMBER.findall(str(value)))
    else:
        for part in value:
            yield from numbers_in(part)


def as_number(text):
    return float(text.replace("−", "-").replace(",", "").rstrip("%"))


def is_given(printed, found):
    """Whether one of the numbers rounds to what is printed."""
    decimals = len(printed.rstrip("%").partition(".")[2])
    size = 10.0**-decimals
    if "e" in printed:
        size = 0.1 * 10.0 ** int(printed.partition("e")[2])
    scales = (1, 100) if printed.endswith("%") else (1, 0.01)
    return any(
        abs(scale * x - as_number(printed)) <= size * (0.5 + 1e-9)
        for x in found
        for scale in scales
    )


@pytest.mark.parametrize(
    "row", [*ITEMS.itertuples()], ids=lambda row: row.item
)
def test_a_row_has_numbers_or_says_why_there_are_none(row):
    if row.prints not in WHY:
        said = f"{row.says} {row.assumption} {row.moves}"
        assert {*row.prints.split()} <= {*NUMBER.findall(said)}
    elif row.prints != "a definition" and row.prints != "a proof":
        assert not row.call


CALLS = ITEMS[ITEMS["call"] != ""].groupby("call", sort=False)["prints"]
LONG = "n_resamples=1000"
MOST = 100  # numbers: of more, nearly any would be one


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(call, marks=[pytest.mark.slow] * (LONG in call))
        for call in CALLS.groups
    ],
)
def test_every_call_gives_the_numbers_of_its_rows(call):
    found = run(call)
    assert found is not None
    found = [x for x in numbers_in(found) if np.isfinite(x)]
    assert len(found) <= MOST
    for prints in {*CALLS.get_group(call)} - {*WHY}:
        for number in prints.split():
            assert is_given(number, found), (number, found[:20])


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
