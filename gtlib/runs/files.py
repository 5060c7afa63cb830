"""The files that people hand over, and those that they get."""

import gzip
import io
import os
import shutil
import signal
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

Paths: TypeAlias = str | Path | Iterable[str | Path]

MOST_BYTES = 2**29
"""No file holds more; a small one may well expand to more, endlessly."""


def files_in(paths: Paths) -> list[Path]:
    """One file or several; a folder stands for all files in it."""
    named = [paths] if isinstance(paths, str | Path) else paths
    files: list[Path] = []
    for path in map(Path, named):
        try:
            if not path.exists():
                raise ValueError(f"There is no file {path}.")
            if path.is_dir():
                inside = [f for f in sorted(path.iterdir()) if f.is_file()]
                inside = [f for f in inside if not f.name.startswith(".")]
            else:
                inside = [path] if path.is_file() else []
        except OSError as error:
            raise cannot("read", path, error) from error
        if not inside:
            raise ValueError(
                f"There are no files in the folder {path}."
                if path.is_dir()
                else f"{path} is neither a file nor a folder of files."
            )
        files += inside
    if not files:
        raise ValueError("No file was given.")
    return files


def cannot(do: str, path: object, error: OSError) -> ValueError:
    """What to raise where the system refuses to read or write a file."""
    why = error.strerror or str(error)
    return ValueError(f"{path} cannot be {do}: {why}.")


def read_text(path: str | Path) -> str:
    """The text of a file, its lines ended by line feeds."""
    return line_feeds(read_as_written(path))


def line_feeds(text: str) -> str:
    """A text with each end of a line as a line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_as_written(path: str | Path) -> str:
    """The text of a file, plain or gzip-compressed."""
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            source = gzip.GzipFile(fileobj=file) if packed else file
            content = bytearray()
            while len(content) <= MOST_BYTES and (
                part := source.read(2**20)
            ):
                content += part
        if len(content) > MOST_BYTES:
            raise ValueError(
                f"{path} has more than {MOST_BYTES >> 20} MiB of text, "
                "more than is read from one file: split it."
            )
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not text in UTF-8.") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"{path} is not text, and not a whole gzip file ({error}): "
            "copy or download it again."
        ) from error
    except FileNotFoundError:
        raise
    except OSError as error:
        raise cannot("read", path, error) from error
    if "\0" in text:
        raise ValueError(f"{path} is not text.")
    if not text.strip():
        raise ValueError(f"{path} is empty: it has no lines.")
    return text


def as_table(path: str | Path, text: str, **options: Any) -> pd.DataFrame:
    """The text of a CSV file as pandas reads it with these options."""
    try:
        return pd.read_csv(io.StringIO(text), **options)
    except pd.errors.ParserError as error:
        why = str(error).strip()
        raise ValueError(f"{path} is not a table: {why}.") from error


def claim(owner: dict[str, object], system: str, source: object) -> None:
    """Note whose a system is, or refuse it as another's already."""
    if system in owner:
        raise ValueError(
            f"The system or run tag {system} is in both {owner[system]} "
            f"and {source}: each needs a name of its own."
        )
    owner[system] = source


@contextmanager
def temporary_folder(**options: Any) -> Iterator[Path]:
    """A folder that is gone afterwards, whatever signal comes when."""
    with signals_later():
        folder = tempfile.TemporaryDirectory(**options)
    try:
        yield Path(folder.name)
    finally:
        with signals_later():
            folder.cleanup()


def signals_heeded() -> list[int]:
    """The signals that end this process, and not those it ignores."""
    if threading.current_thread() is not threading.main_thread():
        return []  # Python delivers none here
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    known = [getattr(signal, name) for name in names if name in dir(signal)]
    unheard = None, signal.SIG_IGN
    return [n for n in known if signal.getsignal(n) not in unheard]


@contextmanager
def signals_later():
    """Keep what would end the process until the block is through."""
    came: list[int] = []
    handlers = {
        number: signal.signal(number, lambda n, _: came.append(n))
        for number in signals_heeded()
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for arrived in came[:1]:
            signal.raise_signal(arrived)


def write_synced(path: Path, content: bytes) -> None:
    """Write a new file that is on the disk when this returns."""
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_together(
    contents: Mapping[Path, bytes],
    placed: Callable[[], object] = lambda: None,
) -> None:
    """Put files into one folder: all of them, or as before none.

    They are written whole in a folder beside their places, and moved
    there under a lock, so that of two writers at once one has the last
    word on all files. Signals wait while they are moved; `placed` is
    called before one is heeded again.

    Raises
    ------
    OSError
        If that fails; whatever was there stays.
    """
    from filelock import FileLock

    first = next(iter(contents))
    lock = first.with_name(f".{first.stem[:99]}.lock")
    with temporary_folder(prefix=".gtlib-", dir=first.parent) as folder:
        new, old = folder / "new", folder / "old"
        new.mkdir()
        old.mkdir()
        for path, content in contents.items():
            write_synced(new / path.name, content)
        with FileLock(lock):
            try:
                for path in filter(Path.exists, contents):
                    shutil.copy2(path, old)
                with signals_later():
                    try:
                        for path in contents:
                            os.replace(new / path.name, path)
                    except BaseException:
                        for path in contents:
                            if (new / path.name).exists():
                                continue
                            if (old / path.name).exists():
                                os.replace(old / path.name, path)
                            else:
                                path.unlink()
                        raise
                    placed()
            finally:
                with suppress(OSError):  # Windows removes none in use
                    lock.unlink()
