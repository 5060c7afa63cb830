"""An environment with gtlib's wheel in it, far from this repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.environment import pins

ROOT = Path(__file__).resolve().parent.parent
PYTHON = Path(sys.executable).relative_to(sys.prefix)


def uv(*arguments):
    beside = Path(sys.executable).parent
    command = shutil.which("uv", path=beside) or shutil.which("uv")
    subprocess.run([command, *arguments], cwd=ROOT, check=True)


def pinned(folder):
    """The pinned versions, less the checksums, which a wheel has not."""
    constraints = folder / "constraints.txt"
    constraints.write_text(pins(hashes=False))
    return constraints


def installed(folder, extra=""):
    """Install the wheel that is beside the pages; the environment's
    Python."""
    (wheel,) = (ROOT / "_build" / "html").glob("gtlib_ir-*.whl")
    uv("venv", "--quiet", "--python", sys.executable, folder / "venv")
    python = folder / "venv" / PYTHON
    uv(
        *("pip", "install", "--quiet", "--python", python),
        *("--constraint", pinned(folder)),
        f"{wheel}{extra}",
    )
    return python


def clean_environment():
    """The variables of a machine on which this repository is not."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
