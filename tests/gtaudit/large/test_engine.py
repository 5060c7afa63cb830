"""The engine: that it is there, and what it may take and leaves."""

import subprocess
import sys

import pytest

from gtlib.checks import install_command

pytest.importorskip("ibis")
duckdb = pytest.importorskip("duckdb")
large = pytest.importorskip("gtaudit.large", exc_type=ImportError)


ASKED = [
    "from gtaudit import large; large.gstudy('s.csv')",
    "from gtaudit import large",
    "audit_large.read_large(['s.csv'])",
]


@pytest.mark.slow
def test_a_missing_engine_is_named_with_its_extra():
    code = f"""
import sys
import gtlib
from gtaudit import audit_large
for missing in ("ibis", "duckdb"):
    sys.modules[missing] = None
    for asked in {ASKED}:
        try:
            exec(asked)
        except ImportError as error:
            print(error, file=sys.stderr)
    del sys.modules[missing]
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    said = "Tables that are not in memory need an engine: "
    said += f"{install_command('big')}.\n"
    assert ended.stderr == 2 * len(ASKED) * said


@pytest.mark.parametrize(
    "limit", ["-1MB", "100%", "much", "", "0.5 sheep", 400]
)
def test_a_limit_that_is_none(limit):
    with pytest.raises(ValueError) as raised:
        large.gstudy("s.csv", memory_limit=limit)
    assert str(raised.value) == (f"memory_limit={limit!r}: write '400MB'.")


@pytest.fixture
def many_groups(tmp_path, monkeypatch):
    """A file, and a folder of its own for what the engine writes."""
    path, folder = tmp_path / "s.parquet", tmp_path / "temporary"
    duckdb.sql(
        "select range % 500 as system, (range // 500) % 400 as topic, "
        "range // 200000 as assessor, random() as score from range(600000)"
    ).write_parquet(str(path))
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return path, folder


@pytest.mark.slow
def test_too_little_memory_is_said_and_nothing_is_left(many_groups):
    path, folder = many_groups
    with pytest.raises(ValueError, match="8MB is too little memory"):
        large.gstudy(path, "system x topic x assessor", memory_limit="8MB")
    assert not [*folder.iterdir()]


@pytest.mark.slow
def test_a_full_disk_is_said_and_nothing_is_left(many_groups, monkeypatch):
    """No file may grow beyond 100 kB: so a disk fills in the middle. How
    much memory is too little to begin with depends on the engine."""
    resource = pytest.importorskip("resource")
    path, folder = many_groups
    before = path.read_bytes()

    def refused(megabytes):
        try:
            limit = f"{megabytes}MB"
            large.gstudy(
                path, "system x topic x assessor", memory_limit=limit
            )
        except RuntimeError as error:
            return error
        except ValueError as error:
            assert "too little memory" in str(error)

    # Python would cut what it compiles off, and read it later.
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        refusal = next(filter(None, map(refused, range(30, 40))))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert str(refusal) == (
        f"{folder} has too little room for the engine's temporary files: "
        "make some there, or name a folder on a larger disk in the "
        "variable TMPDIR."
    )
    assert not [*folder.iterdir()]
    assert path.read_bytes() == before


def test_a_disk_that_is_full_before_the_start(tmp_path, monkeypatch):
    path = tmp_path / "s.csv"
    path.write_text("system,topic,score\n")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(RuntimeError, match="no room for temporary files"):
        large.gstudy(path)


def test_a_file_among_temporary_ones_is_no_full_disk(tmp_path):
    path = tmp_path / "temp.csv"
    path.write_text("system,topic,score\na,1,.1\na,2\n")
    with pytest.raises(ValueError, match="cannot be read"):
        large.gstudy(path)
