"""Verdicts on printed numbers, and what has become of those on record.

The verdicts are compared with those on record, so that none gets worse
unseen.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from math import isnan, nan
from operator import ge, gt, lt

import numpy as np
import pandas as pd

from book.support.ledger import record
from book.support.ledger.rounding import overlaps
from gtlib.checks import one_of
from gtlib.data import data_folder

EXACT = "exact"
WITHIN = "within rounding"
CONSISTENT = "consistent"
ATTAINABLE = "attainable"
OTHER = "other data"
DIFFERS = "differs"
MISSING = "not reproducible here"


def _is_about(value, printed):
    """Return whether a value is `printed` in as many significant
    digits."""
    digits = len(f"{printed:g}".replace(".", "").strip("0"))
    return float(f"{value:.{max(digits, 1)}g}") == printed


# What a paper may say of a number instead of giving it.
COMPARISONS = {">": gt, "≥": ge, "<": lt, "≈": _is_about}

# Sources of a range, and the verdict on a number that lies in it.
RANGES = {
    "rounding": WITHIN,
    "simulation": CONSISTENT,
    "counts": ATTAINABLE,
    "other data": OTHER,
}

# From best to worst.
VERDICTS = (EXACT, *RANGES.values(), DIFFERS, MISSING)

# The columns of notes on printed numbers.
NOTES = ("comparison", "ranges", "needs", "note")

# The need of a number that takes data which the book does not have.
OUT_OF_REACH = "out of reach"


class Ledger:
    """Printed numbers, ours beside them, and a verdict for each.

    Parameters
    ----------
    published : dict of paper to DataFrame
        What ``load(paper)`` gives. Rows whose note begins with "input" are
        what a paper starts from; they are left out where there is none of
        ours. Rows whose note begins with "arithmetic" are sums, shares and
        the like of other printed numbers. All others are results.
    ours : dict of paper to dict
        For each key the number that was computed, or a dict with
        ``value``, ``low`` and ``high``, and whatever the notes cite.
    notes : DataFrame of str, optional
        What is known of the numbers before any is computed, as
        `Ledger.notes` gives it for the book's papers. A row says something
        of those numbers of ``paper`` whose key matches ``key``, in which
        ``*`` stands for anything; where several rows do, the longest
        ``key`` counts, in each column alone.

        ``comparison``: ">", "≥", "<" or "≈", where the paper says "more
        than", "at least", "less than" or "about".
        ``ranges``: what ``low`` and ``high`` are: what rounded inputs
        allow ("rounding", if empty); the interval of a simulation of what
        the paper did by chance ("simulation"); the nearest number that
        unknown counts of a known size can give ("counts"); or what
        collections other than the paper's give ("other data"). Of the
        latter three no number is called exact, as its nearness is luck.
        ``needs``: "out of reach" if it takes data that we lack.
        ``note``: a remark; needed where a number differs. It may cite
        numbers by name, as in ``{low:.2f}``.
    cited : dict, optional
        What notes cite beside the numbers that come with one of ours. All
        of ours that are of the same paper can be cited, too, as in
        ``{ours[figure-2/alpha]:.3f}``.

    Attributes
    ----------
    kinds : Series, by (paper, key)
        What each printed number is: result, arithmetic or input.
    table : DataFrame, a row per (paper, key) in the order of print
        ``location``, ``quantity``, ``printed``, ``decimals``; ``value``
        (ours), ``low`` and ``high``; ``comparison``, ``verdict``, and
        ``reason``: the note, or the one that the printed number carries.

    Raises
    ------
    ValueError
        If a printed number has neither one of ours nor a reason; a number
        of ours is not printed, is no number, lacks a range or differs
        without a note; or a note cites what is not there.

    Examples
    --------
    >>> from gtlib import cronbach_alpha, load
    >>> printed = load("bodoff-li-2007")
    >>> score = printed[printed.index.str.startswith("figure-2/score/")]
    >>> scores = score["value"].to_numpy().reshape(5, 3)
    >>> ledger = Ledger(
    ...     {"Bodoff and Li": printed.loc[["figure-2/alpha"]]},
    ...     {"Bodoff and Li":
    ...         {"figure-2/alpha": cronbach_alpha(scores).estimate}})
    >>> ledger.table["verdict"].tolist()
    ['exact']
    """

    def __init__(
        self,
        published: Mapping[str, pd.DataFrame],
        ours: Mapping[str, Mapping[str, float | Mapping[str, float]]],
        notes: pd.DataFrame | None = None,
        cited: Mapping[str, object] | None = None,
    ) -> None:
        printed = pd.concat(published, names=["paper", "key"])
        first = printed["note"].str.extract(r"^(arithmetic|input)\b")[0]
        self.kinds = first.fillna("result").rename("kind")
        self._number_notes = _notes_by_number(printed.index, notes)
        left = {
            (paper, key): x if isinstance(x, Mapping) else {"value": x}
            for paper, numbers in ours.items()
            for key, x in numbers.items()
        }
        rows = {}
        for at, number in printed.assign(kind=self.kinds).iterrows():
            paper, _ = at
            own = left.pop(at, {})
            can_cite = {**(cited or {}), "ours": ours.get(paper, {}), **own}
            notes_on_it = self._number_notes.loc[at]
            try:
                row = _ledger_row(number, notes_on_it, own, can_cite)
            except ValueError as error:
                raise ValueError(f"{' '.join(at)}: {error}") from error
            if row:
                rows[at] = row
        if left:
            raise ValueError(f"No paper prints a number {list(left)}.")
        table = pd.DataFrame.from_dict(rows, orient="index")
        self.table = table.rename_axis(["paper", "key"])

    @staticmethod
    def notes() -> pd.DataFrame:
        """Return what is known of the book's papers, row by row."""
        path = data_folder() / "ledger.csv"
        return pd.read_csv(path, dtype=str, keep_default_na=False)

    def counts(self, *kinds: str) -> pd.DataFrame:
        """Return how many numbers of each paper have each verdict.

        Parameters
        ----------
        *kinds : {"result", "arithmetic", "input"}
            Count these only; all by default.

        Returns
        -------
        DataFrame
            A row per paper and one for all; a column per verdict.
        """
        table = self.table
        if kinds:
            table = table[self.kinds[table.index].isin(kinds)]
        papers = table.index.get_level_values("paper")
        margins = {"margins": True, "margins_name": "all"}
        counts = pd.crosstab(papers, table["verdict"], **margins)
        rows, columns = [*papers.unique(), "all"], [*VERDICTS, "all"]
        counts = counts.reindex(rows, columns=columns, fill_value=0)
        return counts.rename_axis(index="paper", columns=None)

    def changes(self, record: pd.DataFrame) -> pd.DataFrame:
        """Return what has become better or worse than on record.

        Parameters
        ----------
        record : DataFrame
            What `on_record` gives.

        Returns
        -------
        DataFrame, a row per (paper, key) that changed
            ``before``, ``now``, and ``change``: worse, better, new (not on
            record) or gone.
        """
        before = record.set_index(["paper", "key"])["verdict"]
        now = self.table["verdict"]
        pair = pd.DataFrame({"before": before, "now": now})
        pair = pair.astype(pd.CategoricalDtype(VERDICTS, ordered=True))
        before, now = pair["before"], pair["now"]
        pair["change"] = np.select(
            [before.isna(), now.isna(), now < before],
            ["new", "gone", "better"],
            "worse",
        )
        return pair[before != now]

    def hold(self, record: pd.DataFrame) -> None:
        """Fail if a verdict is worse than on record, or gone.

        Parameters
        ----------
        record : DataFrame
            What `on_record` gives.

        Raises
        ------
        ValueError
            Naming each of them.
        """
        lost = self.changes(record).query("change in ['worse', 'gone']")
        if len(lost):
            raise ValueError(
                f"{len(lost)} verdicts are worse than on record. Mend what "
                "computes them; if the old verdict was wrong, put the new "
                f"one on record (make verdicts).\n{lost.to_string()}"
            )

    @staticmethod
    def on_record() -> pd.DataFrame:
        """Return the verdicts on record: DataFrame of paper, key and
        verdict."""
        return record.numbers()[["paper", "key", "verdict"]]

    def record(self) -> pd.DataFrame:
        """Return the rows of numbers to put on record, with the columns of
        ``data/items.csv``."""
        table = self.table.reset_index()
        rows = pd.DataFrame("", table.index, record.items().columns)
        rows["paper"], rows["ledger"] = table["paper"], table["key"]
        rows["says"] = table["comparison"]
        rows["verdict"], rows["moves"] = table["verdict"], table["reason"]
        rows["prints"] = [_ours(row) for row in table.to_dict("records")]
        return rows


def _ours(row):
    """Our number, with the range around it, in the decimals of the
    print."""
    if pd.isna(row["value"]):
        return ""
    places = row["decimals"] + (2 if row["value"] % 1 else 0)
    low, value, high = (
        f"{row[x]:.{places}f}" for x in ("low", "value", "high")
    )
    return value if pd.isna(row["low"]) else f"{value} ({low} to {high})"


def _notes_by_number(index, notes):
    """Find the notes on each printed number: in each column that of the
    longest key that matches."""
    table = pd.DataFrame("", index, list(NOTES))
    rows = [] if notes is None else notes.to_dict("records")
    for row in sorted(rows, key=lambda row: len(row["key"])):
        one_of(row["comparison"], "comparison", ("", *COMPARISONS))
        one_of(row["ranges"], "ranges", ("", *RANGES))
        matches = [
            paper == row["paper"] and fnmatchcase(key, row["key"])
            for paper, key in index
        ]
        filled = [name for name in NOTES if row[name]]
        table.loc[matches, filled] = [row[name] for name in filled]
    return table


def _ledger_row(printed, notes, own, cited):
    """Return a row of the table, or None for an input without a number."""
    note = notes["note"]
    is_out_of_reach = notes["needs"] == OUT_OF_REACH
    ours = {x: float(own.get(x, nan)) for x in ("value", "low", "high")}
    if own:
        verdict = _judge(printed, notes, **ours)
    elif is_out_of_reach:
        verdict = MISSING
    elif printed["kind"] == "input":
        return None
    else:
        raise ValueError("compute it, or note what it needs.")
    try:
        note = note.format(**cited)
    except KeyError as name:
        raise ValueError(f"the note cites {name}; give it.") from None
    return {
        **printed[["location", "quantity", "printed", "decimals"]],
        **ours,
        "comparison": notes["comparison"],
        "verdict": verdict,
        "reason": note or printed["note"],
    }


def _judge(printed, notes, value, low, high):
    """Judge a printed number, from ours and its range."""
    comparison = notes["comparison"]
    ranges = notes["ranges"] or "rounding"
    number = printed[["value", "decimals"]]
    rounding = ranges == "rounding"
    if isnan(value if rounding else value + low + high):
        raise ValueError(f"ours is no number, or no range for {ranges}.")
    if comparison:
        ours = [value]
        if not rounding:
            ours += [low, high]
        compare = COMPARISONS[comparison]
        inside = exact = any(compare(x, number["value"]) for x in ours)
    else:
        inside = bool(overlaps(low, high, *number))
        exact = bool(overlaps(value, value, *number))
    if rounding and exact:
        return EXACT
    if not inside and not notes["note"]:
        raise ValueError("ours differs; a note must give the reason.")
    return RANGES[ranges] if inside else DIFFERS
