"""The book as one PDF: whole, with bookmarks, its pages found."""

import re
import unicodedata
from urllib.parse import unquote

import pypdf
import pytest
from lxml import html

from checks.conftest import HTML, pages, tree
from tools import pdf


@pytest.fixture(scope="module")
def reader():
    if not pdf.PDF.exists():
        pytest.fail("There is no PDF: `make pdf` first.")
    return pypdf.PdfReader(pdf.PDF)


@pytest.fixture(scope="module")
def whole():
    return html.parse(pdf.WHOLE).getroot()


def squeezed(text):
    """Without blanks, and ligatures as the letters that they stand for."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))


def titles(whole):
    return [" ".join(t.text_content().split()) for t in whole.iter("h1")]


def test_the_pdf_can_be_mailed(reader):
    assert pdf.PDF.stat().st_size < 25e6
    assert reader.metadata.title
    assert len(reader.pages) > 100


def test_each_chapter_has_a_bookmark_in_the_order_of_the_book(
    reader, whole
):
    marks = [o.title for o in reader.outline if not isinstance(o, list)]
    after_cover_and_contents = map(squeezed, titles(whole)[2:])
    assert [*map(squeezed, marks[2:])] == [*after_cover_and_contents]


def test_the_contents_name_the_pages_on_which_chapters_begin(reader, whole):
    pages = {
        unquote(name[1:]): 1 + reader.get_destination_page_number(place)
        for name, place in reader.named_destinations.items()
    }
    links = whole.xpath("//p[@class='chapter']/a")
    assert len(links) == len(titles(whole)) - 2
    first = pages[links[0].get("href")[1:]]
    text = "".join(
        page.extract_text(extraction_mode="layout")
        for page in reader.pages[1 : first - 1]
    )
    for link in links:
        number = pages[link.get("href")[1:]]
        begins = reader.pages[number - 1].extract_text()
        assert squeezed(link.text) in squeezed(begins)
        line = squeezed(f"{link.text}{number}")
        assert line in squeezed(text), link.text


def test_every_link_inside_the_whole_leads_somewhere(whole):
    inside = whole.xpath("//a/@href[starts-with(., '#')]")
    assert len(inside) > 1000
    assert not {link[1:] for link in inside} - {*whole.xpath("//@id")}


def test_the_whole_shows_no_markup(whole):
    for code in whole.xpath("//pre | //code | //script | //style"):
        code.drop_tree()
    text = whole.text_content()
    raw = (
        r"\{(?:cite|numref|ref|doc|glue|eq|term)[^}]*\}`|```|:::|pandas\.io"
    )
    assert not re.findall(raw, text)


@pytest.mark.parametrize("page", pages("notebooks/"))
def test_each_chapter_is_a_pdf_of_its_own(page, reader):
    """Its text, and links that lead to its own pages or out of it."""
    alone = pypdf.PdfReader((HTML / page).with_suffix(".pdf"))
    title = tree(page).findtext(".//title").partition(" — ")[0]
    words = squeezed(re.sub(r"^\d+\. ", "", title))
    assert words in squeezed(alone.pages[0].extract_text())
    assert 1 < len(alone.pages) < len(reader.pages) / 4
    inside = {*alone.named_destinations}
    links = [
        link.get_object()
        for each in alone.pages
        for link in each.get("/Annots", ())
    ]
    assert {link["/Dest"] for link in links if "/Dest" in link} <= inside
