"""What a person waits for: nothing is loaded before it is needed, and the
answer comes before the page."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from gtaudit.command import main

SCORES = pd.DataFrame(
    np.random.default_rng(0).random((5, 9)).round(3),
    [f"run{i}" for i in range(5)],
    [f"q{i}" for i in range(9)],
)

LOADED = """
import sys
from gtaudit.command import main
code = main(["audit", *sys.argv[1:]])
print(code, *{name.partition(".")[0] for name in sys.modules})
"""


@pytest.mark.parametrize(
    "given", [["no.csv"], ["a.csv", "--sites", "no.csv"], ["--runs", "no"]]
)
def test_a_missing_path_is_refused_before_anything_is_loaded(
    tmp_path, given
):
    (tmp_path / "a.csv").write_text("system,q1\na,1\n")
    ran = subprocess.run(
        [sys.executable, "-c", LOADED, *given],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    code, *loaded = ran.stdout.split()
    assert code == "2"
    assert not {"numpy", "pandas", "scipy", "jinja2"} & {*loaded}
    assert "There is no file no" in ran.stderr


def test_the_answer_comes_before_the_page(tmp_path, monkeypatch, capsys):
    """And after it at most two notes."""
    SCORES.to_csv(tmp_path / "a.csv", index_label="run")
    said = []

    def page(*_):
        said.extend(capsys.readouterr().out.splitlines())
        return ""

    monkeypatch.setattr("gtaudit.page.make_page", page)
    given = ["audit", str(tmp_path / "a.csv"), "--out", str(tmp_path)]
    assert main(given) == 0
    assert said[2].startswith("NEXT ")
    assert len(said) == 3 + len(SCORES) + 4
