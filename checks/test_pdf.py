"""The book as one PDF: whole, with bookmarks, its pages found."""

import re

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
    squeezed = [re.sub(r"\s", "", title) for title in marks]
    assert (
        squeezed[2:]
        == [  # after the cover and the contents
            re.sub(r"\s", "", title) for title in titles(whole)[2:]
        ]
    )


def test_the_contents_name_the_pages_on_which_chapters_begin(reader, whole):
    pages = pdf.pages_of_headings()
    contents = whole.find(".//div[@class='contents']")
    links = contents.xpath(".//p[@class='chapter']/a")
    assert len(links) == len(titles(whole)) - 2
    last = max(pages[link.get("href")[1:]] for link in links[:1])
    text = "".join(
        page.extract_text() for page in reader.pages[1 : last - 1]
    )
    for link in links:
        title, _ = link.xpath("./span/text()")
        number = pages[link.get("href")[1:]]
        begins = reader.pages[number - 1].extract_text()
        squeezed = re.sub(r"\s", "", title)
        assert squeezed in re.sub(r"\s", "", begins)
        assert f"{squeezed}{number}" in re.sub(r"\s", "", text), title


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
