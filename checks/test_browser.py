"""Every page in a real browser: quiet, fitting, readable, accessible."""

import re
from functools import cache

import pytest
from axe_playwright_python.sync_playwright import Axe

from checks.conftest import DESK, HTML, PHONE, look, pages, problems
from tests.cases import only

CONTRAST = "color-contrast"
# Of pages that are made alike axe looks at one.
ALIKE = "book/api/", "appendices/", "notebooks/1"
EACH_KIND = pytest.mark.parametrize(
    "page",
    only(
        [
            "book/api/reliability.html",
            "appendices/appendix-06-ap-confidence.html",
            *[page for page in pages() if not page.startswith(ALIKE)],
            "notebooks/15-the-atlas.html",
            "notebooks/16-the-four-papers.html",
        ],
        pages(),
    ),
    scope="module",
)


def test_page_loads_without_a_complaint(visit):
    assert not problems(visit)


WIDER_THAN_THE_PAGE = """() => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return [];
    const scrolls = e => e && e !== root && (
        getComputedStyle(e).overflowX !== "visible"
        || scrolls(e.parentElement));
    return [...document.querySelectorAll("article *")]
        .filter(e => e.getBoundingClientRect().right > root.clientWidth)
        .filter(e => !scrolls(e.parentElement))
        .slice(0, 5).map(e => e.outerHTML.slice(0, 160));
}"""

CUT_FORMULAS = """() =>
    [...document.querySelectorAll("mjx-container[display=true]")]
        .filter(e => e.scrollWidth > e.clientWidth)
        .map(e => e.closest("div.math").id || e.textContent)"""


@pytest.mark.parametrize("width", [1280, 390])
def test_page_fits_its_width(visit, width):
    visit.set_viewport_size({"width": width, "height": 900})
    too_wide = visit.evaluate(WIDER_THAN_THE_PAGE)
    cut = visit.evaluate(CUT_FORMULAS)
    visit.set_viewport_size(DESK)
    assert not too_wide, "\n".join(too_wide)
    assert not cut, "\n".join(cut)


# The contrast of a text depends on its colour, its size and its weight, and
# on the backgrounds behind it. axe-core takes long to look at a text, so it
# is shown one of each kind, on the first page that has it: of the same
# element, class and look.
MARK_NEW_LOOKS = """known => {
    const behind = new Map([[null, ""]]);
    const ground = e => {
        if (!behind.has(e)) {
            const style = getComputedStyle(e);
            const own = [style.opacity, style.filter,
                style.backgroundColor, style.backgroundImage].join();
            const seen = own === "1,none,rgba(0, 0, 0, 0),none" ? "" : own;
            behind.set(e, `${ground(e.parentElement)} ${seen}`.trim());
        }
        return behind.get(e);
    };
    const looks = new Set(known);
    document.querySelectorAll("body *").forEach(e => {
        const says = [...e.childNodes].some(
            n => n.nodeType === Node.TEXT_NODE && n.data.trim());
        const style = getComputedStyle(e);
        const named = (e.getAttribute("class") || "").replace(/\\d+/g, "");
        const look = [e.tagName, named, style.color, style.fontSize,
            style.fontWeight, style.textShadow, ground(e)].join();
        const first = says && !looks.has(look)
            && e.checkVisibility({ visibilityProperty: true });
        e.toggleAttribute("data-look", first);
        if (first) looks.add(look);
    });
    return [...looks].slice(known.length);
}"""
STAND_OUT = []


@EACH_KIND
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(visit, scheme):
    look(visit, scheme)
    if new := visit.evaluate(MARK_NEW_LOOKS, STAND_OUT):
        looks = {"include": [["[data-look]"]]}
        axe_finds_nothing(visit, {"runOnly": [CONTRAST]}, looks)
    STAND_OUT.extend(new)
    assert STAND_OUT


@EACH_KIND
def test_axe_finds_nothing_else(visit):
    others = {"rules": {CONTRAST: {"enabled": False}}}
    axe_finds_nothing(visit, others)


def axe_finds_nothing(tab, rules=None, context=None):
    options = {"resultTypes": ["violations"], "preload": False}
    run = Axe().run(tab, context, options | (rules or {}))
    found = [
        f"{violation['id']}: {violation['help']}: {node['html'][:160]}"
        f" {' '.join(message['message'] for message in node['any'][:1])}"
        for violation in run.response["violations"]
        for node in violation["nodes"]
    ]
    assert not found, "\n".join(found)


# Matplotlib draws letters as shapes 100 units high, and makes them smaller
# by the first number of `scale`. What stands above and below the line of a
# formula is smaller than that again, and not counted.
LETTERS = re.compile(r"scale\((0\.\d+) -0\.\d+\)")
# Pixels that the letters of a figure have on a phone, at the least.
LEAST = 9.0

DRAWN = """() => {
    document.querySelectorAll("details").forEach(d => { d.open = true; });
    document.querySelectorAll(".toggle-hidden").forEach(
        e => e.classList.remove("toggle-hidden"));
    return [...document.querySelectorAll("article figure img")].map(
        image => [decodeURI(image.src).split("/").pop(),
            Math.min(image.clientWidth / image.naturalWidth,
                     image.clientHeight / image.naturalHeight)
            * image.naturalWidth]);
}"""


@cache
def letters(file):
    """How high the smallest letters of a figure are, and how wide it is."""
    svg = (HTML / "_images" / file).read_text()
    sizes = [100 * float(size) for size in LETTERS.findall(svg)]
    assert sizes, f"{file} has no letters that can be measured"
    return min(sizes), float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])


def test_a_phone_shows_every_letter_of_a_figure(visit, page):
    if not page.startswith("notebooks/"):
        return
    visit.set_viewport_size(PHONE)
    small, figures = {}, visit.evaluate(DRAWN)
    assert figures
    for file, shown in figures:
        points, width = letters(file)
        pixels = points * shown / width
        if pixels < LEAST:
            small[file] = round(pixels, 1)
    assert not small
