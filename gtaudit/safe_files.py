"""Files that are written whole, whatever signal comes when."""

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

# The folders that files are written in first, and the lock in each.
FOLDER, IN_USE = ".gtlib-", "in use"


@contextmanager
def temporary_folder(**options: Any) -> Iterator[Path]:
    """Return a folder that is gone afterwards, whatever signal comes
    when."""
    with delay_signals():
        folder = tempfile.TemporaryDirectory(**options)
    try:
        yield Path(folder.name)
    finally:
        with delay_signals():
            folder.cleanup()


def ending_signals() -> list[int]:
    """List the signals that end this process, and not those that it
    ignores."""
    if threading.current_thread() is not threading.main_thread():
        return []  # Python delivers none here
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    known = [getattr(signal, name) for name in names if name in dir(signal)]
    ignored = None, signal.SIG_IGN
    return [n for n in known if signal.getsignal(n) not in ignored]


@contextmanager
def delay_signals():
    """Hold back signals that would end the process until the block is
    through."""
    arrived: list[int] = []
    handlers = {
        number: signal.signal(number, lambda n, _: arrived.append(n))
        for number in ending_signals()
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if arrived:
            signal.raise_signal(arrived[0])


@contextmanager
def lock_file(path: Path, ending: str) -> Iterator[None]:
    """Hold a lock on a path while the block runs. The lock is a file of
    its own: on Windows a locked file cannot be read by anybody else."""
    from filelock import FileLock  # of the extra `audit`

    lock = path.with_name(f".{path.name[:99]}.{ending}")
    with FileLock(lock, mode=0o666).acquire(poll_interval=0.005):
        try:
            yield
        finally:
            with suppress(OSError):  # Windows removes none in use
                lock.unlink()


@contextmanager
def _folder_beside(path):
    """A temporary folder in that of a path, with a lock in it that shows
    that its process runs. Folders of processes that were killed go."""
    from filelock import FileLock, Timeout

    with ExitStack() as stack:
        with lock_file(path.with_name("gtlib"), "folders"):
            for old in path.parent.glob(f"{FOLDER}????????"):
                with suppress(Timeout, OSError):
                    ours = {*os.listdir(old)} <= {"new", "old", IN_USE}
                    if ours and not old.is_symlink():
                        with FileLock(old / IN_USE, timeout=0):
                            pass
                        shutil.rmtree(old)
            folder = stack.enter_context(
                temporary_folder(prefix=FOLDER, dir=path.parent)
            )
            in_use = FileLock(folder / IN_USE)
            in_use.acquire()
        try:
            yield folder
        finally:  # none may look for left folders while this one goes
            with lock_file(path.with_name("gtlib"), "folders"):
                in_use.release()
                stack.close()


def write_together(
    contents: Mapping[Path, bytes],
    placed: Callable[[], object] = lambda: None,
) -> None:
    """Put files into their folders: all of them, or none.

    They are written whole in folders beside their places, and moved
    there under a lock, so that of two writers at once one has the last
    word on all files. Signals wait while they are moved; `placed` is
    called before one is heeded again.

    Raises
    ------
    OSError
        If that fails; whatever was there stays.
    """
    with ExitStack() as stack:
        inside: dict[Path, Path] = {}
        for path, content in contents.items():
            inside[path] = stack.enter_context(_folder_beside(path))
            with open(inside[path] / "new", "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())  # on the disk, before it is moved
        with lock_file(next(iter(contents)), "lock"):
            for path in filter(Path.exists, contents):
                shutil.copy2(path, inside[path] / "old")
            with delay_signals():
                try:
                    for path in contents:
                        os.replace(inside[path] / "new", path)
                except BaseException:
                    for path in contents:
                        if (inside[path] / "new").exists():
                            continue
                        if (inside[path] / "old").exists():
                            os.replace(inside[path] / "old", path)
                        else:
                            path.unlink()
                    raise
                placed()
