"""The files that people hand over, found and read."""

import gzip
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

Paths: TypeAlias = str | Path | Iterable[str | Path]

# No file holds more; a small one may well expand to more, endlessly.
MOST_BYTES = 2**29

# How files begin that hold text, but are none.
_PACKED = {
    b"%PDF": "a PDF: a table must be text, as CSV is",
    b"PK": "a zip file, or of LibreOffice: unpack it, or save it as .xlsx "
    "or CSV",
    b"\xd0\xcf\x11\xe0": "an Excel file of before 2007: save it as .xlsx "
    "or CSV",
}


def list_files(paths: Paths) -> list[Path]:
    """List one file or several; a folder stands for all files in it."""
    path_list = [paths] if isinstance(paths, str | Path) else paths
    files = [
        file for path in map(Path, path_list) for file in _list_at(path)
    ]
    if not files:
        raise ValueError("No file was given.")
    return files


def _list_at(path: Path) -> list[Path]:
    try:
        if path.is_file():
            return [path]
        if not path.exists():
            raise ValueError(f"There is no file {path}.")
        if not path.is_dir():
            raise ValueError(
                f"{path} is neither a file nor a folder of files."
            )
        inside = [f for f in sorted(path.iterdir()) if f.is_file()]
        below = next(
            (f for f in path.rglob("?*/[!.]*") if f.is_file()), None
        )
    except OSError as error:
        raise file_error("read", path, error) from error
    visible = [file for file in inside if not file.name.startswith(".")]
    if not visible:
        hint = "."
        if below is not None:
            hint = f" itself. Name those below it, as {below} is."
        raise ValueError(f"There are no files in the folder {path}{hint}")
    return visible


def file_error(do: str, path: object, error: OSError) -> ValueError:
    """Return the error where the system cannot read or write a file."""
    why = error.strerror or str(error)
    return ValueError(f"{path} cannot be {do}: {why}.")


def read_text(path: str | Path) -> str:
    """Read the text of a file, its lines ended by line feeds."""
    return read_as_written(path).replace("\r\n", "\n").replace("\r", "\n")


def read_as_written(path: str | Path) -> str:
    """Read the text of a file, plain or gzip-compressed, in UTF-8, or in
    UTF-16 with its mark, as Excel writes Unicode text."""
    content = bytearray()
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            source = gzip.GzipFile(fileobj=file) if packed else file
            while part := source.read(2**20):
                content += part
                if len(content) > MOST_BYTES:
                    raise ValueError(
                        f"{path} has more than {MOST_BYTES >> 20} MiB of "
                        "text, more than is read from one file: split it."
                    )
        marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = content.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as error:
        for mark, kind in _PACKED.items():
            if content.startswith(mark):
                raise ValueError(f"{path} is {kind}.") from error
        raise ValueError(
            f"{path} is not text in UTF-8: save it in that (in Excel, as "
            "CSV UTF-8)."
        ) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"{path} is not text, and not a whole gzip file ({error}): "
            "copy or download it again."
        ) from error
    except FileNotFoundError:
        raise
    except OSError as error:
        raise file_error("read", path, error) from error
    if "\0" in text:
        raise ValueError(f"{path} is not text.")
    if not text.strip():
        raise ValueError(f"{path} is empty: it has no lines.")
    return text


def claim_system(
    owner: dict[str, object], system: str, source: object
) -> None:
    """Record which source a system is from; refuse one that another source
    has."""
    if system in owner:
        raise ValueError(
            f"The system or run tag {system} is in both {owner[system]} "
            f"and {source}: each needs a name of its own."
        )
    owner[system] = source
