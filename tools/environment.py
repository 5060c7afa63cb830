"""Make `.venv` hold what a command needs, at the versions that are pinned.

    python3 tools/environment.py book test

The words are extras of pyproject.toml. What they ask for is installed at
the versions of requirements.txt, and each file must have its checksum
there. Run by the Python that the environment shall have; needs nothing but
that Python. `uv` does the work, from the path or fetched with pip; where
it cannot, pip installs everything that is pinned.

An environment is believed only if it runs, was finished, and was made in
this folder from these pins. Otherwise it is made anew.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PINS = ROOT / "requirements.txt"
PROJECT = ROOT / "pyproject.toml"
STAMP = VENV / "made-from.json"
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


def main(extras):
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(TOO_OLD.format(version=sys.version.split()[0]))
    with alone():
        held = what_it_holds()
        if held is None:
            shutil.rmtree(VENV, ignore_errors=True)
            make()
        if held is not None and held.issuperset(extras):
            return
        # A kill from here on leaves an environment that is not believed.
        STAMP.unlink(missing_ok=True)
        installed = install(extras)
        if installed:
            STAMP.write_text(stamp({*extras, *(held or ())}), "utf-8")
        elif held is not None:
            STAMP.write_text(stamp(held), "utf-8")
    if not installed:
        sys.exit("The pinned packages could not be installed: see above.")


@contextlib.contextmanager
def alone():
    """Let a second command wait until this one has its environment."""
    with PINS.open() as lock:
        with contextlib.suppress(ImportError):  # none on Windows
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def what_it_holds():
    """The extras in the environment; None if it is incomplete or out of
    date."""
    try:
        made = json.loads(STAMP.read_text("utf-8"))
        isolated = [PYTHON, "-I", "-X", "utf8"]
        runs = run(*isolated, "-c", "import gtlib", quiet=True)
    except (OSError, ValueError):  # not finished, or its Python is gone
        return None
    if not runs or made["from"] != made_from():
        return None
    same = made["project"] == PROJECT.read_text("utf-8")
    return set(made["extras"] if same else [])


def made_from():
    """What the environment was made from; if it changes, so must that."""
    return [str(ROOT), sys.version, PINS.read_text("utf-8")]


def stamp(extras):
    project = PROJECT.read_text("utf-8")
    made = {"from": made_from(), "project": project}
    return json.dumps({**made, "extras": sorted(extras)}, indent=1)


def make():
    """An empty environment, with uv in it unless the machine has that."""
    uv = shutil.which("uv")
    if uv:
        run(uv, "venv", "--quiet", "--python", sys.executable, VENV)
        return
    if not run(sys.executable, "-m", "venv", VENV, quiet=True):
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit(NO_PIP)
    (pin,) = re.findall(r"^uv==.*\n(?:    --hash.*\n)+", pins(), re.M)
    only = VENV / "uv.txt"
    only.write_text(pin, "utf-8")
    run(*PIP, "--quiet", "-r", only)


def pins(hashes=True):
    """What requirements.txt says; without the checksums as constraints,
    which to pip may have no extras."""
    text = PINS.read_text("utf-8")
    if hashes:
        return text
    return re.sub(r" \\\n    --hash=\S+|\[[\w,-]+\](?===)", "", text)


def install(extras):
    """Add what is missing; whether all is there now."""
    ours = ["--no-deps", "--no-build-isolation", "--editable", ROOT]
    uv = shutil.which("uv") or shutil.which("uv", path=BIN)
    if uv:
        by_uv = [uv, "pip", "install", "--quiet", "--python", PYTHON]
        if not os.access(Path.home(), os.W_OK):  # nowhere to keep files
            by_uv.append("--no-cache")
        asked = [f"--extra={extra}" for extra in ["build", *extras]]
        pinned = ["--require-hashes", "-c", PINS, "-r", PROJECT]
        if run(*by_uv, *pinned, *asked) and run(*by_uv, *ours):
            return True
        print("uv could not install the pinned versions; trying pip.")
    if not run(PYTHON, "-m", "pip", "--version", quiet=True):
        run(sys.executable, "-m", "venv", VENV)
    return run(*PIP, "-r", PINS) and run(*PIP[:-1], *ours)


def run(*command, quiet=False):
    if not quiet:
        print("+", *command)
    done = subprocess.run(command, cwd=ROOT, capture_output=quiet)
    return done.returncode == 0


if __name__ == "__main__":
    main(sys.argv[1:])
