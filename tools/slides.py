"""Make slides of the built chapters: what a lecturer would show.

They are taken from the built pages, so numbers, citations and formulas are
the book's own. A chapter's slides are

* its title, with the outcomes;
* each cell with the tag ``slide``: its figure, or its tables;
* each formula with a number, short ones that go together on one;
* each exercise whose solution has a cell with this tag, folded;
* each important box;
* the questions of "Check yourself", spread over the chapter, folded;
* what people get wrong, each reason folded, and the summary.

Of a caption, an explanation or an item the first words are shown. All of
the chapter's prose is in the notes of the slide that it stands beside.
MathJax comes from the book; the slides load nothing from elsewhere.
"""

import copy
import re
import shutil
import sys
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template

from lxml import html

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build" / "html"
SLIDES = ROOT / "_build" / "slides"
MATHJAX = "tex-svg-full.js"
SLIDE = "div[contains(concat(@class, ' '), ' tag_slide ')]"
"""A cell that has the tag."""

SHORT = 60
"""Letters after which the next end of a sentence is the last one."""

CAPTION = 130
"""The same for captions and boxes, which have more room."""

END = re.compile(r"[.?!][”’)]*(?=\s+[A-Z“‘(\d]|\s*$)")
EXPLAINS = re.compile(r"(?![a-z]|\S.*:$)|with |where ", re.S)
"""How a paragraph begins that says what stands in a formula."""

ROWS = 4
"""Formulas share a slide if they have no more rows together."""

CODE_LINES = 3
"""A table's code is shown if it is no longer."""


@dataclass
class Slide:
    """What is shown, and what is said beside it."""

    title: str
    body: list = field(default_factory=list)
    kind: str = "text"
    notes: list = field(default_factory=list)


def main():
    chapters = sorted((BOOK / "notebooks").glob("*.html"))
    if not chapters:
        sys.exit("There is no built book yet: make book first.")
    shutil.rmtree(SLIDES, ignore_errors=True)
    SLIDES.mkdir(parents=True)
    shutil.copy(BOOK / "_static" / MATHJAX, SLIDES)
    shutil.copytree(BOOK / "_images", SLIDES / "_images")
    page = (ROOT / "tools" / "slides.html").read_text("utf-8")
    rows = []
    for path in chapters:
        slides = slides_of(html.parse(path).getroot())
        title = escape(slides[0].title)
        made = "\n".join(map(section, slides))
        filled = Template(page).substitute(title=title, slides=made)
        (SLIDES / path.name).write_text(filled, "utf-8")
        count = f"{len(slides)} slides"
        print(f"{count:>12}  {slides[0].title}")
        rows.append(f'<p><a href="{path.name}">{title}</a>, {count}</p>')
    index = '<!DOCTYPE html><meta charset="utf-8"><title>Slides</title>'
    (SLIDES / "index.html").write_text("\n".join([index, *rows]), "utf-8")
    print(f"They are in {SLIDES.relative_to(ROOT)}")


def slides_of(page):
    """The slides of a chapter, in the order of its page."""
    article = page.find(".//article")
    strip(article)
    chapter = Chapter(article)
    chapter.read(article.find(".//h1").getparent())
    return chapter.finished()


class Chapter:
    """The slides so far, while the page is read from top to bottom."""

    def __init__(self, article):
        self.slides = [Slide(article.findtext(".//h1"), kind="title")]
        self.questions, self.asked, self.closing = [], [], []
        self.heading, self.waiting, self.behind = "", [], False
        self.solutions = {
            link.get("href")[1:]: box
            for box in article.xpath(".//div[contains(@class, 'solution')]")
            for link in box.xpath("./p[1]/a[starts-with(@href, '#')]")
        }

    def read(self, part):
        """Take what a section of the page has for slides and notes."""
        for child in part:
            words = (child.get("class") or "").split()
            if child.tag == "section":
                self.leave()
                heading = self.heading
                self.read(child)
                self.heading = heading
            elif child.tag in ("h2", "h3"):
                self.heading = child.text_content().strip()
            elif self.heading == "Check yourself":
                self.check(child)
            elif self.heading == "Summary":
                self.close("Summary", [brief_items(child)], child)
            elif self.heading in ("What next", "References"):
                continue
            elif "admonition" in words:
                self.box(child, words)
            elif "cell" in words:
                self.cell(child, words)
            elif formulas(child):
                self.formula(child)
            elif child.tag in ("p", "ul", "ol", "dl"):
                self.say(child)
        self.leave()

    def say(self, prose):
        """Right behind a slide it speaks of that, else of the next one."""
        spoken = self.slides[-1].notes if self.behind else self.waiting
        spoken.append(prose)

    def leave(self):
        """What no slide has taken goes with the last one."""
        self.slides[-1].notes += self.waiting
        self.waiting, self.behind = [], False

    def show(self, slide):
        slide.notes, self.waiting = self.waiting + slide.notes, []
        self.slides.append(slide)
        self.behind = True

    def cell(self, cell, words):
        if "tag_slide" not in words:
            self.behind = False
            return
        figure = cell.find(".//figure")
        if figure is not None:
            caption = figure.find(".//figcaption")
            notes = copy.deepcopy(caption.find("p"))
            shorten(caption.find("p"), CAPTION)
            self.show(Slide(self.heading, [figure], "figure", [notes]))
            return
        tables = cell.xpath(".//table")
        code = cell.xpath(".//*[contains(@class, 'cell_input')]//pre")
        brief = [
            pre
            for pre in code
            if len(pre.text_content().split("\n")) <= CODE_LINES + 1
        ]
        self.show(Slide(self.heading, [*brief, *tables], "table"))

    def formula(self, block):
        found = formulas(block)
        last = self.slides[-1]
        alike = (last.kind, last.title) == ("formula", self.heading)
        rows = sum(map(rows_of, [*last.body, *found]))
        explained = block.getnext()
        if explained is not None and explained.tag == "p":
            explained = shorten(copy.deepcopy(explained))
            if EXPLAINS.match(explained.text_content()):
                found.append(explained)
        if alike and rows <= ROWS:
            last.body += found
            self.leave()
            self.behind = True
        else:
            self.show(Slide(self.heading, found, "formula"))
        if block.tag != "div":
            self.say(block)

    def box(self, box, words):
        title = box.findtext("./p").strip()
        items = box.findall("./ul")
        if title == "Overview":
            self.slides[0].body += map(brief_items, items)
        elif title == "What people get wrong":
            claims = [folded_item(li) for ul in items for li in ul]
            self.close(title, claims, *items)
        elif "exercise" in words:
            self.exercise(box, self.solutions[box.get("id")])
        elif "important" in words:
            text = box.findall("./p")[1:]
            shown = shorten(copy.deepcopy(text[-1]), CAPTION)
            self.show(Slide(title, [shown], "text", text))

    def exercise(self, box, solution):
        if not solution.xpath(f".//{SLIDE}"):
            return
        name = box.find("./p/span").tail.strip().strip("()")
        answer = solution.xpath(
            "./section/p | ./section/ul | ./section/ol"
            f" | .//{SLIDE}//div[contains(@class, 'cell_output')]//*"
            "[self::table or self::pre]"
        )
        asked = box.xpath("./section/*")
        self.show(Slide(name, [*asked, folded(answer)], "question"))

    def check(self, part):
        """A question, in front of its answer or as the answer's name."""
        if part.tag != "details":
            self.asked.append(part)
            return
        name = part.find(".//span").text_content()
        if name != "Answer":
            self.asked = [titled("p", name)]
        for number in self.asked[0].xpath("./strong[position()=1]"):
            if number.text.rstrip(".").isdigit():
                number.drop_tree()
        body = [*self.asked, folded(part.xpath("./div/*"))]
        self.questions.append(Slide("Check yourself", body, "question"))
        self.asked = []

    def close(self, title, body, *notes):
        self.closing.append(Slide(title, body, "list", list(notes)))

    def finished(self):
        """All slides: questions between them, late rather than early."""
        shown, asked = self.slides, self.questions
        made = list(shown)
        step = len(shown) * 0.8 / max(len(asked), 1)
        for number, question in reversed([*enumerate(asked, 1)]):
            behind = len(shown) - round(step * (len(asked) - number))
            made.insert(behind, question)
        return [*made, *self.closing]


def formulas(block):
    """The numbered formulas in a part of a page, without their numbers."""
    numbered = "descendant-or-self::div[starts-with(@id, 'equation-')]"
    found = [copy.deepcopy(part) for part in block.xpath(numbered)]
    for part in found:
        part.attrib.pop("id")
        for number in part.xpath(".//span[@class='eqno']"):
            number.drop_tree()
    return found


def rows_of(part):
    return part.tag == "div" and 1 + part.text_content().count(r"\\")


def brief_items(part):
    """The items of a list, or a paragraph, each in its first words."""
    part = copy.deepcopy(part)
    for said in part.xpath("descendant-or-self::p"):
        shorten(said)
    return part


def folded_item(item):
    """A claim of a list, which begins in bold, and the rest behind it."""
    said = copy.deepcopy(item.find("p"))
    claim = said.find("strong")
    if claim is None:
        return shorten(said)
    summary = titled("summary", claim.text_content())
    claim.drop_tree()
    shorten(said)
    if not said.text_content().strip():
        return titled("p", summary.text)
    made = html.Element("details")
    made.extend([summary, said])
    return made


def folded(inside):
    made = html.Element("details")
    made.append(titled("summary", "Answer"))
    made.extend(copy.deepcopy(part) for part in inside)
    return made


def titled(tag, text):
    made = html.Element(tag)
    made.text = text
    return made


def shorten(element, least=SHORT):
    """Cut an element after the sentence with which it is long enough."""
    length = 0
    for text in [*element.xpath(".//text()")]:
        for end in END.finditer(text):
            if length + end.end() >= least:
                cut_after(element, text, end.end())
                return element
        length += len(text)
    return element


def cut_after(element, text, place):
    """Drop what comes in an element after a place in one of its texts."""
    node = text.getparent()
    if text.is_tail:
        node.tail = text[:place]
        drop(node.itersiblings())
        node = node.getparent()
    else:
        node.text = text[:place]
        drop(node)
    while node is not element:
        node.tail = None
        drop(node.itersiblings())
        node = node.getparent()


def drop(elements):
    for element in [*elements]:
        element.getparent().remove(element)


def strip(article):
    """Take away what only a page needs: link marks, section numbers."""
    marks = ".//a[contains(@class, 'headerlink')] | "
    marks += ".//span[@class='section-number'] | .//style"
    for mark in article.xpath(marks):
        mark.drop_tree()
    for image in article.iter("img"):
        image.set("src", image.get("src").removeprefix("../"))


def section(slide):
    """The HTML of a slide."""
    body = "".join(map(plain, slide.body))
    notes = "".join(map(plain, slide.notes))
    tag = "h1" if slide.kind == "title" else "h2"
    return (
        f'<section class="{slide.kind}">'
        f'<div class="shown"><{tag}>{escape(slide.title)}</{tag}>'
        f'<div class="body">{body}</div></div>'
        f'<aside class="notes">{notes}</aside></section>'
    )


def plain(element):
    """HTML without ids and links, which would lead into the book."""
    element = copy.deepcopy(element)
    element.tail = None
    for part in element.xpath("descendant-or-self::*[@id]"):
        part.attrib.pop("id")
    for link in element.xpath(".//a"):
        link.drop_tag()
    for table in element.xpath("descendant-or-self::table"):
        made = html.Element("div", {"class": "scroll"})
        if table is element:
            element = made
        else:
            table.getparent().replace(table, made)
        made.append(table)
    return html.tostring(element, encoding="unicode")


if __name__ == "__main__":
    main()
