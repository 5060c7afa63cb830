"""What somebody types who does not know the command yet."""

import subprocess
import sys

import pytest

from gtaudit.command import main


def test_the_name_alone_prints_the_help(capsys):
    assert main([]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("usage: gtlib ")
    assert "audit" in said.out
    assert not said.err


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["scores.csv"], "gtlib audit scores.csv"),
        (["my runs/"], "gtlib audit 'my runs/'"),
        (["folder"], "gtlib audit folder"),
        (["-"], "gtlib audit -"),
        (
            ["--runs", "r", "--qrels", "q.txt"],
            "gtlib audit --runs r --qrels q.txt",
        ),
        (["audti", "a.csv"], "gtlib audit a.csv"),
        (["version"], "gtlib --help"),
    ],
)
def test_what_is_no_command_is_told_what_to_type(
    typed, told, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(SystemExit) as ended:
        main(typed)
    assert ended.value.code == 2
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith(f"gtlib: error: there is no command '{typed[0]}")
    assert last.endswith(f"Type: {told}")


@pytest.mark.parametrize("typed", [[], ["scores.csv"], ["audit", "--help"]])
def test_help_comes_before_what_takes_seconds_is_loaded(typed, tmp_path):
    code = "import sys\nfrom gtlib.__main__ import main\n"
    code += "try:\n    main()\nfinally:\n    print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code, *typed],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    loaded = {*ran.stdout.splitlines()[-1].split()}
    assert "gtaudit.command" in loaded
    assert not {"numpy", "pandas", "gtaudit.run"} & loaded
