"""No reader meets a term before it is defined: chapters and glossary."""

import re
from dataclasses import dataclass, field
from functools import cache

import pytest
import yaml

from checks.conftest import ROOT, read

GLOSSARY = ROOT / "book" / "glossary.md"

DEFINED_IN = re.compile(r"Defined in \{doc\}`/([^`]+)`\.")
TERM = re.compile(r"\{term\}`([^`<]+?)(?:\s*<([^`>]+)>)?`")
LINKED = re.compile("\x02(.*?)\x03")
EMPHASIS = re.compile(r"(\*\*|\*)(?=[^\s*])(.+?)(?<=\S)\1", re.S)

# What is no prose of the chapter, in the order in which it is taken out.
NO_PROSE = [
    re.compile(
        r"^```+\{(?:exercise|solution)-(?:start|end)\}.*?^```+$",
        re.M | re.S,
    ),
    re.compile(
        r"^```+ *\{(?:math|raw|bibliography|glue)\}.*?^```+$", re.M | re.S
    ),
    re.compile(r"^```+\w+\n.*?^```+$", re.M | re.S),
    re.compile(r"^(?:`{3,}|:{3,}).*$", re.M),
    re.compile(r"^:[\w-]+:.*$", re.M),
    re.compile(r"^#+ .*$", re.M),
    re.compile(r"^\([\w-]+\)=$", re.M),
    re.compile(r"\$\$.*?\$\$(?: *\([\w-]+\))?", re.S),
    re.compile(r"\$[^$]+\$"),
    re.compile(r"(?:\{[\w:]+\})?`[^`]+`"),
    re.compile(r"\[[^\]]*\]\([^)]*\)"),
]
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.) )|\n(?=\|)")


@dataclass
class Entry:
    """An entry of the glossary: its names, and where it is defined."""

    names: list
    chapter: str | None
    line: int


@dataclass
class Paragraph:
    """A piece of prose, without its markup."""

    text: str
    opening: bool
    emphasised: list = field(default_factory=list)
    linked: set = field(default_factory=set)


def read_glossary():
    """The entries in the order in which the file has them."""
    inside, names, body, start, found = False, [], [], 0, []
    for number, line in enumerate(GLOSSARY.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```{glossary}"
        if not inside or line.startswith(("`", ":")) or not line.strip():
            continue
        if line.startswith("  "):
            body.append(line.strip())
            continue
        if body:
            found.append(entry(names, body, start))
            names, body = [], []
        start = start if names else number
        names.append(line)
    return [*found, entry(names, body, start)]


def entry(names, body, line):
    chapters = DEFINED_IN.findall(" ".join(body))
    assert len(chapters) <= 1, f"{names} is defined in two chapters"
    return Entry(names, chapters[0] if chapters else None, line)


ENTRIES = read_glossary()
ENTRY_OF = {name.lower(): item for item in ENTRIES for name in item.names}


@cache
def chapters():
    """The chapters in the order of the book."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    return [
        page["file"]
        for part in toc["parts"]
        for page in part["chapters"]
        if page["file"].startswith("notebooks/")
    ]


def pattern(name):
    """A name as it may stand in a text: plural, broken across lines."""
    words = [re.escape(word) for word in re.split(r"[\s-]+", name)]
    if words[-1].endswith("y"):
        words[-1] = f"{words[-1][:-1]}(?:y|ies)"
    said = r"[\s-]+".join(words).replace("'", "['’]") + "(?:e?s)?"
    abbreviation = re.search("[A-Z]{2}|@", name)
    return f"(?-i:{said})" if abbreviation else said


# The longest name first: "relative error" is not a use of "error".
NAMES = sorted(
    (name for item in ENTRIES for name in item.names), key=len, reverse=True
)
ANY_NAME = re.compile(
    r"(?<![\w@])(?:"
    + "|".join(f"({pattern(name)})" for name in NAMES)
    + r")(?![\w@])",
    re.I,
)


@cache
def paragraphs(chapter):
    """The chapter's prose; captions too, as they stand in the page."""
    opening, found = True, []
    for cell in read(ROOT / f"{chapter}.ipynb").cells:
        if cell.cell_type == "markdown":
            source = cell.source
        else:
            drawn = cell.metadata.get("mystnb", {}).get("figure", {})
            source = drawn.get("caption", "")
        for part in re.split(r"^(?=## )", source, flags=re.M):
            opening = opening and not part.startswith("## ")
            found += split(part, opening)
    return found


def split(source, opening):
    """The paragraphs of a piece of Markdown."""
    source = TERM.sub(lambda link: f"\x02{link[2] or link[1]}\x03", source)
    for markup in NO_PROSE:
        source = markup.sub(" ", source)
    pieces = filter(str.strip, PARAGRAPH.split(source))
    return [bare(piece, opening) for piece in pieces]


def bare(source, opening):
    """A paragraph without markup, with what the markup told."""
    found = Paragraph("", opening)
    for target in LINKED.findall(source):
        name = " ".join(target.split()).lower()
        found.linked.add(ENTRY_OF[name].names[0])
    source, end = LINKED.sub(" ", source), 0
    for match in EMPHASIS.finditer(source):
        found.text += source[end : match.start()]
        start = len(found.text)
        found.text += match[2].replace("*", "")
        found.emphasised.append((start, len(found.text)))
        end = match.end()
    found.text += source[end:]
    return found


def uses(paragraph, item):
    """Where the paragraph uses one of the entry's names."""
    return [
        match.span()
        for match in ANY_NAME.finditer(paragraph.text)
        if NAMES[match.lastindex - 1] in item.names
    ]


def emphasises(paragraph, item):
    return any(
        low < end and start < high
        for start, end in uses(paragraph, item)
        for low, high in paragraph.emphasised
    )


def first_is_linked(chapter, item):
    """True if the first use links to the glossary; else what it says."""
    for paragraph in paragraphs(chapter):
        if item.names[0] in paragraph.linked:
            return True
        if uses(paragraph, item):
            return f"{chapter}: {' '.join(paragraph.text.split())[:300]}"
    return True


@pytest.fixture(params=ENTRIES, ids=lambda item: item.names[0])
def item(request):
    return request.param


def test_no_name_is_explained_twice():
    names = [name.lower() for item in ENTRIES for name in item.names]
    assert sorted(set(names)) == sorted(names)


def test_the_glossary_is_written_in_the_order_of_the_book():
    order = [
        chapters().index(item.chapter) for item in ENTRIES if item.chapter
    ]
    assert order == sorted(order)


def test_no_chapter_uses_a_term_before_the_one_that_defines_it(item):
    """Unless its first use there links to the glossary.

    A term that no chapter defines is one that readers may know; where the
    book uses it first, it links to the glossary.
    """
    for chapter in chapters():
        if chapter == item.chapter:
            return
        linked = first_is_linked(chapter, item)
        assert linked is True, f"line {item.line}: {linked}"
        if item.chapter is None and any(
            item.names[0] in p.linked for p in paragraphs(chapter)
        ):
            return
    assert item.chapter is None, f"no such chapter: {item.chapter}"
    pytest.fail(f"line {item.line}: no chapter uses {item.names}")


def test_the_chapter_that_defines_a_term_sets_it_off(item):
    """The first paragraph after the opening to use it has it in emphasis.

    Or links to the glossary, with the emphasis further down.
    """
    if item.chapter is None:
        return
    text = paragraphs(item.chapter)
    told = [p for p in text if emphasises(p, item)]
    assert told, f"line {item.line}: never set off in {item.chapter}"
    for paragraph in text:
        if paragraph is told[0] or item.names[0] in paragraph.linked:
            return
        used = not paragraph.opening and uses(paragraph, item)
        said = " ".join(paragraph.text.split())[:300]
        assert not used, f"line {item.line}: {item.chapter}: {said}"
