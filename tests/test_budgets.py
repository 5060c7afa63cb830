"""Budgets of concepts: how many things a person has to know.

Each limit is what there is today, or what is aimed at: it may only fall.
Lines are no concept and have no limit. Words and tables of a chapter are
counted in `test_plain_chapters.py`.
"""

import inspect
import re
from pathlib import Path

import pytest

import gtlib
from gtaudit.command import main
from gtaudit.doubts import CODES

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"

NAMES = 45
CLASSES = 6  # and one exception
OPTIONS = 18
DOUBTS = 13
EXTENSIONS = 12
PAGES = 34


def test_public_names_and_classes():
    public = [getattr(gtlib, name) for name in gtlib.__all__]
    classes = [thing for thing in public if inspect.isclass(thing)]
    errors = [kind for kind in classes if issubclass(kind, Exception)]
    assert len(public) <= NAMES
    assert len(classes) - len(errors) <= CLASSES
    assert len(errors) <= 1


def test_options_of_the_command(capsys):
    with pytest.raises(SystemExit):
        main(["audit", "--help"])
    options = re.findall(r"^  (--[\w-]+)", capsys.readouterr().out, re.M)
    assert 0 < len(options) <= OPTIONS


def test_codes_of_doubts():
    assert len(CODES) <= DOUBTS


def test_modules_that_extend_sphinx():
    modules = [*(BOOK / "_ext").rglob("*.py")]
    assert 0 < len(modules) <= EXTENSIONS


def test_entries_of_the_sidebar():
    toc = (ROOT / "_toc.yml").read_text("utf-8")
    pages = re.findall(r"^ *(?:- file|root): ", toc, re.M)
    assert 0 < len(pages) <= PAGES
