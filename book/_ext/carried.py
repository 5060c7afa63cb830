"""What an assignment copies from the book, so that it stands by itself.

Of code what its own code needs, of imports those that it uses, of formulas
and tables those that its text names.
"""

import ast
import re
from itertools import pairwise

from nbformat.v4 import new_code_cell, new_markdown_cell
from plumbing import names_read, needed, tree

CODE = re.compile(r"`([^`]+)`")
EQUATION = re.compile(
    r"(?<![\w.)`])\((D?\d+\.\d+)\)|(?i:\bequation) (\d+\.\d+)"
)
TAG = re.compile(r"\\tag\{(.*?)\}")
SENTENCE = re.compile(r"(?<=[.?!:])\s+(?=[A-Z(`*])")
FLOAT = re.compile(r"\b(Table|Figure) (D?\d+\.\d+)\b")
OF_A_PAPER = re.compile(
    r"\b(?:Table|Figure)s? \d[\d.]* of (?:the paper|(?=[A-Z]))"
)
# What leads to something that only the page has.
ELSEWHERE = re.compile(
    r"(?i)\b(?:as|cells?|tables?|figures?|pictures?|messages?|texts?|the"
    r"|formulas?) (?:above|below)\b"
    r"|\b(?:above|below)(?=[.,;:)?]|$)"
    r"|\bfurther (?:up|down)\b|\b(?:last|next|this|the) section\b"
    r"|\bin the (?:text|chapter)\b|\b(?:Table|Figure)s? \d+\b"
)


def equations(chapters):
    """Every numbered formula of the chapters, by its number.

    With the sentence that leads to it, and the one that goes on behind it
    and mostly says what the letters mean.
    """
    found = {}
    for cells in chapters:
        for cell in cells:
            blocks = ["", *cell.source.split("\n\n"), ""]
            for before, block, after in zip(
                blocks, blocks[1:], blocks[2:], strict=False
            ):
                for number in TAG.findall(block):
                    parts = [leading(before), block, going_on(after)]
                    found[number] = "\n\n".join(filter(None, parts))
    return found


def leading(text):
    """The sentence that a formula ends, if it is one for itself."""
    last = SENTENCE.split(text)[-1]
    ends = last.endswith((".", "$$")) or len(last.split()) < 3
    return "" if ends or [*lost([new_markdown_cell(last)])] else last


def going_on(text):
    """The sentence that goes on behind a formula, under the same terms."""
    first = SENTENCE.split(text)[0]
    goes_on = re.match(r"[a-z]|\$[^$]", first) and first.endswith(".")
    if goes_on and not [*lost([new_markdown_cell(first)])]:
        return first
    return ""


def named_in(text):
    """The numbers of formulas in a text, such as (1.2), equation 1.2."""
    return [one or other for one, other in EQUATION.findall(text)]


def formulas(text, known):
    """The formulas that a text names, as a cell."""
    own = TAG.findall(text)
    named = dict.fromkeys(named_in(text))
    if given := [known[n] for n in named if n in known and n not in own]:
        yield new_markdown_cell("\n\n".join(["From the book:", *given]))


def floats(text, cells):
    """The cells that draw what a text names, each with its caption."""
    for kind, number in dict.fromkeys(FLOAT.findall(text)):
        begins = f"**{kind} {number}.**"
        for drawn, caption in pairwise(cells):
            shown = caption.source.partition("\n\n")[0]
            if shown.startswith(begins) and drawn.cell_type == "code":
                yield new_code_cell(drawn.source), new_markdown_cell(shown)


def needed_for(code, cells):
    """What these pieces of code need of the cells above them."""
    names = names_read("\n".join(map(str.strip, code)), set())
    kept = []
    for cell in reversed(cells):
        if lines := needed(cell.source, names):
            names = names_read(lines, names)
            kept.insert(0, lines)
    return "\n\n".join(kept)


def first_cell(setup, code):
    """The chapter's first cell, with the imports that the code uses."""
    names = names_read(code, {"gt"})
    lines = setup.source.splitlines()
    for statement in reversed(tree(setup.source).body):
        place = slice(statement.lineno - 1, statement.end_lineno)
        if isinstance(statement, ast.Import | ast.ImportFrom):
            lines[place] = used(statement, names, lines[place])
        elif isinstance(statement, ast.Expr):  # figures.use_style()
            read = names_read(ast.unparse(statement), set())
            lines[place] = lines[place] * bool(read & names)
    return new_code_cell("\n".join(lines).strip("\n"))


def used(statement, names, lines):
    """The lines of an import, with the names that are used."""
    kept = [
        name
        for name in statement.names
        if (name.asname or name.name.partition(".")[0]) in names
    ]
    if kept == statement.names:
        return lines
    statement.names = kept
    return [ast.unparse(statement)] if kept else []


def code_in(text):
    """The pieces of code that a text names."""
    for code in CODE.findall(text):
        try:
            tree(code)
        except SyntaxError:
            continue
        yield code


def lost(cells):
    """List what the text of a notebook refers to and the notebook lacks."""
    text = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    has = set(TAG.findall(text))
    yield from (f"({n})" for n in named_in(text) if n not in has)
    for kind, number in FLOAT.findall(OF_A_PAPER.sub("", text)):
        if f"**{kind} {number}.**" not in text:
            yield f"{kind} {number}"
    rest = FLOAT.sub("", OF_A_PAPER.sub("", text))
    yield from (found[0] for found in ELSEWHERE.finditer(rest))
