"""Fill the folder that the workflow publishes as the branch `notebooks`.

Binder and Colab open notebooks of a repository, and the runner's edition
is in none: it is made. So it gets a branch of its own, under the names that
the pages have, with what Binder needs to install: the wheels, and
the book's own versions of what they need.
"""

import shutil
import tomllib
from pathlib import Path

from book._ext.edition import support, wheel
from tools.environment import pins

ROOT = Path(__file__).resolve().parent.parent
RUNNER = ROOT / "_build" / "notebooks"
ASSIGNMENTS = ROOT / "_build" / "html" / "assignments"
WHEELS = [ROOT / "_build" / "html" / name for name in (wheel(), support())]
BRANCH = ROOT / "_build" / "branch"
README = """\
# The chapters, to be run

Made from the branch `main` by `make book`; not to be edited here.
"""


def main():
    shutil.rmtree(BRANCH, ignore_errors=True)
    shutil.copytree(RUNNER, BRANCH / "notebooks")
    shutil.copytree(ASSIGNMENTS, BRANCH / "assignments")
    for file in WHEELS:
        shutil.copy(file, BRANCH)
    for name, text in for_binder():
        (BRANCH / name).write_text(text)
    print(f"Written to {BRANCH.relative_to(ROOT)}")


def for_binder():
    """The files that Binder reads, with the book's own versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lab = next(
        need
        for need in project["project"]["optional-dependencies"]["lab"]
        if need.startswith("jupyterlab==")
    )
    ours = f"./{wheel()}[chapters]\n./{support()}"
    yield "requirements.txt", f"-c constraints.txt\n{lab}\n{ours}\n"
    yield "constraints.txt", pins(hashes=False)
    yield "runtime.txt", (ROOT / "runtime.txt").read_text()
    yield "README.md", README


if __name__ == "__main__":
    main()
