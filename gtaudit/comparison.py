"""Comparisons: of measures, with another collection, with the atlas."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np
import pandas as pd

from gtaudit.collection import Collection, prepare
from gtaudit.display import safe_names, topic_limits
from gtaudit.doubts import (
    CODES,
)
from gtaudit.results import coefficient_table, plan_without_gaps
from gtlib.checks import as_text, count_noun
from gtlib.comparisons import kendall_tau, predicted_tau, ranks, tau_ap
from gtlib.data import load
from gtlib.scores import is_long, require_columns

# The numbers that a collection is compared by; `load("atlas")` has those of
# the public ones.
TARGET = 0.95
NUMBERS = ["systems", "items", "items_95", "items_95_low", "items_95_high"]
NUMBERS += ["generalizability", "share_system"]

# How many others a table shows.
NEAREST = 5


def measure_table(
    measures: Mapping[str, Collection], target: float = 0.95
) -> pd.DataFrame:
    """Return reliability and rankings of the same runs by each measure, and
    by the ranks that the first gives them within each topic.

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
    for name, collection in _with_ranks(measures).items():
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


def _with_ranks(measures):
    """Add what the first measure is by ranks within a topic (and judge),
    where its scores are at hand and some ranks differ."""
    name, first = next(iter(measures.items()))
    system, design = first.nouns.system, first.design
    others = [f for f in design.facets if system not in design.closure([f])]
    if first.study.cells is None or not others:
        return measures
    ranked = first.scores.rank(pct=True)
    if is_long(first.scores):
        of_topic = first.scores.groupby(others)["score"]
        ranked = first.scores.assign(score=of_topic.rank(pct=True))
    try:
        found = prepare(ranked, first.design, CODES, first.nouns)
    except ValueError:  # as where all are tied
        return measures
    study = replace(found.study, groups=first.sites)
    found = replace(found, study=study, fixed=first.fixed)
    return {**measures, f"{name}, by ranks": found}


def compare_rankings(
    first: Collection, second: Collection
) -> tuple[str, dict[str, float]]:
    """Compare how two collections rank the systems that both have.

    Returns
    -------
    sentence : str
    numbers : dict of str to float
        ``systems``, how many they share; ``tau``, ``tau_ap`` (ties "b"),
        if these are two or more; ``expected_tau``, if they share no topic.

    Notes
    -----
    Two collections that measure the same, with topics drawn apart, give
    means that correlate by the root of the product of their
    generalizabilities; normal means then have tau 2/π arcsin of that.
    """
    n = first.nouns.markdown
    shared = first.cells.index.intersection(second.cells.index)
    numbers = {"systems": float(len(shared))}
    if len(shared) < 2:
        sentence = (
            f"They share {count_noun(len(shared), n.system)}: their "
            "rankings cannot be compared."
        )
        return sentence, numbers
    means = [c.means.loc[shared] for c in (first, second)]
    numbers |= _agreement(*means)
    sentence = (
        f"On the {len(shared)} {n.systems} that both have, their rankings "
        f"agree with a Kendall's tau of {numbers['tau']:.2f} and a tau_AP "
        f"of {numbers['tau_ap']:.2f}."
    )
    shift = ranks(means[1]) - ranks(means[0])
    most = shift[shift != 0].sort_values(key=abs, ascending=False)[:3]
    if len(most):
        moves = (
            f"{safe_names([s])} by {by:+.0f}" for s, by in most.items()
        )
        sentence += f" The ranks that change most: {', '.join(moves)}."
    if not set(first.cells.columns) & set(second.cells.columns):
        known = [c.plan.generalizability for c in (first, second)]
        alike = np.prod(known) ** 0.5
        numbers["expected_tau"] = float(predicted_tau(alike))
        sentence += (
            f" Two such sets of {n.topics} that measure the same would be "
            f"expected to agree with {numbers['expected_tau']:.2f}, by "
            "their generalizability."
        )
    return sentence, numbers


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


@dataclass(frozen=True, eq=False)
class AtlasComparison:
    """The place of a collection among public ones.

    Attributes
    ----------
    note : str
        A sentence on its place, in Markdown; or why it has none.
    rows : DataFrame
        `NUMBERS` of this one and of the `NEAREST` others, by ``title``:
        on the map of items that there are and that `TARGET` takes, both as
        logarithms; of this one alone, if no number of items is enough.
        None without a place.
    table : DataFrame
        The atlas.
    """

    note: str
    rows: pd.DataFrame | None = None
    table: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)


def compare_with_atlas(
    collection: Collection,
    coefficients: pd.DataFrame,
    required: pd.DataFrame,
) -> AtlasComparison:
    """Find the place of a collection among the public ones.

    Parameters
    ----------
    collection : Collection
    coefficients : DataFrame of `coefficient_table`
    required : DataFrame of `required_table`
        With the target `TARGET`.

    Examples
    --------
    >>> from gtaudit.collection import prepare
    >>> from gtaudit.results import coefficient_table, required_table
    >>> collection = prepare(load("cf-ap"))
    >>> study = collection.study
    >>> place = compare_with_atlas(
    ...     collection, coefficient_table(study), required_table(study))
    >>> place.rows["items"].head(1).to_dict()
    {'this collection': 98.0}
    """
    try:
        table = pd.DataFrame(load("atlas"))
        require_columns(table, ["title", "field", *NUMBERS])
        table = table.astype(dict.fromkeys(NUMBERS, float))
        if not table["items_95"].gt(0).any():
            raise ValueError("No row of it has numbers.")
    except (ValueError, OSError) as error:
        return AtlasComparison(
            f"The atlas cannot be read: {as_text(error)}"
        )
    nouns = collection.nouns
    n = nouns.markdown
    if len(collection.cells) == 2:
        return AtlasComparison(
            f"Two {n.systems} have no place in the atlas: they do not show "
            f"how much {n.systems} differ in truth."
        )
    study = collection.study
    nesting = collection.design.nesting[nouns.topic]
    each = study.levels[nouns.topic]
    if nesting:
        plan = plan_without_gaps(study, collection.fixed, nouns.topic)
        each = plan.levels[nouns.topic]
    nests = sorted(nesting - {nouns.system})
    times = prod(study.levels[nest] for nest in nests)
    goals = required.astype({"topics": float})
    goals = goals.set_index(["coefficient", "target"])
    goal = goals.loc[("generalizability", TARGET)]
    limits = goal[["topics", "low", "high"]].astype(float) * times
    estimate = coefficients.loc["generalizability", "estimate"]
    share = study.table["percent"][nouns.system] / 100
    own = [len(collection.cells), each * times, *limits, estimate, share]
    own = pd.Series(own, NUMBERS, dtype=float)
    on_map = ["items", "items_95"]
    gaps = np.log10(table[on_map]) - np.log10(own[on_map])
    squares = (gaps**2).sum(axis=1, skipna=False)
    nearest = table.loc[squares.dropna().nsmallest(NEAREST).index]
    rows = pd.DataFrame([own], ["this collection"]).replace(np.inf, np.nan)
    rows = pd.concat([rows, nearest.set_index("title")[NUMBERS]])
    sentences = [_describe_place(own, goal["note"], table, n.topic)]
    if nests:
        sentences.append(
            f"{n.Topics} are counted in all "
            f"{as_text(nouns.list_facets(nests))}."
        )
    fixed = as_text(nouns.list_facets(collection.fixed))
    if fixed:
        sentences.append(
            f"The {fixed} are all there are; there they are drawn."
        )
    return AtlasComparison(
        " ".join(sentences), rows.rename_axis("title"), table
    )


def _describe_place(own, note, table, topic):
    """Describe the place of a collection among public ones."""
    enough = (table["items_95"] <= table["items"]).sum()
    sentence = (
        f"**Of {len(table)} public collections, {enough} have the items "
        f"that a generalizability of {TARGET} takes, by their estimates**; "
        f"this one has {count_noun(round(own['items']), topic)}"
    )
    note = as_text(note).rstrip(".")
    if np.isnan(own["items_95"]):
        return f"{sentence}. {note}. So no collection is near it."
    more = (table["items_95"].fillna(np.inf) > own["items_95"]).sum()
    limits = topic_limits(own["items_95_low"], own["items_95_high"])
    sentence += f" and needs {own['items_95']:,.0f} [{limits}]"
    if note:
        sentence += f" ({note})"
    sentence += "."
    return f"{sentence} Of the {len(table)}, {more} need more."
