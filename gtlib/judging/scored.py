"""Scores as a way of judging would have them."""

from collections.abc import Sequence

import pandas as pd

from gtlib.judging.sampling import SAMPLES, inferred_ap, sampled_ap
from gtlib.judging.strategies import judge
from gtlib.runs.pool import Pool
from gtlib.tables.checks import one_of

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
        As `judge` and `Pool.without`, or if the estimate does not fit the
        strategy.

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
    contributors = pool if held_out is None else pool.without(held_out)
    told = judge(contributors, qrels, strategy, per_topic, seed=seed)
    if estimate == "sampled":
        return sampled_ap(pool, told, strategy, contributors)
    if estimate == "inferred":
        return inferred_ap(pool, told, contributors)
    return pool.average_precision(pool.labels(told, otherwise=0))
