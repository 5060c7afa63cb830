"""Where the judged documents stand in runs, and what hangs on them."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from gtapps.audit.assessments import Assessments, Lists


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
        told = pd.Series(self.judged).map(lambda d: d[:depth].mean())
        return told.groupby(level=0).mean().reindex([*self.lists])

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
        """Which group of runs has a judged document alone.

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
