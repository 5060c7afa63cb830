"""Work on many things, on all processors where that is safe."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")

_work: Callable[[Any], Any]  # of this process, if it is a worker


def map_in_parallel(
    work: Callable[[Thing], Result], things: Sequence[Thing]
) -> Iterator[Result]:
    """Yield what `work` makes of each thing, in their order.

    The workers are forks: whatever `work` needs is there, only its results
    travel. Where this process has threads, or forks are not safe, it does
    the work itself.

    Raises
    ------
    RuntimeError
        If a worker was ended from outside.
    """
    cores = min(_cores(), len(things))
    if cores < 2 or threading.active_count() > 1:
        return map(work, things)
    fork = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(cores, fork, _start_worker, (work,))
    # Begins here: a fork after the caller's threads would not be safe.
    return _results(pool, pool.map(_work_on, things))


def _results(pool, results):
    try:
        yield from results
    except BrokenProcessPool as error:
        raise RuntimeError(
            "A process that read files was ended: is there enough memory?"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _cores():
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _start_worker(work):
    """Set up a worker: it leaves interrupts to its parent, and ends with
    it."""
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent():
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
    os._exit(1)


def _work_on(thing):
    return _work(thing)
