"""Where the judged documents stand in runs, and what hangs on them."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gtlib.evaluate import (
    Qrels,
    Runs,
    computed,
    each_run,
    judgments_of,
    topics_of,
)
from gtlib.trec import ranked

if TYPE_CHECKING:
    from ir_measures import Measure

LEAST_DEPTH = 10
"""What seems shallower was not pooled from the first documents of runs."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRuns:
    """Runs, of whose documents only the judgments are kept.

    A pair of topic and document that the judgments list has a number. A
    pair is judged if an assessor gave it a relevance other than -1, which
    stands in such files for "in the pool, and not judged".

    Attributes
    ----------
    systems, topics : pandas.Index
        The topics are those of the judgments.
    grades : numpy.ndarray, shape (assessors, pairs)
        NaN where an assessor does not list the pair.
    topic_of : numpy.ndarray, shape (pairs,)
        The number of each pair's topic.
    lists : dict of (system's number, topic's number) -> numpy.ndarray
        The pair at each rank, from the first on; -1 if it is not listed.
    """

    systems: pd.Index
    topics: pd.Index
    grades: np.ndarray
    topic_of: np.ndarray
    lists: dict[tuple[int, int], np.ndarray]

    @classmethod
    def read(cls, runs: Runs, qrels: Qrels) -> "JudgedRuns":
        """Read runs and judgments as `gtlib.read_runs` does.

        Examples
        --------
        >>> run = pd.DataFrame({"system": "best", "topic": "1",
        ...                     "document": ["a", "b"], "score": [2, 1]})
        >>> judged = pd.DataFrame({"topic": ["1"], "document": ["b"],
        ...                        "relevance": [1]})
        >>> JudgedRuns.read(run, judged).lists
        {(0, 0): array([-1,  0])}
        """
        opinions = judgments_of(qrels)
        topics = topics_of(opinions)
        numbers: list[dict[str, int]] = []
        new = count()
        for topic in topics:
            by = (their.get(topic, {}) for their in opinions.values())
            names = dict.fromkeys(chain.from_iterable(by))
            numbers.append({name: next(new) for name in names})
        sizes = [len(number) for number in numbers]
        grades = np.full((len(opinions), sum(sizes)), np.nan)
        for row, their in zip(grades, opinions.values(), strict=True):
            for topic, number in zip(topics, numbers, strict=True):
                for document, grade in their.get(topic, {}).items():
                    row[number[document]] = grade
        systems, lists = [], {}
        for s, (system, run) in enumerate(each_run(runs)):
            systems.append(system)
            for t, topic in enumerate(topics):
                if topic in run:
                    found = ranked(run[topic])
                    pairs = [numbers[t].get(name, -1) for name in found]
                    lists[s, t] = np.array(pairs)
        if not lists:
            raise ValueError("No run shares a topic with the judgments.")
        topic_of = np.repeat(np.arange(len(topics)), sizes)
        named = pd.Index(systems), pd.Index(topics)
        return cls(*named, grades, topic_of, lists)

    @cached_property
    def judged(self) -> np.ndarray:
        """Whether somebody judged each pair; False at -1, for no pair."""
        told = ~np.isnan(self.grades) & (self.grades != -1)
        return np.append(told.any(axis=0), False)

    @cached_property
    def retrieved(self) -> pd.DataFrame:
        """Whatever the runs retrieve: ``system`` and ``topic`` by number,
        ``rank``, ``pair`` and whether it is ``judged``."""
        sizes = [len(pairs) for pairs in self.lists.values()]
        s, t = np.array([*self.lists]).T
        pair = np.concatenate([*self.lists.values()])
        ranks = np.concatenate([np.arange(size) for size in sizes]) + 1
        return pd.DataFrame(
            {
                "system": np.repeat(s, sizes),
                "topic": np.repeat(t, sizes),
                "rank": ranks,
                "pair": pair,
                "judged": self.judged[pair],
            }
        )

    def share_judged(self, depth: int) -> pd.Series:
        """The share of judged documents among each run's first ones.

        The mean over the topics that the run has; of a list that is
        shorter, all documents count, as for ``Judged`` in ir_measures.
        """
        first = self.retrieved[self.retrieved["rank"] <= depth]
        share = first.groupby(["system", "topic"])["judged"].mean()
        return self.named(share.groupby("system").mean())

    @cached_property
    def first_holes(self) -> pd.Series:
        """The rank of the first document of each list that nobody judged;
        infinite where there is none."""
        key = ["system", "topic"]
        holes = self.retrieved[~self.retrieved["judged"]]
        every = pd.MultiIndex.from_tuples(self.lists, names=key)
        first = holes.groupby(key)["rank"].min()
        return first.reindex(every, fill_value=np.inf)

    @cached_property
    def pool_depth(self) -> int | None:
        """Down to which rank half of the lists are judged throughout.

        The depth of the pools, if most runs were pooled. None if that is
        less than `LEAST_DEPTH`, or if half of the lists have no hole.
        """
        depth = np.median(self.first_holes) - 1
        return int(depth) if LEAST_DEPTH <= depth < np.inf else None

    def of_one_group(self, group: np.ndarray) -> pd.Series:
        """The judged pairs that one group of runs has alone.

        Parameters
        ----------
        group : numpy.ndarray, shape (systems,)

        Returns
        -------
        Series
            Pair -> group. The documents of a run are those down to the
            depth of the pools; where that is not known, all.
        """
        seen = self.retrieved[self.retrieved["judged"]]
        if self.pool_depth is not None:
            seen = seen[seen["rank"] <= self.pool_depth]
        owners = pd.DataFrame(
            {"pair": seen["pair"], "group": group[seen["system"]]}
        ).drop_duplicates()
        alone = ~owners["pair"].duplicated(keep=False)
        return owners[alone].set_index("pair")["group"]

    def relevant(self, level: int) -> np.ndarray:
        """Which pairs an assessor found relevant at this level."""
        return np.asarray((self.grades >= level).any(axis=0))

    def scores(
        self,
        measure: "Measure",
        systems: Collection[int] | None = None,
        topics: Collection[int] | None = None,
        *,
        without: Sequence[int] = (),
        judged_only: bool = False,
        rest: int | None = None,
    ) -> pd.DataFrame:
        """Score runs by other judgments than those that there are.

        Parameters
        ----------
        measure : ir_measures measure
        systems, topics : collections of numbers, optional
            All without it.
        without : sequence of int
            Pairs that count as not judged.
        judged_only : bool
            Leave what an assessor did not judge out of the lists.
        rest : int, optional
            The relevance of what a run retrieves and nobody judged, down
            to the measure's cutoff: otherwise none, that is not relevant.

        Returns
        -------
        DataFrame, systems x topics
            Means over assessors.
        """
        import ir_measures

        systems = range(len(self.systems)) if systems is None else systems
        topics = range(len(self.topics)) if topics is None else topics
        total = np.zeros((len(systems), len(topics)))
        opinions = np.zeros(len(topics))
        for assessor in range(len(self.grades)):
            told = self._told(assessor, topics, without)
            opinions += [str(t) in told for t in topics]
            with computed([measure]):
                evaluator = ir_measures.evaluator([measure], told)
                for row, s in zip(total, systems, strict=True):
                    run = self._run(assessor, s, told, judged_only)
                    if rest is not None:
                        filled = told | self._filled(s, told, measure, rest)
                        evaluator = ir_measures.evaluator([measure], filled)
                    found = evaluator.iter_calc(run)
                    value = {m.query_id: float(m.value) for m in found}
                    row += [value.get(str(t), 0.0) for t in topics]
        index = self.systems[[*systems]], self.topics[[*topics]]
        return pd.DataFrame(total / opinions, *index)

    def named(self, by_number):
        """By the systems' names; NaN for one that has no list."""
        every = by_number.reindex(range(len(self.systems)))
        return every.set_axis(self.systems)

    def _told(self, assessor, topics, without):
        """An assessor's judgments: topic -> pair -> grade."""
        told = {str(t): self._by_topic[assessor].get(t) for t in topics}
        told = {t: grades for t, grades in told.items() if grades}
        for t in {str(self.topic_of[pair]) for pair in without} & {*told}:
            told[t] = {**told[t]}
        for pair in without:
            told.get(str(self.topic_of[pair]), {}).pop(str(pair), None)
        return told

    @cached_property
    def _by_topic(self):
        """Of each assessor: topic -> pair -> grade."""
        opinions: list[dict[int, dict[str, int]]] = []
        for grades in self.grades:
            by_topic: dict[int, dict[str, int]] = defaultdict(dict)
            opinions.append(by_topic)
            listed = np.flatnonzero(~np.isnan(grades))
            for pair, t, grade in zip(
                listed.tolist(),
                self.topic_of[listed].tolist(),
                grades[listed].astype(int).tolist(),
                strict=True,
            ):
                by_topic[t][str(pair)] = grade
        return opinions

    def _run(self, assessor, s, told, judged_only):
        """A run as ir_measures takes it, under the names of `_told`."""
        grades = np.append(self.grades[assessor], np.nan)
        run = {}
        for t in told:
            if (s, int(t)) in self.lists:
                pairs = self.lists[s, int(t)]
                names = self._names(pairs)
                if judged_only:
                    told_of = grades[pairs]
                    names = names[~np.isnan(told_of) & (told_of != -1)]
                falling = np.arange(len(names), 0.0, -1).tolist()
                run[t] = dict(zip(names.tolist(), falling, strict=True))
        return run

    def _filled(self, s, told, measure, rest):
        """Judgments in which what nobody judged has the grade `rest`."""
        cut, filled = measure.params.get("cutoff"), {}
        for t in told:
            if (s, int(t)) in self.lists:
                pairs = self.lists[s, int(t)][:cut]
                new = self._names(pairs)[~self.judged[pairs]]
                filled[t] = told[t] | dict.fromkeys(new.tolist(), rest)
        return filled

    def _names(self, pairs):
        """Each pair's number; of what is not listed, a name by its rank."""
        listed, blank = self._name_tables
        return np.where(pairs >= 0, listed[pairs], blank[: len(pairs)])

    @cached_property
    def _name_tables(self):
        longest = max(map(len, self.lists.values()), default=0)
        listed = np.array([str(i) for i in range(len(self.judged))], object)
        return listed, np.array([f"r{i}" for i in range(longest)], object)
