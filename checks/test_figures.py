"""The figures of the built book: legible, and enlarged at a tap."""

import re
from functools import cache

import pytest
from playwright.sync_api import expect

from checks.conftest import HTML
from checks.test_browser import Visit

PHONE = {"width": 390, "height": 844}
LEAST = 9.0
"""Pixels that the letters of a figure have on a phone, at the least."""

# Matplotlib draws letters as shapes 100 units high, and makes them smaller
# by the first number of `scale`. What stands above and below the line of a
# formula is smaller than that again, and not counted.
LETTERS = re.compile(r"scale\((0\.\d+) -0\.\d+\)")

DRAWN = """() => [...document.querySelectorAll("article figure img")].map(
    image => ({
        file: decodeURI(image.src).split("/").pop(),
        shown: Math.min(image.clientWidth / image.naturalWidth,
                        image.clientHeight / image.naturalHeight)
            * image.naturalWidth,
    }))"""


@cache
def letters(file):
    """How high the smallest letters of a figure are, and how wide it is."""
    svg = (HTML / "_images" / file).read_text()
    sizes = [100 * float(size) for size in LETTERS.findall(svg)]
    assert sizes, f"{file} has no letters that can be measured"
    return min(sizes), float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])


CHAPTERS = sorted(
    f"notebooks/{path.name}" for path in (HTML / "notebooks").glob("*.html")
)
G_STUDY = "notebooks/02-g-study.html"


@pytest.fixture
def visit(chromium, place):
    visit = Visit(chromium, place)
    visit.tab.set_viewport_size(PHONE)
    yield visit
    visit.context.close()


@pytest.mark.parametrize("place", ["book/index.html", *CHAPTERS])
def test_a_phone_shows_every_letter_of_a_figure(visit):
    visit.tab.evaluate(
        "document.querySelectorAll('details').forEach(d => d.open = true)"
    )
    visit.tab.evaluate(
        "document.querySelectorAll('.toggle-hidden').forEach("
        "e => e.classList.remove('toggle-hidden'))"
    )
    figures = visit.tab.evaluate(DRAWN)
    assert figures
    small = {}
    for figure in figures:
        points, width = letters(figure["file"])
        pixels = points * figure["shown"] / width
        if pixels < LEAST:
            small[figure["file"]] = round(pixels, 1)
    assert not small


@pytest.mark.parametrize("place", ["book/index.html"])
@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_the_doors_are_on_the_first_screen(visit, size):
    width, height = size
    visit.tab.set_viewport_size({"width": width, "height": height})
    doors = visit.tab.locator("article .sd-btn, article .sd-card").all()
    assert len(doors) == 4
    for door in doors:
        box = door.bounding_box()
        assert box["y"] + box["height"] < height


def test_the_measure_finds_letters_that_are_too_small(tmp_path):
    import matplotlib.pyplot as plt

    with plt.rc_context({"font.size": 7}):
        figure, ax = plt.subplots(figsize=(4.8, 3.4))
        ax.set_xlabel("small")
        figure.savefig(tmp_path / "small.svg")
        plt.close(figure)
    points, width = letters.__wrapped__(tmp_path / "small.svg")
    assert points == pytest.approx(7)
    assert width == pytest.approx(4.8 * 72)


@pytest.mark.parametrize("place", [G_STUDY])
def test_a_tap_and_the_keyboard_enlarge_a_figure(visit):
    button = visit.tab.locator("article figure button").first
    image = button.locator("img")
    dialog = visit.tab.locator("dialog.enlarged")
    before = image.bounding_box()["width"]
    button.click()
    expect(dialog).to_be_visible()
    after = dialog.locator("img").bounding_box()["width"]
    assert after > 1.5 * before
    visit.tab.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    button.focus()
    visit.tab.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    dialog.click()
    expect(dialog).to_have_count(0)
    assert not visit.problems, "\n".join(visit.problems)


# The ends of figure 2.1's scale, less and more, under the page's filter.
SWATCHES = """ends => {
    const filter = getComputedStyle(
        document.querySelector("#fig-gst-maps img")).filter;
    const box = document.createElement("div");
    box.style = "position:fixed;inset:0;z-index:99;background:#000";
    box.innerHTML = ends.map(color => `<i style="display:block;height:50%;
        background:${color};filter:${filter}"></i>`).join("");
    document.body.append(box);
}"""


@pytest.mark.parametrize("place", [G_STUDY])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_ends_of_a_scale_keep_their_colour(visit, scheme):
    from io import BytesIO

    from matplotlib.colors import rgb_to_hsv, to_hex
    from matplotlib.image import imread

    from gtapps.figures.g_study import SIGNS

    visit.tab.emulate_media(color_scheme=scheme)
    visit.tab.wait_for_function(
        "scheme => document.documentElement.dataset.theme === scheme",
        arg=scheme,
    )
    visit.tab.evaluate(SWATCHES, [to_hex(SIGNS(0.0)), to_hex(SIGNS(1.0))])
    seen = imread(BytesIO(visit.tab.screenshot()))[..., :3]
    less, more = (
        rgb_to_hsv(seen[int(place * len(seen)), seen.shape[1] // 2])
        for place in (0.25, 0.75)
    )
    assert min(less[1], more[1]) > 0.35  # saturation
    assert 0.0 <= less[0] < 0.17  # red to yellow
    assert 0.5 < more[0] < 0.75  # blue
