"""The built book and one browser, for the checks that look at them."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"

NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]
NO_BROWSER = (
    "These checks need Chromium: `apt install chromium`, or put the path "
    "of one that is installed into the variable CHROMIUM."
)


def pages():
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
    return found


def pytest_generate_tests(metafunc):
    """Give a test that asks for `page` every page of the book."""
    if "page" in metafunc.fixturenames:
        metafunc.parametrize("page", pages(), scope="module")


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
