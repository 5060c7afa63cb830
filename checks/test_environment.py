"""An environment is believed only if it runs, whole, where it was made."""

import json
import shutil
import subprocess
import sys

import pytest

from tools import environment


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of nothing, in a folder with a blank and an umlaut; what
    is installed there is written down."""
    root = tmp_path / "a bödy of work"
    root.mkdir()
    venv = root / ".venv"
    for name, value in {
        "ROOT": root,
        "VENV": venv,
        "PINS": root / "requirements.txt",
        "PROJECT": root / "pyproject.toml",
        "STAMP": venv / "made-from.json",
        "BIN": venv / "bin",
        "PYTHON": venv / "bin" / "python",
    }.items():
        monkeypatch.setattr(environment, name, value)
    environment.PINS.write_text("numpy==1\n")
    environment.PROJECT.write_text("[project]\n")
    monkeypatch.setattr(environment, "make", make)
    monkeypatch.setattr(environment, "install", installed)
    environment.asked = []
    return root


def make():
    command = [sys.executable, "-m", "venv", "--without-pip"]
    subprocess.run([*command, environment.VENV], check=True)
    (place,) = environment.VENV.glob("lib/python*/site-packages")
    (place / "gtlib.py").write_text("")
    environment.asked.append("made")


def installed(extras):
    environment.asked += extras
    return True


def test_it_is_made_once_and_added_to(project):
    environment.main(["book"])
    environment.main(["book"])
    environment.main(["book", "test"])
    environment.main(["test"])
    assert environment.asked == ["made", "book", "book", "test"]


def python_is_gone(project):
    environment.PYTHON.unlink()
    environment.PYTHON.symlink_to("/of/a/system/before/its/upgrade")


def python_does_not_run(project):
    environment.PYTHON.unlink()
    environment.PYTHON.write_text("not a program")


def packages_are_gone(project):
    shutil.rmtree(environment.VENV / "lib")


def it_was_not_finished(project):
    environment.STAMP.unlink()


def the_stamp_is_half_written(project):
    environment.STAMP.write_text('{"from": [')


def the_pins_are_others(project):
    environment.PINS.write_text("numpy==2\n")


def it_was_copied_from_elsewhere(project):
    made = json.loads(environment.STAMP.read_text())
    made["from"][0] = "/elsewhere"
    environment.STAMP.write_text(json.dumps(made))


@pytest.mark.parametrize(
    "damage",
    [
        python_is_gone,
        python_does_not_run,
        packages_are_gone,
        it_was_not_finished,
        the_stamp_is_half_written,
        the_pins_are_others,
        it_was_copied_from_elsewhere,
    ],
)
def test_it_is_made_anew(project, damage):
    environment.main(["book"])
    damage(project)
    environment.main(["book"])
    assert environment.asked == ["made", "book"] * 2


def test_a_kill_in_the_middle_is_not_believed(project, monkeypatch):
    environment.main(["book"])

    def killed(extras):
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(environment, "install", killed)
        with pytest.raises(KeyboardInterrupt):
            environment.main(["test"])
    environment.main(["test"])
    assert environment.asked == ["made", "book", "made", "test"]


def test_what_cannot_be_added_leaves_what_is_there(project, monkeypatch):
    environment.main(["book"])
    with monkeypatch.context() as context:
        context.setattr(environment, "install", lambda extras: False)
        with pytest.raises(SystemExit, match="could not be installed"):
            environment.main(["test"])
    environment.main(["book"])
    assert environment.asked == ["made", "book"]
