"""A chapter on paper: its title first, its pages full."""

import re
from collections import Counter
from io import BytesIO

import pypdf
import pytest

from checks.conftest import ROOT, pages
from tests.cases import only

# A4 at 96 pixels an inch, less Chromium's margins of a centimetre.
WIDTH, HEIGHT = 718, 1047
# What is never cut is at most this part of a page, or pages end empty.
MOST = 0.45

WHOLE = """() => [...document.querySelectorAll("article *")]
    .filter(e => getComputedStyle(e).breakInside !== "auto")
    .filter(e => e.getBoundingClientRect().height > 0)
    .map(e => [e.getBoundingClientRect().height,
               e.outerHTML.slice(0, 100)])"""


# One of many formulas, one of figures. The others are as they are.
MADE = [
    "notebooks/01-classical-test-theory.html",
    "notebooks/07-reusability.html",
]


@pytest.mark.parametrize(
    "page", only(MADE, pages("notebooks/")), scope="module"
)
def test_a_chapter_opens_with_its_title_and_fills_its_pages(visit, page):
    """On few more pages than its height takes, for the breaks."""
    visit.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    visit.emulate_media(media="print")
    title = visit.inner_text("article h1").rstrip("# \n")
    printed = visit.inner_text("body").strip()
    assert printed.startswith(title)
    assert visit.locator("article h1").bounding_box()["y"] < 0.2 * HEIGHT
    assert not re.search(r"^Contents$", printed, re.M)
    kept = visit.evaluate(WHOLE)
    assert kept
    assert not [line for height, line in kept if height > MOST * HEIGHT]
    height = visit.locator("article").bounding_box()["height"]
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "1cm")
    made = visit.pdf(format="A4", margin=margin)
    count = len(re.findall(rb"/Type /Page\b", made))
    assert 0.8 * height / HEIGHT < count < 1.4 * height / HEIGHT + 1


def table(rows, name):
    """A table, every other with a caption; the page ends soon."""
    above = f"<caption>{name}row</caption>" if name % 2 else ""
    cells = "".join(f"<tr><td>{name}row{n}</td></tr>" for n in range(rows))
    return f"""<div style="break-before: page; height: {810 + 12 * name}px">
        </div><div class="output text_html"><table>
        {above}<thead><tr><th>head</th></tr></thead>
        <tbody>{cells}</tbody></table></div>"""


@pytest.mark.parametrize(("rows", "whole"), [(40, False), (8, True)])
def test_a_table_is_not_torn_near_its_ends(opened, tmp_path, rows, whole):
    style = (ROOT / "book" / "_static" / "custom.css").read_text("utf-8")
    page = tmp_path / "tables.html"
    tables = "".join(table(rows, name) for name in range(25))
    page.write_text(f"<style>{style}</style>{tables}", "utf-8")
    made = opened(page.as_uri()).pdf(format="A4")
    parts = {}
    for sheet in pypdf.PdfReader(BytesIO(made)).pages:
        found = Counter(re.findall(r"(\d+)row", sheet.extract_text()))
        for name, count in found.items():
            parts.setdefault(name, []).append(count)
    assert len(parts) == 25
    torn = [counts for counts in parts.values() if len(counts) > 1]
    assert bool(torn) is not whole
    for counts in torn:
        assert counts[0] >= 3 and counts[-1] >= 2  # counts the caption
