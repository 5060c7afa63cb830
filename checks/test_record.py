"""The filters of the record and of the atlas: they help, and the tables
need none."""

import pytest
from playwright.sync_api import expect

import gtlib as gt
from book.support.ledger import record

RECORD = "book/record.html"
ATLAS = "notebooks/15-the-atlas.html"
PAPER = "Bodoff and Li (2007)"
TABLES = {"rows": "table.items", "collections": "table.atlas"}


def rows(tab, kind="rows"):
    """Those of one kind that are shown."""
    return tab.locator(f"{TABLES[kind]} tr[data-verdict]:visible")


def form(tab, kind="rows"):
    """The filter of these."""
    return tab.get_by_role("search", name=f"Which {kind} are shown")


@pytest.fixture
def tab(opened):
    return opened(RECORD)


@pytest.mark.parametrize(
    "page, kind, least",
    [
        (RECORD, "rows", len(record.items())),
        (ATLAS, "collections", len(gt.load("atlas"))),
    ],
)
def test_the_tables_are_whole_without_a_script(opened, page, kind, least):
    tab = opened(page, java_script_enabled=False)
    assert rows(tab, kind).count() >= least
    assert tab.locator(".ledger-filter").count() == 0


@pytest.mark.parametrize(
    "page, kind, verdict, group, option, words",
    [
        (RECORD, "rows", "differs", "Paper", PAPER, " QUERIES  table 1 "),
        (RECORD, "rows", "refuted here", "Paper", "all", "table 1"),
        (
            ATLAS,
            "collections",
            "reaches 0.95",
            "Field",
            "retrieval",
            "trec-8",
        ),
    ],
)
def test_a_verdict_a_group_and_words_narrow_the_tables(
    opened, page, kind, verdict, group, option, words
):
    tab = opened(page)
    asked, shown = form(tab, kind), rows(tab, kind)
    whole = shown.count()
    asked.get_by_label("Verdict").select_option(verdict)
    verdicts = shown.evaluate_all(
        "them => them.map(e => e.dataset.verdict)"
    )
    assert {*verdicts} == {verdict}
    assert len(verdicts) < whole
    asked.get_by_label(group).select_option(option)
    asked.get_by_label("Words").fill(words)
    assert shown.count() == 1
    said = asked.locator("output")
    expect(said).to_have_text(f"1 of {whole} {kind}")
    asked.get_by_role("button", name="Show all").click()
    expect(said).to_have_text(f"{whole} of {whole} {kind}")


def test_a_number_is_sought_with_the_word_before_it(tab):
    words = form(tab).get_by_label("Words")
    words.fill("table 4")
    texts = rows(tab).all_text_contents()
    assert len(texts) >= 17
    assert all("Table 4" in text for text in texts)
    words.fill("4 table")
    assert rows(tab).count() > len(texts)


def test_the_filter_stands_in_the_address(tab, opened):
    form(tab).get_by_label("Words").fill("Table 4")
    form(tab).get_by_label("Paper").select_option(PAPER)
    assert "words=Table+4" in tab.url
    other = opened(tab.url)
    words = form(other).get_by_label("Words")
    assert words.input_value() == "Table 4"
    assert rows(other).count() == rows(tab).count()
    form(tab).get_by_role("button", name="Show all").click()
    tab.wait_for_function("() => !location.hash.includes('=')")


def test_a_link_to_a_row_shows_it_though_it_was_filtered_out(tab):
    form(tab).get_by_label("Verdict").select_option("differs")
    row = "ledger-bodoff-li-2007-figure-2-alpha"
    assert not tab.locator(f"#{row}").is_visible()
    tab.evaluate(f"location.hash = '{row}'")
    tab.locator(f"#{row}").wait_for(state="visible")


def test_the_keyboard_reaches_every_filter(tab):
    form(tab).get_by_label("Paper").focus()
    reached = []
    for _ in range(4):
        reached.append(tab.evaluate("document.activeElement.tagName"))
        tab.keyboard.press("Tab")
    assert reached == ["SELECT", "SELECT", "INPUT", "BUTTON"]
