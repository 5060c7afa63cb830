"""Execute the notebooks and build the book; redo only what has changed.

Sphinx and its execution cache look at the pages alone. What the pages are
computed from - gtlib, the data, the pinned versions, and which of the
remote data are here - is compared here, and the old output dropped when it
differs.
"""

import hashlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import finish
import status
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor

from gtapps.audit.report import write_report
from gtlib.collections import DatasetUnavailable, load, remote

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
STATIC = ROOT / "book" / "_static"
STAMP = BUILD / "made-from.txt"
SOURCES = [
    "gtlib/**/*.py",
    "gtapps/**/*.py",
    "data/checksums.sha256",
    "data/registry.csv",
    "data/published/*",
    "data/ledger.csv",
    "data/verdicts.csv",
    "data/scores/*",
    "requirements.txt",
]
SECONDS_PER_CELL = 120
EXAMPLE = BUILD / "html" / "example-audit.html"
EXAMPLE_OF_RUNS = BUILD / "html" / "example-robust2003.html"
EXAMPLES_FROM = [
    ROOT / "gtapps" / "audit" / "report.ipynb",
    ROOT / "gtapps" / "audit" / "report.html",
]
MATERIALS = BUILD / "html" / "sbom.cdx.json"
NOT_HERE = """\
<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>No report</title>
<h1>This report is not here</h1>
<p>It is made from the runs and the judgments of Robust 2003, and those
could not be had when this book was built. <a
href="notebooks/11-audit-your-collection.html">Chapter 11</a> says how to
make it.</p>
</html>
"""


def main():
    os.environ.setdefault("SOURCE_DATE_EPOCH", date_of_commit())
    made_from = fingerprint()
    if not STAMP.exists() or STAMP.read_text() != made_from:
        clear()
        STAMP.write_text(made_from)
    execute_side_by_side()
    if build():
        # The next build must read every page again, or it would pass
        # over the faults of those that it thinks it has read.
        shutil.rmtree(BUILD / ".doctrees", ignore_errors=True)
        sys.exit(1)
    if not newer(EXAMPLE, EXAMPLES_FROM):
        write_example_of_scores()
    if not newer(EXAMPLE_OF_RUNS, EXAMPLES_FROM):
        write_example_of_runs()
    # Sphinx copies these only when some page has changed as well.
    shutil.copytree(STATIC, BUILD / "html" / "_static", dirs_exist_ok=True)
    if not newer(MATERIALS, [ROOT / "requirements.txt"]):
        write_bill_of_materials()
    write_wheel()
    finish.main()
    status.main()
    STAMP.write_text(fingerprint())  # with the data that were fetched


def date_of_commit():
    """The date that figures and pages bear, in seconds since 1970: so two
    builds of one commit agree."""
    command = ["git", "log", "-1", "--format=%ct"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return said.stdout.strip() or str(int(time.time()))


def clear():
    """Remove what was built, but not what the tests said."""
    BUILD.mkdir(exist_ok=True)
    for old in BUILD.iterdir():
        if old != status.RESULTS:
            shutil.rmtree(old) if old.is_dir() else old.unlink()


def newer(made, sources):
    """Whether a file was made after its sources last changed."""
    changed = max(source.stat().st_mtime for source in sources)
    return made.exists() and made.stat().st_mtime > changed


def fingerprint():
    """A checksum of all that the executed pages are computed from."""
    total = hashlib.sha256()
    paths = {path for glob in SOURCES for path in ROOT.glob(glob)}
    for path in sorted(paths):
        total.update(path.relative_to(ROOT).as_posix().encode())
        total.update(path.read_bytes())
    for name, content in data_here():
        total.update(f"\n{name} ".encode())
        total.update(content)
    return total.hexdigest()


def data_here():
    """The remote data that need no network, each with what tells it from
    others: a mirror may hold anything, what is kept has been checked."""
    mirror = Path(os.environ.get("GTLIB_MIRROR", ".")).expanduser()
    for path in remote.checksums():
        where = remote.whereabouts(path)
        if where == "cached":
            yield path, b""
        elif where == "mirror":
            files = mirror / path, mirror / f"{path}.gz"
            found = next(file for file in files if file.is_file())
            yield path, hashlib.sha256(found.read_bytes()).digest()


def execute_side_by_side():
    """Fill the execution cache, one notebook to a processor.

    Sphinx then finds every output there. A notebook that fails here is
    executed again by Sphinx, which reports it.
    """
    cache = get_cache(BUILD / ".jupyter_cache")
    for notebook in status.notebooks():
        cache.add_nb_to_project(notebook)
    executor = load_executor(
        "local-parallel", cache, logging.getLogger("notebooks")
    )
    executor.run_and_cache(timeout=SECONDS_PER_CELL)


def build():
    """Run jupyter-book with warnings as errors; its exit status."""
    command = [
        *(Path(sys.executable).parent / "jupyter-book", "build", "."),
        *("--config", "_config.yml", "--toc", "book/_toc.yml"),
        *("--warningiserror", "--nitpick", "--keep-going"),
    ]
    return subprocess.run(command, cwd=ROOT).returncode


def write_example(path, **parameters):
    """What an audit gives; chapter 11 links to it.

    The notebook and the numbers stay out of the book.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / path.name
        write_report(out, parameters, {})
        shutil.copy(out, path)


def write_example_of_scores():
    """The audit of the embedded scores, as in chapter 11."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "cf.csv"
        load("cf").to_csv(table, index=False)
        write_example(
            EXAMPLE,
            title="An example: Cystic Fibrosis, AP",
            table=str(table),
            measure="AP,nDCG@10,P@10",
        )


def write_example_of_runs():
    """The audit of runs, or a page that says that there is none."""
    try:
        runs = [str(path) for path in load("robust2003-runs")]
        qrels = str(load("robust2003-qrels"))
    except DatasetUnavailable:
        EXAMPLE_OF_RUNS.write_text(NOT_HERE)
        return
    title = "An example: Robust 2003, runs and judgments"
    write_example(EXAMPLE_OF_RUNS, title=title, runs=runs, qrels=qrels)


def write_wheel():
    """What installs gtlib as this edition has it, beside the pages."""
    for old in (BUILD / "html").glob("*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    command += ["-d", BUILD / "html"]
    subprocess.run(command, cwd=ROOT, check=True)


def write_bill_of_materials():
    """Every package that the build was made with, for those who check."""
    command = [
        *(Path(sys.executable).parent / "cyclonedx-py", "environment"),
        *(
            "--pyproject",
            ROOT / "pyproject.toml",
            "--output-reproducible",
            "--no-validate",
        ),
        *("--output-file", MATERIALS),
        sys.executable,
    ]
    subprocess.run(command, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
