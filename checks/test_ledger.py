"""The filters of the ledger and of the papers' items: they help, and the
tables need none."""

import pytest
from playwright.sync_api import expect

import gtlib as gt
from checks.conftest import HTML
from checks.test_items import items

LEDGER = "notebooks/14-the-four-papers.html"
ITEMS = "book/items.html"
ATLAS = "notebooks/13-the-atlas.html"
PAPER = "Bodoff and Li (2007)"
SHOWN = "table.ledger tr[data-verdict]:visible"


@pytest.fixture
def tab(opened):
    return opened(f"{HTML.as_uri()}/{LEDGER}")


@pytest.mark.parametrize(
    "page, rows",
    [(LEDGER, 150), (ITEMS, len(items())), (ATLAS, len(gt.load("atlas")))],
)
def test_the_tables_are_whole_without_a_script(opened, page, rows):
    tab = opened(f"{HTML.as_uri()}/{page}", java_script_enabled=False)
    assert tab.locator(SHOWN).count() >= rows
    assert tab.locator(".ledger-filter").count() == 0


@pytest.mark.parametrize(
    "page, verdict, paper, words, kind",
    [
        (LEDGER, "differs", PAPER, "  QUERIES  table 1 ", "number"),
        (ITEMS, "refuted here", "all", "table 1", "item"),
    ],
)
def test_a_verdict_a_paper_and_words_narrow_the_tables(
    opened, page, verdict, paper, words, kind
):
    tab = opened(f"{HTML.as_uri()}/{page}")
    shown = tab.locator(SHOWN)
    whole = shown.count()
    tab.get_by_label("Verdict").select_option(verdict)
    verdicts = shown.evaluate_all(
        "them => them.map(e => e.dataset.verdict)"
    )
    assert {*verdicts} == {verdict}
    assert len(verdicts) < whole
    tab.get_by_label("Paper").select_option(paper)
    tab.get_by_label("Words").fill(words)
    assert shown.count() == 1
    said = tab.locator(".ledger-filter output")
    expect(said).to_have_text(f"1 of {whole} {kind}s")
    tab.get_by_role("button", name="Show all").click()
    expect(said).to_have_text(f"{whole} of {whole} {kind}s")


def test_a_number_is_sought_with_the_word_before_it(tab):
    tab.get_by_label("Words").fill("table 4")
    rows = tab.locator(SHOWN)
    texts = rows.all_text_contents()
    assert len(texts) >= 17
    assert all("Table 4" in text for text in texts)
    tab.get_by_label("Words").fill("4 table")
    assert rows.count() > len(texts)


def test_the_filter_stands_in_the_address(tab, opened):
    tab.get_by_label("Words").fill("Table 4")
    tab.get_by_label("Paper").select_option(PAPER)
    assert "words=Table+4" in tab.url
    other = opened(tab.url)
    assert other.get_by_label("Words").input_value() == "Table 4"
    assert other.locator(SHOWN).count() == tab.locator(SHOWN).count()
    tab.get_by_role("button", name="Show all").click()
    tab.wait_for_function("() => !location.hash.includes('=')")


def test_a_link_to_a_row_shows_it_though_it_was_filtered_out(tab):
    tab.get_by_label("Verdict").select_option("differs")
    row = "ledger-bodoff-li-2007-figure-2-alpha"
    assert not tab.locator(f"#{row}").is_visible()
    tab.evaluate(f"location.hash = '{row}'")
    tab.locator(f"#{row}").wait_for(state="visible")


def test_the_keyboard_reaches_every_filter(tab):
    tab.get_by_label("Paper").focus()
    reached = []
    for _ in range(4):
        reached.append(tab.evaluate("document.activeElement.tagName"))
        tab.keyboard.press("Tab")
    assert reached == ["SELECT", "SELECT", "INPUT", "BUTTON"]
