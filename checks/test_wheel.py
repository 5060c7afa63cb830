"""gtlib as a reader gets it who never sees this repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

USE = """
import gtlib

assert "site-packages" in gtlib.__file__, gtlib.__file__
sets = gtlib.datasets()
embedded = sets.index[sets["where"] == "embedded"]
assert len(embedded), sets
for name in embedded:
    assert len(gtlib.load(name)), name
"""


def uv(*arguments):
    beside = Path(sys.executable).parent
    command = shutil.which("uv", path=beside) or shutil.which("uv")
    subprocess.run([command, *arguments], cwd=ROOT, check=True)


def test_an_installed_wheel_carries_the_embedded_data(tmp_path):
    uv("build", "--quiet", "--wheel", "--out-dir", tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    uv("venv", "--quiet", "--python", sys.executable, tmp_path / "venv")
    python = next(tmp_path.glob("venv/*/python*"))
    uv(
        *("pip", "install", "--quiet", "--python", python),
        *("--constraint", "requirements.txt", wheel),
    )
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([python, "-c", USE], cwd=tmp_path, env=clean, check=True)
