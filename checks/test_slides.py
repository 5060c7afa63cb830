"""The made slides: each chapter has some, whole, with all they show."""

import pytest
from lxml import html

from checks.conftest import HTML
from checks.test_browser import Visit
from tools import slides

CHAPTERS = sorted(path.name for path in (HTML / "notebooks").glob("*.html"))

# The lowest and the highest slide, in the slides' own units.
HEIGHTS = """() => {
    const heights = Reveal.getSlides().map((slide, i) => {
        Reveal.slide(i);
        return slide.scrollHeight;
    });
    return [Math.min(...heights), Math.max(...heights)];
}"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_slides_open_figure_warn_and_sum_up(chapter):
    page = html.parse(slides.SLIDES / chapter).getroot()
    titles = [
        (part.findtext("./h1") or part.findtext("./h2") or "").strip()
        for part in page.xpath("//div[@class='slides']/section")
    ]
    assert titles[0]
    assert titles[-2:] == ["What people get wrong", "Summary"]
    assert len(page.xpath("//section//figure[.//img][.//figcaption]")) >= 1
    for image in page.iter("img"):
        assert (slides.SLIDES / image.get("src")).is_file(), image.get(
            "src"
        )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_slides_show_themselves_from_the_file_system(chromium, chapter):
    visit = Visit(chromium, f"../slides/{chapter}")
    visit.tab.wait_for_selector(".reveal.ready section.present")
    low, high = visit.tab.evaluate(HEIGHTS)
    assert 0 < low <= high <= 760
    raw = visit.tab.evaluate("document.body.innerText.includes('\\\\(')")
    visit.context.close()
    assert not raw, "a formula is not typeset"
    assert not visit.problems, "\n".join(visit.problems)
