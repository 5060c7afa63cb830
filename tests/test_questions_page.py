"""What the page *What do you want to know?* shows is what comes out."""

import re
import shlex
from pathlib import Path

import pytest

from gtaudit.command import main
from tests.gtaudit.kept import alike

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "book" / "what-do-you-want-to-know.md").read_text("utf-8")
SECTIONS = re.findall(r"^## ([^\n]*\?)\n(.*?)(?=^## )", PAGE, re.M | re.S)


def block(kind, text):
    """The one block of code of this language in a text."""
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", text, re.M | re.S)
    return found


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The folder of the five tables, and what Python calls them."""
    folder = tmp_path_factory.mktemp("tables")
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(block("python", PAGE), names)
    return folder, names


@pytest.fixture(scope="module")
def printed(tables):
    """Run a command once, and return the lines that it prints."""
    known = {}

    def lines(command, capsys):
        if command not in known:
            name, *given = shlex.split(command.removeprefix("$ "))
            assert name == "gtlib"
            assert main(given) == 0
            said = capsys.readouterr()
            known[command] = [
                *said.err.splitlines(),
                *said.out.splitlines(),
            ]
        return known[command]

    return lines


def test_there_are_nine_questions():
    assert len(SECTIONS) == 9
    for _, text in SECTIONS:
        assert re.search(r"\{doc\}`.*/notebooks/|audit-reference", text)


@pytest.mark.parametrize(("question", "text"), SECTIONS)
def test_the_command_prints_what_the_page_shows(
    tables, printed, monkeypatch, capsys, question, text
):
    monkeypatch.chdir(tables[0])
    command, *shown = block("console", text).splitlines()
    lines = printed(command, capsys)
    for each in shown:
        words = re.sub(r"\d", "0", each)
        same = [x for x in lines if re.sub(r"\d", "0", x) == words]
        assert any(alike(each, line) for line in same), lines


@pytest.mark.parametrize(("question", "text"), SECTIONS)
def test_the_calls_run_as_they_are_typed(tables, question, text):
    calls = re.findall(r"`(gt\.[^`]*\(.*?)`", text)
    assert calls
    for call in calls:
        assert eval(call, tables[1]) is not None


def test_python_says_what_the_command_says(tables):
    """The same numbers, by the calls of the page."""
    names = tables[1]

    def found(call):
        assert f"`{call}`" in PAGE
        return eval(call, names)

    pair = found('gt.compare(scores, "new", "old")').iloc[0]
    ends = [f"{pair[key]:.3f}" for key in ("difference", "low", "high")]
    assert "By {} [{}, {}].".format(*ends) in PAGE
    within = found('gt.compare(scores, "cheap", "new", margin=0.02)')
    assert f"at worst −{-within['at_worst'].item():.3f}." in PAGE
    kappa = found("gt.agreement(marks)").loc["Cohen's kappa"]
    ends = [f"{kappa[key]:.2f}" for key in ("estimate", "low", "high")]
    assert "κ {} [{}, {}]".format(*ends) in PAGE
    mean = found("gt.prediction_powered(people, machine)").iloc[0]
    ends = [f"{mean[key]:.2f}" for key in ("mean", "low", "high")]
    assert "corrected mean? {} [{}, {}]".format(*ends) in PAGE
    first = found("gt.pass_at_k(run, 1)")
    assert f"its mean is {first:.3f}." in PAGE
