"""Judgments that are not made: estimates from samples, and plans."""

import pandas as pd

import gtlib as gt
from gtlib.judging import inferred_ap, sampled_ap

__all__ = ["by_judgments", "estimator_errors", "synthetic_pools"]


def synthetic_pools(seeds):
    """Return synthetic collections by seed: pool, judgments, scores."""
    found = {}
    for seed in seeds:
        drawn = gt.synthetic_collection(
            systems=12, topics=30, depth=50, seed=seed
        )
        pool = gt.pool_runs(drawn.runs)
        truth = pool.average_precision(pool.labels(drawn.qrels))
        found[seed] = pool, drawn.qrels, truth
    return found


def estimator_errors(pools, n):
    """Return how far off each estimator is with n judgments on a topic.

    A row per collection, with the mean true score and the mean errors of
    three ways to read a sample.
    """
    rows = []
    for seed, (pool, qrels, truth) in pools.items():
        even = gt.judge(pool, qrels, "random", n, seed=seed)
        dense = gt.judge(pool, qrels, "stratified", n, seed=seed)
        estimates = {
            "not relevant": pool.average_precision(pool.labels(even, 0)),
            "infAP": inferred_ap(pool, even),
            "stratified": sampled_ap(pool, dense, "stratified"),
        }
        row = {"true score": truth.mean().mean()}
        for name, values in estimates.items():
            row[name] = (values - truth).mean().mean()
        rows.append(row)
    return pd.DataFrame(rows)


def by_judgments(study, unjudged, prices, budget=2000):
    """Return the best plan for each number of judgments on a topic.

    Parameters
    ----------
    study : GStudy
        Of systems and topics, with all judgments.
    unjudged : Series
        Number of judgments on a topic -> variance of the unjudged.
    prices : dict
        Of a ``judgment`` and a ``topic``.
    budget : float
    """
    rows = {}
    for n, variance in unjudged.items():
        parts = study.variance.copy()
        parts["system x topic"] += variance
        plan = gt.GStudy.from_components(study.design, parts).plan()
        priced = {**prices, "judgment": n * prices["judgment"]}
        best = plan.best(budget, priced, coefficient="generalizability")
        rows[n] = best.row
    return pd.DataFrame(rows).T.rename_axis("judgments")
