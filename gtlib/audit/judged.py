"""Where the judged documents stand in runs, and what hangs on them."""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gtlib.evaluate import (
    ByTopic,
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

NOT_JUDGED = -1
"""The relevance of what was in the pool, and not in the judged sample."""

PLAIN = ("AP", "P", "R", "RR", "Rprec", "Success", "nDCG")
"""Measures to which not relevant and not judged are alike."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRuns:
    """Runs, of whose documents only those in the judgments have names.

    Attributes
    ----------
    systems : list of str
    topics : list of str
        Those of the judgments.
    opinions : list of dicts, topic -> document -> relevance
        One to an assessor.
    lists : dict, (system, topic) -> documents
        From the first rank on.
    """

    systems: list[str]
    topics: list[str]
    opinions: list[ByTopic]
    lists: dict[tuple[str, str], list[str]]

    @classmethod
    def read(cls, runs: Runs, qrels: Qrels) -> "JudgedRuns":
        """Read runs and judgments as `gtlib.read_runs` does.

        Raises
        ------
        ValueError
            As there, or if no run shares a topic with the judgments.

        Examples
        --------
        >>> run = pd.DataFrame({"system": "best", "topic": "1",
        ...                     "document": ["a", "b"], "score": [2, 1]})
        >>> judged = pd.DataFrame({"topic": ["1"], "document": ["b"],
        ...                        "relevance": [1]})
        >>> JudgedRuns.read(run, judged).share_judged(2).to_dict()
        {'best': 0.5}
        """
        told = judgments_of(qrels)
        topics, opinions = topics_of(told), [*told.values()]
        names = {
            topic: {d: d for by in opinions for d in by.get(topic, ())}
            for topic in topics
        }
        systems, lists = [], {}
        for system, run in each_run(runs):
            systems.append(system)
            for topic in filter(run.__contains__, topics):
                listed = names[topic]
                lists[system, topic] = [
                    listed.get(document) or _nameless(i)
                    for i, document in enumerate(ranked(run[topic]))
                ]
        if not lists:
            raise ValueError("No run shares a topic with the judgments.")
        return cls(systems, topics, opinions, lists)

    @cached_property
    def pairs(self) -> dict[str, dict[str, float]]:
        """What somebody judged: topic -> document -> highest relevance."""
        found: dict[str, dict[str, float]] = {t: {} for t in self.topics}
        for their in self.opinions:
            for topic, grades in their.items():
                for document in _known_of(grades):
                    best = found[topic].get(document, -np.inf)
                    grade = max(best, grades[document])
                    found[topic][document] = grade
        return found

    @cached_property
    def judged(self) -> dict[tuple[str, str], np.ndarray]:
        """Which documents of each list somebody judged."""
        return {
            at: np.array([d in self.pairs[at[1]] for d in found])
            for at, found in self.lists.items()
        }

    def share_judged(self, depth: int) -> pd.Series:
        """The share of judged documents among each run's first ones.

        The mean over the topics that the run has; of a list that is
        shorter, all documents count, as for ``Judged`` in ir_measures.
        """
        told = self.judged
        share = {at: told[at][:depth].mean() for at in told}
        return self.by_system(pd.Series(share))

    @cached_property
    def first_holes(self) -> pd.Series:
        """The rank of the first document of each list that nobody judged;
        infinite where there is none."""
        first = {
            at: np.inf if told.all() else 1.0 + told.argmin()
            for at, told in self.judged.items()
        }
        return pd.Series(first)

    def by_system(self, by_list: pd.Series, how: str = "mean") -> pd.Series:
        """Means over topics, or another statistic, by system."""
        return by_list.groupby(level=0).agg(how).reindex(self.systems)

    @cached_property
    def pool_depth(self) -> int | None:
        """Down to which rank half of the lists are judged throughout.

        The depth of the pools, if most runs were pooled. None if that is
        less than `LEAST_DEPTH`, or if half of the lists have no hole.
        """
        depth = self.first_holes.median() - 1
        return int(depth) if LEAST_DEPTH <= depth < np.inf else None

    def owners(
        self, group: Mapping[str, Hashable]
    ) -> dict[tuple[str, str], Hashable]:
        """Which group of runs has a judged document alone.

        Parameters
        ----------
        group : dict, system -> group

        Returns
        -------
        dict, (topic, document) -> group, or None for several
            The documents of a run are those down to the depth of the
            pools; where that is not known, all.
        """
        owner: dict[tuple[str, str], Hashable] = {}
        for (system, topic), documents in self.lists.items():
            told = self.judged[system, topic][: self.pool_depth]
            for place in np.flatnonzero(told):
                pair, mine = (topic, documents[place]), group[system]
                if owner.setdefault(pair, mine) != mine:
                    owner[pair] = None
        return owner

    def scores(
        self,
        measure: "Measure",
        systems: Collection[str] | None = None,
        topics: Collection[str] | None = None,
        *,
        without: Collection[tuple[str, str]] = (),
        judged_only: bool = False,
        rest: int | None = None,
    ) -> pd.DataFrame:
        """Score runs by other judgments than those that there are.

        Parameters
        ----------
        measure : ir_measures measure
        systems, topics : collections of str, optional
            All without it.
        without : collection of (topic, document)
            What counts as not judged.
        judged_only : bool
            Leave what an assessor did not judge out of the lists.
        rest : int, optional
            The relevance of what a run retrieves and nobody judged, down
            to the measure's cutoff. Without it, it is not relevant.

        Returns
        -------
        DataFrame, systems x topics
            Means over assessors.
        """
        import ir_measures

        number = {t: str(i) for i, t in enumerate(topics or self.topics, 1)}
        others = {*measure.params} - {"cutoff", "rel"}
        plain = measure.NAME in PLAIN and not others
        total = pd.DataFrame(0.0, systems or self.systems, [*number])
        assessors = np.zeros(len(number))
        for their in self.opinions:
            mine = [t for t in number if t in their]
            told = {number[t]: {**their[t]} for t in mine}
            judged = {t: _known_of(their[t]) for t in mine if judged_only}
            if plain:
                told = {
                    n: {d: g for d, g in docs.items() if g > 0}
                    for n, docs in told.items()
                }
            for topic, document in without:
                told.get(number[topic], {}).pop(document, None)
            assessors += [n in told for n in number.values()]
            with computed([measure]):
                evaluator = ir_measures.evaluator([measure], told)
                for system in total.index:
                    run, filled = {}, {**told}
                    for t in mine:
                        n, names = number[t], self.lists.get((system, t))
                        if names is None:
                            continue
                        if rest is not None:
                            holes = self._holes(system, t, measure)
                            filled[n] = told[n] | dict.fromkeys(holes, rest)
                        if judged_only:
                            names = [d for d in names if d in judged[t]]
                        falling = map(float, range(len(names), 0, -1))
                        run[n] = dict(zip(names, falling, strict=True))
                    if rest is not None:
                        evaluator = ir_measures.evaluator([measure], filled)
                    found = evaluator.iter_calc(run)
                    value = {m.query_id: float(m.value) for m in found}
                    row = [value.get(n, 0.0) for n in number.values()]
                    total.loc[system] += row
        return total / assessors

    def _holes(self, system, topic, measure):
        """What nobody judged of a list, as far as the measure looks."""
        holes = np.flatnonzero(~self.judged[system, topic])
        cut = measure.params.get("cutoff", np.inf)
        return [self.lists[system, topic][i] for i in holes[holes < cut]]


def _known_of(grades: Mapping[str, float]) -> set[str]:
    """Which documents are judged, and not only listed."""
    return {d for d, grade in grades.items() if grade != NOT_JUDGED}


@cache
def _nameless(place: int) -> str:
    """A name that no document has."""
    return f"\x7f{place}"
