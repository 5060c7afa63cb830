"""Scores, sites and an assignment, checked and lined up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.reuse.assignment import Assignment, site_of_each
from gtlib.scores import as_wide

COMPARISONS = ("within", "between", "participant")


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Scores, their systems' sites and the held-out topics, in step.

    `array` is systems x topics, `held` sites x topics; `site_of` is the
    position of each system's site in `names`.
    """

    scores: pd.DataFrame
    array: np.ndarray
    names: pd.Index
    site_of: np.ndarray
    held: np.ndarray

    @classmethod
    def of(
        cls,
        scores: pd.DataFrame | ArrayLike,
        sites: pd.Series | Mapping[str, str],
        assignment: Assignment,
    ) -> Self:
        """Check that the three belong together and line them up."""
        scores = as_wide(scores)
        site = site_of_each(scores.index, sites)
        held = assignment.held_out
        unknown = sorted(set(site) - set(held.columns), key=str)
        if unknown:
            raise ValueError(
                f"Site {unknown[0]!r} is not in the assignment; its sites "
                f"are {', '.join(map(str, held.columns[:5]))}, ..."
            )
        if not held.index.isin(scores.columns).all():
            topic = held.index[~held.index.isin(scores.columns)][0]
            raise ValueError(
                f"Topic {topic!r} of the assignment has no scores. (Topics "
                "read from files are text: 301 and '301' differ.)"
            )
        scores = scores[held.index]
        names = pd.Index(dict.fromkeys(site))
        return cls(
            scores,
            scores.to_numpy(),
            names,
            names.get_indexer(site),
            held[list(names)].to_numpy().T,
        )

    def pairs(
        self, comparison: str
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Per set of pairs: two arrays of systems and two of topics.

        The pairs of two sites (or of one) have their topics in common.
        Pairs of systems with identical scores are left out, and so are
        those with fewer than two topics in the baseline or in reuse.
        """
        if comparison not in COMPARISONS:
            raise ValueError(
                f"comparison is {comparison!r}; it is one of "
                f"{', '.join(COMPARISONS)}."
            )
        for s, t in self._site_pairs(comparison):
            first, second = self.members(s, t)
            base = ~self.held[s] & ~self.held[t]
            contributes = comparison == "participant"
            reuse = self.held[s] & (self.held[t] != contributes)
            if len(first) and min(base.sum(), reuse.sum()) >= 2:
                yield first, second, base, reuse

    def members(self, s: int, t: int) -> tuple[np.ndarray, np.ndarray]:
        """The pairs of systems of two sites, or within one (s = t)."""
        a = np.flatnonzero(self.site_of == s)
        if s == t:
            first, second = a[np.array(np.triu_indices(len(a), 1))]
        else:
            b = np.flatnonzero(self.site_of == t)
            first, second = np.repeat(a, len(b)), np.tile(b, len(a))
        z = self.array[first] != self.array[second]
        differ = z.any(axis=1)
        return first[differ], second[differ]

    def _site_pairs(self, comparison):
        m = len(self.names)
        if comparison == "within":
            return [(s, s) for s in range(m)]
        return [
            (s, t)
            for s in range(m)
            for t in range(m)
            if s < t or (s != t and comparison == "participant")
        ]
