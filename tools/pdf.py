"""Print the built book as one PDF, with Chromium, and each chapter as one.

The pages are put behind one another, with links that stay inside. Which
page a line of the contents leads to is known once they are printed, and is
written into the file then. TeX is not used, because most tables are HTML
alone: where they should be, Sphinx's LaTeX prints the name of the object,
``<pandas.io.formats.style.Styler at 0x...>``.
"""

import os
import shutil
import sys
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import unquote

import pikepdf
from lxml import etree, html
from pikepdf import Name
from playwright.sync_api import sync_playwright

from book._ext.edition import citation, site

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build" / "html"
HERE = f"{BOOK.as_uri()}/"
WHOLE = ROOT / "_build" / "pdf" / "book.html"
DRAFT = WHOLE.with_suffix(".pdf")
PDF = BOOK / "gtlib-book.pdf"
# They live by their scripts.
LEFT_OUT = ["book/your-scores", "book/planner"]
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "chrome"]
NO_BROWSER = (
    "This needs Chromium: `apt install chromium`, or put the path of one "
    "that is installed into the variable CHROMIUM."
)
SIDEBAR = """
    //nav[contains(@class, 'bd-links')]//*[@class = 'caption-text']
    | //nav[contains(@class, 'bd-links')]//a
"""
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


def main():
    entries = list(read_sidebar())
    if newer(entries):
        return
    WHOLE.parent.mkdir(exist_ok=True)
    WHOLE.write_text(whole(entries), "utf-8")
    with sync_playwright() as playwright:
        printed(
            playwright.chromium.launch(
                executable_path=chromium(), args=["--no-sandbox"]
            )
        )
    finish(entries)


def read_sidebar():
    """The captions of the book's parts, and each page's name and title."""
    page = html.parse(f"{HERE}book/index.html").getroot()
    page.make_links_absolute()
    for entry in page.xpath(SIDEBAR):
        link, _, _ = entry.get("href", "").partition("#")
        name = link.removeprefix(HERE).removesuffix(".html")
        if name not in LEFT_OUT:
            yield name, entry.text_content()


def newer(entries):
    """Whether the PDF was made after its pages last changed."""
    pages = [BOOK / f"{name}.html" for name, _ in entries if name]
    sources = [*pages, *(ROOT / "tools").glob("pdf.*")]
    changed = max(source.stat().st_mtime for source in sources)
    return PDF.exists() and PDF.stat().st_mtime > changed


def chromium():
    """The browser that the checks use, too."""
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        sys.exit(NO_BROWSER)
    return found


def whole(entries):
    """The book as one page."""
    inside = {name for name, _ in entries if name}
    texts, contents = [], []
    for place, (name, caption) in enumerate(entries):
        if not name:
            contents.append(f"<h2>{escape(caption)}</h2>")
            continue
        text = article(name, inside)
        text.set("style", f"page: s{place}")
        title = caption.strip().replace('"', "\\22 ")
        head = f'@page s{place} {{ @top-left {{ content: "{title}"; }} }}'
        texts += f"<style>{head}</style>", html.tostring(text, encoding=str)
        contents += lines(text)
    about = citation()
    template = Template((ROOT / "tools" / "pdf.html").read_text("utf-8"))
    return template.substitute(
        title=escape(about["preferred-citation"]["title"]),
        authors=escape(about["authors"][0]["name"]),
        version=about["version"],
        date=about["date-released"],
        url=site() and f'<br><a href="{site()}">{site()}</a>',
        contents="\n".join(contents),
        texts="\n".join(texts),
    )


def article(name, inside):
    """The text of a page, with names and links that fit the whole."""
    page = html.parse(f"{HERE}{name}.html").getroot()
    page.make_links_absolute()
    (text,) = page.xpath("//article")
    for extra in text.xpath(ONLY_ON_A_PAGE):
        extra.drop_tree()
    etree.strip_attributes(text, "loading")
    for folded in text.iter("details"):
        folded.set("open", "")
    for named in text.xpath(".//*[@id]"):
        named.set("id", anchor(name, named.get("id")))
    for link in text.xpath(".//a[@href]"):
        link.set("href", address(link.get("href"), inside))
        if not link.get("href"):  # nobody knows where the site is
            link.drop_tag()
    text.set("id", anchor(name))
    return text


def anchor(name, fragment=""):
    return f"{name.replace('/', '-')}--{fragment}"


def address(link, inside):
    """Where a link of a page leads: into the whole, or to the site."""
    if not link.startswith(HERE):
        return link
    path, _, fragment = link.removeprefix(HERE).partition("#")
    name = path.removesuffix(".html")
    if name in inside:
        return f"#{anchor(name, unquote(fragment))}"
    return site() and link.replace(HERE, site())


def lines(text):
    """The contents of a page: its title and its sections."""
    for heading in text.xpath(".//h1 | .//h2"):
        level = "chapter" if heading.tag == "h1" else "section"
        target = heading.getparent().get("id") or text.get("id")
        yield (
            f'<p class="{level}"><a href="#{escape(target)}">'
            f"{escape(heading.text_content().strip())}</a></p>"
        )


def printed(browser):
    """Open the whole book, wait for its formulas, and print it."""
    tab = browser.new_page(viewport={"width": 658, "height": 970})
    tab.set_default_timeout(600_000)
    tab.goto(WHOLE.as_uri(), wait_until="load")
    tab.evaluate("MathJax.startup.promise.then(() => null)")
    tab.emulate_media(media="print", color_scheme="light")
    tab.evaluate(FIT)
    paper = {"prefer_css_page_size": True, "outline": True, "tagged": True}
    tab.pdf(path=DRAFT, **paper)


def finish(entries):
    """Write page numbers and metadata into the PDF, compress it, and cut it
    into chapters."""
    about = citation()
    with pikepdf.open(DRAFT) as file:
        number(file)
        with file.open_metadata() as said:
            said["dc:title"] = about["preferred-citation"]["title"]
            said["dc:creator"] = [about["authors"][0]["name"]]
        file.Root.PageMode = Name.UseOutlines
        packed = pikepdf.ObjectStreamMode.generate  # half the weight
        file.save(PDF, object_stream_mode=packed)
        size = PDF.stat().st_size / 1e6
        print(f"{PDF.name}: {len(file.pages)} pages, {size:.1f} MB")
        names = [name for name, _ in entries if name]
        first = [first_page(file, name) for name in names]
        ends = [*first[1:], len(file.pages)]
        for name, begin, end in zip(names, first, ends, strict=True):
            if name.startswith(("notebooks/", "appendices/")):
                alone(file, begin, end, BOOK / f"{name}.pdf")


def first_page(file, name):
    """Where a page of the site begins: the contents link to its title."""
    start = anchor(name)
    places = begins(file)
    return min(places[to] for to in places if to.startswith(start))


def begins(file):
    """On which page each target of a link is, from 0."""
    return {
        name.removeprefix("/"): pikepdf.Page(place[0]).index
        for name, place in file.Root.Dests.items()
    }


def alone(file, first, last, path):
    """Some pages as a PDF of their own, with the links that stay there."""
    with pikepdf.new() as part:
        left = part.add_pages_from(file, range(first, last)).dropped_dests
        for page in part.pages:
            links = page.get("/Annots", ())
            page.Annots = pikepdf.Array(
                link for link in links if str(link.get("/Dest")) not in left
            )
        packed = pikepdf.ObjectStreamMode.generate
        part.save(path, object_stream_mode=packed)


def number(file):
    """Write the number of its page behind each line of the contents.

    Chromium has no `target-counter`. Helvetica's digits have one width,
    which is 5 points if they are 9 high.
    """
    pages = begins(file)
    font = pikepdf.Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica
    )
    for page in file.pages[1 : min(pages.values())]:
        name = page.add_resource(font, Name.Font)
        text = ["Q /Artifact BMC BT"]
        for link in page.Annots:
            number = str(pages[str(link.Dest)[1:]] + 1)
            _, low, right, _ = map(float, link.Rect)
            place = f"1 0 0 1 {right - 5 * len(number)} {low + 4} Tm"
            text.append(f"{name} 9 Tf {place} ({number}) Tj")
        page.contents_add(b"q\n", prepend=True)
        page.contents_add("\n".join([*text, "ET EMC"]).encode())


if __name__ == "__main__":
    main()
