"""Verdicts on printed numbers, and what has become of those on record.

The verdicts are compared with those on record, so that none gets worse
unseen.
"""

from collections.abc import Mapping
from operator import ge, gt, lt

import pandas as pd

from gtapps.ledger.page import write_table
from gtapps.ledger.rounding import overlaps, prints_as
from gtlib.collections import data_folder
from gtlib.tables.checks import one_of

EXACT = "exact"
WITHIN = "within rounding"
CONSISTENT = "consistent"
OTHER = "other data"
DIFFERS = "differs"
MISSING = "not reproducible here"
UNFETCHED = "not fetched"
VERDICTS = (EXACT, WITHIN, CONSISTENT, OTHER, DIFFERS, MISSING, UNFETCHED)
"""From best to worst; the last says nothing about the number itself."""


def _about(value, printed):
    """Whether a value is `printed` in as many significant digits."""
    digits = len(f"{printed:g}".replace(".", "").strip("0"))
    return float(f"{value:.{max(digits, 1)}g}") == printed


COMPARISONS = {">": gt, "≥": ge, "<": lt, "≈": _about}
"""What a paper may say of a number instead of giving it."""

RANGES = {"rounding": WITHIN, "simulation": CONSISTENT, "other data": OTHER}
"""What a range comes from, and the verdict on a number that lies in it."""

KINDS = ("result", "arithmetic", "input")
"""What a printed number is, by how its note begins."""

_NOTHING = dict.fromkeys(["value", "low", "high"], float("nan"))


class Ledger:
    """Printed numbers, ours beside them, and a verdict for each.

    Parameters
    ----------
    published : dict of paper to DataFrame
        What ``load(paper)`` gives. Rows whose note begins with "input" are
        what a paper starts from; they are left out unless entered. Rows
        whose note begins with "arithmetic" are sums, shares and the like
        of other printed numbers. All others are results.

    Examples
    --------
    >>> from gtlib import cronbach_alpha, load
    >>> printed = load("bodoff-li-2007")
    >>> score = printed[printed.index.str.startswith("figure-2/score/")]
    >>> scores = score["value"].to_numpy().reshape(5, 3)
    >>> ledger = Ledger({"bodoff-li-2007": printed.loc[["figure-2/alpha"]]})
    >>> ledger.enter("bodoff-li-2007",
    ...     {"figure-2/alpha": cronbach_alpha(scores).estimate})
    >>> ledger.table["verdict"].tolist()
    ['exact']
    """

    def __init__(self, published: Mapping[str, pd.DataFrame]) -> None:
        self._printed = pd.concat(published, names=["paper", "key"])
        self._entries: dict[tuple[str, str], dict[str, object]] = {}

    def enter(
        self,
        paper: str,
        values: Mapping[str, float] | pd.Series | pd.DataFrame,
        reason: str | Mapping[str, str] = "",
        comparison: str = "",
        ranges: str = "rounding",
    ) -> None:
        """Enter what was computed for some of a paper's numbers.

        Parameters
        ----------
        paper : str
        values : mapping of key to number, or DataFrame
            A DataFrame has columns ``value``, ``low`` and ``high``, as
            `attainable` gives.
        reason : str, or mapping of key to str
            Needed where a number differs; otherwise a remark.
        comparison : {">", "≥", "<", "≈"}, optional
            How ours compares with the printed number where the paper says
            "more than", "at least", "less than" or "about".
        ranges : {"rounding", "simulation", "other data"}
            What ``low`` and ``high`` are: what rounded inputs allow; the
            interval of a simulation of what the paper did by chance; or
            what collections other than the paper's give. Of the latter
            two no number is called exact, as its nearness is luck.

        Raises
        ------
        ValueError
            If the paper has no such number, it was entered before, ours
            is not a number, has no range though one is needed, or differs
            without a reason.
        """
        one_of(comparison, "comparison", ("", *COMPARISONS))
        one_of(ranges, "ranges", tuple(RANGES))
        if not isinstance(values, pd.DataFrame):
            values = pd.Series(values, dtype=float).to_frame("value")
        for key, row in values.reindex(columns=list(_NOTHING)).iterrows():
            at = (paper, key)
            if at not in self._printed.index:
                raise ValueError(f"{paper} prints no number {key!r}.")
            if pd.isna(row["value"]):
                raise ValueError(f"{paper}: ours is no number for {key}.")
            if ranges != "rounding" and row.isna().any():
                raise ValueError(
                    f"{paper} {key}: a verdict by {ranges} needs low and "
                    "high beside the value."
                )
            text = reason if isinstance(reason, str) else reason.get(key)
            verdict = _judge(
                self._printed.loc[at], comparison, ranges, **row
            )
            if verdict == DIFFERS and not text:
                raise ValueError(f"{paper} {key} differs; give the reason.")
            self._put(at, verdict, text, comparison, row)

    def miss(
        self, paper: str, reason: str, *starts: str, fetch: bool = False
    ) -> None:
        """Say why numbers that are not entered cannot be computed.

        Parameters
        ----------
        paper : str
        reason : str
            Which data is missing.
        *starts : str
            The numbers: all whose key starts with one of these, inputs
            too.
        fetch : bool
            True if the data exists but is not on this machine now.

        Raises
        ------
        ValueError
            If nothing that starts so is left to enter.
        """
        for start in starts:
            keys = [
                key
                for key in self._printed.loc[paper].index
                if key.startswith(start)
                and (paper, key) not in self._entries
            ]
            if not keys:
                raise ValueError(f"{paper}: no number left at {start!r}.")
            for key in keys:
                self._put(
                    (paper, key), UNFETCHED if fetch else MISSING, reason
                )

    @property
    def kinds(self) -> pd.Series:
        """What each number is, result, arithmetic or input, by (paper,
        key)."""
        first = self._printed["note"].str.extract(r"^(\w+)")[0]
        return first.where(first.isin(KINDS), KINDS[0]).rename("kind")

    @property
    def open(self) -> list[tuple[str, str]]:
        """Numbers, as (paper, key), that have neither value nor reason."""
        wanted = self.kinds.index[self.kinds != "input"]
        return [key for key in wanted if key not in self._entries]

    @property
    def table(self) -> pd.DataFrame:
        """DataFrame, a row per (paper, key) in the order of print.

        ``location``, ``quantity``, ``printed``, ``decimals``; ``value``
        (ours), ``low`` and ``high`` (see `enter`); ``comparison``,
        ``verdict``, and ``reason`` (or the note that the printed number
        carries).

        Raises
        ------
        ValueError
            If a number is open.
        """
        if self.open:
            names = ", ".join(" ".join(key) for key in self.open[:5])
            raise ValueError(
                f"{len(self.open)} numbers have no entry: {names} ... "
                "Enter what was computed, or say what they miss."
            )
        entries = pd.DataFrame.from_dict(self._entries, orient="index")
        entries = entries.rename_axis(["paper", "key"])
        shown = ["location", "quantity", "printed", "decimals"]
        return self._printed[shown].join(entries, how="inner")

    def counts(self, *kinds: str) -> pd.DataFrame:
        """How many numbers of each paper have each verdict.

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
        order = table.index.get_level_values("paper").unique()
        table = table.reset_index()
        counts = pd.crosstab(table["paper"], table["verdict"])
        counts = counts.reindex(
            index=order, columns=VERDICTS, fill_value=0
        ).rename_axis(columns=None)
        counts.loc["all"] = counts.sum()
        return counts.assign(all=counts.sum(axis="columns"))

    def changes(self, record: pd.DataFrame) -> pd.DataFrame:
        """What has become better or worse than on record.

        Parameters
        ----------
        record : DataFrame
            What `on_record` gives.

        Returns
        -------
        DataFrame, a row per (paper, key) that changed
            ``before``, ``now``, and ``change``: worse, better, new (not on
            record) or gone. What is not fetched has not changed.
        """
        pair = pd.DataFrame(
            {
                "before": record.set_index(["paper", "key"])["verdict"],
                "now": self.table["verdict"],
            }
        )
        rank = pair.apply(
            lambda column: column.map(VERDICTS.index, "ignore")
        )
        pair["change"] = "worse"
        pair.loc[rank["now"] < rank["before"], "change"] = "better"
        pair.loc[pair["before"].isna(), "change"] = "new"
        pair.loc[pair["now"].isna(), "change"] = "gone"
        same = pair["before"].eq(pair["now"]) | pair["now"].eq(UNFETCHED)
        return pair[~same]

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
        changes = self.changes(record)
        lost = changes[changes["change"].isin(["worse", "gone"])]
        if len(lost):
            lines = [
                f"  {' '.join(key)}: {before} -> {now}"
                for key, before, now, _ in lost.itertuples(name=None)
            ]
            raise ValueError(
                f"{len(lost)} verdicts are worse than on record. Mend what "
                "computes them; if the old verdict was wrong, put the new "
                "one on record (make verdicts).\n" + "\n".join(lines)
            )

    @staticmethod
    def on_record() -> pd.DataFrame:
        """The verdicts on record: DataFrame of paper, key and verdict."""
        return pd.read_csv(data_folder() / "verdicts.csv")

    def record(self, before: pd.DataFrame) -> pd.DataFrame:
        """The verdicts to put on record.

        Parameters
        ----------
        before : DataFrame
            The record so far; it stays true of what is not fetched now.

        Returns
        -------
        DataFrame
            Columns ``paper``, ``key`` and ``verdict``.
        """
        now = self.table["verdict"]
        old = before.set_index(["paper", "key"])["verdict"]
        known = now.where(now != UNFETCHED, old.reindex(now.index))
        return known.dropna().rename("verdict").reset_index()

    def to_html(
        self, names: Mapping[str, str], sections: Mapping[str, str]
    ) -> str:
        """The ledger as a table in HTML, for the book's page.

        Parameters
        ----------
        names : dict of paper to str
            What to call each paper.
        sections : dict of str to str
            Where the book derives a number: the longest key that
            ``paper/key`` starts with gives the address, such as
            ``01-classical-test-theory.html#alpha``, or ``#alpha`` on the
            ledger's own page.
        """
        return write_table(self.table, names, sections)

    def _put(self, at, verdict, reason, comparison="", row=_NOTHING):
        if at in self._entries:
            raise ValueError(f"{' '.join(at)} is entered already.")
        self._entries[at] = {
            **row,
            "comparison": comparison,
            "verdict": verdict,
            "reason": reason or self._printed.loc[at, "note"],
        }


def _judge(printed, comparison, ranges, value, low, high):
    number = printed["value"], printed["decimals"]
    if comparison:
        ours = (value,) if ranges == "rounding" else (value, low, high)
        inside = any(COMPARISONS[comparison](x, number[0]) for x in ours)
        exact = inside
    else:
        inside = bool(overlaps(low, high, *number))
        exact = bool(prints_as(value, *number))
    if ranges == "rounding" and exact:
        return EXACT
    return RANGES[ranges] if inside else DIFFERS
