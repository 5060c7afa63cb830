"""What the pages' HTML says: links, anchors, hosts, words for pictures."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import tinycss2
from lxml import html

import gtlib
from book._ext.finish import hold_together, styles_of
from checks.conftest import BOOK, HTML, pages, tree

IMAGE = "//article//img"
CAPTION = "string(.//figcaption//*[@class='caption-text'])"


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
        link = element.get("href") or element.get("src")
        url = urlsplit(urljoin((HTML / page).as_uri(), link))
        if url.scheme != "file":
            continue
        target = Path(unquote(url.path))
        if not target.is_file() or (
            target.suffix == ".html"
            and unquote(url.fragment) not in anchors(target)
        ):
            broken.append(line(element))
    assert not broken, "\n".join(broken)


def test_every_picture_is_described_and_a_figure_has_a_caption(page):
    poor = [
        line(image)
        for image in tree(page).xpath(IMAGE)
        if len((image.get("alt") or "").split()) < 5
    ]
    poor += [
        line(figure)
        for figure in tree(page).xpath("//article//figure")
        if len(figure.xpath(CAPTION).split()) < 4
    ]
    if page.startswith("notebooks/"):
        poor += map(
            line, tree(page).xpath(f"{IMAGE}[not(ancestor::figure)]")
        )
    assert not poor, "\n".join(poor)


def test_the_book_opens_on_its_first_page():
    assert "book/index.html" in pages()
    assert "book/index.html" in (HTML / "index.html").read_text()


def test_the_api_pages_explain_every_name():
    explained = set().union(*map(anchors, pages("book/api/")))
    assert {f"gtlib.{name}" for name in gtlib.__all__} <= explained


def test_captions_name_equations_by_their_numbers():
    text = "\n".join(
        caption.text_content()
        for page in pages("notebooks/")
        for caption in tree(page).xpath("//figcaption")
    )
    assert not re.findall(r"\beq-[a-z]+-[a-z]+", text)


def test_no_property_takes_its_first_words_for_its_type():
    """Napoleon reads what stands before a colon as the type."""
    for name in pages("book/api/"):
        text = tree(name).xpath("string(//article)")
        types = set(re.findall(r"\nType:\s*(\S[^\n]*)", text))
        assert types <= {"Series", "DataFrame"}, name


def test_the_first_page_is_light(opened):
    loaded = set()
    tab = opened("about:blank")
    tab.on("request", lambda request: loaded.add(request.url))
    tab.goto(f"{BOOK}book/index.html")
    files = {Path(unquote(urlsplit(url).path)) for url in loaded}
    assert sum(file.stat().st_size for file in files) <= 700 * 1024


RULES = """
.kept, .gone > a, a.kept:not(.other) { color: red }
@media print { .gone { color: red } }
@media screen { ul.kept.gone, b { color: red } }
@font-face { font-family: a }
"""


def test_rules_of_classes_that_nothing_names_are_left_out():
    rules = tinycss2.parse_stylesheet(RULES, True, True)
    kept = "\n".join(styles_of(rules, {"kept"}))
    assert kept == (
        ".kept,a.kept:not(.other){color: red}\n"
        "@media screen {b{color: red}}\n"
        "@font-face { font-family: a }"
    )


def test_a_cell_folds_in_one_way(page):
    assert not tree(page).xpath("//div[contains(@class, 'tag_hide-input')]")


def test_a_formula_stays_with_the_marks_beside_it():
    formula = '<span class="math notranslate nohighlight">\\(n\\)</span>'
    held = hold_together(
        f"<p>Runs ({formula}), {formula} and {formula}.</p>"
    )
    assert held == (
        f'<p>Runs <span class="together">({formula}),</span> {formula} and '
        f'<span class="together">{formula}.</span></p>'
    )
    assert hold_together(held) == held
