"""The built book and one browser, for the checks that look at them."""

import subprocess
import sys
import threading
from contextlib import ExitStack
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import pytest
from lxml import html
from playwright.sync_api import sync_playwright

from tests.cases import first
from tools import pdf

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
BOOK = f"{HTML.as_uri()}/"
LOUD = "error", "warning"
# Why a request is given up that nobody waits for: without scripts, those
# for scripts; and those of a page that is left. What the policy of a page
# refuses, the browser also says.
LEFT = "csp", "net::ERR_ABORTED"
OURS = "file:", "data:", "blob:", "http://127.0.0.1:"
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
LETTERS = "e => parseFloat(getComputedStyle(e).fontSize)"
sys.path.append(str(ROOT / "book" / "_ext"))  # as the build has it


@cache
def pages(*begin):
    """Every page of the book, as a path relative to its folder.

    What only sends the browser on to another page is none.
    """
    found = sorted(
        path.relative_to(HTML).as_posix()
        for path in HTML.rglob("*.html")
        if not {"_static", "slides"} & {*path.parts}
        and 'http-equiv="refresh"'
        not in path.read_text("utf-8")[:500].lower()
    )
    return [page for page in found if page.startswith(begin or "")]


@cache
def tree(page):
    """The page's HTML: read once, so no check may change it."""
    return html.parse(HTML / page).getroot()


@cache
def read(path):
    """A notebook as it is stored, read once."""
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


def pytest_collection_modifyitems(items):
    """Some checks need no built book: those that recipes name."""
    if not pages() and any("page" in item.fixturenames for item in items):
        pytest.exit("There is no built book: `make book` first.", 2)


@pytest.fixture(scope="module", params=pages())
def page(request):
    return request.param


def tab(context):
    """A tab that remembers what it asked for, said and did not manage."""
    tab = context.new_page()
    tab.asked, tab.said, tab.errors, tab.failed = [], [], [], []
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.on("requestfailed", lambda request: tab.failed.append(request))
    tab.on("console", lambda said: tab.said.append((said.type, said.text)))
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    return tab


def problems(tab):
    """What went wrong in a tab, and what it asked others for."""
    elsewhere = [url for url in tab.asked if not url.startswith(OURS)]
    said = [text for kind, text in tab.said if kind in LOUD]
    failed = [r.url for r in tab.failed if r.failure not in LEFT]
    return tab.errors + failed + elsewhere + said


def passes(*command, **options):
    """A command of the environment, which ends well or says why not."""
    command = [Path(sys.executable).parent / command[0], *command[1:]]
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=ROOT, text=True, **both, **options)
    assert done.returncode == 0, done.stdout


def look(tab, scheme):
    """Show the page in light or in dark colours."""
    tab.emulate_media(color_scheme=scheme)
    tab.wait_for_function(  # a report has no script of the theme
        "scheme => [undefined, scheme].includes("
        "document.documentElement.dataset.theme)",
        arg=scheme,
    )


@pytest.fixture(scope="session")
def chromium():
    """One headless browser for all the pages."""
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=pdf.chromium(),
            args=["--no-sandbox", "--disable-gpu"],
        ) as browser,
    ):
        yield browser


@pytest.fixture(scope="module")
def visit(chromium, page):
    """A page of the book, opened once for all that is asked of it."""
    with chromium.new_context(viewport=DESK) as context:
        visit = tab(context)
        visit.goto(f"{BOOK}{page}")
        visit.evaluate("window.MathJax?.startup?.promise.then(() => 1)")
        visit.add_style_tag(content="* { transition: none !important }")
        yield visit


@pytest.fixture(scope="module", params=first(1, ["file", "http"]))
def site(request):
    """The address of the site, as files and from a server."""
    if request.param == "file":
        yield HTML.as_uri()
        return
    handler = partial(SimpleHTTPRequestHandler, directory=HTML)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def opened(chromium):
    """What opens pages and addresses, each in a context with its own
    options; in the end nothing has gone wrong, unless it was bound to."""
    quiet = []
    with ExitStack() as contexts:

        def opened(address, bound_to_fail=False, **options):
            context = chromium.new_context(base_url=BOOK, **options)
            page = tab(contexts.enter_context(context))
            if not bound_to_fail:
                quiet.append(page)
            page.goto(address)
            return page

        yield opened
    assert not [problem for page in quiet for problem in problems(page)]
