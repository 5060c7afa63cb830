"""CSV: fields between commas, tabs or semicolons (RFC 4180), and what R's
``write.table`` writes, which names no column of names."""

import csv
import io
import re
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gtaudit.readers.files import refuse_many_fields
from gtaudit.words import rank
from gtlib.checks import as_numbers, list_some

_SCORE = r"(?i)[+-]?([01]?[.,]\d+|\d+(\.\d*)?e[+-]?\d+)"

# A line, however it ends.
_LINE = r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+"
# So much of a text may have a title above its table.
_TOP = 2**20


def parse_csv(path: str | Path, text: str, **options: Any) -> pd.DataFrame:
    """Parse the text of a CSV file with pandas and these options; cells
    stay text."""
    try:
        return pd.read_csv(
            io.StringIO(text), dtype=str, keep_default_na=False, **options
        )
    except pd.errors.ParserError as error:
        why = str(error).strip()
        if "EOF inside string" in why:
            why = "a quote is opened in it and never closed"
        raise ValueError(f"{path} is not a table: {why}.") from error


def read(
    path: Path, text: str, delimiter: str | None = None
) -> pd.DataFrame:
    """Read a table of text; without a delimiter, by that of its header.

    Raises
    ------
    ValueError
        If there is no header, or rows have more or fewer fields than it.
    """
    text, above = _without_title(text, delimiter or ",\t;")
    header = next(re.finditer(r"[^\r\n]+", text.lstrip()))[0].strip()
    # The commonest of these; blanks, where there is none of them.
    delimiter = delimiter or max(",\t;", key=header.count)
    if delimiter not in header:
        delimiter = " "
        if '"' not in text:  # any blanks, as in a printed table
            text = re.sub(r"[ \t]+", " ", text)
            refuse_many_fields(path, text, delimiter)
    rows = _rows(path, text, delimiter)
    names = [name.strip() for name in rows[0]]
    lengths = [*map(len, rows)]
    fields = {*lengths[1:]}
    # R names no column of names.
    has_row_names = fields == {len(names) + 1}
    roles = {
        role
        for role in ("system", "topic")
        if any(rank(name, role) is not None for name in names)
    }
    if delimiter == " " and not (
        has_row_names
        or ('"' in header and len(names) > 1)
        or (len(roles) == 2 and fields == {len(names)})
    ):
        hint = ""
        if "|" in header:
            hint = "; it looks separated by |"
        elif " " in header:
            hint = "; it looks separated by blanks"
        raise ValueError(
            f"{path} has one column only{hint}. Separate the columns with "
            "commas, tabs or semicolons."
        )
    if has_row_names:
        names = ["", *names]
        rows[0] = ["", *rows[0]]
    scorelike = [re.fullmatch(_SCORE, name) for name in names[1:]]
    if sum(map(bool, scorelike)) >= len(scorelike) / 2:
        raise ValueError(
            f"The first line of {path} reads like scores, not like names "
            f"({list_some(names, 4)}): add a header line that names the "
            "topics, or the columns system, topic and score."
        )
    below = [{*column} for column in zip(*rows[1:], strict=False)]
    again = [
        name
        for name, values in zip(names, below, strict=False)
        if name and name in values
        if as_numbers(pd.Series([name])).isna().all()
    ]
    if len(again) > 1 and rows[0] not in rows[1:]:
        raise ValueError(
            f"The first line of {path} reads like a row, not like names: "
            f"{list_some(again, 3)} stand below in the same columns, too. "
            "Add a header line that names the columns."
        )
    most, fewest = max(fields, default=0), min(fields, default=len(names))
    if most > len(names):
        raise ValueError(
            f"{path} has a row with more fields than its header, that of "
            f"{list_some(rows[lengths.index(most, 1)][:1])}. Put quotes "
            "around what holds a delimiter, or name the columns."
        )
    # Which score a short row lacks is not known.
    if fewest < len(names):
        raise ValueError(
            f"{path} has a row with fewer fields than its header, that of "
            f"{list_some(rows[lengths.index(fewest, 1)][:1])}. Add the "
            "field; an empty one is a score that was not observed."
        )
    cells = np.array(rows, dtype=object, order="F")
    names, rows_of_names = _names_and_rows(cells)
    table = _without_blanks(names, cells[rows_of_names:])
    if rows_of_names > 1:
        groups = filter(None, map(str.strip, header.split(delimiter)))
        above = [*above, *dict.fromkeys(groups)]
    if re.fullmatch(r"runid,topic,ndcg@\d+,err@\d+", header):  # of gdeval
        table = table[~table["topic"].isin(["amean", "topic"])]
        table = table.reset_index(drop=True)
    if above:
        table.attrs["above"] = above
    return table


def _rows(path, text, delimiter):
    """Return the rows of a text that hold something, the header first."""
    end = ["end"]  # which a quote that is never closed would swallow
    lines = chain((m[0] for m in re.finditer(_LINE, text)), end)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            if any(row) or (row and not rows):
                rows.append([*map(sys.intern, row)])  # many are the same
    except csv.Error as error:
        why = str(error)
        if "field limit" in why:
            why = (
                f"a field has more than {csv.field_size_limit():,} letters"
            )
        raise ValueError(f"{path} cannot be read: {why}.") from error
    if rows.pop() != end:
        raise ValueError(
            f"{path} is not a table: a quote is opened in it and never "
            "closed."
        )
    return rows


def _names_and_rows(cells):
    """Return the names of the columns, and how many rows they take: below
    a first row that groups columns, as a pivot table has it, stand the
    names, and below these perhaps what the rows are called."""
    names = cells[0]
    if len(cells) < 4 or len({*names[1:]}) == len(names) - 1:
        return names, 1
    below = cells[1].copy()
    called = not any(map(str.strip, cells[2, 1:]))
    written = [name for name in below[1:] if name.strip()]
    twice = len({*written}) < len(below) - 1 or below[0] in written
    if twice or (
        not called and as_numbers(pd.Series(written)).notna().any()
    ):
        return names, 1
    if called:
        below[0] = cells[2, 0]
    return below, 3 if called else 2


def _without_blanks(names, cells):
    """Make a table, without the rows and the columns without a name that
    hold nothing, as a spreadsheet has them behind its table."""

    def holds(fields):
        return any(map(str.strip, fields))

    columns = [
        i
        for i, name in enumerate(names)
        if name.strip() or holds(cells[:, i])
    ]
    rows = [
        i for i, row in enumerate(cells) if row[0].strip() or holds(row)
    ]
    if len(columns) < len(names):
        names, cells = names[columns], cells[:, columns]
    if len(rows) < len(cells):
        cells = cells[rows]
    names = pd.Index(names, dtype=object)
    return pd.DataFrame(cells, columns=names, dtype=object)


def _without_title(text, delimiters):
    """Split a text into the table and what stands above its header: lines
    of one field, such as a title, or of comments, where the lines below
    have several fields."""
    text = text.lstrip()
    lines = text[:_TOP].splitlines(keepends=True)[:20]
    fields = [re.split(f"[{delimiters}]", line.strip()) for line in lines]
    wide = max(map(len, fields))
    above = 0
    for number, parts in enumerate(fields[:-2]):
        comment = parts[0].startswith("#") and len(parts) != wide
        if wide < 3 or not (comment or sum(map(bool, parts)) < 2):
            break
        above = number + 1
    said = [line.strip(" ,\t;\r\n") for line in lines[:above]]
    rest = text[sum(map(len, lines[:above])) :]
    return rest, [line for line in said if line]
