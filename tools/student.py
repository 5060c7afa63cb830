"""Write copies of the notebooks for students: solutions taken out."""

import re
import shutil
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
STUDENT = ROOT / "_build" / "student"
BLANK = "# Your solution"
START = re.compile(r"```+\{solution-start\}.*?^```+$", re.M | re.S)
END = re.compile(r"```+\{solution-end\}.*?^```+$", re.M | re.S)
PARTS = re.compile(rf"(^{START.pattern}|^{END.pattern})", re.M | re.S)


def main():
    shutil.rmtree(STUDENT, ignore_errors=True)
    STUDENT.mkdir(parents=True)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        notebook.cells = list(without_solutions(notebook.cells))
        nbformat.write(notebook, STUDENT / path.name)
    print(f"Student copies are in {STUDENT.relative_to(ROOT)}")


def without_solutions(cells):
    """The cells of a chapter, an empty one in place of each solution."""
    solving = False
    for cell in cells:
        if cell.cell_type != "markdown":
            if not solving:
                yield cell
            continue
        for number, part in enumerate(PARTS.split(cell.source)):
            if START.match(part):
                solving = True
                yield nbformat.v4.new_code_cell(BLANK)
            elif END.match(part):
                solving = False
            elif part.strip() and not solving:
                kept = nbformat.v4.new_markdown_cell(part.strip())
                kept.metadata = cell.metadata
                kept.id = cell.id if number == 0 else kept.id
                yield kept


if __name__ == "__main__":
    main()
