"""The files that people hand over: which there are, and their text."""

import gzip
import io
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

Paths: TypeAlias = str | Path | Iterable[str | Path]


def files_in(paths: Paths) -> list[Path]:
    """One file or several; a folder stands for all files in it."""
    named = [paths] if isinstance(paths, str | Path) else paths
    files: list[Path] = []
    for path in map(Path, named):
        if not path.exists():
            raise ValueError(f"There is no file {path}.")
        inside = [f for f in sorted(path.glob("[!.]*")) if f.is_file()]
        if path.is_dir() and not inside:
            raise ValueError(f"There are no files in the folder {path}.")
        files += inside if path.is_dir() else [path]
    if not files:
        raise ValueError("No file was given.")
    return files


def read_text(path: str | Path) -> str:
    """The text of a file, plain or gzip-compressed."""
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    try:
        with (gzip.open if packed else open)(
            path, "rt", encoding="utf-8-sig"
        ) as file:
            text = file.read()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not text in UTF-8.") from error
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(
            f"{path} is not text, and not a whole gzip file ({error}): "
            "copy or download it again."
        ) from error
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
