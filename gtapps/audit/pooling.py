"""From which documents of which runs a collection was judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from gtapps.audit.inputs import about_systems
from gtapps.audit.judged_runs import JudgedRuns
from gtlib.tables import some

# The share of the judged documents that pools must hold to be believed.
BELIEVED = 0.5

# A run may be followed on fewer topics than the run that is followed on
# most: down to this share of them, and only if what is explained grows by
# more than the other share.
FOLLOWED, LEFT = 0.75, 0.01

_UNTOLD = "--pool-depth and --contributed would tell"
_UNFIT = "the runs that --contributed names do not fit the judgments"

_YES = {"1", "yes", "y", "true", "t"}
_NO = {"0", "no", "n", "false", "f"}


@dataclass(frozen=True)
class Pooling:
    """Pools of the first documents of some runs.

    Attributes
    ----------
    depth : int or None
        Down to which rank a contributor was judged; None if the judgments
        do not show it.
    contributors : tuple of str
        The runs whose first documents were judged.
    explained : float
        The share of the judged documents that are among those.
    told : tuple of str
        Which of ``depth`` and ``contributors`` somebody said; what is not
        there was inferred.
    """

    depth: int | None
    contributors: tuple[str, ...] = ()
    explained: float = 0.0
    told: tuple[str, ...] = ()


def pooling_of(
    data: JudgedRuns,
    depth: int | None = None,
    contributed: Mapping[str, bool] | None = None,
) -> Pooling:
    """The pools that a collection was judged from, as said or inferred.

    A list was followed down to the rank before its first hole. The depth
    is the one at which most judged documents are among the first of lists
    that were followed so far: at a smaller depth documents are missing,
    and beyond the true one most lists have a hole. Contributors are runs
    that were followed on most topics, and no more of them than it takes.

    Parameters
    ----------
    data : JudgedRuns
    depth : int, optional
    contributed : dict of system to bool, optional
        As `read_contributed` returns it.

    Returns
    -------
    Pooling
        Without a depth if fewer than `BELIEVED` of the judged documents
        are explained and the depth was not said.

    Raises
    ------
    ValueError
        If `contributed` names none of the runs.

    Examples
    --------
    >>> from gtapps.audit import study_judgments
    >>> from gtapps.simulations import synthetic_runs
    >>> runs, qrels, _ = synthetic_runs(sites=3, topics=9)
    >>> top = runs[(runs["rank"] <= 7) & (runs["system"] != "s1")]
    >>> pool = qrels.merge(top[["topic", "document"]].drop_duplicates())
    >>> found = study_judgments(runs, pool).pooling
    >>> found.depth, len(found.contributors), found.explained
    (7, 8, 1.0)
    """
    told = ("depth",) * (depth is not None)
    told += ("contributors",) * (contributed is not None)
    runs = [*data.lists]
    if contributed is not None:
        runs = [run for run in runs if contributed.get(run)]
        if not runs:
            raise ValueError(
                "--contributed names none of these runs as one that "
                "contributed to the judgments."
            )
    size = pd.Series(data.judged).map(len).loc[runs]
    longest = int(size.max())
    holes = data.first_holes.loc[runs]
    reach = (holes - 1).clip(upper=longest)
    if depth is None:
        depth = _depth(data, reach, longest)
    depth = min(depth, longest)
    # A list that ends before, with no hole, does not show it.
    ended = np.isinf(holes) & (size < depth)
    followed = (reach >= depth).astype(float).where(~ended)
    followed = followed.groupby(level=0).mean()
    if contributed is None:
        runs = _contributors(data, followed, depth)
    explained = _explained(data, runs, depth)
    if explained < BELIEVED and "depth" not in told:
        return Pooling(None, (), explained, told)
    return Pooling(depth, tuple(runs), explained, told)


def _depth(data, reach, longest):
    """At which most documents are among the first of lists that were
    followed so far; a document at rank r of a list followed to h is there
    at the depths from r to h."""
    held = np.zeros(longest + 2, dtype=int)
    for topic, rows in reach.groupby(level=1):
        size = len(data.assessments.documents[topic])
        changes = np.zeros((size, longest + 2), dtype=np.int32)
        for (system, _), h in rows.items():
            numbers = data.lists[system][topic][: int(h)]
            np.add.at(changes, (numbers, np.arange(1, len(numbers) + 1)), 1)
            np.add.at(changes, (numbers, int(h) + 1), -1)
        held += (changes.cumsum(axis=1) > 0).sum(axis=0)
    return len(held) - 1 - int(held[::-1].argmax())


def _contributors(data, followed, depth):
    """The runs that were followed most, as many as explain most."""
    runs = [*data.lists]
    fit = followed[~(followed < FOLLOWED * followed.max())]
    most = _explained(data, fit.index, depth)
    for least in np.unique(fit.dropna())[::-1]:
        runs = [run for run in data.lists if not followed[run] < least]
        if _explained(data, runs, depth) >= (1 - LEFT) * most:
            break
    return runs


def _explained(
    data: JudgedRuns, runs: Collection[str], depth: int
) -> float:
    """The share of judged documents among the first of some runs."""
    judged = sum(map(len, data.assessments.pairs.values()))
    return len(data.owners(dict.fromkeys(runs), depth)) / judged


def read_contributed(path: str | Path) -> dict[str, bool]:
    """Which runs contributed to the judgments, from a CSV file.

    Its first column is called ``run`` or ``system``. Another one,
    ``contributed``, may say yes or no (or 1 or 0, true or false); without
    it, the file lists those that did.

    Raises
    ------
    ValueError
        If the file is missing or malformed.
    """
    table = about_systems(path).rename(columns=str.lower)
    strange = {*table} - {"system", "contributed"}
    if "system" not in table or strange or not table.columns.is_unique:
        raise ValueError(
            f"{path} needs the column run, and perhaps contributed; it has "
            f"{some(table.columns)}."
        )
    said = table.get("contributed", pd.Series("yes", table.index))
    said = said.str.strip().str.lower()
    wrong = table.index[~said.isin(_YES | _NO)]
    names = table["system"].str.strip()
    wrong = wrong.union(table.index[names.eq("") | names.duplicated()])
    if len(wrong):
        row = wrong[0]
        raise ValueError(
            f"{path}: the line of {some([names[row]])} must name a run, "
            "once, and say yes or no under contributed."
        )
    return dict(zip(names, said.isin(_YES), strict=True))


def in_words(found: Pooling) -> str:
    """What is known of the pools, and what they explain."""
    if found.depth is None:
        return (
            "**The pools.** From which documents of which runs the "
            "judgments were made cannot be told: the tops of these runs "
            f"explain {found.explained:.0%} of them at most. So nothing is "
            "said of what a run lost by not being judged; "
            f"{_UNFIT if found.told else _UNTOLD}."
        )
    how = "As somebody said" if found.told else "As the judgments suggest"
    if len(found.told) == 1:
        how += f" of the {found.told[0]}, and as the judgments suggest"
    return (
        f"**The pools.** {how}, the first {found.depth} documents of "
        f"{len(found.contributors)} runs were judged. That explains "
        f"{found.explained:.0%} of the judged documents."
    )
