"""Synthetic collections whose truth is known."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from gtlib.tables import whole_number


class SyntheticCollection(NamedTuple):
    """A synthetic collection, as `synthetic_collection` draws it.

    Attributes
    ----------
    runs : DataFrame
        Columns ``system``, ``topic``, ``document``, ``rank``, ``score``.
    qrels : DataFrame
        Columns ``topic``, ``document``, ``relevance``: every document.
    p : Series
        The probability that each document was drawn relevant with,
        indexed by topic and document.
    """

    runs: pd.DataFrame
    qrels: pd.DataFrame
    p: pd.Series


def synthetic_collection(
    systems: int = 12,
    topics: int = 50,
    documents: int = 200,
    depth: int = 100,
    seed: int = 0,
) -> SyntheticCollection:
    """Draw a synthetic collection: relevant documents, and runs of systems.

    A document has log-odds of relevance, normal around a topic's own mean,
    and is relevant with that probability. A system sees the log-odds
    through noise, in part common to all systems (they share stemmers and
    stop lists), in part its own; better systems have less of it. Given the
    log-odds, ranks say nothing more about relevance.

    Parameters
    ----------
    systems, topics, documents : int
        Sizes; `documents` per topic.
    depth : int
        Length of a run on a topic.
    seed : int
        For `numpy.random.default_rng`.

    Returns
    -------
    SyntheticCollection
        The runs, and the judgments of all documents.

    Raises
    ------
    ValueError
        If a size is no whole number from 1.

    Examples
    --------
    >>> import gtlib as gt
    >>> drawn = gt.synthetic_collection(systems=3, topics=2, documents=30)
    >>> len(drawn.qrels), drawn.runs["system"].nunique()
    (60, 3)
    """
    rng = np.random.default_rng(seed)
    systems = whole_number(systems, "systems")
    topics = whole_number(topics, "topics")
    documents = whole_number(documents, "documents")
    depth = min(whole_number(depth, "depth"), documents)
    shape = topics, documents
    odds = rng.normal(-2.5, 0.7, (topics, 1)) + rng.normal(0, 1.8, shape)
    p = scipy.special.expit(odds)
    relevance = (rng.random(p.shape) < p).astype(int)
    noise = rng.uniform(1, 4, (systems, 1, 1))
    shared = rng.normal(0, 1.5, shape)
    own = rng.normal(size=(systems, topics, documents))
    scores = odds + shared + noise * own
    best = np.argsort(-scores, axis=2)[:, :, :depth]
    system = [f"system {s + 1:02d}" for s in range(systems)]
    topic = [f"{t + 1:03d}" for t in range(topics)]
    document = np.array([f"d{d + 1:05d}" for d in range(documents)])
    ranked = pd.MultiIndex.from_product(
        [system, topic, range(1, depth + 1)],
        names=["system", "topic", "rank"],
    )
    runs = ranked.to_frame(index=False)
    runs.insert(2, "document", document[best].ravel())
    runs["score"] = np.take_along_axis(scores, best, axis=2).ravel()
    pairs = pd.MultiIndex.from_product(
        [topic, document], names=["topic", "document"]
    )
    qrels = pairs.to_frame(index=False).assign(relevance=relevance.ravel())
    probability = pd.Series(p.ravel(), pairs, name="p")
    return SyntheticCollection(runs, qrels, probability)
