"""Assignments: each exercise as a notebook of its own, and a lab of eight.

A student's copy has the code of the chapter that the exercise needs, the
exercise, hints, a blank, and a cell that says whether the answer is right.
`make book` puts these beside the pages. `make student` writes the teacher's
copies, with the solutions: each is what nbgrader calls the source of an
assignment. `book/exercises.toml` says what is asked and gives hints,
`book/lab.toml` the same of the lab and its solutions.
"""

import ast
import re
import shutil
import sys
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from textwrap import fill

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book" / "_ext"))  # as the build has it

from edition import site  # noqa: E402
from overviews import known_of, number_of  # noqa: E402
from passed_over import bound  # noqa: E402

BOOK = ROOT / "book"
RUNNER = ROOT / "_build" / "notebooks"
STUDENT = ROOT / "_build" / "html" / "assignments"
TEACHER = ROOT / "_build" / "teacher"

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
MARKED = re.compile(rf"{BEGIN}.*?{END}", re.S)
CODE_BLANK = "# Your code here"
TEXT_BLANK = "*Your answer in words*"
CONFIG = f"""\
# For nbgrader: the blanks that the students' copies have.
c = get_config()
c.ClearSolutions.code_stub = {{"python": "{CODE_BLANK}"}}
c.ClearSolutions.text_stub = "{TEXT_BLANK}"
"""
# nbgrader gives no point for a cell that writes to stderr, and the cells
# below run all the same.
CHECK = """\
# @title Right or wrong?
import sys
from hashlib import sha256
from itertools import product

# Of the right numbers, and of some wrong ones, only fingerprints are here.
_says = {{
{says}
}}


def _told(given):
    given = getattr(given, "estimate", given)  # of an interval
    numbers = given if isinstance(given, (tuple, list)) else [given]
    near = [[float(n) + step for step in {steps}] for n in numbers]
    for each in product(*near):
        shown = " ".join(f"{{n:z.{decimals}f}}" for n in each)
        key = sha256(f"{label} {{shown}}".encode()).hexdigest()[:12]
        if key in _says:
            yield _says[key]


try:
    if "Right." in [*_told({name})]:
        print("Right.")
    else:
        print({name}, "is not it yet.", *_told({name}), file=sys.stderr)
except NameError:
    print("Give `{name}` your number first.", file=sys.stderr)
except (TypeError, ValueError, OverflowError):
    print("{count}, not", repr({name})[:60], file=sys.stderr)"""
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}
FUNCTION = re.compile(r"\b(?:gt|figures)\.[a-z]\w+(?=\()")
TITLE = re.compile(r"(?:\*\*|### )Exercise (D?[\d.]+)\. ")
EQUATION = re.compile(r"\bequation (\d+\.\d+)")
ABOVE_SOLUTION = re.compile(r"### Solution of .*\n*")
CODE = re.compile(r"`([^`]+)`")
SECTION = re.compile(r"^(?=## )", re.M)
GIVEN = re.compile(r"^```python\n(.*?)\n```$", re.M | re.S)


def main(whose):
    """Write the copies of students or of teachers, these as a course of
    nbgrader."""
    if whose == "student":
        shutil.rmtree(STUDENT, ignore_errors=True)
        for _, name, cells in made():
            write(map(cleared, cells), STUDENT / name)
        return
    shutil.rmtree(TEACHER, ignore_errors=True)
    for folder, name, cells in made():
        write(cells, TEACHER / "source" / folder / name)
    (TEACHER / "nbgrader_config.py").write_text(CONFIG)
    print(f"Written to {TEACHER.relative_to(ROOT)}")


def write(cells, path):
    """A notebook, whose cells are named alike in every build."""
    kernel = {"name": "python3", "display_name": "Python 3"}
    made = new_notebook(cells=[*cells], metadata={"kernelspec": kernel})
    for number, cell in enumerate(made.cells):
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell["id"] = (name or f"cell-{number}")[:64]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, path)


def made():
    """Each teacher's copy: its folder, its name and its cells."""
    known = known_of("exercises")
    chapters = {
        path: nbformat.read(path, as_version=4).cells
        for path in sorted(RUNNER.glob("*.ipynb"))
    }
    for path, cells in chapters.items():
        for cell in cells:
            if part(cell) == "exercise":
                label = cell.metadata.gtlib.exercise
                name = f"exercise-{TITLE.search(cell.source)[1]}.ipynb"
                here = [*alone(cells, cell, known[label], chapters)]
                here.insert(0, head(path, cells, cell, known[label]))
                yield path.stem, name, here
    yield "lab", "lab.ipynb", [*lab(setup_of(chapters[min(chapters)]))]


def part(cell):
    return cell.metadata.get("gtlib", {}).get("part")


def setup_of(cells):
    """The cell that installs and imports."""
    return next(c for c in cells if "import gtlib" in c.source)


def head(path, cells, exercise, known):
    """Its number, and where it comes from."""
    number = TITLE.search(exercise.source)[1]
    title = cells[0].source.partition("\n")[0].removeprefix("# ")
    title = f"{number_of(path.stem)}. {title}"
    if site():
        label = exercise.metadata.gtlib.exercise
        title = f"[{title}]({site()}notebooks/{path.stem}.html#{label})"
    where = f"From chapter {title}; {known['minutes']} minutes."
    return new_markdown_cell(f"# Exercise {number}\n\n{where}")


def alone(cells, exercise, known, chapters):
    """An exercise with what it needs of the book."""
    label = exercise.metadata.gtlib.exercise
    solution = [
        cell
        for cell in cells
        if part(cell) == "solution"
        and cell.metadata.gtlib.exercise == label
    ]
    code, words = (
        "\n\n".join(
            ABOVE_SOLUTION.sub("", cell.source, count=1)
            for cell in solution
            if cell.cell_type == kind
        ).strip()
        for kind in ("code", "markdown")
    )
    first = setup_of(cells)
    above = [
        cell.source
        for cell in cells[: cells.index(exercise)]
        if cell != first and cell.cell_type == "code" and not part(cell)
    ]
    asks = exercise.source + known["hint"]
    hints = [*filter(is_code, CODE.findall(asks))]
    wrong = [how for how, *_ in known.get("mistakes", ())]
    uses = "\n".join([code, known.get("answer", ""), *hints, *wrong])
    yield new_code_cell(first.source)
    yield from map(new_code_cell, needed(uses, above))
    yield from formulas(asks + words, chapters)
    yield graded(exercise, f"{label}-text")
    yield from answered(label, known, code, words)


def is_code(text):
    try:
        return bool(ast.parse(text).body)
    except SyntaxError:
        return False


def needed(code, cells):
    """The cells that bind what this code reads, and what these read."""
    names, kept = read(ast.parse(code)), []
    for source in reversed(cells):
        tree = ast.parse(source)
        if bound(tree) & names:
            names |= read(tree)
            kept.insert(0, source)
    return kept


def read(tree):
    return {
        name.id
        for name in ast.walk(tree)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)
    }


def formulas(text, chapters):
    """The equations that a text names, as a cell."""
    blocks = [
        block
        for cells in chapters.values()
        for cell in cells
        for block in cell.source.split("\n\n")
    ]
    named = [
        block
        for number in dict.fromkeys(EQUATION.findall(text))
        for block in blocks
        if rf"\tag{{{number}}}" in block
    ]
    if named:
        yield new_markdown_cell("\n\n".join(["From the book:", *named]))


def lab(first):
    """The lab, from the sections of its page."""
    known = known_of("lab")
    head, *sections = SECTION.split((BOOK / "lab.md").read_text("utf-8"))
    yield new_markdown_cell(head.partition("\n")[0])
    yield first
    for number, section in enumerate(sections):  # the first one prepares
        parts = GIVEN.split(section.strip())
        for is_code, text in enumerate(parts):
            new = new_code_cell if is_code % 2 else new_markdown_cell
            if text.strip():
                yield new(text.strip())
        if number:
            label = f"lab-{number}"
            of = known[label]
            solution = of["solution"].strip(), of["words"].strip()
            yield from answered(label, of, *solution, f"answer_{number}")


def answered(label, known, code, words, name="answer"):
    """What follows an exercise: its hints, blanks and check."""
    yield new_markdown_cell(hint_for(code, known))
    asks = ""
    if "answer" in known:
        decimals = known["decimals"]
        form = f"to {decimals} decimal{'s' * (decimals > 1)}"
        form = form if decimals else "a whole number"
        if isinstance(known["value"], list):
            form = f"{len(known['value'])} numbers between commas"
        asks = fill(
            f"{known['asks']}, {form}, as `{name}`:",
            width=76,
            initial_indent="# ",
            subsequent_indent="# ",
        )
        code += f"\n{name} = {known['answer'].strip()}"
    blank = new_code_cell(f"{asks}\n{marked(code.strip())}".strip())
    yield graded(blank, f"{label}-code", solution=True, grade=not asks)
    if asks:
        check = new_code_cell(check_of(label, known, name))
        check = graded(check, f"{label}-check", grade=True)
        check.metadata.update(FOLDED)
        yield check
    if words:
        cell = new_markdown_cell(words)
        yield graded(cell, f"{label}-words", solution=True, grade=True)


def hint_for(code, known):
    """What helps somebody who is stuck, folded."""
    text = known["hint"].strip()
    if used := dict.fromkeys(FUNCTION.findall(code)):
        text += (
            f"\n\nThe book's solution takes `{'`, `'.join(used)}`. A name "
            "with a question mark behind it says what it does, in a cell."
        )
    return f"<details>\n<summary>A hint</summary>\n\n{text}\n\n</details>"


def check_of(label, known, name="answer"):
    """A cell that says whether a number is right, or in which way it is
    wrong, where that was foreseen.

    Raises
    ------
    ValueError
        If two of these numbers cannot be told apart.
    """
    decimals = known["decimals"]
    last = round(10.0**-decimals, decimals)  # of the last digit, one
    told = [(known["value"], "Right.")]
    told += [(value, says) for _, value, says in known.get("mistakes", ())]
    told = [(v if isinstance(v, list) else [v], says) for v, says in told]
    apart = 2.5 * last if decimals else 0.5
    for (one, _), (other, _) in combinations(told, 2):
        gaps = [abs(a - b) for a, b in zip(one, other, strict=True)]
        if max(gaps) < apart:
            raise ValueError(f"{label}: {one} and {other} look alike.")
    lines = []
    for numbers, says in sorted(told):
        shown = " ".join(f"{number:.{decimals}f}" for number in numbers)
        lines.append(f"    {fingerprint(label, shown)!r}: {says!r},")
    more = isinstance(known["value"], list)
    return CHECK.format(
        label=label,
        name=name,
        decimals=decimals,
        steps=(0, -last, last) if decimals else (0,),
        says="\n".join(lines),
        count="Numbers between commas are needed"
        if more
        else "One number is needed",
    )


def fingerprint(label, shown):
    """Return a checksum of a number, which does not give the answer
    away."""
    return sha256(f"{label} {shown}".encode()).hexdigest()[:12]


def graded(cell, name, solution=False, grade=False):
    """Give a cell the metadata of nbgrader, version 3."""
    cell.metadata = {
        "nbgrader": {
            "grade_id": name,
            "schema_version": 3,
            "cell_type": cell.cell_type,
            "solution": solution,
            "grade": grade,
            "locked": not solution,
            "task": False,
            **({"points": 1} if grade else {}),
        }
    }
    return cell


def marked(source):
    return f"{BEGIN}\n{source}\n{END}"


def cleared(cell):
    """A cell of a teacher's copy as students get it."""
    if cell.metadata.get("nbgrader", {}).get("solution"):
        is_code = cell.cell_type == "code"
        blank = MARKED.sub(CODE_BLANK, cell.source)
        cell.source = blank if is_code else TEXT_BLANK
    return cell


if __name__ == "__main__":
    main(sys.argv[1])
