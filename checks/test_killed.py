"""Nothing is left of a study that is killed, at whatever moment."""

import os
import signal
import subprocess
import sys
import time

import pytest

duckdb = pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "s.parquet"
    duckdb.sql(
        "select range % 1500 as system, range // 1500 as topic, "
        "random() as score from range(1500000)"
    ).write_parquet(str(path))
    return path


@pytest.mark.parametrize("number", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_nothing_is_left_of_what_is_killed(large, tmp_path, number):
    """The folder is removed a moment after the process is gone."""
    code = f"""
import signal
from gtaudit.large import gstudy
# In a shell's background, an interrupt is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
print(1, flush=True)
while True:
    gstudy({str(large)!r})
"""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    process.stdout.readline()
    while not [*tmp_path.iterdir()]:
        assert process.poll() is None, "the study ended by itself"
        time.sleep(0.01)
    process.send_signal(getattr(signal, number))
    process.wait()
    process.stdout.close()
    for _ in range(2000):
        if not [*tmp_path.iterdir()]:
            return
        time.sleep(0.01)
    assert not [*tmp_path.iterdir()]


def test_nothing_is_left_of_what_is_killed_at_the_start(large, tmp_path):
    """Before there is anyone to remove a folder, there is none."""
    code = f"""
import os, sys
from gtaudit.large import gstudy

def kill(event, given):
    if event == "subprocess.Popen":
        os.kill(os.getpid(), 9)

sys.addaudithook(kill)
gstudy({str(large)!r})
"""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", code], env=environment)
    assert ended.returncode == -signal.SIGKILL
    assert not [*tmp_path.iterdir()]
