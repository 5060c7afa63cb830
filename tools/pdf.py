"""Print the built book as one PDF, with Chromium.

The pages are put behind one another, with links that stay inside. They are
printed twice: the second time the contents have the numbers of the pages
on which the first put each heading. TeX is not used, because most tables
are HTML alone: where they should be, Sphinx's LaTeX prints the name of the
object, ``<pandas.io.formats.style.Styler at 0x...>``.
"""

import os
import posixpath
import shutil
import sys
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import unquote, urljoin, urlsplit

import pikepdf
import pypdf
import yaml
from lxml import html
from playwright.sync_api import sync_playwright

from book._ext.edition import site

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build" / "html"
WHOLE = ROOT / "_build" / "pdf" / "book.html"
PDF = BOOK / "gtlib-book.pdf"
# They live by their scripts.
LEFT_OUT = ["book/planner", "book/status"]
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "chrome"]
ONLY_ON_A_PAGE = """
    .//a[contains(@class, 'headerlink')] | .//button | .//script | .//nav
    | .//details[contains(@class, 'above-input')]
    | .//*[contains(@class, 'ledger-filter')]
"""
# Chromium puts what is wider than its column outside the paper.
FIT = """() => {
    for (const table of document.querySelectorAll("article table")) {
        const room = table.closest("article").clientWidth
            - (table.getBoundingClientRect().left
               - table.closest("article").getBoundingClientRect().left);
        const wide = table.scrollWidth;
        if (wide > room) table.style.zoom = room / wide;
    }
}"""

NUMBER = """pages => {
    for (const number of document.querySelectorAll(".contents .number")) {
        const link = number.parentElement.getAttribute("href");
        number.textContent = pages[decodeURIComponent(link.slice(1))];
    }
}"""


def main():
    if not (BOOK / "book" / "index.html").exists():
        sys.exit("There is no built book yet: make book first.")
    if newer():
        return
    WHOLE.parent.mkdir(exist_ok=True)
    WHOLE.write_text(whole(list(read_parts())), "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"]
        )
        printed(browser)
        browser.close()
    pack()
    size = PDF.stat().st_size / 1e6
    count = len(pypdf.PdfReader(PDF).pages)
    print(f"{PDF.name}: {count} pages, {size:.1f} MB")


def newer():
    """Whether the PDF was made after the pages last changed."""
    pages = [page for page in BOOK.glob("*/**/*.html") if inside(page)]
    sources = [*pages, *(ROOT / "tools").glob("pdf.*")]
    changed = max(source.stat().st_mtime for source in sources)
    return PDF.exists() and PDF.stat().st_mtime > changed


def inside(page):
    name = page.relative_to(BOOK).with_suffix("").as_posix()
    return name.startswith(("book/", "notebooks/")) and name not in LEFT_OUT


def chromium():
    """The browser that the checks use, too."""
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        sys.exit("make pdf needs Chromium: apt install chromium")
    return found


def read_parts():
    """Each part of the book: its caption, and its pages by their names."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    names = [("", [toc["root"]])]
    for part in toc["parts"]:
        inside = [
            entry["file"]
            for chapter in part["chapters"]
            for entry in [chapter, *chapter.get("sections", [])]
        ]
        names.append((part["caption"], inside))
    inside = {name for _, part in names for name in part} - set(LEFT_OUT)
    for caption, part in names:
        yield (
            caption,
            {
                name: article(name, inside)
                for name in part
                if name in inside
            },
        )


def article(name, inside):
    """The text of a page, with names and links that fit the whole."""
    (text,) = html.parse(BOOK / f"{name}.html").xpath("//article")
    for extra in text.xpath(ONLY_ON_A_PAGE):
        extra.drop_tree()
    for folded in text.iter("details"):
        folded.set("open", "")
    for image in text.iter("img"):
        source = posixpath.join(posixpath.dirname(name), image.get("src"))
        image.set("src", f"../html/{posixpath.normpath(source)}")
        image.attrib.pop("loading", None)
    for named in text.xpath(".//*[@id]"):
        named.set("id", anchor(name, named.get("id")))
    for link in text.xpath(".//a[@href]"):
        link.set("href", address(name, link.get("href"), inside))
        if not link.get("href"):  # nobody knows where the site is
            link.drop_tag()
    text.set("id", anchor(name))
    return text


def anchor(name, fragment=""):
    return f"{name.replace('/', '-')}--{fragment}"


def address(name, link, inside):
    """Where a link of a page leads: into the whole, or to the site."""
    url = urlsplit(link)
    if url.scheme or url.netloc:
        return link
    path = posixpath.join(posixpath.dirname(name), unquote(url.path))
    target = posixpath.normpath(path).removesuffix(".html")
    target = target if url.path else name
    if target in inside:
        return f"#{anchor(target, unquote(url.fragment))}"
    return site() and urljoin(f"{site()}{name}.html", link)


def whole(parts):
    """The book as one page."""
    texts, running, contents = [], [], []
    for caption, pages in parts:
        contents.append(f"<h2>{escape(caption)}</h2>" if caption else "")
        for place, text in enumerate(pages.values()):
            sheet = f"s{len(texts)}-{place}"
            text.set("style", f"page: {sheet}")
            texts.append(html.tostring(text, encoding="unicode"))
            title = text.find(".//h1").text_content().strip()
            running.append((sheet, title.replace('"', "\\22 ")))
            contents += lines(text)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    template = Template((ROOT / "tools" / "pdf.html").read_text("utf-8"))
    return template.substitute(
        title=escape(citation["preferred-citation"]["title"]),
        authors=escape(citation["authors"][0]["name"]),
        version=citation["version"],
        date=citation["date-released"],
        url=site() and f'<br><a href="{site()}">{site()}</a>',
        pages="\n".join(
            f'@page {sheet} {{ @top-left {{ content: "{title}"; }} }}'
            for sheet, title in running
        ),
        contents="\n".join(contents),
        texts="\n".join(texts),
    )


def lines(text):
    """The contents of a page: its title and its sections."""
    for heading in text.xpath(".//h1 | .//h2"):
        section = heading.getparent().get("id")
        level = "chapter" if heading.tag == "h1" else "section"
        target = section or text.get("id")
        yield (
            f'<p class="{level}"><a href="#{escape(target)}">'
            f"<span>{escape(heading.text_content().strip())}</span>"
            f'<span class="number">000</span></a></p>'
        )


def printed(browser):
    """Open the whole book, wait for its formulas, and print it twice."""
    tab = browser.new_page(viewport={"width": 658, "height": 970})
    tab.set_default_timeout(600_000)
    tab.goto(WHOLE.as_uri(), wait_until="load")
    tab.evaluate("MathJax.startup.promise.then(() => null)")
    tab.emulate_media(media="print", color_scheme="light")
    tab.evaluate(FIT)
    paper = {"prefer_css_page_size": True, "outline": True, "tagged": True}
    tab.pdf(path=PDF, **paper)
    tab.evaluate(NUMBER, pages_of_headings())
    tab.pdf(path=PDF, **paper)


def pages_of_headings():
    """On which page each place is that a link of the contents leads to."""
    reader = pypdf.PdfReader(PDF)
    return {
        unquote(name.removeprefix("/")): 1
        + reader.get_destination_page_number(place)
        for name, place in reader.named_destinations.items()
    }


def pack():
    """Say whose book it is, and take half of the file's weight away."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    with pikepdf.open(PDF, allow_overwriting_input=True) as file:
        with file.open_metadata() as about:
            about["dc:title"] = citation["preferred-citation"]["title"]
            about["dc:creator"] = [citation["authors"][0]["name"]]
        file.Root.PageMode = pikepdf.Name.UseOutlines
        packed = pikepdf.ObjectStreamMode.generate
        file.save(PDF, object_stream_mode=packed)


if __name__ == "__main__":
    main()
