"""An environment with gtlib's wheel in it, far from this repository."""

import os
import subprocess
import sys
from pathlib import Path

from uv import find_uv_bin

from checks.conftest import HTML, ROOT
from tools.environment import pins

PYTHON = Path(sys.executable).relative_to(sys.prefix)


def uv(*arguments):
    subprocess.run([find_uv_bin(), *arguments], cwd=ROOT, check=True)


def installed(folder, extra=""):
    """Install the wheel that is beside the pages, at the pinned versions,
    less their checksums, which it has not; the environment's Python."""
    (wheel,) = HTML.glob("gtlib_ir-*.whl")
    constraints = folder / "constraints.txt"
    constraints.write_text(pins(hashes=False))
    uv("venv", "--quiet", "--python", sys.executable, folder / "venv")
    python = folder / "venv" / PYTHON
    command = ["pip", "install", "--quiet", "--python", python]
    uv(*command, "--constraint", constraints, f"{wheel}{extra}")
    return python


def clean_environment():
    """The variables of a machine on which this repository is not."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
