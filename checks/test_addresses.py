"""A book without an address, and the same after it was given one."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from lxml import html

from checks.conftest import ROOT

REPOSITORY = "https://github.com/OWNER/NAME"
SITE = "https://OWNER.github.io/NAME/"
NAMED = r"https?://[\w.]*(?:github|mybinder|colab)[^\s\\\"'<>)]*"
COPIED = ["CITATION.cff", "README.md", "LICENSE", "pyproject.toml"]
COPIED += ["_config.yml", "book/how-to-use.md", "book/editions.md"]
COPIED += ["book/_ext", "book/_static", "book/references.bib"]
COPIED += ["tools/package_index.py"]
CONTENTS = """\
format: jb-book
root: book/editions
parts:
  - numbered: true
    chapters: [{file: notebooks/00-first}, {file: book/how-to-use}]
"""
CHAPTER = """\
# A chapter

Its first words describe it.

:::{admonition} Overview
* follow a link to [](/book/editions.md).
:::
"""
LAUNCHED = "notebooks/00-first.ipynb"
PAGE = f"{SITE}notebooks/00-first.html"
LINKS = {
    REPOSITORY,
    f"{SITE}book/editions.html",
    PAGE,
    "https://mybinder.org/v2/gh/OWNER/NAME/notebooks"
    f"?urlpath=lab/tree/{LAUNCHED}",
    "https://colab.research.google.com/github/OWNER/NAME/blob/notebooks"
    f"/{LAUNCHED}",
}


@pytest.fixture(scope="module", params=["", REPOSITORY], ids=["", "known"])
def address(request):
    return request.param


@pytest.fixture(scope="module")
def book(address, tmp_path_factory):
    """A book of three pages that has this address, or none."""
    root = tmp_path_factory.mktemp("book")
    for name in COPIED:
        (root / name).parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, root / name)
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    cited = re.sub(r"\n(repository-code|url):.*", "", cited)
    if address:
        cited += f"repository-code: {address}\n"
    (root / "CITATION.cff").write_text(cited, "utf-8")
    (root / "book" / "_toc.yml").write_text(CONTENTS)
    chapter = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(CHAPTER),
            nbformat.v4.new_code_cell("import gtlib as gt"),
        ]
    )
    (root / "notebooks").mkdir()
    nbformat.write(chapter, root / LAUNCHED)
    tool = Path(sys.executable).with_name("jupyter-book")
    command = [tool, "build", ".", "-q", "--toc", "book/_toc.yml"]
    subprocess.run(command, cwd=root, check=True)
    return root


def test_only_a_book_with_an_address_leads_anywhere(book, address):
    built = book / "_build"
    texts = [*built.glob("html/[bn]*/*.html"), *built.rglob("*.ipynb")]
    assert len(texts) > 4
    links = {
        link
        for path in texts
        for link in re.findall(NAMED, path.read_text("utf-8"))
    }
    assert links >= (LINKS if address else set())
    assert all(address and "OWNER" in link for link in links), links
    sitemap = built / "html" / "sitemap.xml"
    assert sitemap.exists() == bool(address)
    assert not address or f"<loc>{PAGE}</loc>" in sitemap.read_text()


def test_the_head_of_a_page_names_what_there_is(book, address):
    file = book / "_build" / "html" / "notebooks" / "00-first.html"
    head = html.parse(file).find("head")
    canonical = head.xpath("./link[@rel='canonical']/@href")
    assert canonical == [PAGE] * bool(address)
    cards = head.xpath("./meta[@property='og:image']/@content")
    assert len(cards) == bool(address)
    assert all(card.startswith(SITE) for card in cards)
    assert head.xpath("./meta[@name='description']/@content")
    (told,) = head.xpath("./script[@type='application/ld+json']/text()")
    about = json.loads(told)
    assert about["isPartOf"]["name"]
    assert about.get("url") == (PAGE if address else None)
    assert about["isPartOf"].get("@id") == (SITE if address else None)


def test_the_first_cell_installs_or_says_how(book, address):
    made = nbformat.read(book / "_build" / LAUNCHED, as_version=4)
    (cell,) = [c.source for c in made.cells if c.cell_type == "code"]
    if address:
        assert f'"gtlib-ir[chapters] @ git+{REPOSITORY}@main"' in cell
        return
    missing = f"import sys; sys.modules['gtlib'] = None\n{cell}"
    run = [sys.executable, "-c", missing]
    said = subprocess.run(run, capture_output=True, text=True).stderr
    assert re.findall("%pip install -q (.*)", said.split("Error: ")[1]) == [
        '".[chapters]"',
        f'"{wheel(book)}[chapters]"',
    ]


def wheel(book):
    how = html.parse(book / "_build" / "html" / "book" / "how-to-use.html")
    (name,) = how.xpath("//a[contains(@href, '.whl')]/text()")
    return name


def test_an_index_is_told_of_no_address_that_is_not_known(book, address):
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "metadata"],
        cwd=book,
        check=True,
        capture_output=True,
        text=True,
    )
    about = json.loads(done.stdout)
    readme = about["readme"]["text"]
    known = {"Repository": REPOSITORY, "Book": SITE} if address else {}
    assert about.get("urls", {}) == known
    local = re.findall(r"\]\((?!https?:)[^)]*\)", readme)
    assert not local
    assert (f"{REPOSITORY}/blob/main/LICENSE" in readme) == bool(address)
    assert (f"{SITE}_static/picture.svg" in readme) == bool(address)
    assert ("badge.svg" in readme) == bool(address)
