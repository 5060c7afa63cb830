"""Scores, sites and an assignment, checked and lined up."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.reuse.assignment import Assignment, system_sites
from gtlib.tables import as_wide, one_of

COMPARISONS = ("within", "between", "participant")


class HeldOutScores:
    """Scores, their systems' sites and the held-out topics, in step.

    Checks that the three belong together. `array` is systems x topics,
    `held` sites x topics; `site_of` is the position of each system's site
    in `names`.
    """

    def __init__(
        self,
        scores: pd.DataFrame | ArrayLike,
        sites: pd.Series | Mapping[str, str],
        assignment: Assignment,
    ) -> None:
        wide = as_wide(scores)
        site = system_sites(wide.index, sites)
        self.site_of, self.names = site.factorize()
        self.held = assignment.site_rows(self.names)
        topics = assignment.held_out.index
        lost = topics[~topics.isin(wide.columns)]
        if len(lost):
            raise ValueError(
                f"Topic {lost[0]!r} of the assignment has no scores. "
                "(Topics read from files are text: 301 and '301' differ.)"
            )
        self.scores = wide[topics]
        self.array = self.scores.to_numpy()

    def site_pairs(
        self,
    ) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
        """Yield two sites, or one twice, and the pairs of their systems.

        Pairs of systems with identical scores are left out.
        """
        sites = range(len(self.names))
        for s, t in combinations_with_replacement(sites, 2):
            a = np.flatnonzero(self.site_of == s)
            b = np.flatnonzero(self.site_of == t)
            first, second = np.repeat(a, len(b)), np.tile(b, len(a))
            chosen = (self.array[first] != self.array[second]).any(axis=1)
            if s == t:  # each pair once
                chosen &= first < second
            if chosen.any():
                yield s, t, first[chosen], second[chosen]

    def pairs(
        self, comparison: str
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Yield per set of pairs two arrays of systems and two of topics.

        All pairs of two sites (or of one) have the same topics.
        Those with fewer than two topics in the baseline or in reuse are
        left out.
        """
        one_of(comparison, "comparison", COMPARISONS)
        for s, t, first, second in self.site_pairs():
            of_one_site = s == t
            if of_one_site != (comparison == "within"):
                continue
            first_held, second_held = self.held[s], self.held[t]
            base = ~(first_held | second_held)
            if base.sum() < 2:
                continue
            for _, reuse in reuse_sets(
                [comparison], first_held, second_held
            ):
                yield first, second, base, reuse


def reuse_sets(
    comparisons: Sequence[str], first: np.ndarray, second: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the topics of reuse of two sites for each comparison and
    direction of the pairs, from where each site is held out; sets of fewer
    than two topics are left out.

    Of many shuffles the sets are arrays, shuffles x topics, with the same
    number of topics in each shuffle.
    """
    for name in comparisons:
        sets = [first & second]
        if name == "participant":
            sets = [first & ~second, second & ~first]
        for topics in sets:
            if np.atleast_2d(topics)[0].sum() >= 2:
                yield name, topics


def no_pairs_error(*comparisons: str) -> ValueError:
    """Return the error where a design has no pair to be compared."""
    return ValueError(
        f"No pair for the {', '.join(comparisons)} comparison has at least "
        "two topics in both the baseline and the reuse set: choose another "
        "number of held-out sites (BlockDesign.options)."
    )


def site_scores(
    scores: pd.DataFrame | ArrayLike,
    sites: pd.Series | Mapping[str, str],
    assignment: Assignment,
) -> pd.DataFrame:
    """Average each system's scores where it contributed, and where not.

    Parameters
    ----------
    scores, sites, assignment
        As for `significance_agreement`.

    Returns
    -------
    DataFrame
        A row per system: ``site``; ``baseline`` and ``reuse``, the means
        over the topics that its site contributed to and was held out from
        (NaN if none).

    Examples
    --------
    >>> import pandas as pd
    >>> from gtlib.reuse import site_scores
    >>> from gtlib.reuse.assignment import Assignment
    >>> held = pd.DataFrame({"A": [1, 0, 0], "B": [0, 0, 1]}) == 1
    >>> table = pd.DataFrame([[0.1, 0.2, 0.4], [0.3, 0.3, 0.2]], ["a", "b"])
    >>> means = site_scores(table, {"a": "A", "b": "B"}, Assignment(held))
    >>> means[["baseline", "reuse"]].round(2).values.tolist()
    [[0.3, 0.1], [0.3, 0.2]]
    """
    data = HeldOutScores(scores, sites, assignment)
    held = data.held[data.site_of]
    return pd.DataFrame(
        {
            "site": data.names[data.site_of],
            "baseline": data.scores.mask(held).mean(axis=1),
            "reuse": data.scores.where(held).mean(axis=1),
        }
    )
