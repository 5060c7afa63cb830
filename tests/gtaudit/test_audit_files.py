"""What an audit reads while others write, and where it writes to."""

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from gtaudit import run
from gtaudit.command import main
from gtaudit.safe_files import write_together
from gtaudit.sites import read_sites

SYSTEMS = [f"run{i}" for i in range(6)]
SCORES = pd.DataFrame(
    np.random.default_rng(0).random((6, 8)),
    SYSTEMS,
    [f"q{i}" for i in range(8)],
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SCORES.to_csv("scores.csv", index_label="system")
    site = pd.Series([*"AABBCC"], SYSTEMS, name="site")
    site.to_csv("sites.csv", index_label="system")
    return tmp_path


def refused(capsys, *arguments):
    """What is said of an input that cannot be right; nothing is written."""
    before = sorted(os.listdir())
    assert main(["audit", *arguments]) == 2
    *_, said, end = capsys.readouterr().err.split("\n")
    assert said.startswith("gtlib audit: ") and not end
    assert sorted(os.listdir()) == before
    return said


# What is written


def test_of_two_folders_both_are_written_to_or_neither(
    tmp_path, monkeypatch
):
    (tmp_path / "other").mkdir()
    paths = [tmp_path / "a.json", tmp_path / "other" / "a.csv"]
    replace = os.replace

    def full(here, there):
        if str(there).endswith("csv"):
            raise OSError(28, "No space left on device")
        replace(here, there)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="space"):
        write_together(dict.fromkeys(paths, b"new"))
    assert not any(map(os.path.exists, paths))
    monkeypatch.undo()
    write_together(dict.fromkeys(paths, b"new"))
    assert all(path.read_bytes() == b"new" for path in paths)
    assert sorted(os.listdir(tmp_path)) == ["a.json", "other"]


# Files that change


@pytest.mark.slow
@pytest.mark.usefixtures("short_report")
def test_the_checksum_is_that_of_what_was_read(folder):
    assert main(["audit", "scores.csv"]) == 0
    numbers = json.loads((folder / "audit.json").read_text("utf-8"))
    held = (folder / "scores.csv").read_bytes()
    assert numbers["files"] == [
        {"name": "scores.csv", "sha256": hashlib.sha256(held).hexdigest()}
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("short_report")
@pytest.mark.parametrize("changed", ["sites.csv", "scores.csv"])
@pytest.mark.parametrize("when", ["collect", "write_report"])
def test_a_file_that_changes_meanwhile_is_noticed(
    folder, capsys, monkeypatch, when, changed
):
    """While it is read, or while the report is made."""
    step = getattr(run, when)

    def and_a_change(*arguments, **options):
        if when == "collect":
            found = step(*arguments, **options)
        with open(changed, "a") as file:
            file.write("\n")
        return found if when == "collect" else step(*arguments, **options)

    monkeypatch.setattr(run, when, and_a_change)
    said = refused(capsys, "scores.csv", "--sites", "sites.csv")
    assert f"{changed} changed while it was read" in said


def test_a_file_that_comes_meanwhile_is_noticed(
    folder, capsys, monkeypatch
):
    (folder / "in").mkdir()
    long = SCORES.rename_axis("system").reset_index()
    long = long.melt("system", var_name="topic", value_name="score")
    long.to_csv("in/a.csv", index=False)
    collect = run.collect

    def and_another(*arguments, **options):
        found = collect(*arguments, **options)
        (folder / "in" / "b.csv").write_text("late")
        return found

    monkeypatch.setattr(run, "collect", and_another)
    said = refused(capsys, "in")
    assert "b.csv changed while it was read" in said


# One sentence each


NOT_INSTALLED = [
    ("pyarrow", False, "audit", "A Parquet file needs pyarrow"),
    ("duckdb", True, "big", "need an engine: "),
    ("ibis", True, "big", "need an engine: "),
    ("pyarrow", True, "big", "MiB needs pyarrow"),
    ("ibis.backends.duckdb", True, "big", "needs ibis.backends.duckdb"),
]
WITHOUT = """
import sys
from gtaudit import audit_large, run
from gtaudit.command import main
for missing, engine, _, _ in {}:
    audit_large.LARGE = -1 if engine else 2**28
    kept = sys.modules.get(missing)
    sys.modules[missing] = None
    assert main(["audit", "a.parquet"]) == 2
    del sys.modules[missing]
    if kept:
        sys.modules[missing] = kept
"""


@pytest.mark.slow
def test_what_is_not_installed_is_named_with_its_extra(folder):
    """In a process of their own: what is loaded once stays loaded."""
    long = SCORES.rename_axis("system").reset_index()
    long = long.melt("system", var_name="topic", value_name="score")
    long.to_parquet("a.parquet")
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(NOT_INSTALLED)],
        capture_output=True,
        text=True,
    )
    lines = ended.stderr.splitlines()
    for line, row in zip(lines, NOT_INSTALLED, strict=True):
        *_, extra, said = row
        assert said in line and f'pip install ".[{extra}]"' in line


@pytest.mark.parametrize("column", ["run", "Model", "model_id", "runid"])
def test_sites_may_call_systems_what_tables_do(tmp_path, column):
    path = tmp_path / "sites.csv"
    path.write_text(f"{column},site\na,X\nb,Y\n")
    assert read_sites(path) == {"a": "X", "b": "Y"}


def test_folders_that_a_kill_left_are_gone_with_the_next_run(folder):
    """Those of a process that runs stay, and what is not ours."""
    left = [folder / f".gtlib-abcdefg{i}" for i in range(4)]
    for path in left:
        path.mkdir()
        (path / "new").write_text("half")
    (left[1] / "mine.txt").write_text("of somebody else")
    running = "from filelock import FileLock; import sys; "
    running += "lock = FileLock(sys.argv[1]); lock.acquire(); "
    running += "print(1, flush=True); sys.stdin.read()"
    lock = str(left[2] / "in use")
    with subprocess.Popen(
        [sys.executable, "-c", running, lock],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        process.stdout.readline()
        write_together({folder / "a.json": b"new"})
        assert [path.exists() for path in left] == [
            False,
            True,
            True,
            False,
        ]
        process.kill()
    write_together({folder / "a.json": b"newer"})
    assert [path.exists() for path in left] == [False, True, False, False]
    assert (folder / "a.json").read_bytes() == b"newer"


def test_a_run_that_is_killed_leaves_nothing_for_long(folder):
    """Killed while its files are in place, but not yet where they go."""
    dying = "import os, signal\nfrom pathlib import Path\n"
    dying += "from gtaudit.safe_files import write_together\n"
    dying += (
        "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    dying += "write_together({Path('a.json'): b'half'})\n"
    subprocess.run([sys.executable, "-c", dying], check=False)
    assert [*folder.glob(".gtlib-*")]
    write_together({folder / "b.json": b"whole"})
    assert not [*folder.glob(".gtlib-*")]
    assert not (folder / "a.json").exists()


# Held-out designs


@pytest.mark.parametrize(
    "held",
    ["topic,held_out\n*,A\n", "topic,held_out\nq0,A\n*,\n"],
)
def test_a_design_with_nothing_to_compare_is_refused(folder, capsys, held):
    (folder / "held.csv").write_text(held)
    given = ["scores.csv", "--sites", "sites.csv", "held.csv"]
    assert "Error" not in refused(capsys, *given)


# Judgments of other documents


def test_qrels_of_other_documents_are_told(folder, capsys):
    lines = [
        f"{t} Q0 d{(t + d * k) % 9} {d} {9 - d} run{k}\n"
        for k in range(1, 4)
        for t in range(4)
        for d in range(5)
    ]
    (folder / "runs.txt").write_text("".join(lines))
    good = "".join(
        f"{t} 0 d{d} {d % 2}\n" for t in range(4) for d in range(9)
    )
    (folder / "good.txt").write_text(good)
    (folder / "other.txt").write_text(good.replace(" d", " doc-"))
    given = ["--runs", "runs.txt", "--qrels", "good.txt", "other.txt"]
    said = refused(capsys, *given)
    assert "Every score" not in said
    assert "qrels" in said
