"""Measures beside each other, and collections beside each other."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from gtapps.audit.collection import Collection
from gtapps.audit.results import coefficient_table
from gtapps.audit.shown import named
from gtlib.comparisons import kendall_tau, predicted_tau, ranks, tau_ap
from gtlib.tables import count


def measure_table(
    measures: Mapping[str, Collection], target: float = 0.9
) -> pd.DataFrame:
    """What each measure makes of the same runs.

    Parameters
    ----------
    measures : dict of str to Collection
        Whatever the others are held against comes first.
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
    >>> from gtapps.audit.gathered import by_measure
    >>> from gtlib import load
    >>> long = load("cf").melt(["system", "topic", "assessor"],
    ...     ["AP", "RR"], var_name="measure", value_name="score")
    >>> table = measure_table(by_measure(long))
    >>> table["topics_as_first"].tolist()
    [98, 245]
    """
    rows, first, aim = {}, None, np.nan
    for name, collection in measures.items():
        of = collection.study, collection.sites, collection.fixed
        row = coefficient_table(*of).loc["generalizability"]
        means = collection.means
        if first is None:
            first, aim = means, row["estimate"]
        rows[name] = {
            "generalizability": row["estimate"],
            **row[["low", "high"]],
            "topics_for_target": _topics(collection, target),
            "topics_as_first": _topics(collection, aim),
            **_agreement(first, means),
        }
    table = pd.DataFrame.from_dict(rows, orient="index")
    numbers = ["topics_for_target", "topics_as_first"]
    table = table.astype(dict.fromkeys(numbers, "Int64"))
    return table.rename_axis("measure")


def rankings_beside(
    one: Collection, other: Collection
) -> tuple[str, dict[str, float]]:
    """How alike two collections rank the systems that both have.

    Returns
    -------
    said : str
        A sentence.
    numbers : dict of str to float
        ``systems``, how many they share; ``tau``, ``tau_ap`` (ties "b"),
        if these are two or more; ``expected_tau``, if they share no topic.

    Notes
    -----
    Two collections that measure the same, with topics drawn apart, give
    means that correlate by the root of the product of their
    generalizabilities; normal means then have tau 2/π arcsin of that.
    """
    shared = one.cells.index.intersection(other.cells.index)
    numbers = {"systems": float(len(shared))}
    if len(shared) < 2:
        said = f"They share {count(len(shared), 'system')}: their rankings"
        return f"{said} cannot be compared.", numbers
    means = [c.means.loc[shared] for c in (one, other)]
    numbers |= _agreement(*means)
    said = (
        f"On the {len(shared)} systems that both have, their rankings "
        f"agree with a Kendall's tau of {numbers['tau']:.2f} and a tau_AP "
        f"of {numbers['tau_ap']:.2f}."
    )
    shift = ranks(means[1]) - ranks(means[0])
    most = shift[shift != 0].sort_values(key=abs, ascending=False)[:3]
    if len(most):
        moves = (f"{named([s])} by {by:+.0f}" for s, by in most.items())
        said += f" The ranks that change most: {', '.join(moves)}."
    if not set(one.cells.columns) & set(other.cells.columns):
        known = [c.plan.generalizability for c in (one, other)]
        alike = np.prod(known) ** 0.5
        numbers["expected_tau"] = float(predicted_tau(alike))
        said += (
            " Two such sets of topics that measure the same would be "
            f"expected to agree with {numbers['expected_tau']:.2f}, by "
            "their generalizability."
        )
    return said, numbers


def _topics(collection, target):
    try:
        return collection.plan.required("topic", target, "generalizability")
    except ValueError:
        return None


def _agreement(first, second):
    return {
        "tau": kendall_tau(first, second),
        "tau_ap": tau_ap(first, second, ties="b"),
    }
