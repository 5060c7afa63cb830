"""What search engines and messengers are told of a page, and its weight."""

import gzip
import json
import re
from urllib.parse import unquote

import pytest
import yaml
from lxml import etree

from checks.conftest import HTML, ROOT, pages, tree

SITE = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
SITE = SITE["html"]["baseurl"]
OURS = pages("book/", "notebooks/")
CHAPTERS = pages("notebooks/")
MATHJAX = "tex-svg-full.js"
# Bytes that a first visit may fetch: packed, as sites send them, and
# unpacked but for MathJax, which is 2.3 MB by itself.
PACKED = 1.3e6
UNPACKED = 2e6


def told(page):
    """The descriptions in the words of schema.org."""
    kind = "//head/script[@type='application/ld+json']"
    return [json.loads(script.text) for script in tree(page).xpath(kind)]


@pytest.mark.parametrize("name", OURS)
def test_a_page_names_its_address_its_card_and_its_words(name):
    head = tree(name).find("head")
    (canonical,) = head.xpath("./link[@rel='canonical']/@href")
    assert canonical == SITE + name
    (words,) = head.xpath("./meta[@name='description']/@content")
    assert len(words) > 20
    (card,) = head.xpath("./meta[@property='og:image']/@content")
    assert card.startswith(SITE)
    assert (HTML / unquote(card.removeprefix(SITE))).is_file()


def test_no_two_chapters_describe_themselves_alike():
    said = [
        tree(page).xpath("//head/meta[@name='description']/@content")[0]
        for page in CHAPTERS
    ]
    assert len(set(said)) == len(said)


def test_the_sitemap_lists_every_page():
    found = etree.parse(HTML / "sitemap.xml").xpath(
        "//*[local-name()='loc']"
    )
    listed = {loc.text for loc in found}
    assert {SITE + page for page in OURS} <= listed


def test_the_book_says_what_it_is_and_what_is_in_it():
    (book,) = told("book/index.html")
    assert "Book" in book["@type"]
    assert [part["position"] for part in book["hasPart"]] == list(
        range(len(CHAPTERS))
    )
    assert {part["url"] for part in book["hasPart"]} == {
        SITE + page for page in CHAPTERS
    }
    (course,) = told("book/teaching.html")
    assert course["@type"] == "Course"
    assert course["provider"] == book["author"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_says_what_it_teaches_and_how_long_it_takes(name):
    (chapter,) = told(name)
    assert len(chapter["teaches"]) >= 2
    assert re.fullmatch(r"PT\d+M", chapter["timeRequired"])
    assert chapter["isPartOf"]["@id"] == SITE


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_first_visit_is_not_heavy(name):
    root = tree(name)
    fetched = root.xpath("//script/@src | //link[@rel='stylesheet']/@href")
    fetched += root.xpath("//img/@src")
    files = {
        (HTML / name).parent.joinpath(link.split("?")[0]).resolve()
        for link in fetched
    }
    files.add(HTML / name)
    read = {file.name: file.read_bytes() for file in files}
    assert sum(len(gzip.compress(b, 6)) for b in read.values()) < PACKED
    read.pop(MATHJAX)
    assert sum(map(len, read.values())) < UNPACKED
