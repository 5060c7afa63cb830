"""Parquet and Excel (``.xlsx``): the first sheet, its first row the names.

https://parquet.apache.org, and ECMA-376 by
https://openpyxl.readthedocs.io
"""

import zipfile
from pathlib import Path

import pandas as pd

from gtapps.extras import require_packages
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
    """Read the first sheet of a workbook, as text."""
    require_packages("An Excel file", "openpyxl", extra="excel")
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
        if size > MOST_BYTES:
            raise ValueError(f"unpacks to more than {MOST_BYTES >> 20} MiB")
        table = pd.read_excel(path, dtype=object)
    except Exception as error:  # openpyxl has kinds of its own
        raise ValueError(
            f"{path} is not read as Excel: {error}."
        ) from error
    table = table.dropna(how="all").dropna(how="all", axis="columns")
    return table.map(str, na_action="ignore").rename(columns=str)
