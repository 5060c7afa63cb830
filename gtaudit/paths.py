"""Where an audit reads and writes, looked at before anything is loaded."""

import json
import os
import re
from collections.abc import Iterable
from glob import glob
from pathlib import Path

# Paths may follow each of these options, and one each of those below.
SEVERAL = ("table", "runs", "qrels", "judges", "sites", "pools")

# Said in place of a file: what is piped in, and sites by their names.
STDIN, BY_NAME = "-", "by-name"

ENDINGS = (".html", ".ipynb", ".json")
MARK = '<meta name="generator" content="gtlib audit '
_MARKS = rf'\n{MARK}([^"]*)">(?:\n<meta name="run" content="(\w+)">)?'


def refuse_missing(options: dict) -> None:
    """Refuse what is not there, among the files that options name.

    Raises
    ------
    ValueError
        If a file has no name, or does not exist.
    """
    for path in given_paths(options):
        if not path:
            raise ValueError("A file was given that has no name.")
        if glob(path):
            continue  # an engine reads a pattern
        try:
            os.stat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            raise ValueError(f"There is no file {path}.") from None
        except OSError as error:
            raise _error("read", path, error) from error


def _error(do, path, error):
    why = error.strerror or str(error)
    return ValueError(f"{path} cannot be {do}: {why}.")


def given_paths(options: dict) -> list[str]:
    """List the files that options name."""
    named = [p for name in SEVERAL for p in options.get(name) or []]
    return [*filter(is_path, named)]


def is_path(given: str) -> bool:
    """Tell whether a word is a path, among words that may also be said:
    what is piped in, sites by their names, a depth."""
    return given not in (STDIN, BY_NAME) and not given.isdecimal()


def spread(paths: Iterable[str]) -> list[str]:
    """Put the files in place of a pattern that names some, as shells do."""
    found = [
        [p] if os.path.exists(p) else sorted(glob(p)) or [p] for p in paths
    ]
    return [path for those in found for path in those]


def report_paths(out: Path, inputs: Iterable = ()) -> list[Path]:
    """Check the paths of a report, ``.html``, ``.ipynb`` and ``.json``,
    and list them.

    Parameters
    ----------
    out : Path
        The report, with or without one of the three endings; or a folder,
        which receives ``audit.html`` and the others.
    inputs : paths
        What must not be overwritten.

    Returns
    -------
    list of Path

    Raises
    ------
    ValueError
        If there is no folder for them, or at one of the places something
        is that no audit wrote.
    """
    if os.path.isdir(out):
        out = out / "audit"
    if out.suffix.lower() in ENDINGS:
        out = out.with_suffix("")
    finals = [out.with_name(out.name + ending) for ending in ENDINGS]
    folder = out.parent
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder} to write into.")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"The folder {folder} cannot be written to.")
    taken = {os.path.realpath(path) for path in inputs if path}
    for final in finals:
        if os.path.realpath(final) in taken:
            raise ValueError(f"{final} is an input: name another --out.")
        try:
            os.lstat(final)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _error("written", final, error) from error
        if not is_audit_file(final):
            raise ValueError(
                f"{final} is there already, and no audit wrote it; remove "
                "it or choose another --out."
            )
    return finals


def is_audit_file(path: Path) -> bool:
    """Return whether an audit wrote a file: its mark is there, at the
    place where an audit writes it."""
    return _marks(path) is not None


def run_of(path: Path) -> str | None:
    """Return which run wrote a file, as all files of one run say; None of
    a file that is not there."""
    marks = _marks(path)
    return None if marks is None else marks[1]


def _marks(path):
    """Return who wrote a file, and which run; None of other files."""
    try:
        if path.is_symlink() or not path.is_file():
            return None  # a pipe would keep its reader waiting
        text = path.read_text("utf-8")
        if path.suffix == ".html":
            found = re.search(_MARKS, f"\n{text[:500]}")
            return found and (found[1], found[2] or "")
        content = json.loads(text)
        content = content.get("metadata", content)
        who = content["generator"]
        return (
            (who, content.get("run", "")) if "gtlib audit" in who else None
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
