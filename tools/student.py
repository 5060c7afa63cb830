"""Make each chapter an assignment: a student's copy and a teacher's.

Both come from the runner's edition. The teacher's copy is what nbgrader
calls the source of an assignment: each answer stands between the marks of
a solution, in a cell of its own. The student's copy is the same without
what stands between the marks. `book/exercises.toml` says which exercises
ask for a number, and gives hints.
"""

import itertools
import re
import shutil
import tomllib
from hashlib import sha256
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
RUNNER = ROOT / "_build" / "notebooks"
STUDENT = ROOT / "_build" / "student"
TEACHER = ROOT / "_build" / "teacher"
EXERCISES = ROOT / "book" / "exercises.toml"

CODE_BLANK = "# Your code here"
TEXT_BLANK = "*Your answer in words*"
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
MARKED = re.compile(rf"{BEGIN}.*?{END}", re.S)
QUESTION = re.compile(r"<summary>(.*?)</summary>", re.S)
FUNCTION = re.compile(r"\b(?:gt|figures)\.[a-z]\w+(?=\()")
CONFIG = f"""\
# For nbgrader: the blanks that `make student` writes as well.
c = get_config()
c.ClearSolutions.code_stub = {{"python": "{CODE_BLANK}"}}
c.ClearSolutions.text_stub = "{TEXT_BLANK}"
"""
CHECK = """\
# Right or wrong? Of the answer only a fingerprint is stored here.
from hashlib import sha256

assert answer is not ..., "Give `answer` your number, then run this again."
_near = [f"{{float(answer) + step:.{decimals}f}}" for step in {steps}]
_sums = [sha256(f"{label} {{n}}".encode()).hexdigest()[:12] for n in _near]
assert "{fingerprint}" in _sums, f"{{answer}} is not it yet."
print("Right.")"""


def main():
    exercises = known_exercises()
    for folder in (STUDENT, TEACHER):
        shutil.rmtree(folder, ignore_errors=True)
    for path in sorted(RUNNER.glob("*.ipynb")):
        teacher = assignment(nbformat.read(path, as_version=4), exercises)
        # nbgrader takes a folder for each assignment.
        write(teacher, TEACHER / "source" / path.stem / path.name)
        clear(teacher)
        write(teacher, STUDENT / path.name)
    (TEACHER / "nbgrader_config.py").write_text(CONFIG)
    for folder in (STUDENT, TEACHER):
        print(f"Written to {folder.relative_to(ROOT)}")


def known_exercises():
    """What is known of the exercises, by their labels."""
    return tomllib.loads(EXERCISES.read_text("utf-8"))


def write(notebook, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def assignment(notebook, exercises):
    """The teacher's copy of a chapter."""
    solutions = {}
    numbers = itertools.count(1)
    for cell in notebook.cells:
        about = cell.metadata.get("gtlib", {})
        if about.get("part") == "solution":
            solutions.setdefault(about["exercise"], []).append(cell)
    cells = []
    for cell in notebook.cells:
        about = cell.metadata.pop("gtlib", {})
        label = about.get("exercise")
        if about.get("part") == "exercise":
            cells.append(graded(cell, f"{label}-text"))
            known = exercises.get(label, {})
            cells += answered(label, solutions.get(label, []), known)
        elif about.get("part") == "question":
            cells += question(cell, next(numbers))
        elif about.get("part") != "solution":
            cells.append(cell)
    notebook.cells = cells
    return notebook


def answered(label, solution, known):
    """What follows an exercise: a hint, its blanks with the answers in."""
    code = [cell for cell in solution if cell.cell_type == "code"]
    words = [cell.source for cell in solution if cell not in code]
    hint = hint_for(code, known)
    if hint:
        yield named(nbformat.v4.new_markdown_cell(hint), f"{label}-hint")
    asks = "answer" in known
    for number, cell in enumerate(code, 1):
        _, _, source = cell.source.partition("\n")  # less its title
        cell = nbformat.v4.new_code_cell(marked(source))
        name = f"{label}-code-{number}"
        yield graded(cell, name, solution=True, grade=not asks)
    if asks:
        yield from with_check(label, known)
    if words:
        cell = nbformat.v4.new_markdown_cell("\n\n".join(words))
        name = f"{label}-words"
        yield graded(cell, name, solution=True, grade=True)


def hint_for(code, known):
    """What helps somebody who is stuck, folded."""
    used = FUNCTION.findall("\n".join(cell.source for cell in code))
    lines = [known["hint"]] if "hint" in known else []
    if used:
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(used))
        lines.append(
            f"The book's solution takes {names}. A name with a question "
            "mark behind it, run in a cell, says what it does."
        )
    if not lines:
        return ""
    text = "\n\n".join(lines)
    return f"<details>\n<summary>A hint</summary>\n\n{text}\n\n</details>"


def with_check(label, known):
    """A cell for a number, and one that says whether it is right."""
    decimals = known["decimals"]
    form = f"to {decimals} decimals" if decimals else "a whole number"
    source = f"# {known['asks']}, {form}:\nanswer = ...\n"
    source += marked(f"answer = {known['answer']}")
    cell = nbformat.v4.new_code_cell(source)
    yield graded(cell, f"{label}-answer", solution=True)
    last = round(10.0**-decimals, decimals)  # of the last digit, one
    text = f"{label} {known['value']:.{decimals}f}"
    check = CHECK.format(
        label=label,
        decimals=decimals,
        steps=(0, -last, last) if decimals else (0,),
        fingerprint=sha256(text.encode()).hexdigest()[:12],
    )
    cell = nbformat.v4.new_code_cell(check)
    # A wrong answer must not stop the cells below.
    cell.metadata["tags"] = ["raises-exception"]
    yield graded(cell, f"{label}-check", grade=True)


def question(cell, number):
    """A question that the book answers in a fold."""
    asked = QUESTION.search(cell.source)[1]
    name = f"check-yourself-{number}"
    if asked != "Answer":  # then the question stands above
        text = nbformat.v4.new_markdown_cell(f"> {asked}")
        yield graded(text, f"{name}-text")
    answer = nbformat.v4.new_markdown_cell(cell.source)
    yield graded(answer, name, solution=True, grade=True)


def graded(cell, name, solution=False, grade=False):
    """Give a cell the metadata of nbgrader, version 3."""
    cell.metadata["nbgrader"] = {
        "grade_id": name,
        "schema_version": 3,
        "cell_type": cell.cell_type,
        "solution": solution,
        "grade": grade,
        "locked": not solution,
        "task": False,
        **({"points": 1} if grade else {}),
    }
    return named(cell, name)


def named(cell, name):
    cell["id"] = name[:64]
    return cell


def marked(source):
    return f"{BEGIN}\n{source}\n{END}"


def clear(notebook):
    """Make a teacher's copy a student's: a blank for each solution."""
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = (
                MARKED.sub(CODE_BLANK, cell.source)
                if cell.cell_type == "code"
                else TEXT_BLANK
            )


if __name__ == "__main__":
    main()
