"""An environment is believed only if it runs, whole, where it was made."""

import shutil
import subprocess
import sys
import venv
from importlib import import_module
from unittest.mock import patch

import pytest

from checks.conftest import ROOT


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """The tool in a project of nothing, in a folder with a blank and an
    umlaut; what is installed there is written down."""
    root = tmp_path / "a bödy of work"
    (root / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "environment.py", root / "tools")
    (root / "requirements.txt").write_text("numpy==1\n")
    (root / "pyproject.toml").write_text("[project]\n")
    monkeypatch.syspath_prepend(root / "tools")
    monkeypatch.delitem(sys.modules, "environment", raising=False)
    environment = import_module("environment")
    environment.asked = []

    def make():
        venv.create(environment.VENV, symlinks=True)
        (place,) = environment.VENV.glob("lib/python*/site-packages")
        (place / "gtlib.py").write_text("")
        environment.asked.append("made")

    def install(extras):
        environment.asked += extras
        return True

    environment.make, environment.install = make, install
    return environment


def test_it_is_made_once_and_added_to(environment):
    for extras in [["book"], ["book"], ["book", "test"], ["test"]]:
        environment.main(extras)
    assert environment.asked == ["made", "book", "book", "test"]


@pytest.mark.parametrize(
    "damage",
    [
        "ln -sf /of/a/system/before/its/upgrade .venv/bin/python",
        "rm .venv/bin/python; echo not a program > .venv/bin/python",
        "rm -r .venv/lib",
        "rm .venv/made-from.json",
        "echo '{\"from\": [' > .venv/made-from.json",
        "echo numpy==2 > requirements.txt",
        "sed -i.old 's/of work/of play/' .venv/made-from.json",
    ],
)
def test_it_is_made_anew(environment, damage):
    environment.main(["book"])
    command = ["sh", "-ec", damage]
    subprocess.run(command, cwd=environment.ROOT, check=True)
    environment.main(["book"])
    assert environment.asked == ["made", "book"] * 2


def test_a_kill_in_the_middle_is_not_believed(environment):
    environment.main(["book"])
    with (
        patch.object(environment, "install", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        environment.main(["test"])
    environment.main(["test"])
    assert environment.asked == ["made", "book", "made", "test"]


def test_what_cannot_be_added_leaves_what_is_there(environment):
    environment.main(["book"])
    with (
        patch.object(environment, "install", return_value=False),
        pytest.raises(SystemExit, match="could not be installed"),
    ):
        environment.main(["test"])
    environment.main(["book"])
    assert environment.asked == ["made", "book"]
