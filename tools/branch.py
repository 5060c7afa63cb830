"""Fill the folder that the workflow publishes as the branch `notebooks`.

Binder and Colab open notebooks of a repository, and the runner's edition
is in none: it is made. So it gets a branch of its own, with what Binder
needs to install.
"""

import os
import shutil
import sys
import tomllib
from pathlib import Path

from tools.environment import pins

ROOT = Path(__file__).resolve().parent.parent
RUNNER = ROOT / "_build" / "notebooks"
BRANCH = ROOT / "_build" / "branch"
README = """\
# The chapters, to be run

Made from the branch `main` by `make book`; not to be edited here. The
book is at <{book}>.
"""


def main():
    notebooks = sorted(RUNNER.glob("*.ipynb"))
    if not notebooks:
        sys.exit("There is no runner's edition yet: make book first.")
    shutil.rmtree(BRANCH, ignore_errors=True)
    BRANCH.mkdir()
    for path in notebooks:
        shutil.copy(path, BRANCH)
    for name, text in for_binder(os.environ.get("GITHUB_SHA", "main")):
        (BRANCH / name).write_text(text)
    print(f"Written to {BRANCH.relative_to(ROOT)}")


def for_binder(version):
    """The files that Binder reads, with the book's own versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())[
        "project"
    ]
    repository = project["urls"]["Repository"]
    lab = next(
        need
        for need in project["optional-dependencies"]["book"]
        if need.startswith("jupyterlab==")
    )
    gtlib = f"{project['name']}[chapters] @ git+{repository}@{version}"
    yield "requirements.txt", f"-c constraints.txt\n{lab}\n{gtlib}\n"
    yield "constraints.txt", pins(hashes=False)
    yield "runtime.txt", (ROOT / "runtime.txt").read_text()
    owner, name = repository.split("/")[-2:]
    yield (
        "README.md",
        README.format(book=f"https://{owner}.github.io/{name}/"),
    )


if __name__ == "__main__":
    main()
