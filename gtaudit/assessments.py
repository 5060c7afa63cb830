"""Assessments: judged documents, their ranks in runs, scores by them."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, repeat
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from gtlib.runs import (
    ByTopic,
    Qrels,
    judgments_by_assessor,
    measure_errors,
    rank_documents,
)

# What another package defines, imported where it is used.
Measure: TypeAlias = Any

# The relevance of a document of the pool that nobody judged.
NOT_JUDGED = -1

# Measures that do not tell an unjudged document from one not relevant.
PLAIN = ("AP", "P", "R", "RR", "Rprec", "Success", "nDCG")

Lists: TypeAlias = dict[str, np.ndarray]


class Assessments:
    """Who judged what, with a number to each document of a topic.

    Attributes
    ----------
    by_assessor : list of dicts, topic -> document -> relevance
    topics : list of str
    documents : dict, topic -> Index of str
        All that somebody judged, and what was in a pool to be judged.
    pairs : dict, topic -> document -> relevance
        The highest that somebody gave a document which was judged.
    """

    def __init__(self, qrels: Qrels) -> None:
        self.by_assessor = [*judgments_by_assessor(qrels).values()]
        self.topics = [*dict.fromkeys(chain(*self.by_assessor))]
        self.documents: dict[str, pd.Index] = {}
        self.pairs: dict[str, dict[str, float]] = {}
        for topic in self.topics:
            judgments = [
                by[topic] for by in self.by_assessor if topic in by
            ]
            documents = dict.fromkeys(chain(*judgments))
            self.documents[topic] = pd.Index([*documents], dtype=object)
            highest = self.pairs[topic] = {}
            for document, grade in chain(*map(dict.items, judgments)):
                if grade != NOT_JUDGED:
                    before = highest.get(document, grade)
                    highest[document] = max(before, grade)
        self.known = {t: self.mark(t, self.pairs[t]) for t in self.topics}

    def mark(self, topic, documents):
        """Mark the numbers of some documents; the last place, for -1, is
        never marked."""
        return np.append(self.documents[topic].isin([*documents]), False)

    def names(self, topic: str, numbers: np.ndarray) -> list[str]:
        """Return the documents of a list, made up where nobody judged."""
        judged = np.append(self.documents[topic], "")[numbers]
        names = _made_up_names(len(judged))
        return np.where(numbers < 0, names, judged).tolist()

    def rank(self, run: ByTopic) -> dict[str, list[str]]:
        """Rank the documents of each topic that was judged."""
        return {t: rank_documents(run[t]) for t in self.topics if t in run}

    def number(self, order: Mapping[str, list[str]]) -> Lists:
        """Number the documents that `rank` ranked; -1 is for what nobody
        judged."""
        return {
            topic: np.fromiter(
                map(self._numbers[topic].get, documents, repeat(-1)),
                int,
                len(documents),
            )
            for topic, documents in order.items()
        }

    @cached_property
    def _numbers(self) -> dict[str, dict[str, int]]:
        """Topic -> document -> number."""
        return {
            topic: {name: i for i, name in enumerate(documents)}
            for topic, documents in self.documents.items()
        }


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRuns:
    """Runs as lists of numbers; only documents in the judgments have names.

    Attributes
    ----------
    assessments : Assessments
    lists : dict, system -> topic -> documents
        As `Assessments` numbers them.

    Examples
    --------
    >>> judged = pd.DataFrame({"topic": ["1"], "document": ["b"],
    ...                        "relevance": [1]})
    >>> assessments = Assessments(judged)
    >>> lists = assessments.number({"1": ["a", "b"]})
    >>> runs = JudgedRuns(assessments, {"best": lists})
    >>> runs.share_judged(2).to_dict()
    {'best': 0.5}
    """

    assessments: Assessments
    lists: dict[str, Lists]

    @cached_property
    def judged(self) -> dict[tuple[str, str], np.ndarray]:
        """Which documents of each list somebody judged."""
        return {
            (system, topic): self.assessments.known[topic][numbers]
            for system, lists in self.lists.items()
            for topic, numbers in lists.items()
        }

    def share_judged(
        self, depth: int, statistic: str = "mean"
    ) -> pd.Series:
        """Return the share of judged documents among each run's first ones.

        The mean over the topics that the run has, or another statistic;
        of a list that is shorter, all documents count, as for ``Judged``
        in ir_measures.
        """
        shares = {
            pair: known[:depth].mean()
            for pair, known in self.judged.items()
        }
        by_run = pd.Series(shares).groupby(level=0).agg(statistic)
        return by_run.reindex([*self.lists])

    @cached_property
    def first_holes(self) -> pd.Series:
        """The rank of the first document of each list that nobody judged;
        infinite where there is none."""
        return pd.Series(self.judged).map(
            lambda known: np.inf if known.all() else 1.0 + known.argmin()
        )

    def owners(
        self, group: Mapping[str, Hashable], depth: int
    ) -> dict[tuple[str, str], Hashable]:
        """Return which group of runs has a judged document alone.

        Parameters
        ----------
        group : dict, system -> group
            Of the runs that count.
        depth : int
            Down to which rank their documents count.

        Returns
        -------
        dict, (topic, document) -> group, or None for several
            All judged documents that the runs have.
        """
        names = [*dict.fromkeys(group.values()), None]
        owner: dict[tuple[str, str], Hashable] = {}
        for topic, documents in self.assessments.documents.items():
            low = np.full(len(documents), len(names))
            high = np.full(len(documents), -1)
            for system, mine in group.items():
                if topic in self.lists[system]:
                    known = self.judged[system, topic][:depth]
                    numbers = self.lists[system][topic][:depth][known]
                    place = names.index(mine)
                    low[numbers] = np.minimum(low[numbers], place)
                    high[numbers] = np.maximum(high[numbers], place)
            whose = np.where(low == high, low, -1)  # -1: the last, None
            for number in np.flatnonzero(high >= 0).tolist():
                owner[topic, documents[number]] = names[whose[number]]
        return owner


class RunScorer:
    """Scores by one measure and some judgments, a run at a time.

    Parameters
    ----------
    assessments : Assessments
    measure : ir_measures measure
    topics : collection of str, optional
        All without it.
    without : collection of (topic, document)
        What counts as not judged.
    by : list of dicts, topic -> document -> relevance, optional
        Who judges, if others do than those of `assessments`.
    """

    def __init__(
        self,
        assessments: Assessments,
        measure: "Measure",
        topics: Collection[str] | None = None,
        without: Collection[tuple[str, str]] = (),
        by: Sequence[ByTopic] | None = None,
    ) -> None:
        import ir_measures

        self.assessments = assessments
        self.measure = measure
        scored = topics or assessments.topics
        self.number = {topic: str(i) for i, topic in enumerate(scored)}
        params = {*measure.params}
        plain = measure.NAME in PLAIN and params <= {"cutoff", "rel"}
        self._evaluators = []
        judges = assessments.by_assessor if by is None else by
        for grades_of_topic in judges:
            known = {}
            grades = {}
            for t in self.number:
                if t not in grades_of_topic:
                    continue
                judged = {
                    d
                    for d, g in grades_of_topic[t].items()
                    if g != NOT_JUDGED
                }
                known[t] = assessments.mark(t, judged)
                grades[t] = {
                    d: g
                    for d, g in grades_of_topic[t].items()
                    if g > 0 or not plain
                }
            for topic, document in without:
                grades.get(topic, {}).pop(document, None)
            numbered = {self.number[t]: grades[t] for t in grades}
            with measure_errors([measure]):
                evaluator = ir_measures.evaluator([measure], numbered)
            self._evaluators.append((known, evaluator))

    def __call__(self, lists: Lists) -> np.ndarray:
        """The scores of a run's lists, assessors x topics.

        Parameters
        ----------
        lists : dict, topic -> documents
            As `Assessments` numbers them.

        Returns
        -------
        numpy.ndarray
            NaN where an assessor did not judge a topic.
        """
        rows = np.full((len(self._evaluators), len(self.number)), np.nan)
        if not len(rows):
            return rows
        run = {}
        for t in self.number:
            if t not in lists:
                continue
            names = self.assessments.names(t, lists[t])
            falling = map(float, range(len(names), 0, -1))
            run[self.number[t]] = dict(zip(names, falling, strict=True))
        for row, (known, evaluator) in zip(
            rows, self._evaluators, strict=True
        ):
            with measure_errors([self.measure]):
                values = [*evaluator.iter_calc(run)]
            value = {m.query_id: float(m.value) for m in values}
            for place, (t, number) in enumerate(self.number.items()):
                if t in known:
                    row[place] = value.get(number, 0.0)
        return rows


def relevance_threshold(measure: "Measure") -> int:
    """Return the least grade that a measure takes for relevant."""
    return measure.params.get("rel", 1)


@cache
def _made_up_names(length: int) -> np.ndarray:
    """Make up names that no document has."""
    return np.array([f"\x7f{place}" for place in range(length)], object)
