"""A book without an address, and the same after it was given one."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import html
from nbformat import v4

from checks.conftest import ROOT

REPOSITORY = "https://github.com/OWNER/NAME"
SITE = "https://OWNER.github.io/NAME/"
PAGE = f"{SITE}notebooks/00-start-here.html"
LINKS = r"https?://[\w.]*(?:github|mybinder|colab)[^\s\\\"'<>)]*"
BINDER = "https://mybinder.org/v2/gh/OWNER/NAME/notebooks?urlpath=lab/tree/"
COLAB = (
    "https://colab.research.google.com/github/OWNER/NAME/blob/notebooks/"
)
SHOWN = "book/editions", "notebooks/00-start-here", "book/teaching"
LAUNCHED = "notebooks/00-start-here.ipynb"
CONTENTS = """\
{format: jb-book, root: book/editions, parts: [{caption: All,
numbered: true, chapters: [
{file: notebooks/00-start-here},
{file: book/teaching}, {file: book/how-to-use}, {file: book/status}]}]}"""
CHAPTER = """# A chapter\n\nIts first words describe it.\n
:::{admonition} Overview\n* Follow [](/book/editions.md).\n
**Time:** 9 minutes to read, 10 with the code, 11 with the exercises\n:::"""


@pytest.fixture(scope="module", params=["", REPOSITORY], ids=["", "known"])
def address(request):
    return request.param


@pytest.fixture(scope="module")
def book(address, tmp_path_factory):
    """A book of three pages that has this address, or none."""
    root = tmp_path_factory.mktemp("book")
    others = shutil.ignore_patterns(".*", "_build", "notebooks", "tests")
    shutil.copytree(ROOT, root, ignore=others, dirs_exist_ok=True)
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    cited = re.sub(r"\n(repository-code|url):.*", "", cited)
    cited += f"repository-code: {address}\n" if address else ""
    (root / "CITATION.cff").write_text(cited, "utf-8")
    (root / "_toc.yml").write_text(CONTENTS)
    made = v4.new_notebook(cells=[v4.new_markdown_cell(CHAPTER)])
    made.cells.append(v4.new_code_cell("import gtlib"))
    (root / "notebooks").mkdir()
    for path in ROOT.glob("notebooks/*.ipynb"):  # plans ask for minutes
        (root / "notebooks" / path.name).write_text(v4.writes(made))
    tool = Path(sys.executable).with_name("jupyter-book")
    command = [tool, "build", ".", "-q"]
    subprocess.run(command, cwd=root, check=True)
    return root


def said(*command, **options):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    command = [sys.executable, *command]
    return subprocess.run(command, text=True, **pipes, **options).stdout


def test_only_a_book_with_an_address_leads_anywhere(book, address):
    built = book / "_build"
    texts = [*built.glob("html/[bn]*/*.html"), *built.rglob("*.ipynb")]
    text = "\n".join(path.read_text("utf-8") for path in texts)
    links = {*re.findall(LINKS, text)}
    expected = {REPOSITORY, PAGE, BINDER + LAUNCHED, COLAB + LAUNCHED}
    expected.add(f"{SITE}book/editions.html")
    assert links >= (expected if address else set())
    assert all(address and "OWNER" in link for link in links), links
    sitemap = built / "html" / "sitemap.xml"
    assert sitemap.exists() == bool(address)
    assert not address or f"<loc>{PAGE}</loc>" in sitemap.read_text()


def test_heads_of_pages_name_what_there_is(book, address):
    site = book / "_build" / "html"
    heads = [
        html.parse(site / f"{page}.html").find("head") for page in SHOWN
    ]
    canonical = heads[1].xpath("./link[@rel='canonical']/@href")
    assert canonical == [PAGE] * bool(address)
    cards = heads[1].xpath("./meta[@property='og:image']/@content")
    assert len(cards) == bool(address)
    assert all(card.startswith(SITE) for card in cards)
    assert heads[1].xpath("./meta[@name='description']/@content")
    data = "./script[contains(@type, 'json')]/text()"
    told = [json.loads(text) for head in heads for text in head.xpath(data)]
    assert len(told) == (2 if address else 0)
    if address:
        whole, chapter = told
        assert "Book" in whole["@type"]
        (part,) = whole["hasPart"]
        assert (part["position"], part["url"]) == (0, PAGE)
        assert chapter["isPartOf"] == {"@id": SITE}
        assert chapter["teaches"] == ["Follow Editions, and how to cite"]
        assert chapter["timeRequired"] == "PT11M"


def test_the_first_cell_installs_or_says_how(book, address):
    made = v4.reads((book / "_build" / LAUNCHED).read_text("utf-8"))
    (cell,) = [c.source for c in made.cells if c.cell_type == "code"]
    if address:
        assert f'"gtlib-ir[chapters] @ git+{REPOSITORY}@main"' in cell
        return
    page = html.parse(book / "_build" / "html" / "book" / "how-to-use.html")
    (wheel,) = page.xpath("//a[contains(@href, '.whl')]/text()")
    missing = f"import sys; sys.modules['gtlib'] = None\n{cell}"
    message = said("-c", missing).partition("ImportError: ")[2]
    commands = re.findall("%pip install -q (.*)", message)
    assert commands == ['".[chapters]"', f'"{wheel}[chapters]"']


def test_an_index_is_told_of_no_address_that_is_not_known(book, address):
    about = json.loads(said("-m", "hatchling", "metadata", cwd=book))
    readme = about["readme"]["text"]
    known = {"Repository": REPOSITORY, "Book": SITE} if address else {}
    assert about.get("urls", {}) == known
    assert not re.findall(r"\]\((?!https?:)[^)]*\)", readme)
    for part in ["blob/main/LICENSE", "_static/picture.svg", "badge.svg"]:
        assert (part in readme) == bool(address), part
