"""Tables as files whose bytes repeat, and what two scripts draw from."""

import gzip
from pathlib import Path

import pandas as pd

import gtlib as gt

SCORES = Path(__file__).parents[1] / "scores"
SHALLOW = ["humR03dc", "NLPR03vb10"]


def write(name, text):
    """Compressed, where its name says so, with no name and time inside."""
    data = text.encode()
    if name.endswith(".gz"):
        data = gzip.compress(data, compresslevel=9, mtime=0)
    (SCORES / name).write_bytes(data)
    print(f"{name}: {len(data):,} bytes")


def write_table(name, table, digits="%.5g"):
    write(name, as_csv(table, digits))


def as_csv(table, digits="%.5g"):
    return table.to_csv(
        index=False, float_format=digits, lineterminator="\n"
    )


def write_rows(name, table, order):
    """Put rows into a table that is there, known by their first column.

    Every other line stays as it is, byte for byte; rows stand in `order`.
    """
    head, *lines = (SCORES / name).read_text("utf-8").splitlines(True)
    # A number of items has no decimals, unless some row of it is empty.
    kinds = pd.read_csv(SCORES / name).select_dtypes(float)
    kinds = dict.fromkeys(kinds.columns, float)
    same, *new = as_csv(table.astype(kinds)).splitlines(True)
    if same != head:
        raise ValueError(f"{name} has other columns: write all of it anew.")
    rows = {line.partition(",")[0]: line for line in [*lines, *new]}
    write(name, head + "".join(rows[key] for key in order if key in rows))


def score_table(runs, judgments, measures):
    """A row per system, topic and assessor, a column per measure.

    `measures` maps what ir_measures calls them to the columns' names.
    """
    found = gt.read_runs(runs, judgments, list(measures), report=None)
    keys = ["system", "topic", "assessor"]
    table = found.pivot_table("score", keys, "measure")
    table = table.rename(columns=measures)[list(measures.values())]
    return table.reset_index().astype({"topic": int})


def judged_collections():
    """Name -> runs and judgments, of two collections of which enough is
    judged that judging can be repeated."""
    grades = gt.load("cf-judgments").groupby(["topic", "document"])
    mean = grades["relevance"].mean()
    fibrosis = (mean >= 1).astype(int).reset_index().astype({"topic": str})
    runs = pd.concat(map(gt.read_run, gt.load("robust2003-runs")))
    robust = runs[~runs["system"].isin(SHALLOW)]
    return {
        "Cystic Fibrosis": (gt.read_run(gt.load("cf-runs")), fibrosis),
        "Robust 2003": (robust, gt.read_qrels(gt.load("robust2003-qrels"))),
    }
