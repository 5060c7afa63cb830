"""Scores of documents: whether a system was right to retrieve each."""

import numpy as np
import pandas as pd

from gtlib.checks import whole_number
from gtlib.scores import require_columns

__all__ = ["document_correctness"]


def document_correctness(
    runs: pd.DataFrame,
    judgments: pd.DataFrame,
    k: int = 20,
    documents: int = 20,
    seed: int = 0,
) -> pd.DataFrame:
    """Return every system's decision on every document, right or wrong.

    A system calls the first `k` documents of its ranking relevant and no
    other. Whether that is right depends on the assessor. The documents
    are a sample from each topic's pool, which holds what any system
    called relevant and what any assessor found relevant; all systems and
    assessors face the same documents. So the table is a balanced
    ``system x assessor x (document:topic)`` study, with the document
    facet that scores of whole rankings average away (Bodoff & Li 2007,
    section 4).

    Parameters
    ----------
    runs : DataFrame
        Columns ``system``, ``topic``, ``document`` and ``rank``, as
        `read_run` gives.
    judgments : DataFrame
        Columns ``topic``, ``document``, ``assessor`` and ``relevance``.
    k : int
        Number of documents that a system calls relevant.
    documents : int
        Number of documents sampled per topic.
    seed : int
        Of the sample.

    Returns
    -------
    DataFrame
        Columns ``system``, ``assessor``, ``topic``, ``document`` (its
        name led by the topic, as one document may serve two topics) and
        ``score``: 1 if decision and judgment agree (relevant means a
        relevance of at least 1), otherwise 0.

    Raises
    ------
    ValueError
        If a topic's pool is smaller than the sample, `k` or `documents`
        is no whole number from 1, or a column is not there.

    Examples
    --------
    >>> run = pd.DataFrame({"system": ["a", "a", "b", "b"], "topic": "1",
    ...                     "document": ["x", "y", "y", "x"],
    ...                     "rank": [1, 2, 1, 2]})
    >>> judged = pd.DataFrame({"topic": "1", "document": ["x"],
    ...                        "relevance": [1], "assessor": ["physician"]})
    >>> table = document_correctness(run, judged, k=1, documents=2)
    >>> table.groupby("system")["score"].mean().to_dict()
    {'a': 1.0, 'b': 0.0}
    """
    documents = whole_number(documents, "documents")
    item = ["topic", "document"]
    require_columns(runs, ["system", *item, "rank"])
    require_columns(judgments, ["assessor", *item, "relevance"])
    runs, judgments = (t.astype({"topic": str}) for t in (runs, judgments))
    first = runs[runs["rank"] <= whole_number(k, "k")]
    relevant = judgments[judgments["relevance"] >= 1]
    called = first.pivot_table("rank", item, "system")
    called = called.reindex(columns=runs["system"].unique())
    judged = relevant.pivot_table("relevance", item, "assessor")
    judged = judged.reindex(columns=judgments["assessor"].unique())
    says = called.join(judged, how="outer").notna()
    rng = np.random.default_rng(seed)
    chosen = []
    for topic in judgments["topic"].unique():
        pool = says[says.index.get_level_values("topic") == topic]
        if len(pool) < documents:
            raise ValueError(
                f"Topic {topic} has a pool of {len(pool)} documents, fewer "
                f"than the {documents} to sample: sample fewer, or call "
                "more relevant (k)."
            )
        rows = rng.choice(len(pool), documents, replace=False)
        chosen.append(pool.iloc[np.sort(rows)])
    says = pd.concat(chosen)
    decided = says[called.columns]
    right = {who: decided.eq(says[who], axis="index") for who in judged}
    table = pd.concat(right, axis="columns", names=["assessor", "system"])
    table = table.melt(ignore_index=False, value_name="score").reset_index()
    table["document"] = table["topic"] + "/" + table["document"]
    columns = ["system", "assessor", *item, "score"]
    return table[columns].astype({"score": float})
