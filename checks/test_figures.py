"""The first screen, and a figure that is enlarged at a tap."""

import pytest
from playwright.sync_api import expect

from checks.conftest import PHONE, problems


@pytest.fixture(scope="module")
def page():
    return "notebooks/02-g-study.html"


FIRST = "article .your-scores, article .sd-btn"


@pytest.mark.parametrize(
    ("width", "height", "where", "many"),
    [(390, 844, FIRST, 2), (1280, 800, f"{FIRST}, article .sd-card", 5)],
)
def test_the_doors_are_on_the_first_screen(
    opened, width, height, where, many
):
    """On a phone the place for a table, and where to begin."""
    size = {"width": width, "height": height}
    tab = opened("book/index.html", viewport=size)
    doors = tab.locator(where).all()
    assert len(doors) == many
    for door in doors:
        box = door.bounding_box()
        assert box["y"] + box["height"] < height


def test_a_tap_and_the_keyboard_enlarge_a_figure(visit):
    visit.set_viewport_size(PHONE)
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
