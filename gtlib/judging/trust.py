"""Can confidence be trusted? Trials against judgments that are known."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from gtlib.judging.experts import AGGREGATORS, ExpertModel
from gtlib.judging.sampling import sampled_ap
from gtlib.judging.strategies import judge
from gtlib.runs.pool import Pool
from gtlib.tables.checks import one_of, whole_number

MODELS = ("uniform", *AGGREGATORS)
"""Where probabilities of relevance come from; ``uniform`` is 1/2."""

ESTIMATES = ("not relevant", *AGGREGATORS, "sampled")
"""What `effort_trials` puts for the unjudged documents."""


def relevance_estimates(
    pool: Pool, judgments: pd.DataFrame, model: str
) -> pd.Series:
    """Probability of relevance of every pooled document.

    Parameters
    ----------
    pool : Pool
    judgments : DataFrame
        Columns ``topic``, ``document``, ``relevance``.
    model : {"uniform", "experts", "logistic"}
        1/2 for every unjudged document, or an `ExpertModel`.

    Returns
    -------
    Series
        Indexed by topic and document; 0 or 1 where judged.

    Raises
    ------
    ValueError
        If the model is unknown.

    Examples
    --------
    >>> from gtlib import pool_runs, synthetic_collection
    >>> drawn = synthetic_collection(systems=4, topics=3, documents=40)
    >>> pool = pool_runs(drawn.runs)
    >>> estimates = relevance_estimates(pool, drawn.qrels.head(), "uniform")
    >>> sorted(set(estimates))
    [0.0, 0.5, 1.0]
    """
    one_of(model, "model", MODELS)
    if model == "uniform":
        return pool.labels(judgments, otherwise=0.5)
    return ExpertModel(model).fit(pool, judgments).predict()


def confidence_trials(
    pool: Pool,
    qrels: pd.DataFrame,
    efforts: Sequence[int] = (5, 10, 20, 40),
    n_resamples: int = 8,
    evaluated: int = 10,
    seed: int = 0,
) -> pd.DataFrame:
    """The experiment of Carterette (2007): judge two, evaluate others.

    Each repeat draws two systems, judges documents that tell them apart
    (`judge` with ``mtc``), and orders `evaluated` other systems by pairs,
    with the relevance that each of three models expects.

    Parameters
    ----------
    pool : Pool
    qrels : DataFrame
        All judgments; a document that they lack is not relevant.
    efforts : sequence of int
        Judgments per topic.
    n_resamples : int
        How many times it is repeated.
    evaluated, seed : int

    Returns
    -------
    DataFrame
        A row per repeat, effort, model and pair: columns ``repeat``,
        ``effort``, ``model`` (uniform, experts or logistic, as in
        `relevance_estimates`), ``a``, ``b``, ``confidence`` (at least
        1/2, in the order that the model favours) and ``right`` (whether
        the order is that of full judgments). Pairs whose full MAP is
        equal are left out.

    Raises
    ------
    ValueError
        If the pool has fewer than ``evaluated + 2`` systems, or a number
        is no whole number from 1 (from 2 for `evaluated`).

    Examples
    --------
    >>> from gtlib import pool_runs, synthetic_collection
    >>> drawn = synthetic_collection(systems=4, topics=3, documents=40)
    >>> pool = pool_runs(drawn.runs)
    >>> trials = confidence_trials(pool, drawn.qrels, [5], 1, evaluated=2)
    >>> trials[["effort", "model"]].drop_duplicates().values.tolist()
    [[5, 'uniform'], [5, 'experts'], [5, 'logistic']]
    """
    efforts = _whole(efforts)
    n_resamples = whole_number(n_resamples, "n_resamples")
    evaluated = whole_number(evaluated, "evaluated", least=2)
    if len(pool.systems) < evaluated + 2:
        raise ValueError(
            f"{evaluated} systems to evaluate and two to judge are more "
            f"than the pool's {len(pool.systems)}."
        )
    rng = np.random.default_rng(seed)
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    tables = []
    for repeat in range(n_resamples):
        drawn = rng.permutation(pool.systems)[: evaluated + 2]
        judged = judge(pool.only(drawn[:2]), qrels, "mtc", max(efforts))
        others = pool.only(drawn[2:])
        for effort in efforts:
            told = judged[judged["step"] <= effort]
            for model in MODELS:
                p = relevance_estimates(pool, told, model)
                table = ordered_pairs(
                    others.confidence(p), truth[drawn[2:]]
                )
                tables.append(
                    table.assign(repeat=repeat, effort=effort, model=model)
                )
    trials = pd.concat(tables, ignore_index=True)
    names = ["repeat", "effort", "model", "a", "b", "confidence", "right"]
    return trials[names]


def calibration_bins(
    trials: pd.DataFrame,
    edges: Sequence[float] = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1),
) -> pd.DataFrame:
    """How often conclusions of a given confidence are right.

    Parameters
    ----------
    trials : DataFrame
        As `confidence_trials` gives, of one model.
    edges : sequence of float
        Bounds of the bins; the last bin includes its upper bound.

    Returns
    -------
    DataFrame
        A row per bin that is not empty: ``low``, ``high``, ``pairs``, the
        mean ``confidence``, the share ``right`` and its standard
        ``error``, with the repeats as clusters (pairs of one repeat share
        systems and judgments).

    Raises
    ------
    ValueError
        If the edges are fewer than two or do not rise.

    Examples
    --------
    >>> trials = pd.DataFrame({"repeat": [0, 0, 1, 1],
    ...                        "confidence": [0.9, 0.7, 0.75, 0.7],
    ...                        "right": [True, True, True, False]})
    >>> calibration_bins(trials, [0.5, 0.8, 1])["right"].round(2).tolist()
    [0.67, 1.0]
    """
    bounds = np.asarray(edges, dtype=float)
    if len(bounds) < 2 or not (np.diff(bounds) > 0).all():
        raise ValueError("edges needs two numbers or more, rising.")
    place = np.searchsorted(bounds, trials["confidence"], side="right") - 1
    place = np.clip(place, 0, len(bounds) - 2)
    rows = [
        {
            "low": bounds[k],
            "high": bounds[k + 1],
            "pairs": len(part),
            "confidence": part["confidence"].mean(),
            "right": part["right"].mean(),
            "error": clustered_error(part["right"], part["repeat"]),
        }
        for k, part in trials.groupby(place)
    ]
    return pd.DataFrame(rows)


def calibration_scores(trials: pd.DataFrame) -> pd.DataFrame:
    """Brier and log score of confidence, and what they are made of.

    Parameters
    ----------
    trials : DataFrame
        As `confidence_trials` gives.

    Returns
    -------
    DataFrame
        Indexed by effort and model: ``brier``, mean of
        (confidence - right)^2, and ``log``, mean of -log of the
        probability given to what was true (never below 0.0001); low is
        good. Mean ``confidence``, share ``right``, and the standard
        ``error`` of their difference with repeats as clusters.

    Examples
    --------
    >>> trials = pd.DataFrame({"repeat": [0, 1], "confidence": [0.8, 0.6],
    ...                        "right": [True, False],
    ...                        "effort": 5, "model": "uniform"})
    >>> scores = calibration_scores(trials)
    >>> scores.loc[(5, "uniform"), ["brier", "right"]].round(3).tolist()
    [0.2, 0.5]
    """
    missed = (trials["right"] - trials["confidence"]).abs()
    each = trials.assign(
        brier=missed**2, log=-np.log(np.maximum(1 - missed, 1e-4))
    )
    groups = each.groupby(["effort", "model"], sort=False)
    scores = groups[["brier", "log", "confidence", "right"]].mean()
    return scores.assign(
        error=[
            clustered_error(
                part["right"] - part["confidence"], part["repeat"]
            )
            for _, part in groups
        ]
    )


def effort_trials(
    pool: Pool,
    qrels: pd.DataFrame,
    choices: Sequence[tuple[str, str]],
    efforts: Sequence[int] = (5, 10, 20, 40),
    n_resamples: int = 3,
    seed: int = 0,
) -> pd.DataFrame:
    """Rank correlation with the full judgments against judging effort.

    Parameters
    ----------
    pool : Pool
    qrels : DataFrame
        All judgments.
    choices : sequence of (strategy, estimate)
        A strategy of `judge`, and what is done about unjudged documents:
        ``not relevant``, ``experts``, ``logistic``, or ``sampled`` (only
        after ``sampling``: a document drawn with probability pi counts
        1 / pi times).
    efforts : sequence of int
        Judgments per topic.
    n_resamples : int
        Draws of the strategies that choose at random.
    seed : int

    Returns
    -------
    DataFrame
        Columns ``strategy``, ``estimate``, ``effort``, ``repeat`` and
        ``tau``, Kendall's tau-b between estimated and full MAP.

    Raises
    ------
    ValueError
        If a strategy or an estimate is unknown, or a number is no whole
        number from 1.

    Examples
    --------
    >>> from gtlib import pool_runs, synthetic_collection
    >>> drawn = synthetic_collection(systems=4, topics=3, documents=40)
    >>> pool = pool_runs(drawn.runs)
    >>> everything = [("pooling", "not relevant")]
    >>> trials = effort_trials(pool, drawn.qrels, everything,
    ...                        efforts=[5, 40])
    >>> trials.groupby("effort")["tau"].max().round(6).to_dict()[40]
    1.0
    """
    efforts = _whole(efforts)
    n_resamples = whole_number(n_resamples, "n_resamples")
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    rows = []
    for strategy, estimate in choices:
        one_of(estimate, "estimate", ESTIMATES)
        chance = strategy in ("random", "sampling")
        for repeat in range(n_resamples if chance else 1):
            judged = judge(
                pool, qrels, strategy, max(efforts), seed=[seed, repeat]
            )
            for effort in efforts:
                told = judged[judged["step"] <= effort]
                score = _estimated_map(pool, told, estimate)
                tau = scipy.stats.kendalltau(score, truth).statistic
                rows.append((strategy, estimate, effort, repeat, tau))
    return pd.DataFrame(
        rows, columns=["strategy", "estimate", "effort", "repeat", "tau"]
    )


def ordered_pairs(
    confidence: pd.DataFrame, truth: pd.Series
) -> pd.DataFrame:
    """Every pair of systems once, in the order that confidence favours.

    Parameters
    ----------
    confidence : DataFrame
        P(row below column), as `Pool.confidence` gives.
    truth : Series
        Full MAP, indexed by system.

    Returns
    -------
    DataFrame
        Columns ``a``, ``b``, ``confidence`` (at least 1/2) and ``right``
        (whether the truth has the favoured order). Pairs whose truth is
        equal are left out.

    Examples
    --------
    >>> systems = pd.Index(["x", "y"])
    >>> c = pd.DataFrame([[0.5, 0.2], [0.8, 0.5]], systems, systems)
    >>> ordered_pairs(c, pd.Series([0.4, 0.3], systems))
       a  b  confidence  right
    0  x  y         0.8   True
    """
    truth = truth[confidence.index]
    i, j = np.triu_indices(len(truth), 1)
    below = confidence.to_numpy()[i, j]
    gap = truth.to_numpy()[j] - truth.to_numpy()[i]
    table = pd.DataFrame(
        {
            "a": truth.index[i],
            "b": truth.index[j],
            "confidence": np.maximum(below, 1 - below),
            "right": (below >= 0.5) == (gap > 0),
        }
    )
    return table[gap != 0]


def clustered_error(values: pd.Series, clusters: pd.Series) -> float:
    """The standard error of a mean whose values come in clusters.

    The ratio estimator: cluster totals about the mean, over the number of
    values. With one cluster the error is NaN.

    Examples
    --------
    >>> names = pd.Series(["a", "a", "b", "b"])
    >>> clustered_error(pd.Series([1, 1, 0, 0]), names)
    0.5
    """
    totals = (values - values.mean()).groupby(clusters).sum()
    return float(totals.sem() * len(totals) / len(values))


def _whole(efforts):
    if not len(efforts):
        raise ValueError("efforts is empty; give a number of judgments.")
    return [whole_number(effort, "effort") for effort in efforts]


def _estimated_map(pool, judged, estimate):
    if estimate == "sampled":
        return sampled_ap(pool, judged).mean(axis=1)
    if estimate == "not relevant":
        p = pool.labels(judged, otherwise=0)
    else:
        p = relevance_estimates(pool, judged, estimate)
    return pool.expected_ap(p).mean(axis=1)
