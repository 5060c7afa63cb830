"""Can confidence be trusted? Trials against judgments that are known."""

import numpy as np
import pandas as pd

from gtlib.experts import AGGREGATORS, ExpertModel
from gtlib.judging import judge, sampled_map

MODELS = ("uniform", *AGGREGATORS)
"""Where probabilities of relevance come from; ``uniform`` is 1/2."""

ESTIMATES = ("not relevant", *AGGREGATORS, "sampled")
"""What `effort_trials` puts for the unjudged documents."""


def relevance_estimates(pool, judgments, model):
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
    if model == "uniform":
        return pool.labels(judgments, otherwise=0.5)
    return ExpertModel(model).fit(pool, judgments).predict()


def confidence_trials(
    pool,
    qrels,
    efforts=(5, 10, 20, 40),
    models=MODELS,
    repeats=8,
    evaluated=10,
    seed=0,
):
    """The experiment of Carterette (2007): judge two, evaluate others.

    Each repeat draws two systems, judges documents that tell them apart
    (`judge` with ``mtc``), and orders `evaluated` other systems by pairs.

    Parameters
    ----------
    pool : Pool
    qrels : DataFrame
        All judgments; a document that they lack is not relevant.
    efforts : sequence of int
        Judgments per topic.
    models : sequence of {"uniform", "experts", "logistic"}
    repeats, evaluated, seed : int

    Returns
    -------
    DataFrame
        A row per repeat, effort, model and pair: columns ``repeat``,
        ``effort``, ``model``, ``a``, ``b``, ``confidence`` (at least 1/2,
        in the order that the model favours) and ``right`` (whether the
        order is that of full judgments). Pairs whose full MAP is equal
        are left out.

    Raises
    ------
    ValueError
        If the pool has fewer than ``evaluated + 2`` systems.

    Examples
    --------
    >>> from gtlib import pool_runs, synthetic_collection
    >>> drawn = synthetic_collection(systems=4, topics=3, documents=40)
    >>> pool = pool_runs(drawn.runs)
    >>> trials = confidence_trials(pool, drawn.qrels, [5], ["uniform"],
    ...                            repeats=1, evaluated=2)
    >>> trials[["effort", "model"]].drop_duplicates().values.tolist()
    [[5, 'uniform']]
    """
    if len(pool.systems) < evaluated + 2:
        raise ValueError(
            f"{evaluated} systems to evaluate and two to judge are more "
            f"than the pool's {len(pool.systems)}."
        )
    rng = np.random.default_rng(seed)
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    tables = []
    for repeat in range(repeats):
        drawn = rng.permutation(pool.systems)[: evaluated + 2]
        judged = judge(pool.only(drawn[:2]), qrels, "mtc", max(efforts))
        others = pool.only(drawn[2:])
        for effort in efforts:
            told = judged[judged["step"] <= effort]
            for model in models:
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


def calibration_bins(trials, edges=(0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1)):
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

    Examples
    --------
    >>> trials = pd.DataFrame({"repeat": [0, 0, 1, 1],
    ...                        "confidence": [0.9, 0.7, 0.75, 0.7],
    ...                        "right": [True, True, True, False]})
    >>> calibration_bins(trials, [0.5, 0.8, 1])["right"].round(2).tolist()
    [0.67, 1.0]
    """
    edges = np.asarray(edges, dtype=float)
    place = np.searchsorted(edges, trials["confidence"], side="right") - 1
    place = np.clip(place, 0, len(edges) - 2)
    rows = []
    for k, part in trials.groupby(place):
        share, error = clustered_mean(part["right"], part["repeat"])
        mean = part["confidence"].mean()
        rows.append((edges[k], edges[k + 1], len(part), mean, share, error))
    return pd.DataFrame(
        rows,
        columns=["low", "high", "pairs", "confidence", "right", "error"],
    )


def calibration_scores(trials, by=("effort", "model")):
    """Brier and log score of confidence, and what they are made of.

    Parameters
    ----------
    trials : DataFrame
        As `confidence_trials` gives.
    by : sequence of str
        Columns to group by.

    Returns
    -------
    DataFrame
        Indexed by `by`: ``brier``, mean of (confidence - right)^2, and
        ``log``, mean of -log of the probability given to what was true
        (never below 0.0001); low is good. Mean ``confidence``, share
        ``right``, and the standard ``error`` of their difference with
        repeats as clusters.

    Examples
    --------
    >>> trials = pd.DataFrame({"repeat": [0, 1], "confidence": [0.8, 0.6],
    ...                        "right": [True, False], "model": "uniform"})
    >>> scores = calibration_scores(trials, by=["model"])
    >>> scores.loc["uniform", ["brier", "right"]].round(3).tolist()
    [0.2, 0.5]
    """
    rows = {}
    for key, part in trials.groupby(list(by), sort=False):
        sure = part["confidence"].to_numpy()
        right = part["right"].to_numpy(dtype=float)
        given = np.where(right == 1, sure, 1 - sure)
        _, error = clustered_mean(right - sure, part["repeat"])
        rows[key if len(key) > 1 else key[0]] = (
            np.mean((sure - right) ** 2),
            -np.mean(np.log(np.maximum(given, 1e-4))),
            sure.mean(),
            right.mean(),
            error,
        )
    table = pd.DataFrame.from_dict(
        rows,
        orient="index",
        columns=["brier", "log", "confidence", "right", "error"],
    )
    if len(by) > 1:
        table.index = pd.MultiIndex.from_tuples(table.index)
    table.index.names = list(by)
    return table


def effort_trials(
    pool,
    qrels,
    choices,
    efforts=(5, 10, 20, 40),
    repeats=3,
    seed=0,
):
    """Rank correlation with the full judgments against judging effort.

    Parameters
    ----------
    pool : Pool
    qrels : DataFrame
        All judgments.
    choices : sequence of (strategy, estimate)
        A strategy of `judge`, and what is done about unjudged documents:
        ``not relevant``, ``experts``, ``logistic``, or ``sampled`` (only
        after ``sampling``; see `sampled_map`).
    efforts : sequence of int
        Judgments per topic.
    repeats : int
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
        If a strategy or an estimate is unknown.

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
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    rows = []
    for strategy, estimate in choices:
        if estimate not in ESTIMATES:
            raise ValueError(
                f"an estimate is one of {ESTIMATES}, not {estimate!r}."
            )
        draws = repeats if strategy in ("random", "sampling") else 1
        for repeat in range(draws):
            judged = judge(
                pool, qrels, strategy, max(efforts), seed=[seed, repeat]
            )
            for effort in efforts:
                told = judged[judged["step"] <= effort]
                score = _estimated_map(pool, told, estimate)
                tau = score.corr(truth, method="kendall")
                rows.append((strategy, estimate, effort, repeat, tau))
    return pd.DataFrame(
        rows, columns=["strategy", "estimate", "effort", "repeat", "tau"]
    )


def ordered_pairs(confidence, truth):
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


def clustered_mean(values, clusters):
    """Mean, and its standard error when values come in clusters.

    The ratio estimator: cluster totals about the mean, over the number of
    values. With one cluster the error is NaN.

    Parameters
    ----------
    values : array_like
    clusters : array_like

    Returns
    -------
    mean, error : float

    Examples
    --------
    >>> mean, error = clustered_mean([1, 1, 0, 0], ["a", "a", "b", "b"])
    >>> float(mean), float(error)
    (0.5, 0.5)
    """
    values = np.asarray(values, dtype=float)
    codes, names = pd.factorize(np.asarray(clusters))
    k = len(names)
    mean = values.mean()
    totals = np.bincount(codes, weights=values - mean)
    if k < 2:
        return mean, np.nan
    spread = np.sqrt(np.sum(totals**2) * k / (k - 1))
    return mean, spread / len(values)


def _estimated_map(pool, judged, estimate):
    if estimate == "sampled":
        return sampled_map(pool, judged)
    if estimate == "not relevant":
        p = pool.labels(judged, otherwise=0)
    else:
        p = relevance_estimates(pool, judged, estimate)
    return pool.expected_map(p)
