"""Pools: which documents of which runs a collection was judged from."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from gtaudit.assessments import JudgedRuns
from gtaudit.doubts import (
    Doubt,
)
from gtaudit.inputs import read_system_table
from gtlib.checks import count_noun, list_some, whole_number

# The share of the judged documents that pools must hold to be believed.
BELIEVED = 0.5

# The most that nobody judged of a contributor's first documents, on a
# typical topic.
MOST_MISSING = 0.1

# A run may be followed on fewer topics than the run that is followed on
# most: down to this share of them, and only if what is explained grows by
# more than the other share.
FOLLOWED, LEFT = 0.75, 0.01

# The depth, and which runs contributed, if somebody said.
Pools: TypeAlias = tuple[int | None, Mapping[str, bool] | None]

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
    missing : dict of run to float
        Of contributors that miss more than `MOST_MISSING` on the median
        topic: the share of their first documents that nobody judged.
    """

    depth: int | None
    contributors: tuple[str, ...] = ()
    explained: float = 0.0
    told: tuple[str, ...] = ()
    missing: dict[str, float] = field(default_factory=dict)


def find_pooling(
    data: JudgedRuns,
    depth: int | None = None,
    contributed: Mapping[str, bool] | None = None,
) -> Pooling:
    """Find the pools that a collection was judged from, as somebody said
    or as the judgments suggest.

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
    """
    stated = []
    if depth is not None:
        stated.append("depth")
    if contributed is not None:
        stated.append("contributors")
    runs = [*data.lists]
    if contributed is not None:
        runs = [run for run in runs if contributed.get(run)]
        if not runs:
            raise ValueError("The CSV of --pools names none of these runs.")
    size = pd.Series(data.judged).map(len).loc[runs]
    longest = int(size.max())
    holes = data.first_holes.loc[runs]
    reach = (holes - 1).clip(upper=longest)
    if depth is None:
        depth = _most_likely_depth(data, reach, longest)
    depth = min(depth, longest)
    # A list that ends before, with no hole, does not show it.
    ended = np.isinf(holes) & (size < depth)
    followed = (reach >= depth).astype(float).where(~ended)
    followed = followed.groupby(level=0).mean()
    if contributed is None:
        runs = _find_contributors(data, followed, depth)
    explained = _explained_share(data, runs, depth)
    if explained < BELIEVED and "depth" not in stated:
        return Pooling(None, (), explained, tuple(stated))
    typical = data.share_judged(depth, "median")[runs]
    missing = 1 - data.share_judged(depth)[runs]
    missing = missing[typical < 1 - MOST_MISSING - 1e-9].to_dict()
    return Pooling(depth, tuple(runs), explained, tuple(stated), missing)


def _most_likely_depth(data, reach, longest):
    """Find the depth at which most documents are among the first of lists
    that were followed so far.

    A document at rank r of a list that was followed to h counts at the
    depths from r to h; of several such depths the deepest is taken.
    """
    documents_held = np.zeros(longest + 2, dtype=int)
    for topic, rows in reach.groupby(level=1):
        size = len(data.assessments.documents[topic])
        changes = np.zeros((size, longest + 2), dtype=np.int32)
        for (system, _), h in rows.items():
            numbers = data.lists[system][topic][: int(h)]
            np.add.at(changes, (numbers, np.arange(1, len(numbers) + 1)), 1)
            np.add.at(changes, (numbers, int(h) + 1), -1)
        documents_held += (changes.cumsum(axis=1) > 0).sum(axis=0)
    return len(documents_held) - 1 - int(documents_held[::-1].argmax())


def _find_contributors(data, followed, depth):
    """Find the runs whose documents were judged on most topics: the fewest
    that explain nearly as many judged documents as all such runs do."""
    runs = [*data.lists]
    fit = followed[~(followed < FOLLOWED * followed.max())]
    most = _explained_share(data, fit.index, depth)
    for least in np.unique(fit.dropna())[::-1]:
        runs = [run for run in data.lists if not followed[run] < least]
        if _explained_share(data, runs, depth) >= (1 - LEFT) * most:
            break
    return runs


def _explained_share(data, runs, depth):
    """Return the share of the judged documents that are among the first
    of some runs."""
    judged = sum(map(len, data.assessments.pairs.values()))
    return len(data.owners(dict.fromkeys(runs), depth)) / judged


def read_pools(
    said: int | str | Path | Sequence[int | str | Path] | None,
) -> Pools:
    """Read how deep the pools were, and which runs contributed to them.

    Parameters
    ----------
    said : number, path, or both in a list, optional
        The depth; and a CSV file with a column ``run`` or ``system``.
        Another one, ``contributed``, may say yes or no (or 1 or 0, true or
        false); without it, the file lists the runs that did.

    Raises
    ------
    ValueError
        If there are two depths or two files, the depth is not from 1 on,
        or the file is missing or malformed.
    """
    parts: list[Any] = []
    if said is not None:
        parts += said if isinstance(said, list | tuple) else [said]
    depths = [p for p in parts if isinstance(p, Real) or _is_number(p)]
    files = [p for p in parts if p not in depths]
    if len(depths) > 1 or len(files) > 1:
        raise ValueError(
            "--pools takes a depth, a CSV file of runs, or both, as in "
            f"--pools 10 runs.csv; it was given {list_some(parts)}."
        )
    return (
        _whole(depths[0]) if depths else None,
        read_contributed(files[0]) if files else None,
    )


def _is_number(said):
    return isinstance(said, str) and said.isdecimal()


def _whole(depth):
    depth = int(depth) if isinstance(depth, str) else depth
    return whole_number(depth, "--pools")


def read_contributed(path: str | Path) -> dict[str, bool]:
    """Read which runs contributed to the judgments, for `read_pools`."""
    table = read_system_table(path).rename(
        columns=lambda c: c.strip().lower()
    )
    other_columns = {*table} - {"system", "contributed"}
    if (
        "system" not in table
        or other_columns
        or not table.columns.is_unique
    ):
        raise ValueError(
            f"{path} needs the column run, and perhaps contributed; it has "
            f"{list_some(table.columns)}."
        )
    answers = table.get("contributed", pd.Series("yes", table.index))
    answers = answers.str.strip().str.lower()
    names = table["system"].str.strip()
    wrong = names.eq("") | names.duplicated() | ~answers.isin(_YES | _NO)
    if wrong.any():
        raise ValueError(
            f"{path}: the line of {list_some(map(repr, names[wrong]))} "
            "must name a run, once, and say yes or no under contributed."
        )
    return dict(zip(names, answers.isin(_YES), strict=True))


def pool_notes(
    pools: Pools, pooling: Pooling, runs: Collection[str]
) -> Iterator[str]:
    """Yield notes on what somebody said of the pools, where it is not used
    as it was said."""
    depth, contributed = pools
    stated = contributed or {}
    if pooling.depth and depth and pooling.depth < depth:
        yield (
            f"--pools says {depth}, and no contributor has a list of "
            f"more than {pooling.depth}: the pools are taken as these."
        )
    unknown_runs = [name for name in stated if name not in runs]
    if unknown_runs:
        yield (
            "The CSV of --pools names what is no run here: "
            f"{list_some(unknown_runs)}."
        )
    unstated_runs = [run for run in runs if run not in stated]
    if unstated_runs and not all(stated.values()):
        yield (
            "What the CSV of --pools leaves out counts as no: "
            f"{list_some(unstated_runs)}."
        )


def find_pool_doubts(pooling: Pooling) -> Iterator[Doubt]:
    """Find where the judgments contradict what was said of their
    pools."""
    n = len(pooling.contributors)
    first = f"the first {pooling.depth} documents"
    contradictions = []
    missing = pooling.missing
    if missing:
        share = f"nobody judged {sum(missing.values()) / len(missing):.0%}"
        contradictions.append(f"of {first} of {list_some(missing)} {share}")
    if pooling.explained < BELIEVED:
        share = f"{pooling.explained:.0%} of what was judged"
        contradictions.append(
            f"{first} of {count_noun(n, 'run')} hold {share}"
        )
    if contradictions and pooling.told and pooling.depth:
        what = (
            "The judgments contradict what was said of their pools: "
            f"{' and '.join(contradictions)}."
        )
        yield Doubt("pools", "pools", what)


def describe_pools(pooling: Pooling) -> str:
    """Return the sentence on the pools, and on what they explain."""
    if pooling.depth is None:
        remark = "--pools would tell"
        if pooling.told:
            remark = "the runs that --pools names do not fit them"
        return (
            "**The pools.** From which documents of which runs the "
            "judgments were made cannot be told: the tops of these runs "
            f"explain {pooling.explained:.0%} of them at most. So nothing "
            f"is said of what a run lost by not being judged; {remark}."
        )
    source = (
        "As somebody said" if pooling.told else "As the judgments suggest"
    )
    if len(pooling.told) == 1:
        source += f" of the {pooling.told[0]}, and as the judgments suggest"
    return (
        f"**The pools.** {source}, the first {pooling.depth} documents of "
        f"{len(pooling.contributors)} runs were judged. That explains "
        f"{pooling.explained:.0%} of the judged documents."
    )
