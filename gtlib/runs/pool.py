"""The documents that several systems retrieved, as one array of ranks.

A `Pool` holds every document that any of the systems retrieved, topic by
topic, and its rank in each system. What judges documents or guesses their
relevance works on it: one number to each pooled document.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.ap import Moments, average_precision, confidence
from gtlib.ap.quadratic import approximate, pair_forms, ranking_form
from gtlib.tables import require_columns, whole_number


@dataclass(frozen=True, eq=False)
class Pool:
    """The documents that a set of systems retrieved, with their ranks.

    Attributes
    ----------
    systems : pandas.Index
    documents : pandas.MultiIndex
        (topic, document), grouped by topic.
    ranks : numpy.ndarray, shape (systems, documents)
        ``numpy.inf`` where a system did not retrieve the document.
    topics : pandas.Index
    starts : numpy.ndarray, shape (topics + 1,)
        Topic t has the documents ``starts[t]`` up to ``starts[t + 1]``.
    """

    systems: pd.Index
    documents: pd.MultiIndex
    ranks: np.ndarray
    topics: pd.Index
    starts: np.ndarray

    def __repr__(self) -> str:
        return (
            f"Pool of {len(self.documents)} documents: "
            f"{len(self.systems)} systems, {len(self.topics)} topics"
        )

    @property
    def topic_of(self) -> np.ndarray:
        """Number of each document's topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    def only(self, systems: Iterable[str]) -> "Pool":
        """Return the same documents, with the ranks of some systems."""
        rows = self.systems.get_indexer(list(systems))
        if (rows < 0).any():
            missing = [s for s in systems if s not in self.systems]
            raise ValueError(f"the pool has no system {missing[0]!r}")
        return replace(
            self, systems=self.systems[rows], ranks=self.ranks[rows]
        )

    def without(self, held_out: pd.DataFrame) -> "Pool":
        """Return the pool as if some systems had retrieved nothing.

        Parameters
        ----------
        held_out : DataFrame of bool, systems x topics
            Where a system is left out.

        Raises
        ------
        ValueError
            If a system or topic is missing in it, or no system is left.
        """
        missing = [
            *self.systems.difference(held_out.index),
            *self.topics.difference(held_out.columns),
        ]
        if missing:
            raise ValueError(f"held_out does not know {missing[0]!r}.")
        left_out = held_out.loc[self.systems, self.topics].to_numpy(bool)
        if left_out.all(axis=0).any():
            topic = self.topics[left_out.all(axis=0)][0]
            raise ValueError(f"Every system is held out of topic {topic}.")
        ranks = np.where(left_out[:, self.topic_of], np.inf, self.ranks)
        return replace(self, ranks=ranks)

    def labels(
        self, judgments: pd.DataFrame, otherwise: ArrayLike = np.nan
    ) -> pd.Series:
        """Return each pooled document's judgment: 1, 0, or `otherwise`.

        Parameters
        ----------
        judgments : DataFrame
            Columns ``topic``, ``document``, ``relevance``; a relevance
            above 0 is relevant. Documents outside the pool are left out.
        otherwise : float or array_like, shape (documents,)
            What unjudged documents get, a probability of relevance.

        Returns
        -------
        Series
            Indexed by topic and document.

        Raises
        ------
        ValueError
            If a document is judged twice and differently, or a relevance
            is no number.
        """
        known = _relevance(judgments).reindex(self.documents)
        return known.where(known.notna(), otherwise)

    def average_precision(self, relevance: ArrayLike) -> pd.DataFrame:
        """Compute AP of every system on every topic of the pool.

        Parameters
        ----------
        relevance : array_like of 0 and 1, shape (documents,)
            Which of the pooled documents are relevant.

        Returns
        -------
        DataFrame
            Systems x topics.
        """
        return self._by_topic(average_precision, relevance)

    def expected_ap(self, p: ArrayLike) -> pd.DataFrame:
        """Compute expected AP of every system on every topic.

        AP's ratio is handled as ``delta``; see `ap_moments`.

        Parameters
        ----------
        p : array_like, shape (documents,)
            Probabilities of relevance.

        Returns
        -------
        DataFrame
            Systems x topics.
        """

        def mean(ranks, p):
            return approximate(ranking_form(ranks, p), "delta")[0]

        return self._by_topic(mean, p)

    def unjudged_variance(self, p: ArrayLike) -> float:
        """Estimate what unjudged documents add to a topic's error.

        Half of the mean variance of the difference in AP between two
        systems, over all pairs and topics, if the probabilities are right.
        Those of a model learnt from the runs were not: on the two
        collections of chapter 12 this was a small part of what was missed.

        Parameters
        ----------
        p : array_like, shape (documents,)
            Probability of relevance, 0 or 1 where judged.

        Returns
        -------
        float
            In squared units of AP; handled as ``delta``.
        """
        pairs = np.triu_indices(len(self.systems), 1)
        topics = [
            m.variance[pairs].mean() for m in self._moments(p, "delta")
        ]
        return float(np.mean(topics) / 2)

    def confidence(
        self, p: ArrayLike, ratio: str = "plugin"
    ) -> pd.DataFrame:
        """Compute the confidence that a system's MAP is below another's.

        Parameters
        ----------
        p : array_like, shape (documents,)
            Probability that each pooled document is relevant.
        ratio : {"plugin", "delta"}
            As in `ap_moments`.

        Returns
        -------
        DataFrame
            P(MAP of the row's system < MAP of the column's).
        """
        c = confidence(self._moments(p, ratio))
        return pd.DataFrame(c, self.systems, self.systems.rename("below"))

    def parts(self) -> Iterator[slice]:
        """Yield the slice of each topic's documents."""
        return (slice(*ends) for ends in pairwise(self.starts))

    def _by_topic(self, score, p):
        p = self._probabilities(p)
        scores = [score(self.ranks[:, k], p[k]) for k in self.parts()]
        return pd.DataFrame(np.transpose(scores), self.systems, self.topics)

    def _moments(self, p, ratio):
        p = self._probabilities(p)
        for part in self.parts():
            form = pair_forms(self.ranks[:, part], p[part])
            yield Moments(*approximate(form, ratio))

    def _probabilities(self, p):
        p = np.asarray(p, dtype=float)
        if p.shape != (len(self.documents),):
            raise ValueError(
                f"The shape is {p.shape}; give a number for each of the "
                f"{len(self.documents)} pooled documents."
            )
        wrong = ~((p >= 0) & (p <= 1))
        if wrong.any():
            raise ValueError(
                f"{p[wrong][0]} for {self.documents[wrong][0]} is not a "
                "probability."
            )
        return p


def pool_runs(runs: pd.DataFrame, depth: int | None = None) -> Pool:
    """Pool the documents of several systems.

    Parameters
    ----------
    runs : DataFrame
        Columns ``system``, ``topic``, ``document`` and ``rank``, as
        `read_run` gives.
    depth : int, optional
        Keep only so many documents of each system and topic.

    Returns
    -------
    Pool
        The documents, with their ranks in every system.

    Raises
    ------
    ValueError
        If there are no rows, or a system has a document twice on a topic,
        two documents at one rank, or a rank that is not a number. Gaps in
        the ranks are closed.

    Examples
    --------
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> runs = pd.DataFrame({
    ...     "system": ["a", "a", "b", "b"], "topic": "1",
    ...     "document": ["x", "y", "y", "z"], "rank": [1, 2, 1, 2]})
    >>> pool = gt.pool_runs(runs)
    >>> pool.ranks.tolist()
    [[1.0, 2.0, inf], [inf, 1.0, 2.0]]
    """
    columns = ["system", "topic", "document", "rank"]
    require_columns(runs, columns)
    if runs.empty:
        raise ValueError("runs has no rows")
    rank = pd.to_numeric(runs["rank"], errors="coerce")
    if not np.isfinite(rank).all():
        raise ValueError("a rank in runs is missing, infinite or no number")
    runs = runs[columns].assign(rank=rank)
    incomplete = runs.columns[runs.isna().any()]
    if len(incomplete):
        raise ValueError(f"a {incomplete[0]} in runs is missing")
    runs = runs.astype({"topic": str, "document": str})
    for key, what in (
        (["system", "topic", "document"], "retrieved twice"),
        (["system", "topic", "rank"], "a rank given twice"),
    ):
        repeated = runs.duplicated(key)
        if repeated.any():
            first = runs.loc[repeated, key].iloc[0]
            where = ", ".join(f"{k} {v}" for k, v in first.items())
            raise ValueError(f"{what}: {where}; mend the run first")
    place = runs.groupby(["system", "topic"])["rank"].rank().astype(int)
    runs = runs.assign(rank=place)
    if depth is not None:
        runs = runs[runs["rank"] <= whole_number(depth, "depth")]
    row, names = pd.factorize(runs["system"])
    systems = pd.Index(names, name="system")
    pooled = runs.groupby(["topic", "document"])
    ranks = np.full((len(systems), pooled.ngroups), np.inf)
    ranks[row, pooled.ngroup()] = runs["rank"]
    documents = pooled.size().index
    starts = np.r_[0, np.cumsum(np.bincount(documents.codes[0]))]
    return Pool(systems, documents, ranks, documents.levels[0], starts)


def _relevance(judgments):
    """Return 1 or 0 by topic and document; refuse judgments that differ."""
    key = ["topic", "document"]
    require_columns(judgments, [*key, "relevance"])
    grade = pd.to_numeric(judgments["relevance"], errors="coerce")
    if grade.isna().any():
        raise ValueError(
            "a relevance is missing or no number; leave the row out"
        )
    table = judgments[key].astype(str).assign(relevance=grade > 0)
    table = table.drop_duplicates()
    repeated = table.duplicated(key)
    if repeated.any():
        topic, document, _ = table[repeated].iloc[0]
        raise ValueError(
            f"document {document} of topic {topic} is judged relevant and "
            "not relevant; keep one judgment (several assessors: combine "
            "them first, for instance by majority)"
        )
    return table.set_index(key)["relevance"].astype(float).rename(None)
