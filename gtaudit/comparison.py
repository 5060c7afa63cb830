"""Comparisons of measures of the same runs."""

from collections.abc import Mapping

import pandas as pd

from gtaudit.collection import Collection
from gtaudit.results import coefficient_table
from gtlib.comparisons import kendall_tau, tau_ap


def measure_table(
    measures: Mapping[str, Collection], target: float = 0.95
) -> pd.DataFrame:
    """Return reliability and rankings of the same runs by each measure, and
    by the ranks that the first gives them, as `Collection.by_ranks` has
    them.

    Parameters
    ----------
    measures : dict of str to Collection
        The one that others are compared with comes first.
    target : float in (0, 1)

    Returns
    -------
    DataFrame, a row per measure
        ``generalizability`` with ``low`` and ``high``; the numbers of
        topics for the ``target`` and for that of the first measure on its
        topics, missing where none is enough; ``tau`` and ``tau_ap`` (ties
        "b") between its ranking of the means and the first measure's.

    Examples
    --------
    >>> from gtaudit.audit_data import split_measures
    >>> from gtlib import load
    >>> long = load("cf").melt(["system", "topic", "assessor"],
    ...     ["AP", "RR"], var_name="measure", value_name="score")
    >>> table = measure_table(split_measures(long))
    >>> table["topics_as_first"].to_dict()
    {'AP': 98, 'RR': 245, 'AP, by ranks': 59}
    """
    rows = {}
    first_means = None
    name, first = next(iter(measures.items()))
    if first.by_ranks is not None:
        measures = {**measures, f"{name}, by ranks": first.by_ranks}
    for name, collection in measures.items():
        coefficients = coefficient_table(collection.study, collection.fixed)
        row = coefficients.loc["generalizability"]
        means = collection.means
        if first_means is None:
            first_means = means
            first_estimate = row["estimate"]
        rows[name] = {
            "generalizability": row["estimate"],
            **row[["low", "high"]],
            "topics_for_target": _topics(collection, target),
            "topics_as_first": _topics(collection, first_estimate),
            **_agreement(first_means, means),
        }
    table = pd.DataFrame.from_dict(rows, orient="index")
    numbers = ["topics_for_target", "topics_as_first"]
    table = table.astype(dict.fromkeys(numbers, "Int64"))
    return table.rename_axis("measure")


def _topics(collection, target):
    try:
        return collection.plan.required(
            collection.nouns.topic, target, "generalizability"
        )
    except ValueError:
        return None


def _agreement(first, second):
    return {
        "tau": kendall_tau(first, second),
        "tau_ap": tau_ap(first, second, ties="b"),
    }
