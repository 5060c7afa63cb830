"""What a person at a terminal sees: lines that end in time, and no more
than was meant to stay."""

import re
from io import StringIO
from types import SimpleNamespace

import pytest

from gtaudit.command import main
from gtaudit.terminal import Progress, can_show, say, tell

LONG = (
    "CANNOT BE TOLD  Can the order be trusted? It would repeat to 0.975 "
    "[0.940, 0.994]; 0.95 is enough, as somebody's table says."
)


class Screen(StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    found = Screen()
    streams = SimpleNamespace(stdout=found, stderr=found)
    monkeypatch.setattr("gtaudit.terminal.sys", streams)
    return found


def test_lines_are_wrapped_and_hang(screen):
    tell([LONG], hang=16)
    first, *rest = screen.getvalue().splitlines()
    assert max(map(len, [first, *rest])) <= 60
    assert rest and all(re.match(" {16}\\S", line) for line in rest)
    assert " ".join([first, *map(str.strip, rest)]) == LONG
    assert "[0.940, 0.994]" in screen.getvalue()


def test_elsewhere_a_line_stays_whole(capsys):
    tell([LONG], hang=16)
    say(LONG)
    said = capsys.readouterr()
    assert said.out == f"{LONG}\n"
    assert said.err == f"{' '.join(LONG.split())}\n"


@pytest.mark.parametrize(
    "whole",
    [
        "--columns 'system=the name of a model,topic=what was asked'",
        "--design 'model x (item:form) x rater'",
        "--measure adequacy",
    ],
)
def test_what_is_to_be_pasted_stays_on_one_line(screen, whole):
    for begin in range(0, 60, 7):
        say(f"{'a ' * begin}Say {whole} or something else.")
    assert screen.getvalue().count(whole) == 9


def test_nothing_is_left_of_progress(screen):
    progress = Progress()
    progress("looking at topics and at the best systems, which is long")
    assert "\n" not in screen.getvalue()
    shown = screen.getvalue().rpartition("\033[K")[2]
    assert 0 < len(shown) < 60
    progress()
    assert screen.getvalue().endswith("\r\033[K")


@pytest.mark.parametrize(
    ("encoding", "shown"), [("utf-8", True), ("cp1252", False)]
)
def test_signs_are_those_that_can_be_written(screen, encoding, shown):
    screen.encoding = encoding
    assert can_show("─●○") == shown


def test_the_help_has_three_groups_with_defaults(capsys):
    with pytest.raises(SystemExit):
        main(["audit", "--help"])
    said = capsys.readouterr().out
    options = said.partition("examples:")[0]
    heads = re.findall(r"^(what .*):$", options, re.M)
    assert heads == ["what the data are", "what is asked", "what comes out"]
    words = " ".join(options.split())
    for option in re.split(r" (?=--[a-z])", words)[1:]:
        if re.match("--(runs|qrels|help)", option) is None:
            assert "(default: " in option, option
