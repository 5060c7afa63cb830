"""Say how large the parts are, beside what is aimed at.

The aims are a guide: nothing fails for them, and nobody folds code or cuts
a sentence to meet one.
"""

import ast
import json
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"gtlib": 4700, "gtaudit": 6000}
MACHINERY = 9000
TESTS = 14000
FOLDERS = ["tools", "book/_ext", "book/_static", "checks", "benchmarks"]
FOLDERS += ["data/build", "book/support"]
SITTING = "3,200 words"
APPENDIX = "2,500 words"
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def main() -> None:
    for name, aim in PACKAGES.items():
        rooms = by_room(ROOT / name)
        say(name, sum(rooms.values()), f"{aim:,}")
        for room, lines in rooms.items():
            say(f"  {room}", lines)
    folders = {name: lines_in(ROOT / name) for name in FOLDERS}
    say("machinery", sum(folders.values()), f"{MACHINERY:,}")
    for name, lines in folders.items():
        say(f"  {name}", lines)
    say("tests", lines_in(ROOT / "tests"), f"{TESTS:,}")
    print(f"\n{'chapter':<40}{'words':>8}{'lines':>8}  aim")
    chapters = sorted((ROOT / "notebooks").glob("*.ipynb"))
    for path in [*chapters, *sorted((ROOT / "appendices").glob("*.ipynb"))]:
        words, lines = of_chapter(path)
        aim = SITTING if path in chapters else APPENDIX
        print(f"{path.stem:<40}{words:>8,}{lines:>8,}  {aim}")


def say(name: str, lines: int, aim: str = "") -> None:
    print(f"{name:<40}{lines:>8,}" + (f"  aim {aim}" if aim else ""))


def by_room(package: Path) -> dict[str, int]:
    """Lines of code of each module or folder directly in a package."""
    parts = sorted(
        path
        for path in package.iterdir()
        if path.suffix in (".py", ".pyi") or (path / "__init__.py").exists()
    )
    return {path.name: lines_in(path) for path in parts}


def lines_in(place: Path) -> int:
    """Lines of code of a file, or of all files below a folder."""
    files = [place] if place.is_file() else sorted(place.rglob("*"))
    count = {".py": lines_of_code, ".pyi": lines_of_code, ".js": of_script}
    return sum(count.get(path.suffix, lambda _: 0)(path) for path in files)


def lines_of_code(path: Path) -> int:
    """Lines that hold more than comments and docstrings."""
    said = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        documented = ast.Module | ast.ClassDef | ast.FunctionDef
        if isinstance(node, documented) and ast.get_docstring(node):
            text = node.body[0]
            said |= {*range(text.lineno, text.end_lineno + 1)}
    written = set()
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type not in NO_CODE:
                written |= {*range(token.start[0], token.end[0] + 1)}
    return len(written - said)


def of_script(path: Path) -> int:
    """Lines of a script that are neither empty nor comments."""
    text = re.sub(r"(?ms)^ */\*.*?\*/", "", path.read_text("utf-8"))
    lines = map(str.strip, text.splitlines())
    return sum(bool(line) and not line.startswith("//") for line in lines)


def of_chapter(path: Path) -> tuple[int, int]:
    """Words of a notebook's text, and lines of code that readers see."""
    words = lines = 0
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            words += len(source.split())
        elif not HIDDEN & {*cell["metadata"].get("tags", [])}:
            lines += len(re.findall(r"^.*\S", source, re.M))
    return words, lines


if __name__ == "__main__":
    main()
