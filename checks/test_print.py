"""A chapter on paper: its title first, its pages full."""

import re

import pytest

from checks.conftest import HTML
from checks.test_browser import Visit

CHAPTERS = sorted(path.name for path in (HTML / "notebooks").glob("*.html"))
# A4 at 96 pixels an inch, less Chromium's margins of a centimetre.
WIDTH, HEIGHT = 718, 1047
MOST = 0.45
"""What is never cut is at most this part of a page, or pages end empty."""

WHOLE = """() => [...document.querySelectorAll("article *")]
    .filter(e => getComputedStyle(e).breakInside !== "auto")
    .filter(e => e.getBoundingClientRect().height > 0)
    .map(e => [e.getBoundingClientRect().height,
               e.outerHTML.slice(0, 100)])"""


# Two chapters are made into a PDF, one of many formulas, one of figures.
MADE = ["01-classical-test-theory.html", "07-reusability.html"]


@pytest.fixture(scope="module", params=CHAPTERS)
def paper(chromium, request):
    visit = Visit(chromium, f"notebooks/{request.param}")
    visit.tab.evaluate("MathJax.startup.promise")
    visit.tab.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    visit.tab.emulate_media(media="print")
    yield visit.tab
    visit.context.close()


def test_a_printed_chapter_opens_with_its_title(paper):
    title = paper.evaluate(
        "document.querySelector('article h1').innerText"
    ).rstrip("# \n")
    printed = paper.evaluate("document.body.innerText").strip()
    assert printed.startswith(title)
    assert paper.locator("article h1").bounding_box()["y"] < 0.2 * HEIGHT
    assert not re.search(r"^Contents$", printed, re.M)


def test_nothing_that_is_kept_whole_leaves_a_page_half_empty(paper):
    kept = paper.evaluate(WHOLE)
    assert kept
    assert not [line for height, line in kept if height > MOST * HEIGHT]


def test_a_printed_chapter_is_as_long_as_what_it_says(paper):
    """Few more pages than its height takes, for the breaks."""
    if not paper.url.endswith(tuple(MADE)):
        return
    height = paper.locator("article").bounding_box()["height"]
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "1cm")
    printed = paper.pdf(format="A4", margin=margin)
    pages = len(re.findall(rb"/Type /Page\b", printed))
    assert 0.8 * height / HEIGHT < pages < 1.4 * height / HEIGHT + 1
