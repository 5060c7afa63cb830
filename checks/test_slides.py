"""The slides of the lecture: what each has, how it looks."""

import re
import unicodedata
from io import BytesIO

import nbformat
import pypdf
import pytest
from lxml import html
from nbformat.v4 import new_code_cell, new_notebook

from checks.conftest import LETTERS, passes
from checks.test_browser import axe_finds_nothing, letters
from tools import slides

LECTURE = html.parse(slides.SLIDES / "lecture.html").getroot()
MADE = LECTURE.findall(".//section")
RUFF = "ruff", "--config=builtins=['parts']"
HIDDEN = "e => getComputedStyle(e).visibility === 'hidden'"
CROPPED = """() => [...document.querySelectorAll(".overview section")]
    .filter(e => e.scrollWidth > e.clientWidth + 1
        || e.scrollHeight > e.clientHeight + 1).map(e => e.id)"""
WORD = re.compile(r"[^\W\d_]{3,}")
# Pixels of a letter on a projector of 1280 by 720.
LEAST = 20.0

# Of every slide: what sticks out of it, the smallest letters of its text,
# how wide its figure is drawn, and the number that it shows.
LOOKS = """() => Reveal.getSlides().map((slide, i) => {
    Reveal.slide(i, 0, 99);
    const parts = [...slide.querySelectorAll("h1, h2, .body *")]
        .filter(e => !e.closest("svg"));
    const out = parts.filter(e => {
        const box = e.getBoundingClientRect();
        return box.left < 0 || box.right > 1280 || box.bottom > 690;
    });
    const size = e => parseFloat(getComputedStyle(e).fontSize);
    const number = getComputedStyle(parts[0], "::after");
    const image = slide.querySelector("img");
    const box = image?.getBoundingClientRect();
    const scale = image && Math.min(box.width / image.naturalWidth,
                                    box.height / image.naturalHeight);
    return [slide.id, out.length, Math.min(...parts.map(size),
        parseFloat(number.fontSize)), image && scale * image.naturalWidth,
        number.content];
})"""


def flat(element):
    return re.sub(r"\s+", " ", element.text_content()).strip()


def shown(file):
    return slides.SLIDES / f"{file.stem}.html"


def deck(file):
    return html.parse(shown(file)).findall(".//section")


every_deck = pytest.mark.parametrize(
    "file", [slides.LECTURE], ids=lambda path: path.stem
)


def projected(opened, file):
    size = {"width": 1280, "height": 720}
    visit = opened(f"slides/{file.stem}.html", viewport=size)
    visit.wait_for_function("() => document.body.dataset.ready")
    return visit


@pytest.fixture
def visit(opened):
    return projected(opened, slides.LECTURE)


def test_the_lecture_has_as_many_slides_as_it_has_time_for():
    *spoken, references = MADE
    assert 20 <= len(spoken) <= 30
    assert references.get("data-timing") == "0"
    assert sum(int(s.get("data-timing")) for s in MADE) == 60 * 120


@every_deck
def test_each_slide_has_a_sentence_a_figure_and_notes(file):
    *spoken, _ = deck(file)
    for slide in spoken:
        title, body, *_, notes = slide
        assert 6 <= len(flat(title).split()) <= 16, flat(title)
        (image,) = slide.iter("img")
        assert image.get("src") == f"{slide.get('id')}.svg"
        assert (slides.SLIDES / image.get("src")).is_file()
        assert len(image.get("alt").split()) >= 10, flat(title)
        assert len(flat(body).split()) <= 50, flat(title)
        assert 50 <= len(flat(notes).split()) <= 125, flat(title)
        assert re.search(r"[.?”]$", flat(notes))
    for link in html.parse(shown(file)).xpath("//a/@href"):
        page = link.partition("#")[0]
        assert (slides.SLIDES / page).resolve().is_file()


@every_deck
def test_every_source_is_among_the_references(file):
    *spoken, references = deck(file)
    sources = [flat(p) for s in spoken for p in s.find_class("source")]
    named = [text.removeprefix("Source: ") for text in sources]
    assert len(named) >= (15 if file == slides.LECTURE else 2)
    listed = flat(references)
    for source in named:
        for name, year in re.findall(
            r"([A-Z]\w+)[^()]*\((\d{4})\)", source
        ):
            assert re.search(rf"{name}\b[^§]*?{year}", listed), source


def test_relative_and_absolute_have_their_slide():
    said = [flat(slide) for slide in MADE]
    (found,) = [text for text in said if "σ²(δ) =" in text]
    assert "σ²(Δ) =" in found
    assert "1.5/6 + 0.5/2 + 1.5/12 = 0.625" in found
    assert "1.833" in found


@every_deck
def test_every_question_asks_about_what_its_slide_shows(file):
    """Its answer comes behind it, and both stand with the figure."""
    asked = [s for s in deck(file) if s.find_class("fragment")]
    assert len(asked) >= (8 if file == slides.LECTURE else 1)
    for slide in asked:
        (answer,) = slide.find_class("fragment")
        question = flat(answer.getprevious())
        assert question.endswith("?") or "(a)" in question


@every_deck
def test_no_number_is_typed_where_code_has_it(file):
    """A decimal on a slide is computed, or one that a question supposes."""
    typed = set()
    for piece in slides.HEADING.split(file.read_text("utf-8")):
        shown = slides.VALUE.sub("", slides.CODE.sub("", piece))
        shown = re.sub(r"!\[.*?\]", "", shown.partition("\nNote:\n")[0])
        typed |= {*re.findall(r"(?<![\d.])\.\d+|\d+\.\d+|\d+%", shown)}
    assert typed <= {"0.30", "0.80", "0.97", "0.95", "95%"}


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]])
def test_the_code_has_the_style_of_a_chapter(command):
    cells = slides.CODE.findall(slides.LECTURE.read_text("utf-8"))
    book = new_notebook(cells=[new_code_cell(code[:-1]) for code in cells])
    named = "--stdin-filename=lecture.ipynb"
    passes(*RUFF, *command, named, "-", input=nbformat.writes(book))


@every_deck
def test_every_slide_can_be_read_from_the_last_row(opened, file):
    looks = projected(opened, file).evaluate(LOOKS)
    assert len(looks) == len(deck(file))
    wrong = []
    for number, look in enumerate(looks, 1):
        name, out, least, drawn, shows = look
        found = out, round(least)
        if drawn:
            points, width = letters(slides.SLIDES / f"{name}.svg")
            found += (round(points * drawn / width, 1),)
        if out or min(found[1:]) < LEAST or shows != f'"{number}"':
            wrong.append((name, *found, shows))
    assert not wrong


def test_the_overview_names_each_slide(visit):
    visit.keyboard.press("Escape")
    heads = visit.locator(".overview :is(h1, h2)")
    for head in heads.all():
        box = head.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
        assert box["y"] >= 0 and box["y"] + box["height"] <= 720
        assert head.evaluate(LETTERS) >= 15
    assert not visit.evaluate(CROPPED)
    visit.locator("#errors").click()
    visit.wait_for_function("!Reveal.isOverview()")
    assert visit.evaluate("Reveal.getCurrentSlide().id") == "errors"


@pytest.mark.parametrize("name", ["start", "errors", "next"])
def test_axe_finds_nothing_on_a_slide(visit, name):
    visit.evaluate("name => { location.hash = name; }", name)
    visit.wait_for_selector(f"#{name}.present")
    axe_finds_nothing(visit)


def test_only_the_presenter_sees_notes_and_what_comes_next(opened, site):
    tab = opened(f"{site}/slides/lecture.html#two")
    tab.wait_for_function("document.body.dataset.ready")
    here, after = (tab.locator(f"#{name}") for name in ("two", "topics"))
    answer = here.locator(".fragment")
    assert answer.evaluate(HIDDEN)
    assert not here.locator(".notes").is_visible()
    with tab.context.expect_page() as opened_too:
        tab.keyboard.press("s")
    window = opened_too.value
    window.set_viewport_size({"width": 1100, "height": 700})
    frames = window.locator("iframe")
    shown, upcoming = (
        frames.nth(n).content_frame.locator("section.present h2")
        for n in (0, 1)
    )
    notes = window.locator(".speaker-controls-notes .value")
    (here_notes,) = LECTURE.get_element_by_id("two").find_class("notes")
    notes.get_by_text(flat(here_notes)[:40]).wait_for()
    shown.get_by_text(here.locator("h2").text_content()).wait_for()
    for place in window.locator(".clock-value, .timer, .pacing").all():
        assert re.search(r"\d\d:\d\d", place.inner_text())
    window.keyboard.press("ArrowRight")
    tab.wait_for_selector("#two .fragment.visible")
    upcoming.get_by_text(after.locator("h2").text_content()).wait_for()
    pane = window.locator("#speaker-controls")
    assert pane.evaluate("e => e.scrollHeight - e.clientHeight") <= 0


@every_deck
def test_slides_print_one_to_a_page_with_their_answers(opened, file):
    printed = projected(opened, file).pdf(prefer_css_page_size=True)
    sheets = pypdf.PdfReader(BytesIO(printed)).pages
    for sheet, slide in zip(sheets, deck(file), strict=True):
        text = unicodedata.normalize("NFKC", sheet.extract_text())
        text = re.sub(r"\s+", " ", text)
        assert text.startswith(flat(slide[0]))
        assert flat(slide[-1])[:30] not in text
        blocks = [flat(e) for e in slide[1].iter("p", "li", "td")]
        *_, last = filter(None, blocks)
        last = unicodedata.normalize("NFKC", last)
        # A link's text stands elsewhere among what a printer was sent.
        assert {*WORD.findall(last)} <= {*WORD.findall(text)}
        assert [*map(int, sheet.mediabox[2:])] == [960, 540]


# Of every slide on a phone: what is wider than it, how wide its figure is
# drawn, the smallest letters, and whether its notes stand below all else.
UPRIGHT = """() => Reveal.getSlides().map((slide, i) => {
    Reveal.slide(i);
    const scale = Reveal.getScale();
    const shown = [...slide.querySelectorAll("h1, h2, p, label, .said")];
    const size = e => scale * parseFloat(getComputedStyle(e).fontSize);
    const image = slide.querySelector("img")?.getBoundingClientRect();
    const notes = slide.querySelector(".notes").getBoundingClientRect();
    const above = [...slide.children].slice(0, -1)
        .map(e => e.getBoundingClientRect().bottom);
    return [slide.id, slide.scrollWidth - slide.clientWidth, image?.width,
        Math.min(...shown.map(size)), notes.height > 50,
        Math.max(...above) <= notes.top + 1];
})"""


@every_deck
def test_on_a_phone_a_slide_fills_the_width_and_text_is_below(opened, file):
    size = {"width": 390, "height": 844}
    visit = opened(f"slides/{file.stem}.html", viewport=size)
    visit.wait_for_function("document.body.dataset.ready")
    looks = visit.evaluate(UPRIGHT)
    assert len(looks) == len(deck(file))
    for name, wider, image, smallest, *notes in looks:
        assert wider <= 1, name
        assert all(notes), name
        assert smallest > 11.9, name
        assert image is None or image > 320, name
    visit.keyboard.press("ArrowLeft")
    assert visit.evaluate("Reveal.getIndices().h") == len(looks) - 2
