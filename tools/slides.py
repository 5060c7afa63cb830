"""Make slides of the built chapters: what a lecturer would show.

A chapter's slides are its title with the outcomes, each figure whose cell
is tagged ``slide`` with its caption and the heading that it stands under,
the box of what people get wrong, and the summary. They are taken from the
built pages, so numbers, citations and formulas are the book's own.
reveal.js comes from the npm registry, MathJax from the book; the slides
load nothing from elsewhere.
"""

import copy
import shutil
import subprocess
import sys
import tarfile
from html import escape
from pathlib import Path
from string import Template

from lxml import html

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build" / "html"
SLIDES = ROOT / "_build" / "slides"
REVEAL = "reveal.js@5.2.1"
CHOSEN = ".//div[contains(@class, 'tag_slide')]"
MATHJAX = "tex-svg-full.js"


def main():
    chapters = sorted((BOOK / "notebooks").glob("*.html"))
    if not chapters:
        sys.exit("There is no built book yet: make book first.")
    shutil.rmtree(SLIDES, ignore_errors=True)
    SLIDES.mkdir(parents=True)
    fetch_reveal()
    shutil.copy(BOOK / "_static" / MATHJAX, SLIDES)
    shutil.copytree(BOOK / "_images", SLIDES / "_images")
    template = Template((ROOT / "tools" / "slides.html").read_text("utf-8"))
    for path in chapters:
        page = html.parse(path).getroot()
        slides = "\n".join(map(section, slides_of(page)))
        title = page.findtext(".//h1")
        made = template.substitute(title=escape(title), slides=slides)
        (SLIDES / path.name).write_text(made, "utf-8")
    print(f"Slides are in {SLIDES.relative_to(ROOT)}")


def fetch_reveal():
    """reveal.js from the npm registry, unpacked beside the slides."""
    try:
        packed = subprocess.run(
            ["npm", "pack", "--silent", REVEAL],
            cwd=SLIDES,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"make slides needs npm, to fetch {REVEAL}: {error}")
    with tarfile.open(SLIDES / packed) as archive:
        archive.extractall(SLIDES, filter="data")
    shutil.move(SLIDES / "package" / "dist", SLIDES / "reveal")
    shutil.rmtree(SLIDES / "package")
    (SLIDES / packed).unlink()


def slides_of(page):
    """The elements of each slide, in the order of the page."""
    article = page.find(".//article")
    strip(article)
    overview = admonition(article, "Overview")
    outcomes = [] if overview is None else overview.findall(".//ul")
    yield [article.find(".//h1"), *outcomes[:1]]
    for figure in article.xpath(f"{CHOSEN}//figure"):
        yield [heading(figure), figure]
    wrong = admonition(article, "What people get wrong")
    if wrong is not None:
        yield [titled("What people get wrong"), *wrong.findall("./ul")]
    for block in article.iter("section"):
        if (block.findtext("./h2") or "").strip() == "Summary":
            yield [titled("Summary"), *block.xpath("./p | ./ul | ./ol")]


def strip(article):
    """Take away what only a page needs: link marks, section numbers."""
    marks = ".//a[contains(@class, 'headerlink')] | "
    marks += ".//span[@class='section-number']"
    for mark in article.xpath(marks):
        mark.drop_tree()
    for image in article.iter("img"):
        image.set("src", image.get("src").removeprefix("../"))


def admonition(article, title):
    for box in article.xpath(".//div[contains(@class, 'admonition')]"):
        if (box.findtext("./p") or "").strip() == title:
            return box
    return None


def heading(element):
    above = element.xpath("ancestor::section[h2][1]/h2")
    return titled(above[0].text_content() if above else "")


def titled(text):
    made = html.Element("h2")
    made.text = text
    return made


def section(elements):
    inside = "".join(
        html.tostring(plain(element), encoding="unicode", with_tail=False)
        for element in elements
        if element is not None
    )
    return f"<section>{inside}</section>"


def plain(element):
    """A copy whose links, which lead into the book, are mere text."""
    element = copy.deepcopy(element)
    for link in element.xpath(".//a"):
        link.drop_tag()
    return element


if __name__ == "__main__":
    main()
