"""gtlib as a reader gets it who never sees this repository."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

USE = """
import sys
from pathlib import Path

import gtlib

assert "site-packages" in gtlib.__file__, gtlib.__file__
assert gtlib.__version__ == sys.argv[1], gtlib.__version__
assert Path(gtlib.__file__).with_name("py.typed").is_file()
sets = gtlib.datasets()
embedded = sets["name"][sets["where"] == "embedded"]
assert len(embedded), sets
for name in embedded:
    loaded = gtlib.load(name)
    assert getattr(loaded, "exists", lambda: True)(), name
"""


def uv(*arguments):
    beside = Path(sys.executable).parent
    command = shutil.which("uv", path=beside) or shutil.which("uv")
    subprocess.run([command, *arguments], cwd=ROOT, check=True)


def pins_without_the_book(folder):
    """The pinned versions, less the line that names this repository."""
    pins = (ROOT / "requirements.txt").read_text()
    constraints = folder / "constraints.txt"
    constraints.write_text(pins.replace("-e .\n", ""))
    return constraints


def test_an_installed_wheel_carries_version_types_and_data(tmp_path):
    uv("build", "--quiet", "--wheel", "--out-dir", tmp_path)
    (wheel,) = tmp_path.glob("gtlib_ir-*.whl")
    uv("venv", "--quiet", "--python", sys.executable, tmp_path / "venv")
    python = (
        tmp_path / "venv" / Path(sys.executable).relative_to(sys.prefix)
    )
    uv(
        *("pip", "install", "--quiet", "--python", python),
        *("--constraint", pins_without_the_book(tmp_path), wheel),
    )
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run(
        [python, "-c", USE, PROJECT["version"]],
        cwd=tmp_path,
        env=clean,
        check=True,
    )
