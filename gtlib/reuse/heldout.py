"""Scores, sites and an assignment, checked and lined up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.reuse.assignment import Assignment, site_of_each
from gtlib.tables.checks import one_of
from gtlib.tables.scores import as_wide

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
        site_of, names = site_of_each(scores.index, sites).factorize()
        held = assignment.of_sites(names)
        topics = assignment.held_out.index
        lost = topics[~topics.isin(scores.columns)]
        if len(lost):
            raise ValueError(
                f"Topic {lost[0]!r} of the assignment has no scores. "
                "(Topics read from files are text: 301 and '301' differ.)"
            )
        scores = scores[topics]
        return cls(scores, scores.to_numpy(), names, site_of, held)

    def pairs(
        self, comparison: str
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Per set of pairs: two arrays of systems and two of topics.

        The pairs of two sites (or of one) have their topics in common.
        Pairs of systems with identical scores are left out, and so are
        those with fewer than two topics in the baseline or in reuse.
        """
        one_of(comparison, "comparison", COMPARISONS)
        sites = range(len(self.names))
        contributes = comparison == "participant"
        for s, t in {
            "within": zip(sites, sites, strict=True),
            "between": combinations(sites, 2),
            "participant": permutations(sites, 2),
        }[comparison]:
            first, second = self.members(s, t)
            base = ~self.held[s] & ~self.held[t]
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
