"""The built book and one browser, for the checks that look at them."""

import os
import shutil
from functools import cache
from pathlib import Path

import nbformat
import pytest
from lxml import html
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"

NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]
NO_BROWSER = (
    "These checks need Chromium: `apt install chromium`, or put the path "
    "of one that is installed into the variable CHROMIUM."
)


@cache
def pages(*begin):
    """Every page of the book, as a path relative to its folder.

    The outermost index.html only sends the browser on to the first page;
    `_modules` is gtlib's source, coloured.
    """
    found = sorted(
        path.relative_to(HTML).as_posix()
        for path in HTML.rglob("*.html")
        if not {"_static", "_modules"} & {*path.parts}
        and path != HTML / "index.html"
    )
    if not found:
        pytest.exit("There is no built book: `make book` first.", 2)
    return [page for page in found if page.startswith(begin or "")]


@cache
def tree(page):
    """The page's HTML: read once, so no check may change it."""
    return html.parse(HTML / page).getroot()


@cache
def read(path):
    """A notebook as it is stored, read once."""
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


@pytest.fixture(scope="module", params=pages())
def page(request):
    return request.param


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
        self.tab.goto(f"{HTML.as_uri()}/{path}")
        self.tab.evaluate("window.MathJax?.startup?.promise.then(() => 1)")
        self.tab.add_style_tag(content="* { transition: none !important }")

    def note(self, kind, text):
        self.problems.append(f"{kind}: {text}")

    def heard(self, message):
        if message.type in ("error", "warning"):
            self.note(f"console {message.type}", message.text)

    def asked(self, request):
        if request.url.split(":")[0] not in ("file", "data", "blob"):
            self.note("asked another host", request.url)

    def look(self, scheme):
        """Show the page in light or in dark colours."""
        self.tab.emulate_media(color_scheme=scheme)
        self.tab.wait_for_function(  # a report has no script of the theme
            "scheme => [undefined, scheme].includes("
            "document.documentElement.dataset.theme)",
            arg=scheme,
        )


@pytest.fixture(scope="session")
def chromium():
    """One headless browser for all the pages."""
    path = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, NAMES)), None
    )
    if path is None:
        pytest.fail(NO_BROWSER)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def visit(chromium, page):
    """A page of the book, opened once for all that is asked of it."""
    visit = Visit(chromium, page)
    yield visit
    visit.context.close()


@pytest.fixture
def opened(chromium):
    """What opens addresses, each in a context with its own options.

    Its tabs remember what they asked for, said and did not manage.
    """
    contexts = []

    def opened(address, script="0", **options):
        contexts.append(chromium.new_context(**options))
        contexts[-1].add_init_script(script)
        tab = contexts[-1].new_page()
        tab.asked, tab.said, tab.errors = [], [], []
        tab.on("request", lambda request: tab.asked.append(request.url))
        tab.on("console", lambda message: tab.said.append(message.text))
        tab.on("pageerror", lambda error: tab.errors.append(str(error)))
        tab.goto(address)
        return tab

    yield opened
    for context in contexts:
        context.close()
