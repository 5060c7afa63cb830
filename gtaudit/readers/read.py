"""Which reader a file is for: by what it holds, hardly by its name."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import compress
from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.failures import let_go
from gtaudit.readers import (
    aider,
    battles,
    delimited,
    evaluations,
    helm,
    inspect_logs,
    livecodebench,
    lm_evaluation,
    mteb,
    named_scores,
    promptfoo,
    records,
    sheets,
    swe_bench,
    tau_bench,
    terminal_bench,
)
from gtaudit.readers.evaluations import is_measure
from gtaudit.readers.files import (
    DELIMITERS,
    name_by_place,
    parse_json,
    refuse_many_fields,
)
from gtaudit.words import is_table_of_scores, rank
from gtlib.checks import list_some
from gtlib.runs import claim_system, file_error, read_as_written

# JSON documents, each of one tool; a list of any objects comes last.
DOCUMENTS = (
    *(terminal_bench, tau_bench, swe_bench, helm, inspect_logs, mteb),
    *(promptfoo, livecodebench, named_scores),
)
# Two files of one system must differ in one of these.
_APART = "task", "assessor", "topic"


def read_table(path: Path) -> pd.DataFrame:
    """Read a file as a table, under the names that stand in it.

    Where all of it is of one system that it does not name, its ``attrs``
    have ``one_system``.

    Raises
    ------
    ValueError
        If it is empty, damaged, too large, or of no form that is known.
    """
    table = call_reader(path, "a table", _read_any)
    battles.refuse(path, table)
    return table


def _read_any(path):
    """Read a file of any format."""
    readers = {
        ".parquet": ("Parquet", sheets.read_parquet),
        ".xlsx": ("Excel", sheets.read_excel),
        ".eval": ("a log of Inspect", inspect_logs.read_zip),
    }
    known = readers.get(path.suffix.lower())
    if path.suffix.lower() == ".eval":
        with path.open("rb") as file:
            if file.read(2) != b"PK":  # of trec_eval
                known = None
    return call_reader(path, *known) if known else _read_text(path)


def call_reader(
    path: Path, what: str, reader: Callable, *given: Any
) -> Any:
    """Return what a reader makes of what is given, and of a path.

    Raises
    ------
    ValueError
        Whatever it raises, as a sentence that names the file.
    """
    try:
        return reader(*given, path)
    except ImportError:  # says what to install
        raise
    except MemoryError as error:
        let_go(error)
        raise ValueError(
            f"{path} needs more memory than there is: split it."
        ) from error
    except OSError as error:
        raise file_error("read", path, error) from error
    except Exception as error:  # the formats have kinds of their own
        if isinstance(error, ValueError) and str(path) in str(error):
            raise
        raise ValueError(
            f"{path} is not read as {what}: it is damaged, or of another "
            "form."
        ) from error


def _read_text(path):
    text = read_as_written(path)
    refuse_many_fields(path, text, DELIMITERS)
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    start = lines.lstrip()
    if start.startswith("{") and _is_by_line(path, start):
        table = lm_evaluation.read(path, records.read_lines(path, lines))
        alone = "measure" in table or is_table_of_scores(table)
        table.attrs["one_system"] = alone and not _system_column(table)
        return table
    if start[0] in "[{":
        document = parse_json(path, lines)
        lm_evaluation.refuse_averages(path, document)
        for reader in DOCUMENTS:
            tool = str(reader.__doc__).partition(":")[0]
            table = call_reader(path, tool, reader.read, document)
            if table is not None:
                table.attrs["one_system"] = not _system_column(table)
                return table
        return records.read(document, path)
    if path.name.lower().removesuffix(".gz").endswith(".json"):
        with suppress(json.JSONDecodeError):
            return records.read(json.loads(text), path)  # refuses it
    aider.refuse(path, lines)
    table = evaluations.read(path, lines)
    return delimited.read(path, text) if table is None else table


def _is_by_line(path, text):
    """Return whether a text has an object to a line."""
    name = path.name.lower().removesuffix(".gz")
    first, _, rest = text.partition("\n")
    whole = first.rstrip().endswith("}")
    if rest.strip():
        return whole or name.endswith(".jsonl")
    return name.endswith((".jsonl", ".eval"))


def _system_column(table):
    """Return the column that names systems best, if there is one."""
    for best in (1, 2):
        for column in table:
            if rank(column, "system") == best:
                return column
    return None


def _is_of_one_system(table):
    """Return whether columns name topics, and scores or measures."""
    topics = [c for c in table if rank(c, "topic") is not None]
    measures = [c for c in table if c not in topics and is_measure(c)]
    return is_table_of_scores(table) or bool(topics and measures)


def _claims(table):
    """List the systems, each with the task, the assessor and the topic
    that are all that the file has of these; of a wide table none."""
    system = _system_column(table)
    if not system or all(rank(c, "topic") is None for c in table):
        return []
    names = table[system].astype(str)
    for column in table.columns.drop(system):
        only = any(rank(column, role) == 1 for role in _APART)
        if column == "task" or (only and len(table[column].unique()) == 1):
            names = names + " on " + table[column].astype(str)
    return names.unique().tolist()


def read_tables(files: Sequence[Path]) -> tuple[pd.DataFrame, list[str]]:
    """Read files as one table, with notes on it.

    A file that does not name its system is called by its place. Two files
    of one system must be of different tasks, assessors or topics. Lines
    above the header and names of sheets are in ``attrs["titles"]``.
    """
    tables = [read_table(path) for path in files]
    notes = [t.attrs["unscored"] for t in tables if "unscored" in t.attrs]
    if len(notes) == len(tables):
        raise ValueError(notes[0])
    titles: list[str] = []
    for path, table in zip(files, tables, strict=True):
        titles += table.attrs.pop("titles", [])
        if above := table.attrs.pop("above", None):
            titles += above
            notes.append(
                f"Left out above the header of {path.name}: "
                f"{list_some(above, 3)}."
            )
        if others := table.attrs.pop("sheets", None):
            notes.append(
                f"Of {path.name} only the first sheet was read, not "
                f"{list_some(others, 3)}."
            )
    scored = ["unscored" not in table.attrs for table in tables]
    files = [*compress(files, scored)]
    tables = [*compress(tables, scored)]
    if all(map(swe_bench.is_list, tables)):
        tables = swe_bench.complete(tables)
        notes.append(swe_bench.NOTE)
    places = name_by_place(files)
    own = len({system for system, _ in places}) == len(places)
    alone = [table.attrs.pop("one_system", False) for table in tables]
    for i, (system, _) in enumerate(places):
        if len(files) > 1 and not _system_column(tables[i]):
            alone[i] = alone[i] or _is_of_one_system(tables[i])
        if alone[i]:
            tables[i] = tables[i].assign(system=system)
    runs = [table.attrs.get("one_run", False) for table in tables]
    claims = [_claims(table) for table in tables]
    again = len({c for each in claims for c in each})
    if all(runs) and again < sum(map(len, claims)):
        alone, own = [True] * len(files), False
        places = [("", "/".join(place)) for place in places]
    owner: dict[str, object] = {}
    for i, (path, (_, rest)) in enumerate(zip(files, places, strict=True)):
        if len(files) > 1 and not claims[i]:
            raise ValueError(
                f"{len(files)} files were given, and {path.name} is a wide "
                "table. Several files are read as one only if each is the "
                "output of trec_eval -q or a long table. If each is of one "
                "system, or a run of the same systems, make of them one "
                "long table with the columns system, topic, score, and "
                "seed if there are runs."
            )
        if alone[i] and not own:
            trial = tables[i].get("trial", "")
            table = tables[i].drop(columns="trial", errors="ignore")
            tables[i] = table.assign(attempt=rest + " " + trial)
        elif len(files) > 1:
            for name in claims[i]:
                claim_system(owner, name, path.name)
    attrs = {k: v for table in tables for k, v in table.attrs.items()}
    table = (
        pd.concat(tables, ignore_index=True) if tables[1:] else tables[0]
    )
    table.attrs = {**attrs, "titles": titles}
    if {"task", "doc_hash", "doc_id"} <= {*table}:
        lm_evaluation.refuse_other_documents(table)
        table = table.drop(columns="doc_hash")
    return table, notes
