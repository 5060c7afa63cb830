"""Scores as a way of judging would have them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gtlib.checks import one_of
from gtlib.judging.sampling import SAMPLES, inferred_ap, sampled_ap
from gtlib.judging.strategies import judge
from gtlib.pool import Pool

ESTIMATES = ("not relevant", "sampled", "inferred")


def judged_scores(
    pool: Pool,
    qrels: pd.DataFrame,
    strategy: str = "mtc",
    per_topic: int = 10,
    estimate: str | None = None,
    held_out: pd.DataFrame | None = None,
    seed: int | Sequence[int] = 0,
) -> pd.DataFrame:
    """AP of every system when so many documents a topic are judged.

    Parameters
    ----------
    pool : Pool
        All systems.
    qrels : DataFrame
        All judgments, to be revealed: see `judge`.
    strategy, per_topic, seed : as in `judge`
    estimate : {"not relevant", "sampled", "inferred"}, optional
        What is made of unjudged documents: they are not relevant; or the
        sample speaks for them (`sampled_ap`, `inferred_ap`). By default
        ``sampled`` after a strategy that draws by chance.
    held_out : DataFrame of bool, systems x topics, optional
        Where a system has no say in what is judged. It is scored all the
        same.

    Returns
    -------
    DataFrame, systems x topics

    Raises
    ------
    ValueError
        As `judge`; or if the estimate does not fit the strategy, a system
        or topic is missing in `held_out`, or nobody contributes.

    Examples
    --------
    >>> from gtlib import pool_runs, synthetic_collection
    >>> drawn = synthetic_collection(systems=4, topics=3, documents=40)
    >>> pool = pool_runs(drawn.runs)
    >>> judged_scores(pool, drawn.qrels, "pooling", 5).shape
    (4, 3)
    """
    by_chance = strategy in SAMPLES
    estimate = estimate or ("sampled" if by_chance else "not relevant")
    one_of(estimate, "estimate", ESTIMATES)
    if estimate == "sampled" and not by_chance:
        raise ValueError(
            f"{strategy} draws nothing by chance, so its judgments speak "
            "for themselves only: take estimate='not relevant'."
        )
    if estimate == "inferred" and strategy != "random":
        raise ValueError("infAP needs the strategy 'random'.")
    parts = [(pool, pool, qrels)]
    if held_out is not None:
        parts = _by_topic(pool, qrels, held_out)
    tables = []
    for place, (some, contributors, answers) in enumerate(parts):
        own = [*np.atleast_1d(seed), place]
        told = judge(contributors, answers, strategy, per_topic, seed=own)
        if estimate == "sampled":
            table = sampled_ap(some, told, strategy, contributors)
        elif estimate == "inferred":
            table = inferred_ap(some, told, contributors)
        else:
            table = some.average_precision(some.labels(told, otherwise=0))
        tables.append(table)
    return pd.concat(tables, axis=1)


def _by_topic(pool, qrels, held_out):
    """Each topic's pool, that of its contributors, and its judgments."""
    lost = pool.systems.difference(held_out.index).append(
        pool.topics.difference(held_out.columns)
    )
    if len(lost):
        raise ValueError(f"held_out does not know {lost[0]!r}.")
    out = held_out.loc[pool.systems, pool.topics].to_numpy(bool)
    if out.all(axis=0).any():
        topic = pool.topics[out.all(axis=0)][0]
        raise ValueError(f"Every system is held out of topic {topic}.")
    groups = dict(list(qrels.groupby(qrels["topic"].astype(str))))
    nothing = qrels.iloc[:0]
    for topic, column in zip(pool.topics, out.T, strict=True):
        one = pool.only(topics=[topic])
        contributors = one.only(pool.systems[~column])
        yield one, contributors, groups.get(topic, nothing)
