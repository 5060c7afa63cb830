"""The made slides: what each chapter has, and how they look and behave."""

import re
from functools import cache

import pytest
from lxml import html

from checks.conftest import HTML, ROOT
from checks.test_browser import Visit
from tools import slides

CHAPTERS = sorted(path.name for path in (HTML / "notebooks").glob("*.html"))
SCREENS = {"projector": (1280, 720), "phone": (390, 844)}
TEACHING = ROOT / "book" / "teaching.md"
MINUTES = 2
"""A lecturer's time for a slide, at the least."""

# Of every slide, as it is and with its answers: whether all of it can be
# seen, and how large its text is, the smallest last.
FULL = """() => slides.flatMap((slide, i) => [false, true].map(open => {
    slide.querySelectorAll("details").forEach(d => { d.open = open; });
    show(i);
    const body = slide.querySelector(".body");
    const box = body.getBoundingClientRect();
    const hidden = ".scroll *, mjx-assistive-mml *, mjx-assistive-mml,"
        + " details:not([open]) > :not(summary),"
        + " details:not([open]) > :not(summary) *";
    const out = [...body.querySelectorAll("*")].filter(e => {
        const { right, bottom } = e.getBoundingClientRect();
        return !e.matches(hidden)
            && (right > box.right + 2 || bottom > box.bottom + 2);
    });
    const wide = [...body.querySelectorAll(".scroll")]
        .filter(e => e.scrollWidth > e.clientWidth + 1);
    const size = parseFloat(getComputedStyle(body).fontSize);
    return { slide: i + 1, open, size, out: out.length,
             wide: wide.length };
}))"""


@cache
def made(chapter):
    page = html.parse(slides.SLIDES / chapter).getroot()
    return page.xpath("//body/section")


def shown(slide):
    return slide.find("./div[@class='shown']")


def title(slide):
    return (slide.xpath("string(.//h1 | .//h2)")).strip()


def kinds(chapter):
    return [slide.get("class") for slide in made(chapter)]


def flat(text):
    return re.sub(r"\s+", " ", text).strip()


@pytest.fixture
def visit(chromium, chapter):
    visit = Visit(chromium, f"../slides/{chapter}")
    visit.tab.evaluate("MathJax.startup.promise")
    yield visit
    visit.context.close()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_has_ten_to_twenty_slides(chapter):
    assert 10 <= len(made(chapter)) <= 20
    assert kinds(chapter)[0] == "title"
    assert made(chapter)[0].xpath(".//li")
    last = [title(slide) for slide in made(chapter)[-2:]]
    assert last == ["What people get wrong", "Summary"]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_question_comes_every_few_slides_and_is_closed(chapter):
    breaks = [
        i for i, kind in enumerate(kinds(chapter)) if kind == "question"
    ]
    assert len(breaks) >= 2
    gaps = zip([0, *breaks], [*breaks, len(made(chapter))], strict=True)
    assert max(behind - before for before, behind in gaps) <= 8
    for slide in made(chapter):
        if slide.get("class") == "question":
            (answer,) = slide.xpath(".//details")
            assert flat(answer.text_content()) != "Answer"
            assert flat(shown(slide).xpath("string(.//*[@class='body']/p)"))
        assert not slide.xpath(".//details[@open]")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_slide_is_a_wall_of_words(chapter):
    walls = {}
    for slide in made(chapter):
        hidden = slide.xpath(".//details/*[not(self::summary)]//text()")
        texts = shown(slide).xpath(".//text()[not(ancestor::table)]")
        words = sum(len(text.split()) for text in texts)
        words -= sum(len(text.split()) for text in hidden)
        if words > 130:
            walls[title(slide)] = words
    assert not walls


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_notes_have_the_prose_of_the_page(chapter):
    page = html.parse(HTML / "notebooks" / chapter).getroot()
    slides.strip(page.find(".//article"))
    said = flat(" ".join(part.text_content() for part in made(chapter)))
    prose = page.xpath(
        "//article//section[h2 and not(@id='check-yourself')"
        " and not(@id='what-next') and not(@id='references')]/p"
    )
    missing = [p for p in prose if flat(p.text_content()) not in said]
    assert len(prose) > 5
    assert not [flat(p.text_content())[:80] for p in missing]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_the_slides_need_is_beside_them(chapter):
    for slide in made(chapter):
        for image in slide.iter("img"):
            assert (slides.SLIDES / image.get("src")).is_file()
        assert not slide.xpath(".//a | .//div[@class='body']//*[@id]")


@pytest.mark.parametrize(
    "chapter, formulas",
    [
        ("01-classical-test-theory", [r"\alpha = \frac{k}{k-1}"]),
        ("02-g-study", ["X_{pia}", r"MS_{p} &= \sigma^2_{pia,e} + n_a"]),
        ("03-d-study", [r"\sigma^2(\delta)", r"\sigma^2(\Delta)"]),
    ],
)
def test_the_formulas_of_a_course_are_there(chapter, formulas):
    found = "".join(
        shown(slide).text_content()
        for slide in made(f"{chapter}.html")
        if slide.get("class") == "formula"
    )
    assert not [f for f in formulas if f not in found]


def test_a_g_study_is_shown_as_a_table():
    tables = [
        shown(slide).text_content()
        for slide in made("02-g-study.html")
        if slide.get("class") == "table"
    ]
    assert any("system x topic x assessor" in text for text in tables)


@pytest.mark.parametrize("chapter", CHAPTERS)
@pytest.mark.parametrize("screen", SCREENS)
def test_every_slide_can_be_seen_whole(visit, screen):
    width, height = SCREENS[screen]
    visit.tab.set_viewport_size({"width": width, "height": height})
    looks = visit.tab.evaluate(FULL)
    least = {"projector": 16, "phone": 9}[screen]
    assert not [look for look in looks if look["out"]]
    if screen == "projector":  # a phone may scroll a table
        assert not [look for look in looks if look["wide"]]
    assert not [look for look in looks if look["size"] < least]
    raw = visit.tab.evaluate("document.body.innerText.includes('\\\\(')")
    assert not raw, "a formula is not typeset"
    assert not visit.problems, "\n".join(visit.problems)


def test_a_figure_fills_its_slide(chromium):
    visit = Visit(chromium, "../slides/01-classical-test-theory.html")
    visit.tab.set_viewport_size({"width": 1280, "height": 720})
    number = kinds("01-classical-test-theory.html").index("figure")
    visit.tab.evaluate(f"show({number})")
    box = visit.tab.locator("section.now img").bounding_box()
    visit.context.close()
    assert box["width"] * box["height"] > 0.45 * 1280 * 720


@pytest.mark.parametrize("chapter", ["01-classical-test-theory.html"])
def test_keys_and_fingers_turn_the_slides(visit):
    tab = visit.tab

    def number():
        return tab.evaluate("now + 1")

    question = 1 + kinds("01-classical-test-theory.html").index("question")
    tab.keyboard.press("ArrowRight")
    assert number() == 2
    tab.keyboard.press("Home")
    for _ in range(question - 1):
        tab.keyboard.press(" ")
    assert number() == question
    assert tab.evaluate("location.hash") == f"#{question}"
    opened = "document.querySelectorAll('section.now details[open]').length"
    tab.keyboard.press("a")
    assert tab.evaluate(opened) == 1
    tab.keyboard.press("a")
    assert tab.evaluate(opened) == 0
    tab.keyboard.press("PageDown")  # opens the answer, then goes on
    assert (tab.evaluate(opened), number()) == (1, question)
    tab.keyboard.press("PageDown")
    assert number() == question + 1
    tab.evaluate(SWIPE, [300, 100])
    assert number() == question + 2
    tab.evaluate(SWIPE, [100, 300])
    assert number() == question + 1
    notes = tab.locator("section.now aside")
    assert not notes.is_visible()
    tab.keyboard.press("n")
    assert notes.is_visible()
    tab.keyboard.press("End")
    assert number() == len(made("01-classical-test-theory.html"))


SWIPE = """([from, to]) => {
    const touch = x => [new Touch({ identifier: 1, target: document.body,
                                    clientX: x, clientY: 300 })];
    const send = (type, x) => document.body.dispatchEvent(new TouchEvent(
        type, { touches: touch(x), changedTouches: touch(x),
                bubbles: true }));
    send("touchstart", from);
    send("touchend", to);
}"""


@pytest.mark.parametrize("chapter", ["02-g-study.html"])
@pytest.mark.parametrize("notes", [False, True])
def test_slides_print_one_to_a_page(visit, notes):
    if notes:
        visit.tab.keyboard.press("n")
    printed = visit.tab.pdf(
        prefer_css_page_size=True, print_background=True
    )
    pages = len(re.findall(rb"/Type /Page\b", printed))
    count = len(made("02-g-study.html"))
    assert pages == count if not notes else pages > count


@pytest.mark.parametrize("chapter", ["02-g-study.html"])
def test_slides_are_dark_where_the_screen_is(visit):
    ground = "getComputedStyle(document.body).backgroundColor"
    visit.tab.emulate_media(color_scheme="light")
    assert visit.tab.evaluate(ground) == "rgb(255, 255, 255)"
    visit.tab.emulate_media(color_scheme="dark")
    assert visit.tab.evaluate(ground) == "rgb(20, 24, 30)"


# The plans of the guide name slides by chapter and number: "1: 2–9".
RANGE = re.compile(r"\b(\d+): (\d+)–(\d+)")


def plans():
    """Each table of the guide that has slides, with the heading above."""
    text = TEACHING.read_text("utf-8")
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        heading = part.splitlines()[0]
        rows = [row for row in part.split("\n") if row.startswith("| ")]
        cells = [
            [c.strip() for c in row.strip("|").split("|")] for row in rows
        ]
        if cells and "slides" in cells[0]:
            yield (
                heading,
                [
                    dict(zip(cells[0], row, strict=True))
                    for row in cells[2:]
                ],
            )


def slides_in(row):
    """The number of slides in a row of a plan; each of them is there."""
    count = 0
    for chapter, first, last in RANGE.findall(row["slides"]):
        (name,) = [n for n in CHAPTERS if int(n[:2]) == int(chapter)]
        assert 1 <= int(first) <= int(last) <= len(made(name)), row
        count += int(last) - int(first) + 1
    return count


def test_the_plans_go_with_the_slides():
    found = dict(plans())
    assert len(found) == 3
    for heading, rows in found.items():
        for row in rows:
            count = slides_in(row)
            minutes = int(row["minutes"])
            assert MINUTES * count <= minutes, (heading, row, count)
        if heading.startswith("Six weeks"):
            named = RANGE.findall(" ".join(row["slides"] for row in rows))
            whole = [
                (c, "1", str(len(made(CHAPTERS[int(c)]))))
                for c, *_ in named
            ]
            assert named == whole
    lecture = next(iter(found.values()))
    assert sum(int(row["minutes"]) for row in lecture) == 90


SAID = (
    "<p>A <b>first. Then <i>a second</i>, of <span>\\(x_1. X\\)</span></b>"
    " and more.<em> Is it a third? </em>Yes: <code>a.b C</code>. End</p>"
)


@pytest.mark.parametrize("least", range(0, 90, 3))
def test_what_is_shortened_is_a_beginning_with_its_marks(least):
    whole = html.fromstring(SAID)
    cut = slides.shorten(html.fromstring(SAID), least)
    text, shown_ = whole.text_content(), cut.text_content()
    assert text.startswith(shown_)
    assert shown_ == text or (shown_[-1] in ".?!" and len(shown_) >= least)
    for mark in cut.iter():
        assert mark.tag in ("p", "b", "i", "span", "em", "code")
    if "second" in shown_:
        assert cut.findtext(".//b/i") == "a second"


def test_only_the_first_words_are_left():
    for least, shown_ in [
        (0, "A first."),
        (9, "A first. Then a second, of"),
    ]:
        cut = slides.shorten(html.fromstring(SAID), least)
        assert cut.text_content().startswith(shown_)
    assert slides.shorten(html.fromstring(SAID)).text_content()[-1] == "?"
