"""Parquet and Excel (``.xlsx``): the first sheet, read as a table of text.

https://parquet.apache.org, and ECMA-376 by
https://openpyxl.readthedocs.io
"""

import zipfile
from pathlib import Path

import pandas as pd

from gtaudit.extras import require_packages
from gtaudit.readers import delimited
from gtaudit.readers.values import as_scores
from gtlib.runs import MOST_BYTES


def read_parquet(path: Path) -> pd.DataFrame:
    """Read a Parquet file; names are text."""
    require_packages("A Parquet file", "pyarrow")
    try:
        table = pd.read_parquet(path)
    except Exception as error:  # Arrow has kinds of its own
        raise ValueError(f"{path} is not a Parquet file.") from error
    if not isinstance(table.index, pd.RangeIndex):
        table = table.reset_index()
    texts = table.dtypes.map(pd.api.types.is_string_dtype)
    for name in table.columns[texts]:
        table[name] = table[name].map(str, na_action="ignore")
    return table


def read_excel(path: Path) -> pd.DataFrame:
    """Read the first sheet of a workbook, as `delimited` reads a text.

    Its name is in ``attrs["titles"]``, those of others in ``["sheets"]``.
    """
    require_packages("An Excel file", "openpyxl", extra="excel")
    if not path.stat().st_size:
        raise ValueError(f"{path} is empty.")
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
        if size > MOST_BYTES:
            raise ValueError(f"unpacks to more than {MOST_BYTES >> 20} MiB")
        with pd.ExcelFile(path, "openpyxl") as book:
            first, *others = map(str, book.sheet_names)
            # A system may be called NA.
            cells = pd.read_excel(
                book, header=None, dtype=object, keep_default_na=False
            )
    except Exception as error:  # openpyxl has kinds of its own
        raise ValueError(
            f"{path} is not read as Excel: {str(error).rstrip('.')}."
        ) from error
    filled = cells.notna() & (cells != "")
    cells = cells.loc[filled.any(axis=1), filled.any()]
    if cells.empty:
        raise ValueError(f"The sheet {first!r} of {path} is empty.")
    text = cells.to_csv(header=False, index=False)
    try:
        table = delimited.read(path, text, ",")
        scored = any(map(_holds_scores, table.to_numpy().T))
    except ValueError:
        if not others:
            raise
        scored = False
    if others and not scored:
        raise ValueError(
            f"Of {path} only the first sheet, {first!r}, is read, and it "
            "is no table of scores: put that of the scores first."
        )
    table.attrs["sheets"] = others
    table.attrs["titles"] = [first]
    return table


def _holds_scores(fields):
    """Return whether all that is written in a column can be scores."""
    scores = as_scores(pd.Series(fields))
    return pd.api.types.is_numeric_dtype(scores) and scores.notna().any()
