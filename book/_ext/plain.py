"""Chapters in plain Markdown: their page, and their copy to be run.

JupyterLab, VS Code, GitHub and Colab show nothing of them raw. Captions,
quizzes, exercises, solutions and what a chapter needs are recognised by
their form, and become directives before Sphinx reads them.
"""

import json
import re
from base64 import b64encode
from copy import deepcopy
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
APPENDICES = ROOT / "appendices"

CAPTION = re.compile(r"\*\*(Figure|Table) (A?\d+)\.(\d+)\.\*\* ")
PICTURE = re.compile(
    r"^!\[([^]]*)\]\(([^)]+)\)\n\n"
    r"\*\*Figure (A?\d+)\.(\d+)\.\*\* (.*?)(?=\n\n|\Z)",
    re.M | re.S,
)
TABLE = re.compile(
    r"^((?:\|.*\n)+)\n\*\*Table (A?\d+)\.(\d+)\.\*\* (.*?)(?=\n\n|\Z)",
    re.M | re.S,
)
OVERVIEW = re.compile(r"^\*\*You need\*\*.*\Z", re.M | re.S)
QUIZ = re.compile(
    r"\*\*Quiz\.\*\* (.*)\n<details>\n<summary>Answer</summary>\n\n"
    r"(.*)\n\n</details>\s*",
    re.S,
)
EXERCISE = re.compile(r"### Exercise (\d+\.\d+)\. ([^\n]*)\n+(.*)", re.S)
SOLUTION = re.compile(r"### Solution of exercise (\d+\.\d+)\n*(.*)", re.S)
HEADING = re.compile(r"#{2,3} ")
CALL = re.compile(r"\b(?:gt|pingouin|pg)\.(?!load\b)[\w.]+(?=\()")
LABEL = re.compile(r"[a-z]+(-[a-z0-9]+)+")
TAGGED = re.compile(r"\$\$((?:(?!\$\$).)*?\\tag\{A?[\d.]+\}.*?)\$\$", re.S)
BESIDE = re.compile(r"\]\(\.\./(?:notebooks|appendices)/")
OUT = re.compile(r"(?<!!)\[([^]]*)\]\((\.\./[^)]+)\)")
PAGE = re.compile(r"\.\./(book/[\w/-]+)\.md(#[\w-]+)?")

AS_FIGURE = """\
```{{figure}} {src}
:name: {name}
:alt: {alt}

{caption}
```"""
AS_TABLE = """\
````{{table}} {caption}
:name: {name}

{rows}````"""
AS_OVERVIEW = """\
::::{{div}} overview
{}

:::{{dropdown}} {}
{}
:::
::::"""
AS_QUIZ = """\
::::{{admonition}} Quiz
:class: quiz

{}
:::{{dropdown}} Answer
{}
:::
::::"""
AS_EXERCISE = """\
```{{exercise-start}} {title}
:label: {label}
```
{text}
```{{exercise-end}}
```"""
AS_SOLUTION = """\
```{{solution-start}} {label}
:class: dropdown
```
{text}"""
END_OF_SOLUTION = "```{solution-end}\n```\n\n"


def notebooks():
    """The files of all chapters, and then of their appendices."""
    return [
        *sorted(NOTEBOOKS.glob("*.ipynb")),
        *sorted(APPENDICES.glob("*.ipynb")),
    ]


def file_of(chapter):
    """The notebook of a chapter, or of an appendix."""
    appendix = chapter.startswith("appendix-")
    return (APPENDICES if appendix else NOTEBOOKS) / f"{chapter}.ipynb"


def text_of(cell):
    return "".join(cell["source"])


def tags_of(cell):
    return cell["metadata"].get("tags", [])


# The page


def as_myst(notebook):
    """A chapter as Sphinx is to read it."""
    made = deepcopy(notebook)
    labels = {
        number: label for label, number, _, _ in exercises(made["cells"])
    }
    labels["opening"] = next(
        (c["id"] for c in made["cells"] if "opening" in tags_of(c)), None
    )
    above, solving, known = None, False, set()
    for cell in made["cells"]:
        text = text_of(cell)
        if cell["cell_type"] == "code":
            dress(cell, known)
        else:
            ends = solving and bool(HEADING.match(text))
            solving = (solving and not ends) or bool(SOLUTION.match(text))
            if above is not None and above["cell_type"] == "code":
                text = captioned(above, text)
            text = translated(cell["id"], text, labels)
            cell["source"] = END_OF_SOLUTION * ends + text
        above = cell
    return made


def dress(cell, known):
    """Hide the opening, whose picture stands above, and fold a solution
    only once. A cell teaches that calls what no cell before it has called;
    the others fold (`code.js`)."""
    folded = {"hide-input", "hide-cell"} & {*tags_of(cell)}
    tags = [tag for tag in tags_of(cell) if tag != "hide-input"]
    if "opening" in tags:
        tags.append("remove-cell")
    if "solution" in tags:
        tags = [tag for tag in tags if tag != "hide-cell"]
    called = {*CALL.findall(text_of(cell))}
    if called - known and not folded:
        tags.append("teach")
    known |= called
    if tags or folded:
        cell["metadata"]["tags"] = tags
    if alt := cell["metadata"].pop("alt", None):
        cell["metadata"]["mystnb"] = {"image": {"alt": alt}}


def captioned(cell, text):
    """Give a cell of code the caption that stands below it; what is left of
    the text. Its id names the figure, if it begins so."""
    found = CAPTION.match(text)
    if not found:
        return text
    caption, _, rest = text[found.end() :].partition("\n\n")
    kind, *number = found.groups()
    short = {"Figure": "fig", "Table": "tab"}[kind]
    named = cell["id"].startswith(f"{short}-")
    figure = {
        "name": cell["id"] if named else "-".join([short, *number]),
        "caption": " ".join(caption.split()),
    }
    if kind == "Table":
        figure["caption_before"] = True
    cell["metadata"].setdefault("mystnb", {})["figure"] = figure
    return rest


def translated(label, text, labels):
    """The text of a cell with directives in place of what looks like
    them."""
    if found := QUIZ.fullmatch(text):
        return AS_QUIZ.format(*found.groups())
    if found := EXERCISE.fullmatch(text):
        _, title, text = found.groups()
        return AS_EXERCISE.format(title=title, label=label, text=text)
    if found := SOLUTION.fullmatch(text):
        number, text = found.groups()
        return AS_SOLUTION.format(label=labels[number], text=text)
    named = labels["opening"] if label.endswith("opening") else None
    text = PICTURE.sub(partial(as_figure, named), text)
    text = TABLE.sub(as_table, text)
    text = OVERVIEW.sub(as_overview, text)
    text = TAGGED.sub(as_equation, text)
    is_section = HEADING.match(text) and LABEL.fullmatch(label)
    return f"({label})=\n{text}" if is_section else text


def as_figure(named, found):
    """A picture; that of the opening bears the name of the cell that draws
    it."""
    alt, src, chapter, number, caption = found.groups()
    return AS_FIGURE.format(
        src=src,
        name=named or f"fig-{chapter}-{number}",
        alt=json.dumps(" ".join(alt.split()), ensure_ascii=False),
        caption=caption,
    )


def as_table(found):
    rows, chapter, number, caption = found.groups()
    return AS_TABLE.format(
        rows=rows,
        name=f"tab-{chapter}-{number}",
        caption=" ".join(caption.split()),
    )


def as_overview(found):
    """One line of facts; what one can do afterwards is folded."""
    facts, *more = found[0].rstrip().split("\n\n", 2)
    if not more:
        return f":::{{div}} overview\n{facts}\n:::"
    return AS_OVERVIEW.format(facts, *more)


def as_equation(found):
    """Sphinx would wrap what has several lines, and MathJax then takes no
    tag; what comes in an environment it leaves alone."""
    formula = found[1].strip()
    return f"\\begin{{equation*}}\n{formula}\n\\end{{equation*}}"


# What it is made of


def exercises(cells):
    """Of each exercise of a plain chapter the label, the number, the title
    and the text."""
    for cell in cells:
        found = EXERCISE.fullmatch(text_of(cell))
        if cell["cell_type"] == "markdown" and found:
            yield cell["id"], *found.groups()


def parts(cells):
    """Yield each cell of a plain chapter with what it is part of, as the
    notebooks to be run say it: an exercise, a solution, a question."""
    labels = {number: label for label, number, _, _ in exercises(cells)}
    solved = None
    for cell in cells:
        text, about = text_of(cell), {}
        if cell["cell_type"] == "markdown" and HEADING.match(text):
            found = SOLUTION.fullmatch(text)
            solved = found and labels[found[1]]
        if solved:
            about = {"part": "solution", "exercise": solved}
        elif cell["cell_type"] == "markdown":
            if EXERCISE.fullmatch(text):
                about = {"part": "exercise", "exercise": cell["id"]}
            elif QUIZ.fullmatch(text):
                about = {"part": "question"}
        yield cell, about


# The copy to be run


def to_run(notebook, install, site):
    """Make of a chapter that has been run what readers run: with its
    picture within it, the code that installs gtlib, and links to pages
    where these are."""
    first = next(
        cell
        for cell in notebook["cells"]
        if cell["cell_type"] == "code" and "import gtlib" in cell["source"]
    )
    first["source"] = install + first["source"]
    for cell, about in [*parts(notebook["cells"])]:
        if about:
            cell["metadata"]["gtlib"] = about
        if cell["cell_type"] == "markdown":
            carry_pictures(cell)
            cell["source"] = OUT.sub(
                partial(leading_out, site=site),
                BESIDE.sub("](", cell["source"]),
            )
        else:
            fold(cell)


def leading_out(found, site):
    """A link to what does not lie beside the copy: to the page on the site,
    if there is one; else its words."""
    words, target = found.groups()
    page = PAGE.fullmatch(target)
    return (
        f"[{words}]({site}{page[1]}.html{page[2] or ''})"
        if page and site
        else words
    )


def carry_pictures(cell):
    """Attach the pictures of a text to it: a notebook travels alone."""
    for src in [found[2] for found in PICTURE.finditer(cell["source"])]:
        path = NOTEBOOKS / src
        data = b64encode(path.read_bytes()).decode()
        carried = cell.setdefault("attachments", {})
        carried[path.name] = {"image/svg+xml": data}
        cell["source"] = cell["source"].replace(
            f"]({src})", f"](attachment:{path.name})"
        )


def fold(cell):
    """Close a cell as its tags say; the opening is shown above."""
    tags = {*tags_of(cell)}
    if "opening" in tags:
        cell["outputs"] = []
    closed = {}
    if tags & {"opening", "hide-input", "hide-cell"}:
        closed["source_hidden"] = True
    if "hide-cell" in tags:
        closed["outputs_hidden"] = True
    if closed:
        cell["metadata"]["jupyter"] = closed
