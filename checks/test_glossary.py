"""No reader meets a term before it is defined: chapters and glossary."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath

import pytest
from lxml import html

from book._ext.overviews import needed
from checks.conftest import HTML, pages, tree

CHAPTERS = pages("notebooks/")
DEFINED_IN = (
    ".//a[contains(normalize-space(preceding-sibling::text()[1]),"
    " 'Defined in')]/@href"
)
NO_PROSE = """//code | //*[starts-with(@class, 'math ')]
    | //*[contains(@class, 'admonition-title')]
    | //*[@class='caption-number']
    | //div[starts-with(@class, 'cell_output')]/*[not(self::figure)]
    | //figure//table | //table[contains(@class, 'chapter-map')]
    | //table[contains(@class, 'items')]"""
PIECES = "//article//*[self::p[not(ancestor::tr)] or self::tr or self::dt]"


# An entry's first name, by each of its names and by what links lead to,
# and the page that defines it.
NAMED, LINKED, CHAPTER_OF = {}, {}, {}

names = []
for part in tree("book/glossary.html").xpath(
    "//dl[contains(@class, 'glossary')]/*"
):
    if part.tag == "dt":
        names.append(part.text)
        NAMED[part.text] = LINKED[part.get("id")] = names[0]
        continue
    (chapter,) = part.xpath(DEFINED_IN) or [None]
    CHAPTER_OF[names[0]] = chapter and chapter.removeprefix("../")
    names = []


def pattern(name):
    """A name as it may stand in a text: plural, broken across lines."""
    words = [re.escape(word) for word in re.split(r"[\s-]+", name)]
    if words[-1].endswith("y"):
        words[-1] = f"{words[-1][:-1]}(?:y|ies)"
    said = r"[\s-]+".join(words) + "(?:e?s)?"
    abbreviation = re.search("[A-Z]{2}|@", name)
    return f"(?-i:{said})" if abbreviation else said


# The longest name first: "relative error" is not a use of "error".
NAMES = sorted(NAMED, key=len, reverse=True)
ANY_NAME = re.compile(
    rf"(?<![\w@])(?:{'|'.join(f'({pattern(n)})' for n in NAMES)})(?![\w@])",
    re.I,
)


def stem(page):
    return PurePath(page).stem


def terms(text):
    """How often the text uses each entry's names."""
    found = ANY_NAME.finditer(text)
    return Counter(NAMED[NAMES[match.lastindex - 1]] for match in found)


@dataclass
class Piece:
    """A piece of prose, and the entries that it names or links to."""

    text: str
    opening: bool
    linked: set
    set_off: set
    used: set


@cache
def prose(chapter):
    """The chapter's paragraphs, list items, captions and rows."""
    root = html.parse(HTML / chapter).getroot()
    for part in root.xpath(NO_PROSE):
        part.drop_tree()
    return [piece(part) for part in root.xpath(PIECES)]


def piece(part):
    anchors = [link.partition("#")[2] for link in part.xpath(".//a/@href")]
    named = {  # plain Markdown leads to the page, not within it
        name
        for link in part.xpath(".//a[contains(@href, 'glossary.html')]")
        for name in terms(link.text_content())
    }
    for link in part.xpath(".//a"):
        link.drop_tree()
    text = part.text_content()
    for emphasis in part.xpath(".//em | .//strong"):
        emphasis.clear(keep_tail=True)
        emphasis.text = "|"
    return Piece(
        " ".join(text.split())[:300],
        opening=not part.xpath("./ancestor::section[2]"),
        linked={LINKED[each] for each in anchors if each in LINKED} | named,
        set_off={*(terms(text) - terms(part.text_content()))},
        used={*terms(text)},
    )


@pytest.mark.parametrize(("name", "home"), CHAPTER_OF.items())
def test_no_chapter_uses_a_term_that_it_does_not_need(name, home):
    """One that a chapter defines which this one does not name, unless its
    first use links to the glossary.

    A term that no chapter defines is one that readers may know; where the
    book uses it first, it links to the glossary.
    """
    for chapter in CHAPTERS:
        if home and stem(home) in {stem(chapter), *needed(stem(chapter))}:
            continue
        first = next(
            (p for p in prose(chapter) if name in p.used | p.linked), None
        )
        assert not first or name in first.linked, f"{chapter}: {first.text}"
        if first and home is None:
            return
    used = (name in p.used | p.linked for c in CHAPTERS for p in prose(c))
    assert any(used), "no chapter uses it"


@pytest.mark.parametrize(("name", "home"), CHAPTER_OF.items())
def test_the_chapter_that_defines_a_term_sets_it_off(name, home):
    """The first paragraph after the opening to use it has it in emphasis.

    Or links to the glossary, with the emphasis further down.
    """
    told = prose(home) if home else []
    assert not home or any(name in p.set_off for p in told), "never set off"
    for piece in told:
        if name in piece.set_off | piece.linked:
            return
        assert piece.opening or name not in piece.used, piece.text
