"""The record of the four papers: ``data/items.csv``.

A row with an ``item`` is a claim, in our words. A row without one is a
printed number: its key is in ``ledger``, ours in ``prints``, the reason of
its verdict in ``moves``, and a sign in ``says`` where the paper says "more
than" or "about".
"""

from functools import cache

import pandas as pd

from book.support.said import NUMBER
from gtlib import load
from gtlib.data import data_folder


def items() -> pd.DataFrame:
    """Return all rows: claims, then numbers."""
    path = data_folder() / "items.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def claims() -> pd.DataFrame:
    """Return the claims of the papers, in their order."""
    table = items()
    return table[table["item"] != ""]


def numbers() -> pd.DataFrame:
    """Return the printed numbers: ``paper``, ``key``, ``sign``,
    ``verdict``, ``ours``, ``reason``, and what the paper's own table says
    of each."""
    table = items().query("item == ''")[
        ["paper", "ledger", "says", "verdict", "prints", "moves"]
    ]
    names = ["paper", "key", "sign", "verdict", "ours", "reason"]
    table = table.set_axis(names, axis=1)
    published = {paper: load(paper) for paper in table["paper"].unique()}
    printed = pd.concat(published, names=["paper", "key"])
    columns = ["location", "quantity", "printed", "note"]
    table = table.join(printed[columns], ["paper", "key"])
    first = table["note"].str.extract(r"^(arithmetic|input)\b")[0]
    return table.assign(kind=first.fillna("result"))


def on_record(paper: str, *values: float) -> tuple[float, ...]:
    """Return the values, each of which a row of the paper must hold.

    Raises
    ------
    AssertionError
        If no claim or number of the paper's rows says one of them.
    """
    missing = [x for x in values if x not in _said_of(paper)]
    if missing:
        raise AssertionError(f"No row of {paper} says {missing}.")
    return values


@cache
def _said_of(paper):
    rows = items().query("paper == @paper")
    text = " ".join(
        rows[["says", "assumption", "moves"]].to_numpy().ravel()
    )
    found = (n.strip("%") for n in NUMBER.findall(text))
    return {float(n.replace("−", "-").replace(",", "")) for n in found}
