"""Make `.venv` hold exactly the versions pinned in requirements.txt.

Run by the Python that the environment shall have; needs nothing but that
Python. `uv` does the work, from the path or fetched with pip; where it
cannot, pip does. Both refuse a file that has not the checksum of the pins,
and gtlib is built by what they installed. Both compile what they install:
every chapter starts a Python of its own, which would do it again.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PINS = ROOT / "requirements.txt"
STAMP = VENV / "pins.txt"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
PIP = [PYTHON, "-m", "pip", "install", "--require-hashes"]

TOO_OLD = """\
This is Python {version}; the book needs 3.11 or newer. Name one that is
installed, for example:  make book PYTHON=python3.12"""

NO_PIP = """\
This Python cannot make a virtual environment: it comes without ensurepip.
On Debian and Ubuntu:  sudo apt install python3-venv
Or install uv (https://docs.astral.sh/uv/), which needs neither."""


def main():
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(TOO_OLD.format(version=sys.version.split()[0]))
    if up_to_date():
        STAMP.touch()
        return
    shutil.rmtree(VENV, ignore_errors=True)
    uv = shutil.which("uv")
    if uv:
        run(uv, "venv", "--quiet", "--python", sys.executable, VENV)
    else:
        make_with_pip()
        uv = fetch_uv()
    install(uv)
    shutil.copyfile(PINS, STAMP)


def up_to_date():
    return STAMP.exists() and STAMP.read_bytes() == PINS.read_bytes()


def make_with_pip():
    made = subprocess.run(
        [sys.executable, "-m", "venv", VENV], capture_output=True
    )
    if made.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit(NO_PIP)


def fetch_uv():
    """The path of uv, or None where pip finds none for this machine."""
    (pin,) = re.findall(r"^uv==.*\n(?:    --hash.*\n)+", pins(), re.M)
    only = VENV / "uv.txt"
    only.write_text(pin)
    fetched = run(*PIP, "--quiet", "-r", only, check=False)
    return BIN / "uv" if fetched else None


def pins(hashes=True):
    """What requirements.txt says, with or without the checksums."""
    text = PINS.read_text()
    return text if hashes else re.sub(r" \\\n    --hash=\S+", "", text)


def install(uv):
    ours = ["--no-deps", "--no-build-isolation", "--editable", ROOT]
    if uv:
        by_uv = [uv, "pip", "install", "--python", PYTHON]
        pinned = ["--compile-bytecode", "--require-hashes", "-r", PINS]
        if run(*by_uv, *pinned, check=False):
            run(*by_uv, *ours)
            return
    print("uv could not install the pinned versions; trying pip.")
    if not (BIN / "pip").exists():
        make_with_pip()
    run(*PIP, "-r", PINS)
    run(*PIP[:-1], *ours)


def run(*command, check=True):
    print("+", *command)
    return subprocess.run(command, cwd=ROOT, check=check).returncode == 0


if __name__ == "__main__":
    main()
