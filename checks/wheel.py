"""An environment with gtlib's wheel in it, far from this repository."""

import os
import subprocess
import sys
from pathlib import Path

from checks.conftest import HTML, passes
from tools.environment import pins

PYTHON = Path(sys.executable).relative_to(sys.prefix)


def installed(folder, extra="", support=False):
    """Install the wheel that is beside the pages, at the pinned versions,
    less their checksums, which it has not; the environment's Python."""
    (wheel,) = HTML.glob("gtlib_ir-*.whl")
    constraints = folder / "constraints.txt"
    constraints.write_text(pins(hashes=False))
    passes("uv", "venv", "--python", sys.executable, folder / "venv")
    python = folder / "venv" / PYTHON
    command = ["uv", "pip", "install", "--python", python]
    asked = [f"{wheel}{extra}"]
    if support:
        asked += HTML.glob("gtlib_book-*.whl")
    passes(*command, "--constraint", constraints, *asked)
    return python


def run_in(folder, *command, **variables):
    """As on a machine on which this repository is not."""
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    clean |= variables
    subprocess.run(command, cwd=folder, env=clean, check=True)
