"""The files of a table: found in folders, unpacked, named by place."""

import json
import os
import zipfile
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from gtlib.runs import MOST_BYTES, Paths, list_files, read_as_written

# Files that tools write among others, of which no table is made.
WRITTEN = (
    *("results.json", "*_results.json", "per_instance_stats.json"),
    "samples_*.jsonl",
)
# What tools write into folders of their own.
DEEPER = (*WRITTEN, "*.eval", "*.json")
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
    below = [p for p in below if not any(x[0] == "." for x in p.parts)]
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


def parse_json(path: Path, text: str) -> Any:
    """Parse the text of a JSON file."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError(f"{path} nests too deep to be scores.") from error
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}.") from error


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
            if sum(m.file_size for m in members) > MOST_BYTES:
                raise ValueError(
                    f"{path} unpacks to more than {MOST_BYTES >> 20} MiB, "
                    "more than is read from one file: split it."
                )
            return {m.filename: archive.read(m) for m in members}
    except NotImplementedError as error:
        raise ValueError(
            f"{path} is packed with Zstandard, which Python reads from "
            "3.14 on. Convert it: inspect log convert FILE --to json "
            "--output-dir FOLDER."
        ) from error
    except ValueError:
        raise
    except Exception as error:  # each way to pack has errors of its own
        raise ValueError(f"{path} cannot be unpacked: {error}.") from error
