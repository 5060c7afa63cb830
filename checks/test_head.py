"""What search engines and messengers are told of a page, and its weight."""

import gzip

import pytest

from checks.conftest import HTML, pages, tree

OURS = pages("book/", "notebooks/")
CHAPTERS = pages("notebooks/")
MATHJAX = "tex-svg-full.js"
# Bytes that a first visit may fetch: packed, as sites send them, and
# unpacked but for MathJax, which is 2.3 MB by itself.
PACKED = 1.3e6
UNPACKED = 2.4e6  # chapter 16 has 250 tables


def test_a_page_is_described_by_its_words_and_a_chapter_by_its_own():
    path = "/html/head/meta[@name='description']/@content"
    said = {page: tree(page).xpath(path) for page in OURS}
    assert {len(words) for words in said.values()} == {1}
    assert not [page for page, [words] in said.items() if len(words) <= 20]
    assert len({said[page][0] for page in CHAPTERS}) == len(CHAPTERS)


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
    read.pop(MATHJAX, None)
    assert sum(map(len, read.values())) < UNPACKED
