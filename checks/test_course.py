"""The course in one file: what is in it, and that it says how to begin."""

import subprocess
import sys
from zipfile import ZipFile

import pytest

from checks.conftest import HTML, ROOT
from tools import course

ZIP = HTML / "course.zip"


@pytest.fixture
def stick(tmp_path):
    with ZipFile(ZIP) as file:
        file.extractall(tmp_path)
    return tmp_path / "course"


def test_it_has_what_the_site_has_and_no_other(stick):
    found = {p.relative_to(stick) for p in stick.rglob("*") if p.is_file()}
    site = {
        (HTML, "slides/**/*"): "",
        (HTML, "gtlib-book.pdf"): "",
        (HTML, "*.whl"): "wheels",
        (HTML / "assignments", "*.ipynb"): "notebooks",
        (ROOT / "data" / "scores", "scores.csv"): "notebooks",
        (ROOT, "LICENSE*"): "",
    }
    for (folder, pattern), place in site.items():
        for file in filter(lambda p: p.is_file(), folder.glob(pattern)):
            copy = stick / place / file.relative_to(folder)
            assert copy.read_bytes() == file.read_bytes()
            found.remove(copy.relative_to(stick))
    assert sorted(map(str, found)) == ["README.txt", "start.py"]


def test_its_text_names_what_is_there(stick):
    named = {
        line.split()[0]
        for line in (stick / "README.txt").read_text().splitlines()
        if line.startswith("  ") and not line.startswith("   ")
    }
    assert len(named) > 5
    missing = [name for name in named if not (stick / name).exists()]
    assert missing == ["data/"]


def test_another_run_gives_the_same_bytes():
    before = ZIP.read_bytes()
    course.main()
    assert ZIP.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "First run: python start.py fill"),
        (["help"], "without a network"),
    ],
)
def test_it_says_what_comes_first(stick, arguments, said):
    command = [sys.executable, stick / "start.py", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 1
    assert said in ended.stderr
