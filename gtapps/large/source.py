"""Where the rows of a large table are, and an engine that reads them.

Files, Polars frames and DuckDB relations are read by a DuckDB of our own,
inside this process; an Ibis table stays with its own engine. Names and
labels reach the engine as identifiers and data, never as parts of a text.
"""

from __future__ import annotations

import csv
import gzip
import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import escape, glob
from pathlib import Path
from typing import Any

from gtlib.runs.files import cannot
from gtlib.tables.wording import some

_PARQUET = ".parquet", ".pq"
_TEXT = ".csv", ".tsv", ".csv.gz", ".tsv.gz"

_SIZE = re.compile(r"\s*\d+(\.\d+)?\s*([KMGT]i?)?B\s*", re.IGNORECASE)

_WIDENED = {"DOUBLE", "FLOAT", "BIGINT", "INTEGER", "SMALLINT", "TINYINT"}
"""Types of scores that are one table's, if the widest is among them."""

_LONGEST = 1_000_000
"""Characters of a header."""

_DISK = "max_temp_directory_size", "space left"
"""What the engine says where temporary files find no room."""

_REMOVER = """\
import shutil, sys
sys.stdin.read()
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


@dataclass(frozen=True)
class Source:
    """A table of one row per score, wherever it is.

    Attributes
    ----------
    given : path, glob, DuckDB relation, Polars frame or Ibis table
    columns : dict of column to facet
        The facets whose columns have other names.
    score : str
        The column of the scores.
    memory_limit : str, optional
        What DuckDB may hold, such as ``"400MB"``, before it writes to a
        folder for temporary files.
    anew : dict of facet to facet
        Facets whose levels are numbered anew in each level of another:
        they get that one's name before their own.
    """

    given: Any
    columns: Mapping[str, str] = field(default_factory=dict)
    score: str = "score"
    memory_limit: str | None = None
    anew: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def open(self, facets: tuple[str, ...]) -> Iterator[Any]:
        """An Ibis table with the columns ``f0``, ``f1``, ... for the
        facets, ``score`` (a float, or nothing), ``given``, the score as it
        stands there, and the other columns, ``given.NAME``. The engine is
        there until the block ends.

        Raises
        ------
        ValueError
            If a file or a column is missing, or a file cannot be read.
        RuntimeError
            If the engine has not enough memory or disk to finish.
        """
        wanted = self._wanted(facets)
        with self._opened(wanted) as (ibis, table, text):
            yield self._named(ibis, table, facets, wanted, text)

    def names(self) -> list[str]:
        """The table's columns."""
        with self._opened() as (_, table, _):
            return [*table.columns]

    @contextmanager
    def _opened(self, wanted=()):
        ibis = _ibis()
        if type(self.given).__module__.startswith("ibis"):
            if self.memory_limit is not None:
                raise ValueError(
                    "memory_limit is for the engine that reads files; an "
                    "Ibis table's own connection has its own."
                )
            yield ibis, self.given, False
            return
        import duckdb

        with _scratch() as folder:
            try:
                engine = self._engine(ibis, folder)
                try:
                    table, text = self._read(engine, folder, wanted)
                    yield ibis, table, text
                finally:
                    engine.disconnect()
            except (duckdb.Error, MemoryError) as error:
                raise self._failure(error, folder) from error

    def _failure(self, error, folder):
        """What to raise for an error of the engine's."""
        said = str(error)
        if any(word in said for word in (folder, *_DISK)):
            return RuntimeError(
                f"{Path(folder).parent} has too little room for the "
                "engine's temporary files: make some there, or name a "
                "folder on a larger disk in the variable TMPDIR."
            )
        if isinstance(error, MemoryError) or "Out of Memory" in said:
            limit = self.memory_limit or "Most of this computer's memory"
            return RuntimeError(
                f"{limit} is too little memory for the engine's tables of "
                "groups: allow it more, for instance '4GB', or study a "
                "sample of the topics."
            )
        return ValueError(f"{self} cannot be read: {_first_line(error)}")

    def __str__(self) -> str:
        if isinstance(self.given, str | Path):
            return str(self.given)
        return f"The {type(self.given).__name__}"

    def _engine(self, ibis, folder):
        limit = self.memory_limit
        if limit is not None and not _SIZE.fullmatch(str(limit)):
            raise ValueError(
                f"memory_limit={limit!r}: write for instance '400MB'."
            )
        options = {} if limit is None else {"memory_limit": limit}
        try:
            return ibis.duckdb.connect(
                temp_directory=folder,
                preserve_insertion_order=False,
                **options,
            )
        except Exception as error:  # DuckDB's own kinds, as it likes
            raise ValueError(
                f"memory_limit={limit!r}: DuckDB takes for instance "
                f"'400MB'. {_first_line(error)}"
            ) from None

    def _read(self, engine, folder, wanted):
        """The table, and whether it is text whose scores are read too."""
        given = self.given
        module = type(given).__module__.split(".")[0]
        if module == "polars":
            frame = given.collect() if hasattr(given, "collect") else given
            engine.con.register("frame", frame.to_arrow())
            return engine.table("frame"), False
        if module in ("duckdb", "_duckdb"):
            # Its connection is the reader's own: read it once, here.
            given.write_parquet(str(Path(folder, "relation.parquet")))
            given = Path(folder, "relation.parquet")
        path = str(given)
        if "://" in path:
            raise ValueError(
                f"{path} is an address: download the file, or give an Ibis "
                "table that reads it."
            )
        try:
            files = [path] if Path(path).is_file() else sorted(glob(path))
            folder_named = Path(path).is_dir()
        except OSError as error:
            raise cannot("read", path, error) from error
        if not files or folder_named:
            raise ValueError(
                f"There is no file {path}. Name a Parquet or CSV file, or "
                "several as 'folder/*.parquet'."
            )
        # Names of files are no patterns, and those of folders no columns,
        # whatever they look like.
        paths = [escape(str(Path(file).absolute())) for file in files]
        if files[0].lower().endswith(_PARQUET):
            types = {}
            for file, path in zip(files, paths, strict=True):
                types[file] = _in_parquet(engine, file, path)
            table = engine.read_parquet(
                paths,
                hive_partitioning=False,
                union_by_name=self._widened(types, wanted),
            )
            return table, False
        if files[0].lower().endswith(_TEXT):
            return engine.read_csv(paths, **_dialect(files)), True
        raise ValueError(
            f"{files[0]} is no table for the engine: it reads "
            f"{', '.join((*_PARQUET, *_TEXT))}."
        )

    def _widened(self, types, wanted):
        """Whether scores are of several types, of which one holds all. All
        else that differs is refused: DuckDB would take the types of the
        first file, and round what the others have."""
        widened = False
        for name in wanted:
            found: dict[str, str] = {}
            for file, kinds in types.items():
                found.setdefault(kinds.get(name, "missing"), file)
            if len(found) == 1:
                continue
            widened = name == self.score and (
                "DOUBLE" in found and found.keys() <= _WIDENED
            )
            if not widened:
                said = [f"{kind} in {file}" for kind, file in found.items()]
                raise ValueError(
                    f"The column {name} is {' and '.join(said[:2])}: the "
                    "files of a table have the same columns, of the same "
                    "types."
                )
        return widened

    def _wanted(self, facets):
        """The columns of the facets, and that of the scores."""
        called = {facet: column for column, facet in self.columns.items()}
        if len(called) < len(self.columns):
            raise ValueError(
                "Two columns are given for one facet: columns="
                f"{dict(self.columns)!r}."
            )
        return *(called.get(facet, facet) for facet in facets), self.score

    def _named(self, ibis, table, facets, wanted, text):
        """The columns that a study needs, under names of our own."""
        missing = [name for name in wanted if name not in table.columns]
        if missing:
            raise ValueError(
                f"The table has no column "
                f"{' or '.join(map(repr, missing))}; its columns are "
                f"{some(table.columns, 8)}."
            )
        given = table[self.score]
        if text:
            # Without strip, DuckDB reads the column as numbers or fails;
            # and to it 1_0 is ten.
            number = given.strip().try_cast("float64")
            score = given.contains("_").ifelse(ibis.null("float64"), number)
        elif given.type().is_numeric() or given.type().is_boolean():
            score = given.cast("float64")
        else:
            score = ibis.null("float64")
        label = {
            facet: _label(table[name])
            for facet, name in zip(facets, wanted, strict=False)
        }
        for facet, outer in self.anew.items():
            if {facet, outer} <= {*facets}:
                own = label[facet].cast("string")
                nest = label[outer].cast("string").replace("/", "/-")
                label[facet] = nest + "//" + own  # no two are alike
        columns = {f"f{i}": label[f] for i, f in enumerate(facets)}
        others = {
            f"given.{name}": table[name]
            for name in table.columns
            if name not in wanted
        }
        return table.select(**columns, score=score, given=given, **others)


def _label(column):
    """A column of names as the engine can count them."""
    kind = column.type()
    if kind.is_nested():
        raise ValueError(
            f"The column {column.get_name()} holds lists or the like; the "
            "name of a level is a text, a number or a date."
        )
    return column.cast("string") if kind.is_uint64() else column


def _in_parquet(engine, file, path):
    """The types of a file's columns, by their names as they stand there."""
    if not Path(file).stat().st_size:
        _refuse_twins(file, [])
    rows = engine.con.execute(
        "select name, num_children from parquet_schema(?)", [path]
    ).fetchall()
    names, skip = [], 0
    for name, children in rows[1:]:
        if skip == 0:
            names.append(name)
        skip = max(skip - 1, 0) + (children or 0)
    _refuse_twins(file, names)
    described = engine.con.execute(
        "describe select * from read_parquet(?, hive_partitioning=false)",
        [path],
    ).fetchall()
    return {name: kind for name, kind, *_ in described}


def _dialect(files):
    """How DuckDB is to read CSV files; left alone, it guesses from the
    first lines what comments and quotes are."""
    headers = {}
    for file in files:
        opened = gzip.open if file.lower().endswith(".gz") else open
        try:
            with opened(
                file, "rt", encoding="utf-8-sig", newline=""
            ) as text:
                first = text.readline(_LONGEST)
        except (OSError, EOFError) as error:
            raise cannot("read", file, OSError(str(error))) from error
        except UnicodeDecodeError as error:
            raise ValueError(f"{file} is not text in UTF-8.") from error
        delimiter = max("\t;,", key=first.count)
        header = next(
            csv.reader([first.strip("\r\n")], delimiter=delimiter)
        )
        _refuse_twins(file, header)
        headers[file] = delimiter, header
    (one, like), *rest = headers.items()
    for other, unlike in rest:
        if unlike != like:
            raise ValueError(
                f"{one} and {other} have other headers: the files of a "
                "table are alike."
            )
    delimiter, header = like
    packed = all(file.lower().endswith(".gz") for file in files)
    return {
        "delim": delimiter,
        "columns": dict.fromkeys(header, "VARCHAR"),
        "header": True,
        "quote": '"',
        "escape": '"',
        "comment": "",
        "compression": "gzip" if packed else "auto",
        "auto_detect": False,
        "hive_partitioning": False,
    }


def _refuse_twins(file, names):
    """Columns that DuckDB would rename without a word, or none at all."""
    if not names:
        raise ValueError(
            f"{file} has no columns: it is empty, or its first line is."
        )
    seen: dict[str, str] = {}
    for name in names:
        if not name.strip():
            raise ValueError(f"{file} has a column without a name.")
        if name.lower() in seen:
            twins = sorted({seen[name.lower()], name})
            raise ValueError(
                f"{file} has {' and '.join(twins)} as columns"
                f"{'' if len(twins) > 1 else ' twice'}: to the engine they "
                "are one. Rename or drop one."
            )
        seen[name.lower()] = name


def _ibis():
    try:
        import ibis
    except ImportError as error:
        raise ImportError(
            "Tables that are not in memory need an engine: pip install "
            "'gtlib-ir[big]'."
        ) from error
    return ibis


@contextmanager
def _scratch():
    """A folder that is gone afterwards, even if this process is killed: a
    small one beside it waits for that, and removes the folder. It is
    there first, so that there is no folder that it does not know of."""
    try:
        within = tempfile.gettempdir()
    except OSError as error:
        raise _no_room(error) from error
    folder = Path(within, f"gtlib-{secrets.token_hex(8)}")
    remover = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _REMOVER, folder],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise _no_room(error) from error
        yield str(folder)
    finally:
        remover.communicate()


def _no_room(error):
    return RuntimeError(
        f"There is no room for temporary files: {error.strerror}. Name "
        "a folder on a larger disk in the variable TMPDIR."
    )


def _first_line(error):
    """What is to be done about it is said in a language of its own."""
    said = str(error).strip() or type(error).__name__
    lines = re.split("possible (?:fixes|solutions)", said, flags=re.I)[0]
    return " ".join(lines.split())[:300]
