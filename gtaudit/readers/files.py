"""The files of a table: found in folders, unpacked, named by place."""

import json
import os
import re
import zipfile
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from gtlib.runs import (
    Paths,
    list_files,
    read_as_written,
    refuse_unpacked,
)

# Files that tools write among others, of which no table is made; and those
# that are hidden.
WRITTEN = (
    *("results.json", "*_results.json", "per_instance_stats.json"),
    *("samples_*.jsonl", "*_samples_*.jsonl", ".latest_test_run.json"),
)
_HIDDEN = {".deepeval", ".latest_test_run.json"}
# What tools write into folders of their own.
DEEPER = (*WRITTEN, "*.eval", "*.json")
# The most cells of a table in memory. Of a text they are bounded by its
# delimiters, before it is parsed: JSON has commas, too.
MOST_CELLS = 20_000_000
DELIMITERS = ",;\t\n"
# Half of a character that JSON writes in two parts.
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
# Names that say nothing of a system.
GENERIC = {"results", "report", "per_instance_stats", "data", "scores"}


def list_inputs(paths: Paths) -> list[Path]:
    """List the files of a table; a folder stands for what a tool wrote
    there or in the folders below, else for all files in it."""
    given = [paths] if isinstance(paths, str | Path) else paths
    files: list[Path] = []
    for path in map(Path, given):
        listed = _written_in(path) if path.is_dir() else []
        files += listed or list_files(path)
    return files or list_files([])


def _written_in(folder):
    below = [
        path.relative_to(folder)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("model_meta.json",)
    ]
    below = [
        path
        for path in below
        if not any(x[0] == "." and x not in _HIDDEN for x in path.parts)
    ]
    for names in WRITTEN, DEEPER:
        chosen = [
            folder / path
            for path in below
            if any(fnmatch(path.name.removesuffix(".gz"), n) for n in names)
            and (names is WRITTEN or path.parent != Path("."))
        ]
        if chosen:
            return chosen
    return []


def name_by_place(files: Iterable[Path]) -> list[tuple[str, str]]:
    """Name the system and the repetition of each file by its place.

    Where paths begin to differ are the systems; what follows tells the
    runs of one from each other.

    Examples
    --------
    >>> paths = ["r/a/1/results.json", "r/a/2/results.json", "r/b.json"]
    >>> name_by_place(map(Path, paths))
    [('a', '1/results'), ('a', '2/results'), ('b', '')]
    """
    paths = [Path(os.path.abspath(path)) for path in files]
    top = Path(os.path.commonpath([path.parent for path in paths]))
    if len(paths) == 1 and _stem(paths[0]) in GENERIC:
        top = paths[0].parents[1]
    names = []
    for path in paths:
        *folders, name = path.relative_to(top).parts
        system, *rest = *folders, _stem(Path(name))
        names.append((system, "/".join(rest)))
    return names


def _stem(path):
    return path.name.removesuffix(".gz").rsplit(".", 1)[0]


def refuse_many_cells(path: object, number: int) -> None:
    """Refuse more cells than are read at once."""
    if number > MOST_CELLS:
        raise ValueError(
            f"{path} has more than {MOST_CELLS:,} cells, more than are "
            "read at once: split it, or leave out what is no score."
        )


def refuse_many_fields(path: object, text: str, delimiters: str) -> None:
    """Refuse a text that has more fields than are read at once."""
    refuse_many_cells(path, max(map(text.count, delimiters)))


def parse_json(path: object, text: str) -> Any:
    """Parse the text of a JSON file, or of a line of one.

    Raises
    ------
    ValueError
        If it is none, or Python would take it for less than it says.
    """
    try:
        document = json.loads(text, object_pairs_hook=_once)
        if _HALF.search(text):
            json.dumps(document, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError(f"{path} nests too deep to be scores.") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is no JSON: {error}.") from error
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{path} has half of a character, "
            f"\\u{ord(error.object[error.start]):04x}: write the whole one."
        ) from error
    except KeyError as error:
        raise ValueError(
            f"{path} has the key {error} twice in one object: which of the "
            "two holds is not known. Leave one."
        ) from error
    except ValueError as error:  # of `int`
        raise ValueError(
            f"{path} has a number of thousands of digits, as no score has."
        ) from error
    return document


def _once(pairs):
    """Make an object of pairs, with each key once."""
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise KeyError(next(k for k in keys if keys.count(k) > 1))
    return made


def read_beside(path: Path, name: str) -> dict:
    """Read what a tool wrote beside a file; nothing, if it is not there."""
    beside = path.with_name(name)
    if not beside.is_file():
        return {}
    content = parse_json(beside, read_as_written(beside))
    return content if isinstance(content, dict) else {}


def read_members(path: Path, *names: str) -> dict[str, bytes]:
    """Read the members of a zip file whose names match, all of limited
    size.

    Raises
    ------
    ValueError
        If it is no zip file, holds too much, or is packed in a way that
        this Python does not know.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [
                member
                for member in archive.infolist()
                if any(fnmatch(member.filename, name) for name in names)
            ]
            size = sum(m.file_size for m in members)
            refuse_unpacked(path, size, path.stat().st_size)
            return {m.filename: archive.read(m) for m in members}
    except NotImplementedError as error:
        raise ValueError(
            f"{path} is packed in a way that this Python does not read "
            f"({error}); Zstandard is read from 3.14 on. Convert it: "
            "inspect log convert FILE --to json --output-dir FOLDER."
        ) from error
    except ValueError:
        raise
    except Exception as error:  # each way to pack has errors of its own
        raise ValueError(f"{path} cannot be unpacked: {error}.") from error
