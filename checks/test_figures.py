"""A figure of the built book: enlarged at a tap, its colours kept."""

from io import BytesIO

import pytest
from matplotlib.colors import rgb_to_hsv, to_hex
from matplotlib.image import imread
from playwright.sync_api import expect

from checks.conftest import HTML, look, problems
from gtapps.figures.g_study import SIGNS


@pytest.fixture(scope="module")
def page():
    return "notebooks/02-g-study.html"


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
def test_the_doors_are_on_the_first_screen(opened, width, height):
    size = {"width": width, "height": height}
    tab = opened(f"{HTML.as_uri()}/book/index.html", viewport=size)
    doors = tab.locator("article .sd-btn, article .sd-card").all()
    assert len(doors) == 4
    for door in doors:
        box = door.bounding_box()
        assert box["y"] + box["height"] < height


def test_a_tap_and_the_keyboard_enlarge_a_figure(visit):
    visit.set_viewport_size({"width": 390, "height": 844})
    button = visit.locator("article figure button").first
    image = button.locator("img")
    dialog = visit.locator("dialog.enlarged")
    before = image.bounding_box()["width"]
    button.click()
    expect(dialog).to_be_visible()
    after = dialog.locator("img").bounding_box()["width"]
    assert after > 1.5 * before
    visit.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    button.focus()
    visit.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    dialog.click()
    expect(dialog).to_have_count(0)
    assert not problems(visit)


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_ends_of_a_scale_keep_their_colour(visit, scheme):
    look(visit, scheme)
    visit.evaluate(SWATCHES, [to_hex(SIGNS(0.0)), to_hex(SIGNS(1.0))])
    seen = imread(BytesIO(visit.screenshot()))[..., :3]
    less, more = (
        rgb_to_hsv(seen[int(place * len(seen)), seen.shape[1] // 2])
        for place in (0.25, 0.75)
    )
    assert min(less[1], more[1]) > 0.35  # saturation
    assert 0.0 <= less[0] < 0.17  # red to yellow
    assert 0.5 < more[0] < 0.75  # blue
