"""The page of all options and formats has each of them, and no other."""

import re
from pathlib import Path

import pytest

from gtaudit import command, readers
from gtaudit.doubts import (
    CODES,
    REFUSED,
)

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "audit-reference.md").read_text("utf-8")
OPTION = r"--[a-z][a-z-]*"
# Tools and kinds of files that a reader is for, if not its first words.
CALLED = {
    "aider": "of aider",
    "battles": "Battles of",
    "delimited": "CSV, TSV",
    "documents": "runs and judgments as JSON",
    "evaluations": "trec_eval -q",
    "records": "eval-arena",
    "sheets": "Parquet; Excel",
}
NO_FORMAT = {"__init__", "files", "read", "values"}


def rows(table):
    """The cells of a table's rows, without its head."""
    block = re.search(
        rf":name: tbl-audit-{table}\n(.*?)^```$", PAGE, re.M | re.S
    )
    _, *found = re.split(r"^\* - ", block[1], flags=re.M)[1:]
    return [re.split(r"^  - ?", row, flags=re.M) for row in found]


def options():
    (commands,) = command._parser()._subparsers._group_actions
    return {
        name
        for action in commands.choices["audit"]._actions
        for name in action.option_strings
        if name.startswith("--") and name != "--help"
    }


def test_every_option_has_a_row_and_every_row_an_option():
    heads = [r[0] for t in ("data", "questions", "output") for r in rows(t)]
    named = [name for head in heads for name in re.findall(OPTION, head)]
    assert len(named) == len({*named})
    assert {*named} == options()


def test_no_text_names_an_option_that_is_not_there():
    others = {"--help"}
    assert {*re.findall(f"`({OPTION})", PAGE)} <= options() | others


def test_every_reader_is_named_under_its_formats():
    formats = PAGE.partition("## Options")[0]
    for path in Path(readers.__path__[0]).glob("*.py"):
        if path.stem in NO_FORMAT:
            continue
        title = path.read_text("utf-8").removeprefix('"""')
        name = CALLED.get(path.stem, title.partition(":")[0])
        assert name in " ".join(formats.split()), path.stem


def test_the_codes_are_those_of_the_audit():
    told = {row[0].strip("`\n"): row[1].strip() for row in rows("codes")}
    assert [*told] == CODES
    for code, kind in told.items():
        assert (kind == "refused") == (code in REFUSED)


def test_the_exit_codes_are_those_of_the_help():
    helped = command.__doc__.partition("exit codes:")[2]
    told = [row[0].strip() for row in rows("exit")]
    assert [c for c in told if c.isdigit()] == re.findall(
        r"^  (\d) ", helped, re.M
    )
