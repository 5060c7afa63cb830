"""The files as they are committed: style, spelling, bare notebooks."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent


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


def test_codespell_finds_nothing():
    passes("codespell", *tracked())


def test_notebooks_are_stored_without_output_and_with_ids():
    notebooks = tracked("*.ipynb")
    if not notebooks:
        pytest.skip("there is no notebook yet")
    passes("nbstripout", "--verify", "--keep-id", *notebooks)
