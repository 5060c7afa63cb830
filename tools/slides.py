"""Make the slides of the lecture: `lecture/lecture.md`, drawn.

`# ` begins a part, `## ` a slide; the braces hold its name and its minutes.
Python runs from top to bottom. What a slide's code has drawn is its figure,
called like the slide; the image's words are for those who do not see it.
`{{ x }}` is the value of x, and a quotation comes with the next key. What
stands below `Note:` is said: only the presenter's window shows it. A line
`Source:` before it says whose numbers, data or formula a slide shows. An
image whose title names a figure of `book/_ext/interactive.py` moves as that
does.

reveal.js shows the slides, and loads nothing from elsewhere.
"""

import re
import shutil
from functools import partial
from importlib.resources import files
from pathlib import Path
from string import Template

import matplotlib.pyplot as plt
from lxml.html import builder as E
from lxml.html import fragment_fromstring, tostring
from markdown_it import MarkdownIt

from book._ext.finish import checksum
from book._ext.interactive import element
from book.support import typeface

ROOT = Path(__file__).resolve().parent.parent
LECTURE = ROOT / "lecture" / "lecture.md"
SLIDES = ROOT / "_build" / "html" / "slides"
REVEAL = files("sphinx_revealjs") / "_static" / "revealjs"
PLAYER = ["dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js"]
STATIC = ROOT / "book" / "_static"
MOVES = [STATIC / "interactive.js", STATIC / "interactive.css"]
PRESENTER = REVEAL / "plugin" / "notes" / "speaker-view.html"

# A comment of Python is none: code ends before the next heading.
HEADING = re.compile(
    r"^(?=##? )(?!(?:(?!^```python$).)*?^```$)", re.M | re.S
)
TITLE = re.compile(r"## (.*?) ?\{#([\w-]+) minutes=(\d+)\}\n")
CODE = re.compile(r"^```python\n(.*?)^```\n", re.M | re.S)
VALUE = re.compile(r"\{\{(.+?)\}\}")


def main():
    """Make all of it, and then put it in the place of what was there."""
    folder = SLIDES.with_name("slides-new")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in [*PLAYER, *MOVES, ROOT / "tools" / "slides.js"]:
        shutil.copy(str(REVEAL / file), folder)
    typeface.on_pages(folder / "fonts")
    page = Template((ROOT / "tools" / "slides.html").read_text("utf-8"))
    window = PRESENTER.read_text("utf-8")
    (script,) = re.findall(r"<script>(.*?)</script>", window, re.S)
    made = slides(LECTURE, folder)
    text = page.substitute(
        title=made[0][0].text,
        presenter=checksum(script),
        slides="\n".join(tostring(s, encoding=str) for s in made),
    )
    (folder / "lecture.html").write_text(text, "utf-8")
    print(f"{len(made)} slides are in slides/lecture.html")
    shutil.rmtree(SLIDES, ignore_errors=True)
    folder.rename(SLIDES)


def slides(file, folder):
    """Every slide of a file; their figures are written beside them."""
    plt.switch_backend("svg")
    pieces = HEADING.split(file.read_text("utf-8"))[1:]
    names, part, made = {"parts": minutes(file.name, pieces)}, "", []
    for piece in pieces:
        heading, _, body = piece.partition("\n")
        try:
            for code in CODE.findall(body):
                exec(compile(code, heading, "exec"), names)
            if heading.startswith("# "):
                part = heading[2:]
                continue
            length = TITLE.split(piece)[3]
            made.append(slide(piece, names, folder))
            made[-1].set("data-timing", str(60 * int(length)))
            made[-1].set("data-part", part)
        except Exception as error:
            raise SystemExit(f"{file.name}, {heading}: {error}") from error
    made[0][0].tag = "h1"
    for number, each in enumerate(made, 1):
        each[0].set("data-number", str(number))
    return made


def minutes(file, pieces):
    """Return the minutes of each part, in order."""
    parts, part = {}, ""
    for piece in pieces:
        if piece.startswith("# "):
            part = piece[2:].partition("\n")[0]
        else:
            heading = TITLE.match(piece)
            if not heading:
                raise SystemExit(f"{file}, {piece[:60]!r}: no minutes")
            length = int(heading[3])
            parts[part] = parts.get(part, 0) + length
    return parts


def value(names, found):
    return eval(f"f'''{{{found[1]}}}'''", names)


def slide(piece, names, folder):
    """A slide; what its code has drawn becomes its figure."""
    piece = VALUE.sub(partial(value, names), CODE.sub("", piece))
    _, title, name, _, text = TITLE.split(piece)
    drawn = folder / f"{name}.svg"
    if drawn.exists():
        raise ValueError("another slide has this name")
    if plt.get_fignums():
        plt.savefig(drawn)
        plt.close("all")
    text, _, said = text.partition("\nNote:\n")
    text, *sources = text.split("\nSource: ")
    shown, said = html(text), html(said)
    shown.set("class", "body")
    for answer in shown.iter("blockquote"):
        answer.set("class", "fragment")
    for image in shown.xpath(".//img[@title]"):
        figure = element(image.attrib.pop("title"), drawn)
        place = image.getparent()
        place.tag = "div"
        place.append(fragment_fromstring(figure))
    said.set("style", "font-size: 65%; margin: -1em 0")  # it fits its pane
    notes = E.ASIDE(said, {"class": "notes"})
    named = [
        E.P("Source: " + s.strip(), {"class": "source"}) for s in sources
    ]
    return E.SECTION(E.H2(title), shown, *named, notes, id=name)


def html(text):
    """Markdown as an element."""
    made = MarkdownIt("commonmark").render(text)
    return fragment_fromstring(made, create_parent="div")


if __name__ == "__main__":
    main()
