"""Where the judged documents stand in runs, and what hangs on them."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from gtapps.audit.assessments import Assessments, Lists

# What seems shallower was not pooled from the first documents of runs.
LEAST_DEPTH = 10


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRuns:
    """Runs, of whose documents only those in the judgments have names.

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
    >>> lists = assessments.numbered({"1": ["a", "b"]})
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

    def share_judged(self, depth: int) -> pd.Series:
        """The share of judged documents among each run's first ones.

        The mean over the topics that the run has; of a list that is
        shorter, all documents count, as for ``Judged`` in ir_measures.
        """
        told = pd.Series(self.judged)
        return self.by_system(told.map(lambda known: known[:depth].mean()))

    @cached_property
    def first_holes(self) -> pd.Series:
        """The rank of the first document of each list that nobody judged;
        infinite where there is none."""
        return pd.Series(self.judged).map(
            lambda known: np.inf if known.all() else 1.0 + known.argmin()
        )

    def by_system(self, by_list: pd.Series, how: str = "mean") -> pd.Series:
        """Means over topics, or another statistic, by system."""
        return by_list.groupby(level=0).agg(how).reindex([*self.lists])

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
        names = [*dict.fromkeys(group.values()), None]
        owner: dict[tuple[str, str], Hashable] = {}
        for topic, documents in self.assessments.documents.items():
            low = np.full(len(documents), len(names))
            high = np.full(len(documents), -1)
            for system, lists in self.lists.items():
                if topic in lists:
                    known = self.judged[system, topic][: self.pool_depth]
                    numbers = lists[topic][: self.pool_depth][known]
                    mine = names.index(group[system])
                    low[numbers] = np.minimum(low[numbers], mine)
                    high[numbers] = np.maximum(high[numbers], mine)
            whose = np.where(low == high, low, -1)  # -1: the last, None
            for number in np.flatnonzero(high >= 0).tolist():
                owner[topic, documents[number]] = names[whose[number]]
        return owner
