"""The book as one PDF: whole, with bookmarks, its pages found."""

import re
import unicodedata

import pypdf
import pytest
from lxml import html

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
    after_cover_and_contents = titles(whole)[2:]
    assert list(map(squeezed, marks[2:])) == list(
        map(squeezed, after_cover_and_contents)
    )


def test_the_contents_name_the_pages_on_which_chapters_begin(reader, whole):
    pages = pdf.pages_of_headings()
    contents = whole.find(".//div[@class='contents']")
    links = contents.xpath(".//p[@class='chapter']/a")
    assert len(links) == len(titles(whole)) - 2
    first = pages[links[0].get("href")[1:]]
    text = "".join(p.extract_text() for p in reader.pages[1 : first - 1])
    for link in links:
        title, _ = link.xpath("./span/text()")
        number = pages[link.get("href")[1:]]
        begins = reader.pages[number - 1].extract_text()
        assert squeezed(title) in squeezed(begins)
        assert squeezed(f"{title}{number}") in squeezed(text), title


def test_every_link_inside_the_whole_leads_somewhere(whole):
    names = set(whole.xpath("//@id"))
    inside = [
        link[1:] for link in whole.xpath("//a/@href") if link[0] == "#"
    ]
    assert len(inside) > 1000
    assert not {link for link in inside if link not in names}


def test_the_whole_shows_no_markup(whole):
    for code in whole.xpath("//pre | //code | //script | //style"):
        code.drop_tree()
    text = whole.text_content()
    raw = (
        r"\{(?:cite|numref|ref|doc|glue|eq|term)[^}]*\}`|```|:::|pandas\.io"
    )
    assert not re.findall(raw, text)
