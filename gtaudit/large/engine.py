"""The engine: a DuckDB of our own, inside this process, and its numbers.

What it writes while it runs is gone afterwards. An Ibis table stays with
the engine that it has.
"""

import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from gtlib.checks import install_command

try:
    import duckdb
    import ibis
except ImportError as error:
    raise ImportError(
        "Tables that are not in memory need an engine: "
        f"{install_command('big')}."
    ) from error

# The table to which an expression is applied (Ibis's deferred object).
_ = ibis._

_UNORDERED = {"preserve_insertion_order": False}
_SIZE = re.compile(r"\s*\d+(\.\d+)?\s*([KMGT]i?)?B\s*", re.IGNORECASE)

# What the engine says where temporary files find no room.
_DISK = "max_temp_directory_size", "space left"

_REMOVER = """\
import shutil, sys
sys.stdin.read()
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


@contextmanager
def engine(name: str, memory_limit: str | None) -> Iterator[Any]:
    """Connect Ibis to DuckDB.

    Parameters
    ----------
    name : str
        What it is to read, for messages.
    memory_limit : str, optional
        What it may hold, such as ``"400MB"``.

    Raises
    ------
    ValueError
        If the limit is none or too low, or what is named cannot be read.
    RuntimeError
        If this computer has not enough memory or disk to finish.
    """
    limit = {} if memory_limit is None else {"memory_limit": memory_limit}
    if limit and not _SIZE.fullmatch(str(memory_limit)):
        raise ValueError(f"memory_limit={memory_limit!r}: write '400MB'.")
    with _scratch() as folder:
        try:
            limit |= {"temp_directory": folder}
            database = ibis.duckdb.connect(**limit, **_UNORDERED)
            try:
                yield database
            finally:
                database.disconnect()
        except (duckdb.Error, MemoryError) as error:
            raise _failure(error, name, memory_limit, folder) from error


def single_row(table: Any) -> dict[str, Any]:
    """Fetch the only row of a table."""
    return table.to_pyarrow().to_pylist()[0]


def single_value(scalar: Any) -> Any:
    """Fetch a single number of the engine's."""
    return scalar.to_pyarrow().as_py()


# Functions of the engines that Ibis has no name for.


@ibis.udf.agg.builtin(signature=(("float64",), "float64"))
def fsum(x): ...  # Kahan's, of DuckDB


@ibis.udf.scalar.builtin(signature=(("int64",), "int64"))
def bit_count(x): ...  # of DuckDB and Spark


@ibis.udf.agg.builtin(signature=(("int64",), "int64"))
def bit_or(x): ...  # of all, but Ibis's is not in Spark


def _failure(error, name, memory_limit, folder):
    """The exception to raise for an error of the engine's."""
    message = str(error)
    if any(word in message for word in (folder, *_DISK)):
        return RuntimeError(
            f"{Path(folder).parent} has too little room for the engine's "
            "temporary files: make some there, or name a folder on a "
            "larger disk in the variable TMPDIR."
        )
    if isinstance(error, MemoryError) or "Out of Memory" in message:
        limit = memory_limit or "Most of this computer's memory"
        kind = ValueError if memory_limit else RuntimeError
        return kind(
            f"{limit} is too little memory for the engine's tables of "
            "groups: allow it more, for instance '4GB', or study a sample "
            "of the topics."
        )
    # What it says is to be done about it is in a language of its own.
    why = re.split("possible (?:fixes|solutions)", message, flags=re.I)[0]
    message = " ".join(why.split())[:300]
    return ValueError(f"{name} cannot be read: {message}")


@contextmanager
def _scratch():
    """A folder that is gone afterwards, even if this process is killed.

    A small process waits for the end of this one and removes the folder.
    It is started first, so that no folder is left that it does not know.
    """
    with ExitStack() as stack:
        try:
            within = tempfile.gettempdir()
            folder = Path(within, f"gtlib-{secrets.token_hex(8)}")
            args = [sys.executable, "-I", "-S", "-c", _REMOVER, str(folder)]
            options: Any = {
                "stdin": subprocess.PIPE,
                "start_new_session": True,
            }
            remover = subprocess.Popen(args, **options)
            stack.callback(remover.communicate)
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise RuntimeError(
                f"There is no room for temporary files: {error.strerror}. "
                "Name a folder on a larger disk in the variable TMPDIR."
            ) from error
        yield str(folder)
