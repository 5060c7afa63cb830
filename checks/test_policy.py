"""What the pages may run, from files and from a server."""

from urllib.parse import quote

import pytest

from checks.conftest import HTML, pages, tree

CHAPTER = "notebooks/02-g-study.html"
PLANNER = "book/planner.html"
LEDGER = "notebooks/10-every-published-number.html"
HEARD = """
    window.refused = [];
    document.addEventListener("securitypolicyviolation", event =>
        refused.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


@pytest.fixture
def tab(opened, site):
    """A chapter that remembers what it refused."""
    return opened(f"{site}/{CHAPTER}", HEARD)


def works(tab):
    """Nothing was refused, and every icon is in the smaller file."""
    assert not tab.evaluate("refused") + tab.errors
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
    assert tab.locator("mjx-container svg").count() > 20
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
    works(tab)


def test_the_menu_of_downloads_opens(tab):
    tab.locator(".dropdown-download-buttons button").first.click()
    menu = tab.locator(".dropdown-download-buttons .dropdown-menu.show")
    menu.wait_for()
    pdf = menu.locator("a[href$='.pdf']").get_attribute("href")
    assert (HTML / CHAPTER).with_name(pdf).is_file()
    works(tab)


# What a reader types, and what is among the first three hits.
ANSWERS = {
    "how many topics": "How many topics?",
    "negative variance component": "When a variance comes out negative",
    "cost of an assessor": "What hiring costs",
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
    works(tab)


@pytest.mark.parametrize("query", ["xyzzy", "(", "\">'", "a" * 5000])
def test_search_says_when_it_finds_nothing(tab, site, query):
    tab.goto(f"{site}/search.html?q={quote(query)}")
    tab.get_by_role("status").get_by_text("Nothing found").wait_for()
    works(tab)


def test_planner_and_ledger_work_under_theirs(tab, site):
    tab.goto(f"{site}/{PLANNER}")
    tab.wait_for_selector("#pl-root:not([hidden])")
    works(tab)
    tab.goto(f"{site}/{LEDGER}")
    shown = tab.locator("table.ledger tr[data-verdict]:visible")
    whole = shown.count()
    tab.get_by_label("Verdict").select_option("differs")
    assert 0 < shown.count() < whole
    works(tab)


def test_what_a_page_did_not_come_with_does_not_run(tab):
    tab.evaluate("""() => {
        const article = document.querySelector("article");
        article.insertAdjacentHTML(
            "beforeend", `<img alt="" src="x:" onerror="ran = 1">`);
        const script = document.createElement("script");
        script.textContent = "ran = 2";
        article.append(script);
    }""")
    tab.wait_for_function("refused.length > 1")
    assert tab.evaluate("typeof ran") == "undefined"
