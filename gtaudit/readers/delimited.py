"""CSV: fields between commas, tabs or semicolons (RFC 4180), and what R's
``write.table`` writes, which names no column of names."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.words import rank
from gtlib.checks import as_numbers, list_some

_SCORE = r"(?i)[+-]?([01]?[.,]\d+|\d+(\.\d*)?e[+-]?\d+)"


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
    header = next(io.StringIO(text.lstrip(), newline="")).strip()
    # The commonest of these; blanks, where there is none of them.
    delimiter = delimiter or max(",\t;", key=header.count)
    if delimiter not in header:
        delimiter = " "
        if '"' not in text:  # any blanks, as in a printed table
            text = re.sub(r"[ \t]+", " ", text)
    rows: dict[int, list[str]] = {}  # the first of each number of fields
    try:
        lines = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter
        )
        names = [name.strip() for name in next(filter(None, lines))]
        for row in filter(any, lines):
            rows.setdefault(len(row), row)
    except csv.Error as error:
        raise ValueError(f"{path} cannot be read: {error}.") from error
    # R names no column of names.
    has_row_names = {*rows} == {len(names) + 1}
    roles = {
        role
        for role in ("system", "topic")
        if any(rank(name, role) is not None for name in names)
    }
    if delimiter == " " and not (
        has_row_names
        or ('"' in header and len(names) > 1)
        or (len(roles) == 2 and {*rows} == {len(names)})
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
        text = f'""{delimiter}{text.lstrip()}'
    scorelike = [re.fullmatch(_SCORE, name) for name in names[1:]]
    if sum(map(bool, scorelike)) >= len(scorelike) / 2:
        raise ValueError(
            f"The first line of {path} reads like scores, not like names "
            f"({list_some(names, 4)}): add a header line that names the "
            "topics, or the columns system, topic and score."
        )
    if max(rows, default=0) > len(names):
        most = list_some(rows[max(rows)][:1])
        raise ValueError(
            f"{path} has a row with more fields than its header, that of "
            f"{most}. Put quotes around what holds a delimiter, or name "
            "the columns."
        )
    table = parse_csv(path, text, sep=delimiter, header=None)
    # Which score a short row lacks is not known; pandas takes the last.
    fewest = min(rows, default=len(names))
    if fewest < len(names):
        raise ValueError(
            f"{path} has a row with fewer fields than its header, that of "
            f"{list_some(rows[fewest][:1])}. Add the field; an empty one "
            "is a score that was not observed."
        )
    names, rows_of_names = _names_and_rows(table)
    table = table[rows_of_names:].set_axis(names, axis="columns")
    if rows_of_names > 1:
        groups = filter(None, map(str.strip, header.split(delimiter)))
        above = [*above, *dict.fromkeys(groups)]
    if re.fullmatch(r"runid,topic,ndcg@\d+,err@\d+", header):  # of gdeval
        table = table[~table["topic"].isin(["amean", "topic"])]
    table = _without_blanks(table).reset_index(drop=True)
    if above:
        table.attrs["above"] = above
    return table


def _names_and_rows(table):
    """Return the names of the columns, and how many rows they take: below
    a first row that groups columns, as a pivot table has it, stand the
    names, and below these perhaps what the rows are called."""
    names = table.iloc[0].rename(None)
    if len(table) < 4 or not names.iloc[1:].duplicated().any():
        return names, 1
    below = table.iloc[1].rename(None)
    called = (table.iloc[2, 1:].str.strip() == "").all()
    twice = below.duplicated() | (below.str.strip() == "")
    if twice.iloc[1:].any() or (
        not called and as_numbers(below.iloc[1:]).notna().any()
    ):
        return names, 1
    if called:
        below.iloc[0] = table.iloc[2, 0]
    return below, 3 if called else 2


def _without_blanks(table):
    """Leave out rows, and columns without a name, that hold nothing, as
    a spreadsheet has them behind its table."""

    def holds_nothing(fields):
        return "".join(fields).strip() == ""

    columns = [
        bool(str(name).strip()) or not holds_nothing(table.iloc[:, i])
        for i, name in enumerate(table)
    ]
    rows = table.iloc[:, 0].str.strip() != ""
    for i in rows.index[~rows]:
        rows[i] = not holds_nothing(table.loc[i])
    return table.loc[rows, columns]


def _without_title(text, delimiters):
    """Split a text into the table and what stands above its header: lines
    of one field, such as a title, or of comments, where the lines below
    have several fields."""
    lines = text.lstrip().splitlines(keepends=True)
    fields = [
        re.split(f"[{delimiters}]", line.strip()) for line in lines[:20]
    ]
    wide = max(map(len, fields))
    above = 0
    for number, parts in enumerate(fields[:-2]):
        comment = parts[0].startswith("#") and len(parts) != wide
        if wide < 3 or not (comment or sum(map(bool, parts)) < 2):
            break
        above = number + 1
    said = [line.strip(" ,\t;\r\n") for line in lines[:above]]
    return "".join(lines[above:]), [line for line in said if line]
