"""Graded items: students have their own data, teachers the tests.

`make student` writes three notebooks into `_build/teacher/source/graded`,
from `book/graded.toml`, and the exam with its marking scheme beside them,
from `book/exam.toml`. The site gets none of them. A student's data are
drawn by a name, the one under which nbgrader has the hand-in; the hidden
tests draw them again and compute the answer with gtlib.
"""

import ast
import inspect
import re
from hashlib import sha256
from numbers import Real

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell

import gtlib as gt
from tools import assignments

PARTS = {  # each with the chapter that it ends with
    "1": ("What is it worth?", "03-d-study"),
    "2": ("What should be built?", "07-reusability"),
    "3": ("How sure is that?", "13-what-judging-leaves-out"),
}
POINTS = 2  # of an item
IMPORTS = """\
from hashlib import sha256
from numbers import Real
from pathlib import Path

import numpy as np

import gtlib as gt"""
INTRODUCTION = """\
# Graded {part}: {title}

Everybody has their own data, drawn by a name. Each item asks for one
number and is worth {points} points. The cell below your answer says only
whether it is a number. Round as the item says, or not at all."""
BLANK = "# The name under which you hand in; then run all cells again:"
whose = "teacher"  # in the notebooks, what a student writes there


# %% These four are in the students' notebooks.
def draw(item, levels, count):
    """So many of the levels, drawn by your name and the item."""
    name = " ".join(whose.lower().split())

    def place(level):
        return sha256(f"{name} {item} {level}".encode()).hexdigest()

    return sorted(levels, key=place)[:count]


def table(item, scores, systems, topics):
    """Some of the systems and topics of a table."""
    rows = draw(item, scores.index, systems)
    return scores.loc[rows, draw(item, scores.columns, topics)]


def judged(item, systems, topics):
    """The same of Cystic Fibrosis, with each of its four assessors."""
    scores = gt.load("cf", measure="AP").drop(columns="family")
    for facet, count in {"system": systems, "topic": topics}.items():
        kept = draw(item, scores[facet].unique(), count)
        scores = scores[scores[facet].isin(kept)]
    return scores


def number(answer):
    """One number, as it is: of an interval, its estimate."""
    answer = getattr(answer, "estimate", answer)
    if not isinstance(answer, Real) or isinstance(answer, bool):
        raise ValueError(f"One number is needed, not {answer!r:.60}")
    return float(answer)


# %% This one is hidden.
def mark(item, answer, tools, known, name):
    """The points of an answer, from the data drawn by this name."""
    space = {}
    exec(tools, space)
    space["whose"] = name
    exec(known["data"], space)
    given = space["number"](answer)
    step = 10.0 ** -known["decimals"]
    near = 1.51 * step if known["decimals"] else 0.5  # rounded otherwise
    right = [2, known["answer"], "Right."]
    for points, expression, says in [right, *known["mistakes"]]:
        if abs(given - float(eval(expression, space))) < near:
            print(says)
            return float(points)
    print("Not the number of these data.")
    return 0.0


HIDDEN = '''\
{mark}

_tools = """{tools}"""
_known = {known}


def _points(item, answer):
    """By the folder in which nbgrader has the hand-in, if it is there."""
    folder, name = Path.cwd(), whose
    if folder.parents[1].name == "autograded":
        name = folder.parent.name
    if [*map(str.lower, name.split())] != whose.lower().split():
        print(f"Data of {{whose}}, handed in by {{name}}")
    return mark(item, answer, _tools, _known[item], name)'''


def hidden(source):
    return f"### BEGIN HIDDEN TESTS\n{source}\n### END HIDDEN TESTS"


def main():
    """Write what teachers get, beside the assignments."""
    runner = sorted(assignments.RUNNER.glob("*.ipynb"))[0]
    chapter = nbformat.read(runner, as_version=4)
    setup = assignments.setup_of(chapter.cells).source
    install = setup.partition("\n\n")[0]
    for name, cells in notebooks(install):
        path = assignments.TEACHER / "source" / "graded" / name
        assignments.write(cells, path)
    for name, text in exam().items():
        (assignments.TEACHER / name).write_text(text, "utf-8")


def items():
    """The items by their numbers, each with names of its own."""
    every = assignments.known_of("graded").values()
    return {n: numbered(n, item) for n, item in enumerate(every, 1)}


def numbered(number, item):
    """Give what the data of an item assign its number: `scores_7`."""
    assigned = {
        name.id
        for statement in ast.parse(item["data"]).body
        for target in statement.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
    names = "|".join(assigned)
    in_code = re.compile(rf"""'[^']*'|"[^"]*"|\b({names})\b(?!=)""")

    def code(text):
        text = re.sub(r"\bN\b", str(number), text).strip()
        return in_code.sub(
            lambda m: f"{m[1]}_{number}" if m[1] else m[0], text
        )

    return {
        **item,
        "asks": re.sub(f"`({names})`", rf"`\1_{number}`", item["asks"]),
        "data": code(item["data"]),
        "answer": code(item["answer"]),
        "mistakes": [
            [p, code(how), says] for p, how, says in item["mistakes"]
        ],
    }


def tools():
    """What draws the data, as the students' notebooks have it."""
    parts = map(inspect.getsource, (draw, table, judged, number))
    return "\n\n".join([f"{IMPORTS}\n\n", *parts]).strip()


def notebooks(install="import gtlib"):
    """Each notebook: its name and its cells."""
    every, begins = items(), ""
    for part, (title, end) in PARTS.items():
        own = {
            n: item
            for n, item in every.items()
            if begins < item["chapter"] <= end
        }
        begins = end
        yield f"graded-{part}.ipynb", [*cells_of(part, title, own, install)]


def cells_of(part, title, own, install):
    fields = {"part": part, "title": title, "points": POINTS}
    yield new_markdown_cell(INTRODUCTION.format(**fields))
    yield new_code_cell(install)
    named = assignments.marked('whose = "teacher"')
    yield cell(f"{BLANK}\n{named}", "name", solution=True)
    yield cell(tools(), "tools")
    needed = "data", "answer", "decimals", "mistakes"
    known = {n: {k: item[k] for k in needed} for n, item in own.items()}
    test = HIDDEN.format(
        mark=inspect.getsource(mark),
        tools=tools().replace('"""', "'''"),
        known=known,
    )
    for n, item in own.items():
        chapter = int(item["chapter"][:2])
        yield new_markdown_cell(
            f"## Item {n}. {item['title']}\n\n*Chapter {chapter}.* "
            f"{item['asks'].strip()}"
        )
        yield cell(item["data"].strip(), f"data-{n}")
        digits = item["decimals"]
        form = f"to {digits} decimals" if digits else "a whole number"
        answer = f"answer_{n} = {item['answer'].strip()}"
        blank = f"# `answer_{n}`, {form}:\n{assignments.marked(answer)}"
        yield cell(blank, f"answer-{n}", solution=True)
        yield cell(f"number(answer_{n})", f"number-{n}")
    # Behind all answers: what computes one must not find the tests.
    yield new_markdown_cell("## Points\n\nThese cells are for the teacher.")
    yield cell(hidden(test), "tests", points=0)
    for n in own:
        yield cell(
            hidden(f"_points({n}, answer_{n})"), f"check-{n}", POINTS
        )


def cell(source, name, points=None, solution=False):
    """A cell as nbgrader knows it."""
    new = new_code_cell(source)
    grade = points is not None
    new = assignments.graded(new, name, solution, grade)
    if grade:
        new.metadata.nbgrader["points"] = points
    return new


def exam():
    """The questions and their marking scheme, with numbers put in."""
    known = assignments.known_of("exam")
    sheets = {"exam.md": "", "exam-marking.md": ""}
    total = sum(p for q in known["question"] for p, _ in q["scheme"])
    for name in sheets:
        sheets[name] = f"{known[name]['head'].strip()}\n"
    for n, question in enumerate(known["question"], 1):
        space = {"gt": gt}
        exec(question.get("data", ""), space)

        def fill(text, space=space):
            return re.sub(
                r"\{\{(.+?)\}\}", lambda m: str(eval(m[1], space)), text
            ).strip()

        points = sum(p for p, _ in question["scheme"])
        title = f"\n## {n}. {question['title']} ({points} points)\n\n"
        sheets["exam.md"] += f"{title}{fill(question['asks'])}\n"
        rows = [f"* {p}: {fill(what)}" for p, what in question["scheme"]]
        rows += [f"* *Wrong:* {fill(w)}" for w in question["wrong"]]
        sheets["exam-marking.md"] += title + "\n".join(rows) + "\n"
    return {k: v.replace("TOTAL", str(total)) for k, v in sheets.items()}


if __name__ == "__main__":
    main()
