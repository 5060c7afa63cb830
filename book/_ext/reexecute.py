"""When a build starts from nothing, and in which order it works.

Sphinx looks at the pages alone. What the pages are computed from - gtlib,
the data, the pinned versions, and which of the remote data are here - is
compared here, and the old pages dropped when it differs. A build that
failed or was killed is not believed by the next one.
"""

import gc
import hashlib
import os
import random
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

from gtlib import data as remote

ROOT = Path(__file__).resolve().parents[2]
STAMP = "made-from.txt"
UNFINISHED = "unfinished"
MADE = ".doctrees", "html", "jupyter_execute", "notebooks"
SOURCES = [
    "gtlib/**/*.py",
    "gtlib/**/*.pyi",
    "gtaudit/**/*.py",
    "gtaudit/**/*.pyi",
    "book/support/**/*.py",
    "book/_ext/passed_over.py",
    "gtaudit/report.*",
    "data/checksums.sha256",
    "data/collections.csv",
    "data/registry.csv",
    "data/published/*",
    "data/ledger.csv",
    "data/items.csv",
    "data/scores/*",
    "requirements.txt",
]
KEPT = ["data/outputs/*.json"]  # shown where data are missing
FIRST, LAST = 0, 1000


def setup(app):
    # Trees of pages are large, and little of them is ever garbage.
    gc.set_threshold(100_000, 50, 100)
    # The date that figures and pages bear: two builds of a commit agree.
    date = git("log", "-1", "--format=%ct") or str(int(time.time()))
    os.environ.setdefault("SOURCE_DATE_EPOCH", date)
    app.parallel = os.cpu_count()
    app.connect("config-inited", begin, FIRST)
    app.connect("env-before-read-docs", side_by_side)
    app.connect("env-before-read-docs", all_or_none)
    app.connect("build-finished", end, LAST)


def git(*command):
    """What git says; nothing where there is no git, or no repository."""
    try:
        said = subprocess.run(
            ["git", *command], cwd=ROOT, capture_output=True, text=True
        )
    except OSError:
        return ""
    return said.stdout.strip()


def begin(app, config):
    """Drop what was made from something else, or was not finished."""
    folder = Path(app.outdir).parent
    stamp, unfinished = folder / STAMP, folder / UNFINISHED
    made_from = fingerprint()
    if not stamp.exists() or stamp.read_text() != made_from:
        for name in MADE:
            shutil.rmtree(folder / name, ignore_errors=True)
        app.outdir.mkdir(exist_ok=True)
        stamp.write_text(made_from)
    elif unfinished.exists():
        shutil.rmtree(app.doctreedir, ignore_errors=True)
    unfinished.touch()


def side_by_side(app, env, docnames):
    """Mix the list, whose parts processors share: notebooks take long.

    Two extensions do nothing while pages are read, but do not say so.
    """
    for name in "sphinx_jupyterbook_latex", "sphinx_multitoc_numbering":
        app.extensions[name].parallel_read_safe = True
    random.Random(0).shuffle(docnames)


def all_or_none(app, env, docnames):
    """If one page has changed, write all: of a page that it does not write
    Sphinx loses the entries in the search, and the place on the map."""
    if docnames:
        app.connect("env-updated", lambda app, env: env.found_docs)


def end(app, exception):
    gc.freeze()  # the process ends: what it holds need not be taken apart
    if exception or app._warncount:
        return
    folder = Path(app.outdir).parent
    (folder / STAMP).write_text(fingerprint())  # with what was fetched
    (folder / UNFINISHED).unlink()


def fingerprint():
    """A checksum of all that the pages are made from."""
    parts = [sources_checksum(), checksum(KEPT), *data_here()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@cache
def sources_checksum():
    """A checksum of all that cells compute from, but for remote data."""
    return f"{sys.version} {checksum(SOURCES)}"


def checksum(globs):
    """A checksum of files, their names and their content."""
    total = hashlib.sha256()
    paths = {path for glob in globs for path in ROOT.glob(glob)}
    for path in sorted(paths):
        total.update(path.relative_to(ROOT).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def data_here():
    """Which remote data need no network, and whether one may be asked."""
    paths = [
        path
        for path in sorted(remote.checksums())
        if remote.file_location(path) != "remote"
    ]
    return [*paths, remote.offline_by_choice()]
