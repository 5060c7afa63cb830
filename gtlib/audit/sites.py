"""The part of an audit that asks whether new systems may be scored."""

from pathlib import Path

import pandas as pd

from gtlib.reuse.assignment import Assignment
from gtlib.reuse.means import site_scores
from gtlib.wording import some

NO_BLOCK_DESIGN = (
    "Whether the judgments will serve systems that did not contribute to "
    "them cannot be told from scores alone. It takes a block design: sites "
    "held out of the judging of some topics (`--sites`, `--held-out`)."
)
"""What is said where no assignment of held-out sites was given."""


def read_sites(path, systems):
    """The site of every system, from a CSV file.

    Parameters
    ----------
    path : path
        Columns ``system`` and ``site``.
    systems : sequence
        The systems that were scored.

    Returns
    -------
    dict of system to site

    Raises
    ------
    ValueError
        If the file is missing, lacks a column, or leaves out a system.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "sites.csv"
    >>> _ = path.write_text("system,site\\nbm25,here\\nlm,there\\n")
    >>> read_sites(path, ["bm25", "lm"])
    {'bm25': 'here', 'lm': 'there'}
    """
    table = _read_csv(path)
    for column in ("system", "site"):
        if column not in table:
            raise ValueError(
                f"{path} has no column {column!r}; its columns are "
                f"{some(table.columns)}."
            )
    sites = dict(zip(table["system"], table["site"], strict=True))
    named = {str(system): system for system in systems}
    lacking = [name for name in named if name not in sites]
    if lacking:
        raise ValueError(f"{path} gives no site for {some(lacking)}.")
    return {system: sites[name] for name, system in named.items()}


def block_design(wide, sites, held_out):
    """What a test of reusability needs, from files.

    Parameters
    ----------
    wide : DataFrame, systems x topics
    sites, held_out : path
        As in `read_sites`, and as `Assignment.read_csv` takes it: columns
        ``topic`` and ``held_out``.

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
    site_of = read_sites(sites, wide.index)
    _read_csv(held_out)
    assignment = Assignment.read_csv(
        held_out, sorted(set(site_of.values()))
    )
    belongs_together = wide.rename(columns=str), site_of, assignment
    site_scores(*belongs_together)
    return belongs_together


def _read_csv(path):
    if not Path(path).is_file():
        raise ValueError(f"There is no file {path}.")
    try:
        return pd.read_csv(path, dtype=str)
    except (pd.errors.ParserError, ValueError) as error:
        raise ValueError(f"{path} is not a CSV table: {error}.") from error
