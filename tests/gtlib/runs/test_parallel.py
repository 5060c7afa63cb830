"""Work on all processors gives what one gives, and ends as one does."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from gtlib import runs
from gtlib.runs import map_in_parallel

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="there are no forks here"
)

ORPHANS = """
import os, sys, time
from gtlib import runs
runs._cores = lambda: 2
def work(seconds):
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(seconds)
print(*runs.map_in_parallel(work, [99, 99]))
"""


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    monkeypatch.setattr(runs, "_cores", lambda: 2)
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def test_results_come_in_order_from_others():
    started = os.getpid()
    found = [*map_in_parallel(lambda n: (n**2, os.getpid()), range(20))]
    assert [square for square, _ in found] == [n**2 for n in range(20)]
    assert started not in {process for _, process in found}


def test_one_thing_or_threads_stay_here(monkeypatch):
    here = os.getpid()
    assert [*map_in_parallel(lambda _: os.getpid(), "a")] == [here]
    assert [*map_in_parallel(lambda _: os.getpid(), "")] == []
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert [*map_in_parallel(lambda _: os.getpid(), "ab")] == [here, here]


def test_an_error_is_that_of_the_first_thing_that_has_one():
    def refuse(n):
        if n > 2:
            raise ValueError(f"{n} is too much")
        return n

    found = map_in_parallel(refuse, range(9))
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="3 is too much"):
        next(found)


def test_a_worker_that_is_killed_is_one_sentence():
    def die(_):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(RuntimeError, match="enough memory"):
        next(map_in_parallel(die, "ab"))


@pytest.mark.slow
def test_workers_end_with_who_began_them():
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE, text=True
    )
    workers = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for worker in workers:
        while _runs(worker):
            time.sleep(0.05)


def _runs(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
