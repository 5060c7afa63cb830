"""Put the course into one file, `_build/html/course.zip`, for a stick.

In it are the slides, the lab, the assignments, the wheels, the PDF where it
was printed, and a program that needs nothing but Python. It holds no data
that are not ours: `start.py fill` fetches them for the teacher.
"""

import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
BESIDE = {
    ROOT / "tools" / "course.txt": "README.txt",
    ROOT / "tools" / "stick.py": "start.py",
    ROOT / "data" / "scores" / "scores.csv": "notebooks/scores.csv",
    ROOT / "LICENSE": "LICENSE",
    ROOT / "LICENSE-TEXT": "LICENSE-TEXT",
}


def main():
    new = HTML / "course.zip.new"
    with ZipFile(new, "w", ZIP_DEFLATED) as course:
        for file, name in sorted(contents(), key=lambda pair: pair[1]):
            # No dates, so that every build gives the same bytes.
            entry = ZipInfo(f"course/{name}", (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = ZIP_DEFLATED
            course.writestr(entry, file.read_bytes())
    size = new.stat().st_size / 1e6
    new.replace(HTML / "course.zip")
    print(f"course.zip has {size:.1f} MB")


def contents():
    """Return pairs of a file and its name in the course."""
    yield from BESIDE.items()
    for file in sorted((HTML / "slides").rglob("*")):
        if file.is_file():
            yield file, f"slides/{file.relative_to(HTML / 'slides')}"
    for file in (HTML / "assignments").glob("*.ipynb"):
        yield file, f"notebooks/{file.name}"
    for wheel in HTML.glob("*.whl"):
        yield wheel, f"wheels/{wheel.name}"
    for printed in HTML.glob("gtlib-book.pdf"):
        yield printed, printed.name


if __name__ == "__main__":
    sys.exit(main())
