"""Chapters in plain Markdown: nothing raw, numbers asserted, one sitting.

Each rule takes a chapter and yields what breaks it. A small chapter, made
here, keeps them all, and each break of it is found.
"""

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest

from book._ext.overviews import TIME, number_of
from book._ext.plain import (
    QUIZ,
    as_myst,
    exercises,
    notebooks,
    parts,
    text_of,
)

ROOT = Path(__file__).resolve().parents[1]
KNOWN = tomllib.loads((ROOT / "book" / "exercises.toml").read_text("utf-8"))
PLAIN = notebooks()

pytestmark = pytest.mark.sources

# Limits may only fall.
SECTIONS, TABLES, QUIZZES, QUESTION = 8, 5, 7, 60
WORDS = {
    "06-ap-confidence": 3_600,
    "15-the-atlas": 4_000,
    "16-the-four-papers": 6_000,
    "appendices": 2_500,
    "others": 3_200,
}
EXAMPLES = {"00-start-here": 5, "appendices": 5, "others": 10}
IDIOMS = {"others": 3}  # of 100 sentences

BESIDES = "Exercises", "Solutions", "References", "The numbers in this text"
OF_APPENDIX = BESIDES[2:]
RAW = re.compile(
    r"\{[\w:+-]+\}`|^:::|^\([\w-]+\)=|\{cite|\{\{|^:[\w-]+:"
    r"|<(?!/?(?:details|summary|br)\b)[a-zA-Z/!]",
    re.M,
)
TRANSLATED = re.compile(
    r"\*\*(?:Figure|Table) A?[\d.]+\*\*|\*\*Quiz|<summary>Answer"
    r"|^### (?:Exercise|Solution)",
    re.M,
)
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.S)
FORMULA = re.compile(
    r"\$\$.*?\$\$|\\begin\{align\*?\}.*?\\end\{align\*?\}|\$[^$]+\$", re.S
)
LABEL = re.compile(
    r"\b(?:Figure|Table|(?i:equation)|[Ee]xercise|[Ss]ection)s?"
    r" A?\d+\.\d+(?:(?:, | and | to )A?\d+\.\d+)*\.?"
)
LINK = re.compile(r"!?\[([^]]*)\]\(([^)]*)\)")
DECIMAL = re.compile(r"(?<![\w.,])[−-]?\d*\.\d+%?(?!\w)")
EXAMPLE = re.compile(r"\b[Ff]or (?:example|instance)\b")
STARS = re.compile(r"(★{1,3}) (\d+) minutes\n\n")
HOUSE = [  # how this book used to speak
    r"^(?:What|Whoever|Where|Whichever|Whatever"
    r"|How (?:far|much|many|large)) [^?]*\.$",
    r"\b(?:[Tt]hat|[Tt]hose) of\b",
    r"\b[Bb]eside\b",
    r"\balike\b",
    r"\banew\b",
    r"\bof (?:its|their|his|our|your) own\b",
    r"\b(?:[Nn]obody|[Nn]either|[Nn]or|[Nn]one)\b",
    r"\b(?:but for|all but)\b",
    r"^Of [^?]*$",
    r"\b(?:[Tt]able|[Ff]igure|[Cc]olumn|[Rr]ow)(?: [\d.]+)?"
    r" (?:has|have|says|say|sets|puts)\b",
    r"\b(?:comes? (?:out|true|to)|came (?:out|true|to))\b",
    r"\b(?:do|does|did)(?: so| not)?[.;]",
    r"\bturn(?:s|ed)? (?:it |them )?round\b",
    r"\w less (?:the|that|its|one|what)\b",
    r"\btold apart\b",
    r"\b(?:it|that|this) takes\b",
    r"^\([A-Z].*\.\)$",
    r"\bthe (?:first|second|last|others?) (?:is|has|does|takes)\b",
    r"\bas \w+ as (?:that|those)\b",
]
IDIOM = re.compile("|".join(HOUSE))


class Chapter:
    """A plain chapter: its cells, each with what it is part of."""

    def __init__(self, notebook, stem, folder="notebooks"):
        self.notebook, self.stem, self.folder = notebook, stem, folder
        self.number = number_of(stem)
        self.cells = [*parts(notebook["cells"])]

    def texts(self, without=(), sections=()):
        """The texts that are no part of these, nor in these sections."""
        title = ""
        for cell, about in self.cells:
            text = text_of(cell)
            if cell["cell_type"] != "markdown":
                continue
            if found := re.match(r"## (.*)", text):
                title = found[1]
            if about.get("part") not in without and title not in sections:
                yield text

    def text(self, **without):
        return "\n\n".join(self.texts(**without))

    def code(self, tag=None):
        return [
            text_of(cell)
            for cell, _ in self.cells
            if cell["cell_type"] == "code"
            and (not tag or tag in cell["metadata"].get("tags", []))
        ]

    def limit(self, limits):
        of_folder = limits.get(self.folder, limits["others"])
        return limits.get(self.stem, of_folder)

    def prose(self):
        """Its words, without code, formulas, tables, titles and tags."""
        text = self.text(without=["solution"], sections=["References"])
        text = LINK.sub(
            lambda link: link[1], FORMULA.sub("", CODE.sub("", text))
        )
        return re.sub(r"(?m)^\||<[^>]+>|^#.*|[*]", "", text)


def is_raw(chapter):
    """What a program that shows notebooks does not know."""
    for text in chapter.texts():
        yield from re.findall(r"^[`~:]{3,}\{.*", text, re.M)
        yield from RAW.findall(CODE.sub("``", FORMULA.sub("", text)))
    yield from (f"{s[:60]}" for s in chapter.code() if "glue" in s)


def links(chapter):
    """Files and addresses, and no place within one but a page's heading."""
    for _, target in LINK.findall(CODE.sub("", chapter.text())):
        inside = not re.match(r"https?://", target)
        target, _, place = target.partition("#")
        file = ROOT / chapter.folder / target
        if "/openings/" not in target and inside and not file.exists():
            yield target
        elif place and not (
            file.suffix == ".md"
            and f"# {place.capitalize()}\n" in file.read_text("utf-8")
        ):
            yield f"{target}#{place}"


def forms(chapter):
    """All that has the beginning of a form is recognised."""
    for cell in as_myst(chapter.notebook)["cells"]:
        if cell["cell_type"] == "markdown":
            yield from TRANSLATED.findall(text_of(cell))


def opening(chapter):
    """Title, question, picture, caption, what is needed, what is learnt."""
    first, _ = chapter.cells[0]
    text = text_of(first)
    if chapter.folder == "appendices":
        if not re.match(
            r"# .*\n\n[^!*].*?\n\n\*\*You need\*\* ", text, re.S
        ):
            yield "no title, no words of what it is for, or no **You need**"
        return
    question, _, rest = text.partition("\n![")
    title, _, question = question.partition("\n")
    if not title.startswith("# "):
        yield f"no title: {title}"
    if not 0 < len(question.split()) <= QUESTION:
        yield f"a question of {len(question.split())} words"
    picture = f"](../book/openings/{chapter.stem}.svg)\n\n"
    if f"{picture}**Figure {chapter.number}.1.** " not in rest:
        yield f"no picture {picture.strip()} with its caption"
    if "\n\n**You need** " not in rest or not TIME.search(rest):
        yield "no **You need** or **Time:**"
    if not re.search(r"\nAfter this chapter you can\n\n\* ", rest):
        yield "no list of what one can do after it"
    if len(chapter.code("opening")) != 1:
        yield "not one cell tagged `opening`"
    if "import gtlib as gt" not in chapter.code()[0]:
        yield "the first code does not import gtlib"
    if "except" in chapter.code()[0]:
        yield "the imports catch an error"


def counted(chapter):
    """Captions, equations and exercises bear the chapter's number, count
    up, and what the text names is there."""
    text = chapter.text()
    found = {
        "Figure": r"^\*\*Figure (A?\d+\.\d+)\.\*\* ",
        "Table": r"^\*\*Table (A?\d+\.\d+)\.\*\* ",
        "equation": r"\\tag\{(.*?)\}",
        "exercise": r"^### Exercise (\d+\.\d+)\. ",
    }
    for kind, pattern in found.items():
        numbers = re.findall(pattern, text, re.M)
        right = [f"{chapter.number}.{k + 1}" for k in range(len(numbers))]
        if numbers != right:
            yield f"{kind}: {numbers}"
        of_ours = rf"\b(?i:{kind}) ({chapter.number}\.\d+)(?! of [A-Z])"
        yield from (
            f"no {kind} {number}"
            for number in {*re.findall(of_ours, text)} - {*numbers}
        )


def described(chapter):
    """Figures have words for those who cannot see them."""
    for cell in as_myst(chapter.notebook)["cells"]:
        made = cell["metadata"].get("mystnb", {})
        alt = made.get("image", {}).get("alt", "")
        is_table = made.get("figure", {}).get("caption_before")
        if made and not is_table and len(alt.split()) < 5:
            yield f"{cell['id']}: alt {alt!r}"
        hidden = {"opening", "solution"} & {
            *cell["metadata"].get("tags", [])
        }
        if made and "figure" not in made and not hidden:
            yield f"{cell['id']} has words and no caption"
    for alt, target in re.findall(r"!\[([^]]*)\]\(([^)]*)", chapter.text()):
        if len(alt.split()) < 5:
            yield f"{target}: alt {alt!r}"


def asserted(chapter):
    """The last cell quotes the text, and all its decimals."""
    (source,) = chapter.code("numbers") or [""]
    quoted = [
        squeezed(call.args[0].value)
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "said"
    ]
    whole = squeezed(chapter.text())
    yield from (f"not in the text: {q}" for q in quoted if q not in whole)
    no_part = ["exercise", "solution", "question"]
    for text in chapter.texts(no_part, ["References", BESIDES[-1]]):
        text = squeezed(text)
        known = [
            found.span()
            for pattern in (CODE, FORMULA, LABEL)
            for found in pattern.finditer(text)
        ]
        known += [
            found.span()
            for quote in quoted
            for found in re.finditer(re.escape(quote), text)
        ]
        for found in DECIMAL.finditer(text):
            start, end = found.span()
            if not any(a <= start and end <= b for a, b in known):
                near = text[max(0, start - 30) : end + 10]
                yield f"{found[0]} is in no fragment: …{near}"


def squeezed(text):
    """Without emphasis, line breaks, and what a link leads to; a number in
    a link is none of the text."""
    text = LINK.sub(lambda link: re.sub(r"\.(?=\d)", "·", link[1]), text)
    return " ".join(text.replace("*", "").split())


def one_sitting(chapter):
    """Words, sections, tables and quizzes."""
    titles = re.findall(r"^## (.*)", chapter.text(), re.M)
    sections = [title for title in titles if title not in BESIDES]
    last = BESIDES if chapter.folder == "notebooks" else OF_APPENDIX
    if [title for title in titles if title in BESIDES] != [*last]:
        yield f"of the last sections there are {titles[-4:]}"
    text = chapter.text(without=["solution"], sections=["References"])
    words = re.findall(r"\S*\w\S*", re.sub(r"<[^>]+>", "", text))
    tables = re.findall(r"^\*\*Table ", text, re.M)
    quizzes = sum(bool(QUIZ.fullmatch(text)) for text in chapter.texts())
    for what, count, limit in [
        ("words", len(words), chapter.limit(WORDS)),
        ("sections", len(sections), SECTIONS),
        ("tables", len(tables), TABLES),
        ("quizzes", quizzes, QUIZZES),
    ]:
        if count > limit:
            yield f"{count} {what}, at most {limit}"


def has_examples(chapter):
    count = len(EXAMPLE.findall(chapter.prose()))
    if count < chapter.limit(EXAMPLES):
        yield f"{count} examples, at least {chapter.limit(EXAMPLES)}"


def speaks_plainly(chapter):
    every = [*sentences(chapter.prose())]
    found = [sentence for sentence in every if IDIOM.search(sentence)]
    if 100 * len(found) > chapter.limit(IDIOMS) * len(every):
        yield f"idioms in {len(found)} of {len(every)} sentences"
        yield from found


def sentences(text):
    """Sentences of more than three words."""
    for block in re.split(r"\n\s*\n|\n(?=\s*[*-] |\s*\d+\. )", text):
        joined = " ".join(block.split())
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z(])", joined):
            if len(sentence.split()) > 3:
                yield sentence


def exercised(chapter):
    """Each exercise has stars, the minutes on record, and a solution."""
    ids = {cell["id"] for cell, _ in chapter.cells}
    for label, _, _, text in exercises(chapter.notebook["cells"]):
        minutes = KNOWN.get(label, {}).get("minutes")
        stars = STARS.match(text)
        if not stars or int(stars[2]) != minutes:
            yield f"{label}: {text[:20]!r}, on record {minutes} minutes"
        if f"{label}-solution" not in ids:
            yield f"no cell {label}-solution"


RULES = [
    *(is_raw, links, forms, opening, counted, described, asserted),
    *(one_sitting, has_examples, speaks_plainly, exercised),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_a_plain_chapter_keeps_the_rules(path, rule):
    notebook = json.loads(path.read_text("utf-8"))
    chapter = Chapter(notebook, path.stem, path.parent.name)
    broken = [*rule(chapter)]
    assert not broken, "\n".join(map(str, broken))


# The rules, on a chapter of our own

EASY = "For example, bm25 finds them. "
FIRST = """\
# A chapter

Is it better?

![Two curves rise and flatten.](../book/openings/00-start-here.svg)

**Figure 0.1.** More topics, less error.

**You need** [chapter 0](00-start-here.ipynb). **Time:** 5 \
minutes to read, 10 with the code, 20 with the exercises.

After this chapter you can

* read a table."""
BODY = r"""## The error

The error is **0.25**, as equation 0.1 and Section 2.1 say: `0.77`, $0.5$.

$$ e = s / 0.5 \tag{0.1} $$

\begin{align*} a &= b \tag{0.2} \\ c &= d \tag{0.3} \end{align*}

"""
QUESTION_CELL = """**Quiz.** What is 0.1 of 10?

* (a) 1
* (b) 2

<details>
<summary>Answer</summary>

**(a).** It is. (b) is twice as many.

</details>"""


def cell(kind, source, name, **metadata):
    made = {"cell_type": kind, "id": name, "metadata": metadata}
    return made | {"source": source.splitlines(keepends=True)}


def sample(**changes):
    """A chapter that keeps the rules; changes are texts of its cells."""
    label, known = next(iter(KNOWN.items()))
    cells = [
        cell("markdown", FIRST, "first"),
        cell("code", "import gtlib as gt", "imports"),
        cell("code", "draw()", "drawn", tags=["opening", "hide-input"]),
        cell("markdown", BODY + 10 * EASY, "body"),
        cell(
            "code", "figures.x()", "figure", alt="One two three four five"
        ),
        cell("markdown", "**Figure 0.2.** A finding.\n\nMore.", "caption"),
        cell("code", "table", "table"),
        cell("markdown", "**Table 0.1.** The means.", "of-table"),
        cell("markdown", QUESTION_CELL, "quiz"),
        cell("markdown", "## Exercises", "exercises"),
        cell(
            "markdown",
            "### Exercise 0.1. Mend it\n\n"
            f"★ {known['minutes']} minutes\n\nTake 0.3.",
            label,
        ),
        cell("markdown", "## Solutions", "solutions"),
        cell(
            "markdown", "### Solution of exercise 0.1", f"{label}-solution"
        ),
        cell("code", "x = 0.3", "sol", tags=["hide-cell", "solution"]),
        cell(
            "markdown",
            "## References\n\n* [doi:10.1/2](https://doi.org/10.1/2)",
            "works",
        ),
        cell("markdown", "## The numbers in this text", "title"),
        cell(
            "code",
            "said('The error is 0.25', x)",
            "numbers",
            tags=["hide-cell", "numbers"],
        ),
    ]
    for each in cells:
        text = changes.pop(each["id"].replace("-", "_"), None)
        if text is not None:
            each["source"] = [text]
        each["metadata"] |= changes.pop(f"about_{each['id']}", {})
    assert not changes
    return Chapter({"cells": cells, "metadata": {}}, "00-start-here")


def test_a_chapter_can_keep_all_rules():
    assert not [
        (rule, *rule(sample())) for rule in RULES if [*rule(sample())]
    ]


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        (is_raw, {"body": BODY + "See {numref}`fig-x`."}),
        (is_raw, {"body": ":::{note}\nx\n:::"}),
        (is_raw, {"body": "```{figure} x\n```"}),
        (is_raw, {"body": "(a-label)=\n## The error"}),
        (is_raw, {"body": "<div>x</div>"}),
        (links, {"body": "[x](01-classical-test-theory.ipynb#alpha)"}),
        (links, {"body": "[x](99-nowhere.ipynb)"}),
        (forms, {"body": "Text.\n\n**Figure 0.2.** Far from its figure."}),
        (forms, {"quiz": QUESTION_CELL.replace("</details>", "")}),
        (opening, {"first": FIRST.replace("better", 61 * "better ")}),
        (opening, {"first": FIRST.replace("**Time:**", "Time")}),
        (opening, {"first": FIRST.replace("00-start-here.svg", "x.svg")}),
        (opening, {"about_drawn": {"tags": []}}),
        (counted, {"caption": "**Figure 0.3.** A finding."}),
        (counted, {"of_table": "**Table 1.1.** The means."}),
        (counted, {"body": r"$$ x \tag{0.2} $$"}),
        (counted, {"body": "As in equation 0.4."}),
        (described, {"about_figure": {"alt": "Two words"}}),
        (
            described,
            {"first": FIRST.replace("Two curves rise and", "They")},
        ),
        (asserted, {"body": BODY + "It is 0.26."}),
        (asserted, {"body": BODY + "It is .26, not more."}),
        (asserted, {"body": BODY.replace("error is", "bias is")}),
        (one_sitting, {"body": BODY + 3201 * "word "}),
        (one_sitting, {"body": 9 * "## Title\n\n"}),
        (one_sitting, {"caption": 5 * "**Table 0.1.** x\n\n"}),
        (one_sitting, {"solutions": "## Answers"}),
        (has_examples, {"body": BODY}),
        (speaks_plainly, {"body": BODY + "Nobody of them finds a thing."}),
    ],
)
def test_what_breaks_a_rule_is_found(rule, changes):
    assert [*rule(sample(**changes))]


def test_an_exercise_has_the_minutes_on_record():
    chapter = sample()
    label, known = next(iter(KNOWN.items()))
    (own,) = [c for c, _ in chapter.cells if c["id"] == label]
    minutes = f"{known['minutes']} minutes"
    own["source"] = [text_of(own).replace(minutes, "3 minutes")]
    assert len([*exercised(chapter)]) == 1
    own["source"] = [text_of(own).replace("★ 3 minutes", minutes)]
    assert len([*exercised(chapter)]) == 1
