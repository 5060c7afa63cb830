"""Every page in a real browser: quiet, fitting, readable, accessible."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from checks.conftest import HTML

# Rules of axe-core that the theme itself breaks, each with the reason why
# it is left: rule -> what the HTML of an excused element contains.
THEMES_OWN = {
    # The book's title stands in the sidebar, outside every landmark.
    "region": ["logo__title"],
    # The arrows that unfold the sidebar's tree have no name.
    "summary-name": ["<summary>"],
}

WIDTHS = [1280, 390]
# Of the two colour schemes the second needs only be looked at for contrast.
SCHEMES = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}


class Visit:
    """A page that is open in the browser, and what went wrong with it."""

    def __init__(self, chromium, path):
        self.problems = []
        self.context = chromium.new_context(
            viewport={"width": 1280, "height": 900}
        )
        self.tab = self.context.new_page()
        self.tab.on("console", self.heard)
        self.tab.on("pageerror", lambda error: self.note("error", error))
        self.tab.on("requestfailed", lambda r: self.note("failed", r.url))
        self.tab.on("request", self.asked)
        self.tab.goto((HTML / path).as_uri(), wait_until="load")
        self.tab.evaluate("window.MathJax?.startup?.promise")
        self.tab.add_style_tag(content="* { transition: none !important }")

    def note(self, kind, text):
        self.problems.append(f"{kind}: {text}")

    def heard(self, message):
        if message.type in ("error", "warning"):
            self.note(f"console {message.type}", message.text)

    def asked(self, request):
        if request.url.split(":")[0] not in ("file", "data", "blob"):
            self.note("asked another host", request.url)


@pytest.fixture(scope="module")
def visit(chromium, page):
    visit = Visit(chromium, page)
    yield visit
    visit.context.close()


def test_page_loads_without_a_complaint(visit):
    assert not visit.problems, "\n".join(visit.problems)


@pytest.mark.parametrize("width", WIDTHS)
def test_page_fits_its_width(visit, width):
    visit.tab.set_viewport_size({"width": width, "height": 900})
    too_wide = visit.tab.evaluate(WIDER_THAN_THE_PAGE)
    visit.tab.set_viewport_size({"width": 1280, "height": 900})
    assert not too_wide, "\n".join(too_wide)


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


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing(visit, scheme):
    visit.tab.emulate_media(color_scheme=scheme)
    visit.tab.wait_for_function(  # the audit's report has no theme script
        "scheme => [undefined, scheme].includes("
        "document.documentElement.dataset.theme)",
        arg=scheme,
    )
    found = [
        f"{violation['id']}: {violation['help']}: {node['html'][:160]}"
        f" {' '.join(message['message'] for message in node['any'][:1])}"
        for violation in violations(visit, SCHEMES[scheme])
        for node in violation["nodes"]
        if not excused(violation["id"], node)
    ]
    assert not found, "\n".join(found)


def violations(visit, rules):
    options = {**rules, "resultTypes": ["violations"], "preload": False}
    return Axe().run(visit.tab, options=options).response["violations"]


def excused(rule, node):
    return any(mark in node["html"] for mark in THEMES_OWN.get(rule, []))
