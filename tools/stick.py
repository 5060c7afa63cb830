"""Open the lab and the assignments in JupyterLab, without a network.

    python start.py fill    once, on a machine with a network
    python start.py         on every machine, after that

`fill` fetches what the notebooks need into the folders wheels and data, for
machines with this system and this version of Python. Notebooks are copied
into the folder gtlib-course in your home, and stay there as you leave them.
"""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

STICK = Path(__file__).resolve().parent
WHEELS, DATA = STICK / "wheels", STICK / "data"
HOME = Path(os.environ.get("GTLIB_COURSE", Path.home() / "gtlib-course"))
FETCH = """
import shutil, sys
from pathlib import Path
from gtlib import data as remote
for path in remote.checksums():
    copy = Path(sys.argv[1], path)
    if not copy.exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        part = copy.with_name(copy.name + ".part")
        shutil.copyfile(remote.fetch(path), part)
        part.replace(copy)
"""


def main(arguments):
    if arguments == ["fill"]:
        return fill()
    if arguments:
        return __doc__
    if len([*WHEELS.glob("*.whl")]) < 3:
        return "First run: python start.py fill (it needs a network)."
    python = environment()
    notebooks = HOME / "notebooks"
    notebooks.mkdir(exist_ok=True)
    for file in (STICK / "notebooks").iterdir():
        if not (notebooks / file.name).exists():
            shutil.copyfile(file, notebooks / file.name)
    lab = [python, "-m", "jupyterlab", notebooks]
    here = {"GTLIB_MIRROR": str(DATA)} if DATA.is_dir() else {}
    return subprocess.run(lab, env={**os.environ, **here}).returncode


def fill():
    """Fetch the packages that the notebooks need, and then the data."""
    wanted = [*requirements(), "--dest", WHEELS]
    run(sys.executable, "-m", "pip", "download", *wanted)
    run(environment(), "-c", FETCH, DATA)
    print(f"{STICK} is complete: copy it onto sticks.")


def environment():
    """Return the Python of an environment that has the stick's packages."""
    folder = HOME / "environment"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not (folder / "complete").exists():
        print(f"Installing into {folder}: this takes some minutes.")
        venv.create(folder, clear=True, with_pip=True)
        offline = ["--no-index", "--find-links", WHEELS]
        run(python, "-m", "pip", "install", *offline, *requirements())
        (folder / "complete").touch()
    return python


def requirements():
    (ours,) = WHEELS.glob("gtlib_ir-*.whl")
    (support,) = WHEELS.glob("gtlib_book-*.whl")
    return [f"{ours}[chapters]", support, "jupyterlab"]


def run(*command):
    if subprocess.run([str(part) for part in command]).returncode:
        sys.exit("That did not work; the message above says why.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
