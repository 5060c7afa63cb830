"""What the documents that nobody judged leave open, by a model."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
import pandas as pd

from gtapps.audit.assessments import Assessments, relevant_from
from gtlib.judging import mtc_weights, relevance_estimates
from gtlib.runs import Pool, pool_runs

# What another package defines, imported where it is used.
Measure: TypeAlias = Any

Tops: TypeAlias = dict[str, np.ndarray]

# So many documents of each run count, and so many runs.
DEPTH, SYSTEMS = 100, 20

# Judgments that are spent next.
MORE = 1000


def top_of(order: list[str], numbers: np.ndarray) -> np.ndarray:
    """A list's first documents: their numbers, or below zero a checksum
    of the name of what nobody judged, alike in all runs."""
    found = numbers[:DEPTH].astype(np.int64)
    for place in np.flatnonzero(found < 0):
        found[place] = -1 - crc32(order[place].encode("utf-8", "replace"))
    return found


def unjudged_variances(
    assessments: Assessments, tops: Mapping[str, Tops], measure: "Measure"
) -> tuple[dict[int, float], str]:
    """`Pool.unjudged_variance` as it is, and after `MORE` judgments.

    Parameters
    ----------
    assessments : Assessments
    tops : dict, system -> topic -> documents
        As `top_of` gives them.
    measure : ir_measures measure

    Returns
    -------
    variances : dict of int to float
        By the number of documents judged a topic, the present one first.
    reason : str
        Why there are none; else empty.

    Notes
    -----
    Probabilities of relevance are those of `ExpertModel`. The documents to
    be judged next on a topic have the largest `mtc_weights`, and turn out
    relevant as their probabilities say, in one draw.
    """
    if measure.NAME != "AP" or {*measure.params} - {"rel"}:
        return {}, (
            "What unjudged documents add is known for average precision "
            f"(AP) only, and the scores are {measure}."
        )
    if len(tops) < 2:
        return {}, "What unjudged documents add takes two runs to be seen."
    level = relevant_from(measure)
    judged = pd.DataFrame(
        [
            (topic, str(number), int(grades[document] >= level))
            for topic, grades in assessments.pairs.items()
            for number, document in enumerate(assessments.documents[topic])
            if document in grades
        ],
        columns=["topic", "document", "relevance"],
    )
    pool = _pool(tops, judged)
    try:
        p = relevance_estimates(pool, judged, "experts").to_numpy()
    except RuntimeError as error:
        return {}, f"What unjudged documents add is not known: {error}."
    documents = max(1, round(len(judged) / len(assessments.topics)))
    found = {documents: pool.unjudged_variance(p)}
    if more := MORE // sum(map(len, assessments.by_assessor)):
        p = _told(pool, p, more)
        found[documents + more] = pool.unjudged_variance(p)
    return found, ""


def _pool(tops, judged):
    """Some runs' first documents, and all that is judged."""
    rng = np.random.default_rng(0)
    some = rng.permutation(len(tops))[:SYSTEMS].tolist()
    every = [*tops.values()]
    lists = [(s, t, found) for s in some for t, found in every[s].items()]
    systems, topics, numbers = zip(*lists, strict=True)
    lengths = [*map(len, numbers)]
    table = pd.DataFrame(
        {
            "document": np.concatenate(numbers),
            "rank": np.concatenate([*map(np.arange, lengths)]),
            "system": np.repeat(systems, lengths),
            "topic": np.repeat(np.array(topics, object), lengths),
        }
    ).drop_duplicates(["document", "system", "topic"])
    everything = judged[["topic", "document"]].assign(system=-1)
    everything["rank"] = range(len(everything))
    return pool_runs(pd.concat([table, everything])).only(some)


def _told(pool: Pool, p: np.ndarray, more: int) -> np.ndarray:
    """Probabilities after so many more judgments on each topic."""
    rng = np.random.default_rng(0)
    told = p.copy()
    for start, end in pairwise(pool.starts):
        weights = mtc_weights(pool.ranks[:, start:end], p[start:end])
        order = np.argsort(-weights, kind="stable")
        open_ = order[(p[start + order] % 1) > 0][:more] + start
        told[open_] = rng.random(len(open_)) < p[open_]
    return told
