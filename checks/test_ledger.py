"""The ledger's page: filters that help, and a table that needs none."""

import pytest
from playwright.sync_api import expect

from checks.conftest import HTML

PAGE = (HTML / "notebooks" / "10-every-published-number.html").as_uri()
SHOWN = "table.ledger tr[data-verdict]:visible"


@pytest.fixture
def tab(opened):
    return opened(PAGE)


def test_the_table_is_whole_without_a_script(opened):
    tab = opened(PAGE, java_script_enabled=False)
    assert tab.locator("table.ledger tr[data-verdict]").count() >= 150
    assert tab.locator(".ledger-filter").count() == 0


def test_a_verdict_a_paper_and_words_narrow_the_table(tab):
    shown = tab.locator(SHOWN)
    whole = shown.count()
    tab.get_by_label("Verdict").select_option("differs")
    verdicts = shown.evaluate_all(
        "them => them.map(e => e.dataset.verdict)"
    )
    assert {*verdicts} == {"differs"}
    assert len(verdicts) < whole
    tab.get_by_label("Paper").select_option("Bodoff and Li (2007)")
    tab.get_by_label("Words").fill("  QUERIES  table 1 ")
    assert shown.count() == 1
    said = tab.locator(".ledger-filter output")
    assert said.text_content() == f"1 of {whole} numbers"
    tab.get_by_role("button", name="Show all").click()
    expect(said).to_have_text(f"{whole} of {whole} numbers")


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
    tab.get_by_label("Paper").select_option("Bodoff and Li (2007)")
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
