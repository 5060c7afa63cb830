"""The recipes of CONTRIBUTING.md, carried out in a copy of the repository.

What a contributor would see fail is run there, and passes.
"""

import copy as copied
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from book._ext.plain import notebooks
from tools.edit_bare import store_bare

ROOT = Path(__file__).resolve().parents[1]
# Of what the recipe names, what a name that is not public can make fail.
HOUSE = [
    "tests/test_architecture.py",
    "tests/test_names.py::test_a_reader_meets_every_public_name",
]
NOTEBOOKS = notebooks()
PLACES = "checks/test_papers.py::test_every_place_exists"
GRADED = "checks/test_graded.py::test_there_are_thirty"


def run(where, *command, **environment):
    done = subprocess.run(
        command,
        cwd=where,
        env=os.environ
        | {"PYTHONPATH": str(where), "OMP_NUM_THREADS": "1"}
        | environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def passes(where, *what, **environment):
    options = "-q", "-p", "no:cacheprovider"
    run(
        where,
        sys.executable,
        "-m",
        "pytest",
        *options,
        *what,
        **environment,
    )


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """The files of the repository as they are now, in a repository."""
    where = tmp_path_factory.mktemp("recipes") / "copy"
    listed = run(ROOT, "git", "ls-files").splitlines()
    for name in listed:
        if (ROOT / name).is_file():
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, where / name)
    run(where, "git", "init", "--quiet")
    run(where, "git", "add", "--all")
    who = "-c", "user.name=nobody", "-c", "user.email=nobody@localhost"
    run(where, "git", *who, "commit", "--quiet", "--message", "A copy")
    return where


@pytest.fixture
def copy(repository):
    """As it was made; what is compiled once stays so."""
    run(repository, "git", "reset", "--hard", "--quiet")
    run(repository, "git", "clean", "-d", "--force", "--quiet")
    return repository


def changed(where):
    """The files that differ from the copy as it was made."""
    status = run(where, "git", "status", "--porcelain")
    lines = [line for line in status.splitlines() if line[1] != " "]
    return {line[3:] for line in lines}


def add(path, text):
    path.write_text(path.read_text("utf-8") + text, "utf-8")


STATISTIC = '''

def midrange(scores: pd.DataFrame) -> pd.Series:
    """Return the mean of the lowest and the highest score of each system.

    Examples
    --------
    >>> import pandas as pd
    >>> midrange(pd.DataFrame([[1, 2, 6]], ["A"])).tolist()
    [3.5]
    """
    return (scores.min(axis=1) + scores.max(axis=1)) / 2
'''


def test_a_statistic(copy):
    add(copy / "gtlib" / "comparisons.py", STATISTIC)
    page = copy / "book" / "api" / "reliability.md"
    shown = ".. autofunction:: gtlib.comparisons.midrange\n"
    add(page, f"\n```{{eval-rst}}\n{shown}```\n")
    test = copy / "tests" / "gtlib" / "comparisons" / "test_midrange.py"
    test.write_text(
        "import pandas as pd\nfrom gtlib.comparisons import midrange\n\n\n"
        "def test_by_hand():\n"
        "    assert midrange(pd.DataFrame([[0, 4]])).tolist() == [2]\n",
        "utf-8",
    )
    doctests = "--doctest-modules", "gtlib/comparisons.py"
    passes(copy, *HOUSE, str(test), *doctests)
    assert len(changed(copy)) == 3


def test_a_data_set(copy, tmp_path):
    path = f"somebody/scores/{'ab' * 20}/runs.csv"
    file = tmp_path / "mirror" / path
    file.parent.mkdir(parents=True)
    rng = np.random.default_rng(0)
    names = [f"run{i:02}" for i in range(14)]
    merit = rng.normal(0.4, 0.1, len(names))
    scores = merit + rng.normal(0, 0.1, (30, 1))
    scores = scores + rng.normal(0, 0.1, scores.shape)
    table = pd.DataFrame(scores.clip(0, 1), columns=names)
    table.to_csv(file, index=False)
    checksum = hashlib.sha256(file.read_bytes()).hexdigest()
    data = copy / "data"
    listed = data / "checksums.sha256"
    lines = [*listed.read_text("utf-8").splitlines(), f"{checksum}  {path}"]
    lines.sort(key=lambda line: line.split("  ")[1].encode())
    listed.write_text("\n".join([*lines, ""]), "utf-8")
    add(
        data / "registry.csv",
        "somebodys,Somebody's runs,system x topic,14 x 30,AP,"
        f"topics by systems,{path},somebody/scores,MIT,"
        '"Somebody (2026), doi:10.1000/182"\n',
    )
    add(
        data / "collections.csv",
        "somebodys,somebodys,retrieval,2026,topics,,,,,,"
        "Whose the systems are is not in the file: one row more.\n",
    )
    atlas = data / "scores" / "atlas.csv"
    before = atlas.read_bytes()
    mirror = {"GTLIB_MIRROR": str(tmp_path / "mirror")}
    build = copy / "data" / "build" / "atlas.py"
    run(copy, sys.executable, str(build), "somebodys", **mirror)
    lines = atlas.read_bytes().splitlines(keepends=True)
    assert b"".join(lines[:-1]) == before
    assert lines[-1].startswith(b"somebodys,Somebody's runs,retrieval,")
    passes(
        copy,
        "tests/gtlib/data/test_registry.py::TestRegistry",
        "tests/support/test_atlas.py::TestTable",
        "tests/support/test_atlas.py::TestHalves",
        "tests/test_claims_of_atlas.py",
        "--deselect=tests/test_claims_of_atlas.py"
        "::test_four_systems_of_billboard_2013_have_nearly_one_mean",
        **mirror,
    )
    assert {file.partition("data/")[2] for file in changed(copy)} == {
        "checksums.sha256",
        "collections.csv",
        "registry.csv",
        "scores/atlas.csv",
    }


def code(path):
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield cell["id"], "".join(cell["source"])


def chapters(where):
    found = (where / "notebooks").glob("[0-9]*.ipynb")
    return sorted(path.stem for path in found)


def names(where):
    """Those of the chapters, without their numbers."""
    return [stem[3:] for stem in chapters(where)]


def test_a_chapter(copy, monkeypatch):
    """In the middle, at the end and near the beginning, where chapters
    have appendices."""
    was, stems = names(copy), chapters(copy)
    tool = sys.executable, "tools/chapter.py"
    run(copy, *tool, "my-subject", stems[10])
    run(copy, *tool, "at-last")
    run(copy, *tool, "in-between", stems[1])
    now = [*was[:2], "in-between", *was[2:11], "my-subject", *was[11:]]
    assert names(copy) == [*now, "at-last"]
    appended = {path.stem for path in (copy / "appendices").iterdir()}
    named = {stem.removeprefix("appendix-") for stem in appended}
    assert named <= {*chapters(copy)}
    kept = {path.stem for path in (copy / "data" / "outputs").iterdir()}
    assert kept <= {*chapters(copy)} | appended
    atlas = next(s for s in chapters(copy) if s.endswith("the-atlas"))
    assert f"notebooks/{atlas}.ipynb" in (copy / "README.md").read_text(
        "utf-8"
    )
    passes(
        copy,
        "tests/test_path.py",
        PLACES,
        f"{GRADED}_each_of_a_chapter_and_in_one_part",
    )
    works(copy, "my-subject", monkeypatch)


def works(copy, name, monkeypatch):
    """The notebook runs, and the answers to its exercises come out."""
    glue = types.SimpleNamespace(glue=lambda *said: None)
    monkeypatch.setitem(sys.modules, "myst_nb", glue)
    monkeypatch.chdir(copy / "notebooks")  # where it may write its table
    known = {}
    for _, source in code(next(copy.glob(f"notebooks/*-{name}.ipynb"))):
        exec(source, known)
    exercises = tomllib.loads(
        (copy / "book" / "exercises.toml").read_text("utf-8")
    )
    asked = [
        each
        for label, each in exercises.items()
        if label.startswith(f"{name}-") and "answer" in each
    ]
    assert len(asked) == 4
    for each in asked:
        assert eval(each["answer"], known) == pytest.approx(each["value"])


# Sentences with numbers of chapters, and without.
NUMBERED = {
    "book/project.md": r"after chapters.*?:",
    "book/teachers-notes.md": r"Chapters\s+\d.*?together",
    "book/collection-project.md": r"after chapters.*?\.",
    "book/teaching.md": r"projects need chapters.*?\.",
    "CONTRIBUTING.md": r"AFTER=\S+`",
    "data/README.md": r"the test of chapter \d+",
}
LEFT = {
    "gtlib/multivariate.py": r"\(Brennan.*?\)",
    "gtlib/gtheory.py": r"Brennan.*?\)",
}
# What a chapter is called by its place, or with a number in its link.
BY_PLACE = re.compile(
    r"\b(?:next|last|previous)\b[\\n\",\s]{1,20}chapter\b"
    r"|\{doc\}`(?!/)[^`<]*\d\s*<"
)


def find(where, places):
    return {
        file: re.findall(
            how, (where / file).read_text("utf-8"), re.M | re.S
        )
        for file, how in places.items()
    }


def test_a_chapter_near_the_beginning(copy):
    """Sentences follow, and those that need a reader are named."""
    was, left = find(copy, NUMBERED), find(copy, LEFT)
    after = chapters(copy)[1]
    tool = "tools/chapter.py", "my-subject", after
    said = run(copy, sys.executable, *tool)

    def moved(number):
        """A number of two digits, of a file, keeps them."""
        width = len(number[0]) if number[0].startswith("0") else 0
        return f"{int(number[0]) + (int(number[0]) > 1):0{width}}"

    now = {
        file: [re.sub(r"\d+", moved, each) for each in found]
        for file, found in was.items()
    }
    assert all(now.values()) and all(left.values())
    assert find(copy, NUMBERED) == now
    assert find(copy, LEFT) == left
    named = said.partition("reader can tell:\n")[2].splitlines()
    assert "book/lab.md:8:" in {line.split(" ")[0] for line in named}
    assert all(re.search(r"[Cc]hapters \d", line) for line in named)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_chapter_is_named_by_what_a_new_one_makes_wrong(path):
    assert not BY_PLACE.search(path.read_text("utf-8"))


def test_a_notebook_is_saved_as_it_is_committed():
    """Whatever JupyterLab has written into it."""
    stored = json.loads(NOTEBOOKS[0].read_text("utf-8"))
    model = {"type": "notebook", "content": copied.deepcopy(stored)}
    model["content"]["metadata"] |= {
        "kernelspec": {"display_name": "Python 3 (ipykernel)"},
        "language_info": {"name": "python"},
    }
    for cell in model["content"]["cells"]:
        cell["metadata"]["execution"] = {}
        if cell["cell_type"] == "code":
            cell |= {"execution_count": 3, "outputs": [{}]}
    store_bare(model, path="", contents_manager=None)
    assert model["content"] == stored
    store_bare({"type": "file", "content": "as it is"})


def test_a_chapter_that_cannot_be(copy):
    for words in (["My subject"], ["the-atlas"], ["new", "99-nowhere"]):
        command = [sys.executable, "tools/chapter.py", *words]
        done = subprocess.run(command, cwd=copy, capture_output=True)
        assert done.returncode == 1
        assert not changed(copy)
