"""The made slides: what each chapter has, and how they look and behave."""

import re
from functools import cache

import pytest
from lxml import html

from checks.conftest import HTML, ROOT, Visit
from tools import slides

CHAPTERS = sorted(path.name for path in (HTML / "notebooks").glob("*.html"))
TEACHING = ROOT / "book" / "teaching.md"
MINUTES = 2
"""A lecturer's time for a slide, at the least."""

every_chapter = pytest.mark.parametrize("chapter", CHAPTERS)

# Of every slide: the height and width that its body takes, whatever sticks
# out of the screen, and the size of its letters in pixels.
LOOKS = """() => Reveal.getSlides().map((slide, i) => {
    Reveal.slide(i, 0, 99);
    const out = [...slide.querySelectorAll("h1, h2, .body *")].filter(e => {
        const box = e.getBoundingClientRect();
        return !e.closest("mjx-assistive-mml")
            && (box.right > 1281 || box.bottom > 721);
    });
    const letters = getComputedStyle(slide.querySelector(".body")).fontSize;
    return [i + 1, out.length, parseFloat(letters)];
})"""


@cache
def made(chapter):
    page = html.parse(slides.SLIDES / chapter).getroot()
    return page.xpath("//section")


def flat(element):
    return re.sub(r"\s+", " ", element.text_content()).strip()


@pytest.fixture
def visit(chromium, chapter):
    visit = Visit(chromium, f"../slides/{chapter}")
    visit.tab.set_viewport_size({"width": 1280, "height": 720})
    visit.tab.wait_for_function("document.body.dataset.ready")
    yield visit
    visit.context.close()


@every_chapter
def test_a_chapter_has_ten_to_thirty_slides(chapter):
    titles = [slide[0].text for slide in made(chapter)]
    kinds = [slide.get("class") for slide in made(chapter)]
    assert 10 <= len(titles) <= 30
    assert kinds[0] == "title" and kinds.count("question") >= 2
    assert {"Summary", "What people get wrong"} <= {*titles}
    for slide in made(chapter):
        assert flat(slide[1]), slide[0].text
        for image in slide.iter("img"):
            assert (slides.SLIDES / image.get("src")).is_file()
        if slide.get("class") == "question":
            (answer,) = slide.find_class("fragment")
            assert flat(answer) and answer.getprevious() is not None
    assert not [s for s in made(chapter) if s.xpath(".//a | .//*[@id]")]


@every_chapter
def test_nothing_is_cut_and_the_notes_have_the_prose(chapter):
    """Every paragraph, caption and table of a slide is a whole one."""
    page = html.parse(HTML / "notebooks" / chapter)
    article = page.find(".//article")
    for mark in article.xpath(slides.ONLY_ON_A_PAGE):
        mark.drop_tree()
    parts = "p", "figcaption", "table", "pre", "li"
    whole = {
        flat(part) for part in article.iter(*parts, "strong", "em", "span")
    }
    for slide in made(chapter):
        for part in slide[1].iter(*parts):
            assert flat(part) in whole
    said = " ".join(flat(slide) for slide in made(chapter))
    prose = article.xpath(
        ".//section[h2 and not(@id='check-yourself')"
        " and not(@id='what-next') and not(@id='references')]/p"
    )
    assert len(prose) > 5
    assert not [flat(p)[:80] for p in prose if flat(p) not in said]


@every_chapter
def test_every_slide_can_be_seen_whole_and_read(visit, chapter):
    looks = visit.tab.evaluate(LOOKS)
    assert len(looks) == len(made(chapter))
    assert not [look for look in looks if look[1] or look[2] < 16]
    text = visit.tab.evaluate("document.body.innerText")
    assert "\\(" not in text, "a formula is not typeset"
    assert not visit.problems, "\n".join(visit.problems)


@pytest.mark.parametrize("chapter", ["08-swap-rates.html"])
def test_answers_come_last_and_notes_in_a_window_of_their_own(visit):
    told = made("08-swap-rates.html")
    question, asked = next(
        (number, slide)
        for number, slide in enumerate(told)
        if slide.get("class") == "question" and flat(slide.find("aside"))
    )
    visit.tab.evaluate(f"Reveal.slide({question})")
    answer = visit.tab.locator("section.present .fragment")
    shown = "e => getComputedStyle(e).visibility"
    assert answer.evaluate(shown) == "hidden"
    visit.tab.keyboard.press("Space")
    assert answer.evaluate(shown) == "visible"
    with visit.context.expect_page() as opened:
        visit.tab.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes .value")
    first = flat(asked.find("aside"))[:40]
    notes.get_by_text(first).first.wait_for(timeout=5000)


@pytest.mark.parametrize("chapter", ["02-g-study.html"])
def test_slides_print_one_to_a_page(visit):
    visit.tab.goto(f"{visit.tab.url.partition('#')[0]}?print-pdf")
    visit.tab.wait_for_selector(".pdf-page >> nth=-1")
    printed = visit.tab.pdf(prefer_css_page_size=True)
    pages = len(re.findall(rb"/Type /Page\b", printed))
    assert pages == len(made("02-g-study.html"))


# The plans of the guide name slides by chapter and number: "1: 2–9".
RANGE = re.compile(r"\b(\d+): (\d+)–(\d+)")


def test_the_plans_go_with_the_slides():
    rows = re.findall(r"^\|.*\d+: \d+–.*$", TEACHING.read_text(), re.M)
    assert len(rows) == 5 + 3 + 6
    lecture = 0
    for row in rows:
        cells = [cell.strip() for cell in row.split("|")]
        numbers = [int(cell) for cell in cells if cell.isdigit()]
        count = 0
        for chapter, first, last in RANGE.findall(row):
            there = len(made(CHAPTERS[int(chapter)]))
            assert 1 <= int(first) <= int(last) <= there, row
            count += int(last) - int(first) + 1
            assert row not in rows[8:] or (first, int(last)) == ("1", there)
        assert MINUTES * count <= numbers[-1], row
        lecture += numbers[-1] * (row in rows[:5])
    assert lecture == 90
