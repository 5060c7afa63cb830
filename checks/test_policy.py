"""What the pages may run, from files and from a server."""

from urllib.parse import quote

import pytest

from checks.conftest import HTML, pages, tree
from tests.cases import first

CHAPTER = "notebooks/02-g-study.html"
MADE_BY_SCRIPTS = {
    "book/index.html": ".ys-zone",
    "book/your-scores.html": ".ys-zone",
    "book/planner.html": ".planner-verdict:not(:empty)",
    "book/record.html": ".ledger-filter",
}
HANDLER = """() => document.querySelector("article").insertAdjacentHTML(
    "beforeend", `<img alt="" src="x:" onerror="ran = 1">`)"""
SCRIPT = """() => {
    const script = document.createElement("script");
    script.textContent = "ran = 2";
    document.querySelector("article").append(script);
}"""


@pytest.fixture
def tab(opened, site):
    """A chapter; the browser says what it refuses."""
    return opened(f"{site}/{CHAPTER}")


def has_its_icons(tab):
    """Every one is in the smaller file."""
    tab.wait_for_selector("svg.svg-inline--fa", state="attached")
    assert tab.locator("i[class*='fa-']").count() == 0
    assert tab.locator("svg.svg-inline--fa .missing").count() == 0


@pytest.mark.parametrize("name", pages("book/", "notebooks/"))
def test_every_page_has_one_policy_before_its_scripts(name):
    (policy,) = tree(name).xpath("//meta[contains(@http-equiv, 'Policy')]")
    assert not policy.xpath("./preceding::script")
    said = policy.get("content")
    assert "default-src 'self'" in said
    (scripts,) = [p for p in said.split("; ") if p.startswith("script-src")]
    assert "unsafe-inline" not in scripts
    assert "unsafe-eval" not in scripts


def test_a_chapter_works_under_its_policy(tab):
    tab.evaluate("MathJax.startup.promise.then(() => null)")
    assert tab.locator("mjx-container svg").count() > 10
    first = tab.locator("html").get_attribute("data-mode")
    tab.locator(".theme-switch-button").first.click()
    assert tab.locator("html").get_attribute("data-mode") != first
    tab.locator("article button.enlarge").first.click()
    assert tab.locator("dialog.enlarged").is_visible()
    tab.keyboard.press("Escape")
    tab.locator(".toggle-button").first.click()
    full = tab.locator("[onclick='toggleFullScreen()']").first
    full.dispatch_event("click")
    tab.wait_for_function("document.fullscreenElement")
    tab.evaluate("document.exitFullscreen()")
    has_its_icons(tab)


def test_the_menu_of_downloads_opens(tab):
    tab.locator(".dropdown-download-buttons button").first.click()
    menu = tab.locator(".dropdown-download-buttons .dropdown-menu.show")
    menu.wait_for()
    pdf = menu.locator("a[href$='.pdf']").get_attribute("href")
    assert (HTML / CHAPTER).with_name(pdf).is_file()
    has_its_icons(tab)


# What a reader types, and what is among the first three hits.
ANSWERS = {
    "how many topics": "How many topics?",
    "optimal allocation": "Optimal allocation: topics or assessors?",
    "swap rate": "swap rate",
    "kappa": "kappa",
    "my scores": "Now yours",
    "dependibility": "dependability",
    "phi": "dependability",
    "Eρ²": "generalizability",
    "gt.gstudy": "gtlib.gstudy",
    "\"swap' <rate>": "swap rate",
}


def test_search_answers(tab, site):
    for query, title in ANSWERS.items():
        tab.goto(f"{site}/search.html?q={quote(query)}")
        hits = tab.locator("#search-results li")
        hits.first.wait_for()
        links = hits.locator("a").all_text_contents()
        assert title in links[:3], query
        assert tab.locator("#search-results mark").count()
        assert hits.locator("p").first.text_content()
    has_its_icons(tab)


@pytest.mark.parametrize(
    "query", first(1, ["\">'", "(", "xyzzy", "a" * 5000])
)
def test_search_says_when_it_finds_nothing(tab, site, query):
    tab.goto(f"{site}/search.html?q={quote(query)}")
    tab.get_by_role("status").get_by_text("Nothing found").wait_for()


@pytest.mark.parametrize("page, made", MADE_BY_SCRIPTS.items())
def test_what_scripts_make_is_there_under_their_policy(
    opened, site, page, made
):
    tab = opened(f"{site}/{page}")
    tab.wait_for_selector(made)
    has_its_icons(tab)


@pytest.mark.parametrize("added", [HANDLER, SCRIPT])
def test_what_a_page_did_not_come_with_does_not_run(opened, site, added):
    tab = opened(f"{site}/{CHAPTER}", bound_to_fail=True)
    with tab.expect_console_message(lambda m: "Security Policy" in m.text):
        tab.evaluate(added)
    assert tab.evaluate("typeof ran") == "undefined"
