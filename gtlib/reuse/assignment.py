"""Which sites are held out of which topics, by name."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TextIO

import numpy as np
import pandas as pd

from gtlib.tables import list_some


class Assignment:
    """The sites that are held out of the judging of each topic.

    Parameters
    ----------
    held_out : DataFrame of bool
        Rows = topics, columns = sites; True where a site is held out.

    Raises
    ------
    ValueError
        If a name is given twice, a cell is not True or False, or no site
        contributes to a topic.

    Examples
    --------
    >>> from gtlib.reuse.blocks import BlockDesign
    >>> design = BlockDesign(["APL", "IBM", "UIC"], 1, [301, 302, 303])
    >>> design.assign(seed=1).held_out.sum().tolist()
    [1, 1, 1]
    """

    def __init__(self, held_out: pd.DataFrame) -> None:
        unique_names(held_out.index, "topic")
        unique_names(held_out.columns, "site")
        if not held_out.isin([True, False]).all(axis=None):
            raise ValueError("held_out must be True or False everywhere.")
        table = held_out.astype(bool)
        nobody = table.index[table.all(axis="columns")]
        if len(nobody):
            raise ValueError(
                f"Every site is held out of topic {nobody[0]}: nobody is "
                "left to contribute judgments."
            )
        self.held_out = table

    def site_rows(self, sites: Iterable[Hashable]) -> np.ndarray:
        """Return where each of some sites is held out: sites x topics."""
        sites = list(sites)
        columns = self.held_out.columns
        unknown = sorted(set(sites) - set(columns), key=str)
        if unknown:
            raise ValueError(
                f"Site {unknown[0]!r} is not in the assignment; its sites "
                f"are {list_some(columns)}."
            )
        return self.held_out[sites].to_numpy().T

    def to_csv(self, path: str | PathLike[str] | TextIO) -> None:
        """Write a line per topic: topic, held-out sites (by ;)."""
        sites = self.held_out.columns.astype(str)
        if sites.str.contains(";").any():
            raise ValueError("A site's name contains ';': rename it.")
        names = [";".join(sites[row]) for row in self.held_out.to_numpy()]
        table = pd.DataFrame({"held_out": names}, self.held_out.index)
        table.to_csv(path, index_label="topic")

    @staticmethod
    def read_csv(
        path: str | PathLike[str] | TextIO,
        sites: Sequence[str] | None = None,
    ) -> "Assignment":
        """Read what `to_csv` writes, or an assignment made elsewhere.

        Parameters
        ----------
        path : str or Path
            Columns ``topic`` and ``held_out`` (site names separated by
            ``;``, empty for the baseline).
        sites : sequence of str, optional
            Every site, in order; needed for those never held out.

        Returns
        -------
        Assignment
            The sites held out of each topic.

        Raises
        ------
        ValueError
            If a column is missing or a site is not among `sites`.
        """
        table = pd.read_csv(path, dtype={"topic": str, "held_out": str})
        for column in ("topic", "held_out"):
            if column not in table:
                raise ValueError(
                    f"{path} has no column {column!r}; topic and held_out "
                    "are needed."
                )
        table = table.set_index("topic")
        names = table["held_out"].fillna("").str.strip()
        names = names.str.replace(r"\s*;\s*", ";", regex=True)
        held = names.str.get_dummies(";").astype(bool)
        held = held.drop(columns="", errors="ignore")  # held out nobody
        if sites is not None:
            unknown = held.columns.difference(sites)
            if len(unknown):
                raise ValueError(
                    f"{path} holds out {unknown[0]!r}, which is not among "
                    "the sites."
                )
            held = held.reindex(columns=list(sites), fill_value=False)
        return Assignment(held)


def unique_names(
    names_or_count: int | Iterable[Hashable], what: str, prefix: str = ""
) -> tuple[Hashable, ...]:
    """Return a tuple of unique names; a count becomes prefix1, ..."""
    if isinstance(names_or_count, (int, np.integer)):
        return tuple(f"{prefix}{i}" for i in range(1, names_or_count + 1))
    names = tuple(names_or_count)
    twice = pd.Index(names)[pd.Index(names).duplicated()]
    if len(twice):
        raise ValueError(f"The {what} {twice[0]!r} is given twice.")
    return names


def system_sites(
    systems: pd.Index, sites: pd.Series | Mapping[str, str]
) -> pd.Series:
    """Return the site of each system, or refuse one without."""
    sites = pd.Series(sites)
    lost = systems.difference(sites.index)
    if len(lost):
        raise ValueError(
            f"System {lost[0]} has no site: sites must name that of every "
            "system."
        )
    return sites[systems]
