"""The files as they are committed: style, spelling, bare notebooks."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent

# On the package index this name, without -ir, is somebody else's.
LEADS_ELSEWHERE = re.compile(
    r"""\b(install|add)(\s+-\S+)*\s+[\\"'`]*gtlib(?![\w-])"""
    r"""|pypi\.org/(project|simple)/gtlib(?![\w-])"""
)


def tracked(*patterns):
    listed = subprocess.run(
        ["git", "ls-files", "-z", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return listed.stdout.split("\0")[:-1]


def passes(*command):
    done = subprocess.run(
        [TOOLS / command[0], *command[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_finds_nothing():
    passes("ruff", "check", ".")


def test_ruff_has_nothing_to_format():
    passes("ruff", "format", "--check", ".")


def test_mypy_finds_nothing():
    passes("mypy")


def test_codespell_finds_nothing():
    passes("codespell", *tracked())


def test_notebooks_are_stored_without_output_and_with_ids():
    passes("nbstripout", "--verify", "--keep-id", *tracked("*.ipynb"))


@pytest.mark.parametrize("rest", ["", "[audit]", ">=0.2", " @ git+https:"])
def test_a_command_that_leads_to_the_wrong_package_is_seen(rest):
    for start in ["pip install ", 'uv add "', "%pip install -q \\'", "`"]:
        command = f"{start}gtlib{rest}"
        assert bool(LEADS_ELSEWHERE.search(command)) == (start != "`")
        ours = command.replace("gtlib", "gtlib-ir")
        assert not LEADS_ELSEWHERE.search(ours)


def test_no_file_leads_to_the_wrong_package():
    found = [
        f"{path}: {match[0]}"
        for path in tracked()
        for match in LEADS_ELSEWHERE.finditer(
            (ROOT / path).read_text("utf-8", errors="replace")
        )
    ]
    assert not found, "\n".join(found)
