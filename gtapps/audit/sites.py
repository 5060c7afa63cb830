"""The part of an audit that asks whether new systems may be scored."""

from pathlib import Path

import pandas as pd

from gtapps.audit.files import as_table
from gtlib.reuse import Assignment, site_of_each, site_scores
from gtlib.runs import files_in, read_as_written
from gtlib.tables import some

_HELD_OUT = (
    "a block design: sites held out of the judging of some topics "
    "(`--sites`, `--held-out`)."
)
# What is said where no assignment of held-out sites was given.
NO_BLOCK_DESIGN = (
    "Whether the judgments will serve systems that did not contribute to "
    f"them cannot be told from scores alone. It takes {_HELD_OUT}"
)

# What is said if there are judgments, but no such assignment.
STRONGER = (
    "The judgments above were tested by leaving runs out. A stronger test "
    f"is {_HELD_OUT}"
)


def block_design(
    wide: pd.DataFrame,
    sites: str | Path | None,
    held_out: str | Path | None,
) -> tuple[pd.DataFrame, pd.Series, Assignment]:
    """What a test of reusability needs, from files.

    Parameters
    ----------
    wide : DataFrame, systems x topics
    sites : path
        A CSV file with the columns ``system`` and ``site``.
    held_out : path
        As `Assignment.read_csv` takes it: columns ``topic`` and
        ``held_out``.

    Returns
    -------
    tuple of scores, sites and assignment
        The first three arguments of `gtlib.reusability_test`.

    Raises
    ------
    ValueError
        If a file is missing or malformed, or scores, sites and topics do
        not belong together.
    """
    if sites is None or held_out is None:
        raise ValueError(
            "The test of reusability needs both --sites and --held-out."
        )
    if wide.isna().any(axis=None):
        raise ValueError(
            "The test of reusability needs a score of every system "
            "on every topic, and this table has gaps: run the audit "
            "without --sites and --held-out."
        )
    named = read_sites(sites)
    files_in(held_out)
    scores = wide.rename(index=str, columns=str)
    site_of = site_of_each(scores.index, named)
    assignment = Assignment.read_csv(held_out, sorted(set(site_of)))
    site_scores(scores, site_of, assignment)
    return scores, site_of, assignment


def read_sites(path: str | Path) -> dict[str, str]:
    """The site of each system, from a CSV file with these two columns.

    Raises
    ------
    ValueError
        If the file is missing or malformed.
    """
    files_in([path])
    text = read_as_written(path)
    table = as_table(path, text, dtype=str, keep_default_na=False)
    for column in ("system", "site"):
        if column not in table:
            raise ValueError(
                f"{path} has no column {column!r}; its columns are "
                f"{some(table.columns)}."
            )
    table = table.drop_duplicates(["system", "site"])
    for system in table["system"][table["site"].str.strip() == ""]:
        raise ValueError(f"{path} names no site for the system {system}.")
    for system in table["system"][table["system"].duplicated()]:
        raise ValueError(
            f"{path} gives the system {system} two sites: leave one."
        )
    return dict(zip(table["system"], table["site"], strict=True))
