"""Parquet and Excel (``.xlsx``): the first sheet, read as a table of text.

https://parquet.apache.org, and ECMA-376 by
https://openpyxl.readthedocs.io
"""

import csv
import io
import re
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pandas as pd

from gtaudit.extras import require_packages
from gtaudit.readers import delimited
from gtaudit.readers.files import refuse_many_cells
from gtaudit.readers.values import as_scores
from gtlib.runs import MOST_BYTES, refuse_unpacked

# What says where a row or a cell is.
_PLACES = rb'<(?:\w+:)?(?:row|c)\s[^>]*?\br="([A-Z]*)(\d{1,9})"'
# Of a sheet.
_MOST_ROWS = 2**20


def read_parquet(path: Path) -> pd.DataFrame:
    """Read a Parquet file; names are text."""
    require_packages("A Parquet file", "pyarrow")
    import pyarrow.parquet

    about = pyarrow.parquet.read_metadata(path)
    size = 8 * about.num_rows * about.num_columns
    refuse_unpacked(path, size, MOST_BYTES)
    table = pd.read_parquet(path)
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
    import openpyxl

    if not path.stat().st_size:
        raise ValueError(f"{path} is empty.")
    with zipfile.ZipFile(path) as archive:
        size = sum(part.file_size for part in archive.infolist())
        refuse_unpacked(path, size, path.stat().st_size)
        for part in archive.namelist():
            if fnmatch(part, "xl/worksheets/*.xml"):
                with archive.open(part) as sheet:
                    _refuse_disorder(path, sheet)
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    try:
        first, *others = book.sheetnames
        rows = _rows(path, book.worksheets[0])
    finally:
        book.close()
    if not rows:
        raise ValueError(f"The sheet {first!r} of {path} is empty.")
    text = _as_text(path, rows)
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


def _rows(path, sheet):
    """Return the cells that hold something, by column, of each row that
    has some; what a sheet says of its own size may be wrong."""
    sheet.reset_dimensions()
    rows, number = [], 0
    for place, row in enumerate(sheet.iter_rows(1, min_col=1)):
        if place >= _MOST_ROWS:
            raise ValueError(
                f"{path} has a row beyond {_MOST_ROWS:,}, which Excel has "
                "not."
            )
        written = {i: c.value for i, c in enumerate(row) if _holds(c)}
        if written:
            rows.append(written)
            number += len(row)
            refuse_many_cells(path, number)
    return rows


def _refuse_disorder(path, sheet):
    """Refuse rows or cells that are not in their order: openpyxl would
    pass over those that come late."""
    before, rest = (0, 0, b""), b""
    while piece := sheet.read(2**20):
        whole, end, rest = (rest + piece).rpartition(b">")
        for letters, row in re.findall(_PLACES, whole + end):
            place = int(row), len(letters), letters
            if place <= before:
                raise ValueError(
                    f"{path} has its rows or cells in disorder, at "
                    f"{(letters + row).decode()}: save it again as .xlsx."
                )
            before = place


def _holds(cell):
    """Return whether a cell holds something, and no error of a formula."""
    return cell.value not in (None, "") and cell.data_type != "e"


def _as_text(path, rows):
    """Write rows as CSV, without the columns that hold nothing."""
    columns = sorted({column for row in rows for column in row})
    refuse_many_cells(path, len(rows) * len(columns))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [row.get(column, "") for column in columns] for row in rows
    )
    return text.getvalue()


def _holds_scores(fields):
    """Return whether all that is written in a column can be scores."""
    scores = as_scores(pd.Series(fields))
    return pd.api.types.is_numeric_dtype(scores) and scores.notna().any()
