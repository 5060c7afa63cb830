"""Make slides of the built chapters: what a lecturer would show.

They are taken from the built pages, so numbers, citations and formulas are
the book's own, and shown by reveal.js. A chapter's slides are

* its title, with the outcomes;
* each cell with the tag ``slide``: its figure, or its tables;
* each formula with a number, short ones that go together on one;
* each exercise whose solution has a cell with this tag, and its answer;
* each important box;
* quizzes and the questions of "Check yourself", what people get wrong, the
  summary.

Nothing is cut: a caption, an item or an explanation is shown whole, or it
is in the notes, which have all of the prose that a slide stands beside.
MathJax comes from the book; the slides load nothing from elsewhere.
"""

import copy
import re
import shutil
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from lxml import etree, html
from lxml.html.builder import E

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build" / "html"
SLIDES = ROOT / "_build" / "slides"
MATHJAX = "tex-svg-full.js"
REVEAL = files("sphinx_revealjs") / "_static" / "revealjs"
PARTS = ["dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js"]

TAGGED = "div[contains(concat(@class, ' '), ' tag_slide ')]"
NUMBERED = "descendant-or-self::div[starts-with(@id, 'equation-')]"
ONLY_ON_A_PAGE = (
    ".//a[contains(@class, 'headerlink')] | .//style | .//script"
    " | .//span[@class='section-number'] | .//span[@class='eqno']"
)
ANSWER = (
    "./section/p | ./section/ul | ./section/ol"
    f" | .//{TAGGED}//*[contains(@class, 'cell_output')]//table"
    f" | .//{TAGGED}//*[contains(@class, 'cell_output')]//pre"
)
EXPLAINS = re.compile(r"(?:[a-z]|With |Where ).*[.]\s*$", re.S)
"""A paragraph that ends what a formula begins, and leads no further."""

ROWS = 4
"""Formulas share a slide if they have no more rows together."""

CODE_LINES = 3
"""A table's code is shown if it is no longer."""


def main():
    shutil.rmtree(SLIDES, ignore_errors=True)
    shutil.copytree(BOOK / "_images", SLIDES / "_images")
    shutil.copy(BOOK / "_static" / MATHJAX, SLIDES)
    for part in PARTS:
        shutil.copy(str(REVEAL / part), SLIDES)
    page = (ROOT / "tools" / "slides.html").read_text("utf-8")
    rows = []
    for path in sorted((BOOK / "notebooks").glob("*.html")):
        slides = Chapter(path).slides
        title = escape(slides[0].findtext("h1"))
        made = "\n".join(html.tostring(s, encoding=str) for s in slides)
        filled = Template(page).substitute(title=title, slides=made)
        (SLIDES / path.name).write_text(filled, "utf-8")
        link = f'<a href="{path.name}">{title}</a>'
        rows.append(f"<p>{link}, {len(slides)} slides</p>")
    index = '<!DOCTYPE html><meta charset="utf-8"><title>Slides</title>'
    (SLIDES / "index.html").write_text("\n".join([index, *rows]), "utf-8")
    print(f"{len(rows)} chapters are in {SLIDES.relative_to(ROOT)}")


class Chapter:
    """The slides so far, while a page is read from top to bottom."""

    def __init__(self, path):
        article = html.parse(path).find(".//article")
        self.solutions = {
            link.get("href")[1:]: box
            for box in article.xpath(".//div[contains(@class, 'solution')]")
            for link in box.xpath("./p[1]/a[starts-with(@href, '#')]")
        }
        for mark in article.xpath(ONLY_ON_A_PAGE):
            mark.drop_tree()
        title = article.find(".//h1")
        self.slides, self.asked = [], []
        self.heading = title.text
        self.show("title")
        self.read(title.getparent())
        for slide in self.slides:  # else its links lead into the book
            etree.strip_attributes(slide, "id", "loading")
            etree.strip_tags(slide, "a")
            slide.rewrite_links(lambda link: link.removeprefix("../"))

    def show(self, kind, *body, title=None):
        """Add a slide; what is said from now on goes into its notes."""
        heading = E("h2" if self.slides else "h1", title or self.heading)
        self.body = E.div(*map(copied, body), {"class": "body"})
        self.notes = E.aside({"class": "notes"})
        slide = E.section(heading, self.body, self.notes, {"class": kind})
        self.slides.append(slide)
        self.rows = 0

    def say(self, *prose):
        self.notes.extend(map(copied, prose))

    def read(self, part):
        """Take what a section of the page has for slides and notes."""
        for child in part:
            words = (child.get("class") or "").split()
            if child.tag == "section":
                above = self.heading
                self.read(child)
                self.heading = above
            elif child.tag in ("h2", "h3"):
                self.heading, self.rows = child.text_content().strip(), 0
            elif self.heading in ("What next", "References"):
                continue
            elif self.heading == "Check yourself":
                self.check(child)
            elif self.heading == "Summary":
                self.show("list", child)
            elif "admonition" in words:
                self.box(child, words)
            elif "tag_slide" in words:
                self.cell(child)
            elif child.xpath(NUMBERED):
                self.formula(child)
            elif child.tag in ("p", "ul", "ol", "dl"):
                self.say(child)

    def cell(self, cell):
        figure = next(iter(cell.xpath(".//figure[.//img]")), None)
        if figure is not None:
            self.show("figure", figure)
            return
        brief = [
            code
            for code in cell.xpath(".//*[contains(@class, 'input')]//pre")
            if len(code.text_content().splitlines()) <= CODE_LINES
        ]
        self.show("table", *brief, *cell.xpath(".//table"))

    def formula(self, block):
        """Behind the one before, if both are short and go together."""
        found = block.xpath(NUMBERED)
        rows = sum(1 + part.text_content().count(r"\\") for part in found)
        before, after = block.getprevious(), block.getnext()
        if before.tag == "p" and before.text_content().strip()[-1] in ":,":
            found.insert(0, before)
        if after is not None and EXPLAINS.match(after.text_content()):
            found.append(after)
        if self.rows and self.rows + rows <= ROWS:
            self.body.extend(map(copied, found))
        else:
            self.show("formula", *found)
        self.rows += rows
        if block.tag != "div":
            self.say(block)

    def box(self, box, words):
        title, *text = box
        name = title.text_content().strip()
        if name == "Overview":
            self.body.extend(map(copied, text))
        elif name == "What people get wrong":
            said = box.xpath("./ul/li/p[1]")
            claims = [next(p.iter("strong", "em"), p) for p in said]
            items = [E.li(copied(claim)) for claim in claims]
            self.show("list", E.ul(*items), title=name)
            self.say(*text)
        elif "exercise" in words:
            solution = self.solutions[box.get("id")]
            if solution.xpath(f".//{TAGGED}"):
                name = title.find("span").tail.strip().strip("()")
                asked = box.xpath("./section/*")
                self.ask(name, asked, solution.xpath(ANSWER))
        elif "quiz" in words:
            *question, answer = text
            name = f"{name}: {self.heading}"
            self.ask(name, question, answer.xpath("./div/*"))
        elif "important" in words:
            self.show("text", *text, title=name)

    def ask(self, title, question, answer):
        """A question; its answer comes with the next key."""
        hidden = E.div(*map(copied, answer), {"class": "fragment"})
        self.show("question", *question, hidden, title=title)

    def check(self, part):
        """A question, in front of its answer or as the answer's name."""
        if part.tag != "details":
            self.asked.append(part)
            return
        name = part.find(".//span").text_content()
        if name != "Answer":
            self.asked = [E.p(name)]
        self.ask(self.heading, self.asked, part.xpath("./div/*"))
        self.asked = []


def copied(part):
    """A part of a page, without what comes after it."""
    part = copy.deepcopy(part)
    part.tail = None
    return part


if __name__ == "__main__":
    main()
