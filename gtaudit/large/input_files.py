"""Reading Parquet and CSV files by an engine.

Left alone, it guesses: from the first lines what quotes and comments are,
from the first file what types the columns of the others have, and from the
names of folders further columns.
"""

import csv
import gzip
from collections import Counter
from glob import escape, glob
from pathlib import Path
from typing import Any

from pyarrow import parquet

from gtlib.runs import file_error

_PARQUET = ".parquet", ".pq"
_TEXT = ".csv", ".tsv", ".csv.gz", ".tsv.gz"

# Types of scores that are one table's, if the first is among them.
_WIDENED = {"float64", "float32", "int64", "int32", "int16", "int8"}

# Characters of a header; and columns, of which some have a row's names.
_LONGEST, _MOST_COLUMNS = 1_000_000, 1000


def read_files(
    database: Any, path: str, wanted: tuple[str, ...]
) -> tuple[Any, bool]:
    """Return an Ibis table of one file or of several, and whether it is
    text.

    Parameters
    ----------
    database : Ibis connection to DuckDB
    path : str
        A file or a glob.
    wanted : tuple of str
        The columns that files must have alike, that of the scores last.

    Raises
    ------
    ValueError
        If there is no such file, or if files of one table are not alike.
    """
    if "://" in path:
        raise ValueError(
            f"{path} is an address: download it, or give an Ibis table."
        )
    try:
        files = [path] if Path(path).is_file() else sorted(glob(path))
        files = [file for file in files if Path(file).is_file()]
    except OSError as error:
        raise file_error("read", path, error) from error
    if not files:
        raise ValueError(
            f"There is no file {path}. Name a Parquet or CSV file, or "
            "several as 'folder/*.parquet'."
        )
    # The names of files are no patterns, whatever they look like.
    paths = [escape(str(Path(file).absolute())) for file in files]
    if files[0].lower().endswith(_PARQUET):
        types = {
            file: _types(database, file, path)
            for file, path in zip(files, paths, strict=True)
        }
        widened = _widened(types, wanted)
        options = {"union_by_name": widened, "hive_partitioning": False}
        return database.read_parquet(paths, **options), False
    if files[0].lower().endswith(_TEXT):
        return database.read_csv(paths, **_dialect(files)), True
    raise ValueError(
        f"{files[0]} is no table for the engine: it reads "
        f"{', '.join((*_PARQUET, *_TEXT))}."
    )


def _types(database, file, path):
    """The types of a Parquet file's columns, by their names."""
    if not Path(file).stat().st_size:
        _refuse_names(file, [])
    seen = database.read_parquet(path, hive_partitioning=False).schema()
    _refuse_names(file, parquet.read_schema(Path(file).absolute()).names)
    return {name: str(kind) for name, kind in seen.items()}


def _widened(types, wanted):
    """Whether scores are of several types, of which one holds all.

    Other differences are refused: DuckDB would take the types of the first
    file, and round what the others have.
    """
    for name in wanted:
        file_of: dict[str, str] = {}
        for file, kinds in types.items():
            file_of.setdefault(kinds.get(name, "missing"), file)
        if len(file_of) == 1:
            continue
        if (
            name == wanted[-1]
            and "float64" in file_of
            and {*file_of} <= _WIDENED
        ):
            return True
        kinds_of_files = [
            f"{kind} in {file}" for kind, file in file_of.items()
        ]
        raise ValueError(
            f"The column {name} is {' and '.join(kinds_of_files[:2])}: the "
            "files of a table have the same columns, of the same types."
        )
    return False


def _dialect(files):
    """How DuckDB is to read CSV files."""
    headers = [_header(file) for file in files]
    for file, header in zip(files, headers, strict=True):
        if header != headers[0]:
            raise ValueError(
                f"{files[0]} and {file} have other headers: make them one."
            )
    delimiter, names = headers[0]
    return {
        "delim": delimiter,
        "columns": dict.fromkeys(names, "VARCHAR"),
        "header": True,
        "quote": '"',
        "escape": '"',
        "auto_detect": False,
        "hive_partitioning": False,
    }


def _header(file):
    """The delimiter and the columns of a CSV file."""
    opened = gzip.open if file.lower().endswith(".gz") else open
    try:
        with opened(file, "rt", encoding="utf-8-sig", newline="") as text:
            first = text.readline(_LONGEST)
    except (OSError, EOFError) as error:
        raise file_error("read", file, OSError(str(error))) from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is not text in UTF-8.") from error
    delimiter = max("\t;,", key=first.count)
    names = next(csv.reader([first.strip("\r\n")], delimiter=delimiter))
    if len(names) > _MOST_COLUMNS:
        raise ValueError(
            f"{file} has {len(names):,} columns: so large a table has a "
            "row for each score. Write it so, with the columns system, "
            "topic and score."
        )
    _refuse_names(file, names)
    return delimiter, names


def _refuse_names(file, names):
    """Refuse names that DuckDB would change without a word, and a file
    without columns."""
    if not names:
        raise ValueError(f"{file} has no columns: its first line is empty.")
    if not all(name.strip() for name in names):
        raise ValueError(f"{file} has a column without a name.")
    twin, times = Counter(map(str.lower, names)).most_common(1)[0]
    if times > 1:
        twins = sorted(name for name in names if name.lower() == twin)
        raise ValueError(
            f"{file} has {' and '.join(twins)} as columns: to the engine "
            "they are one. Rename or drop one."
        )
