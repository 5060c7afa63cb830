"""What the pages' HTML says: links, anchors, hosts, words for pictures."""

import re
from functools import cache
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

import gtlib
from checks.conftest import HTML, pages, tree


@cache
def anchors(page):
    root = tree(page)
    return {*root.xpath("//@id"), *root.xpath("//a/@name"), "", "top"}


def line(element):
    text = html.tostring(element, encoding="unicode", with_tail=False)
    return re.sub(r"\s+", " ", text)[:160]


def test_every_link_inside_the_book_leads_somewhere(page):
    broken = []
    for element in tree(page).xpath("//*[@href or @src]"):
        url = urlsplit(element.get("href") or element.get("src"))
        if url.scheme or url.netloc:
            continue
        target = (HTML / page).parent / unquote(url.path)
        if not url.path:
            target = HTML / page
        if not target.resolve().is_file():
            broken.append(f"no such file: {line(element)}")
        elif target.suffix == ".html" and url.fragment:
            name = target.resolve().relative_to(HTML).as_posix()
            if unquote(url.fragment) not in anchors(name):
                broken.append(f"no such anchor: {line(element)}")
    assert not broken, "\n".join(broken)


def test_nothing_is_fetched_from_another_host(page):
    """Links are followed by readers, and the canonical one is a name."""
    foreign = [
        line(element)
        for element in tree(page).xpath(
            "//*[@src or @srcset or @data] | //*[@href]"
            "[not(self::a or self::area or @rel='canonical')]"
        )
        for name in ["src", "srcset", "data", "href"]
        if urlsplit(element.get(name, "")).netloc
    ]
    styles = " ".join(tree(page).xpath("//style//text() | //@style"))
    foreign += foreign_urls(styles)
    assert not foreign, "\n".join(foreign)


def foreign_urls(css):
    found = re.findall(
        r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")]+)", css
    )
    return [f"style refers to {url}" for url in found]


def test_no_stylesheet_refers_to_another_host():
    foreign = [
        f"{path.relative_to(HTML)}: {line_}"
        for path in HTML.rglob("*.css")
        for line_ in foreign_urls(path.read_text(errors="replace"))
    ]
    assert not foreign, "\n".join(foreign)


def test_every_picture_is_described_in_words(page):
    silent = [
        line(image)
        for image in tree(page).xpath("//article//img")
        if len((image.get("alt") or "").split()) < 3
    ]
    assert not silent, "\n".join(silent)


def test_every_figure_has_a_number_and_a_caption(page):
    bare = [
        line(figure)
        for figure in tree(page).xpath("//article//figure")
        if not figure.xpath(".//figcaption//*[@class='caption-number']")
        or not figure.xpath("normalize-space(.//*[@class='caption-text'])")
    ]
    assert not bare, "\n".join(bare)


@pytest.mark.parametrize("name", pages("notebooks/"))
def test_every_picture_of_a_chapter_is_a_figure(name):
    loose = "//article//img[not(ancestor::figure)]"
    assert not [*map(line, tree(name).xpath(loose))]


def test_no_page_shows_an_unresolved_reference(page):
    text = tree(page).xpath("string(//article)")
    left = re.findall(r"\{(?:cite|numref|ref|doc|glue|eq)[^}]*\}`", text)
    assert not left, "\n".join(left)


def test_the_book_opens_on_its_first_page():
    assert "book/index.html" in pages()
    assert "book/index.html" in (HTML / "index.html").read_text()


def test_the_api_pages_explain_every_public_name():
    explained = set()
    for name in pages("book/api/"):
        explained |= anchors(name)
    missing = {f"gtlib.{name}" for name in gtlib.__all__} - explained
    assert not missing


def test_the_api_pages_link_to_the_source():
    links = tree("book/api/reliability.html").xpath("//a/@href")
    assert "../../_modules/gtlib/ctt.html#cronbach_alpha" in links
    (source,) = tree("_modules/gtlib/ctt.html").xpath(
        "//*[@id='cronbach_alpha']"
    )
    assert "def cronbach_alpha" in source.text_content()


def test_captions_name_equations_by_their_numbers():
    text = tree("book/figures.html").xpath("string(//article)")
    assert "Equation (" in text
    assert not re.findall(r"\beq-[a-z]+-[a-z]+", text)


def test_no_property_takes_its_first_words_for_its_type():
    """Napoleon reads what stands before a colon as the type."""
    for name in pages("book/api/"):
        text = tree(name).xpath("string(//article)")
        types = set(re.findall(r"\nType:\s*(\S[^\n]*)", text))
        assert types <= {"Series", "DataFrame"}, name
