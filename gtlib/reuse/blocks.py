"""The block design of Carterette et al. (2010): which sites to hold out.

For each topic of a block, `held_out` of the sites do not contribute to the
judgments; on those topics their systems play the part of new systems.
`BlockDesign` counts what a design gives, `Assignment` is a design with the
names of real topics and sites.
"""

from collections.abc import Hashable, Iterable
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd

from gtlib.reuse.assignment import Assignment, unique_names

_TRIES = 50_000


class BlockDesign:
    """A design that holds `held_out` of the sites out of each topic.

    Parameters
    ----------
    sites : int or sequence of str
        The m sites (groups of similar systems), or how many.
    held_out : int
        The k sites held out of each topic outside the baseline.
    topics : int or sequence
        The N topics, or how many.
    baseline : int
        The least number n0 of topics that every site contributes to.
    fill : bool
        The topics that do not fill a last subset of C(m, k) topics go to
        the baseline (False, the paper's rule) or are held out of as
        evenly as they can be (True), so that the baseline is exactly n0.

    Raises
    ------
    ValueError
        If a name is given twice, or the numbers make no design.

    Notes
    -----
    Carterette et al. 2010, section 3.1 and Table 2: with C = C(m, k),
    b = floor((N - n0) / C) subsets of C topics each, and n = N - b C.

    Examples
    --------
    >>> import gtlib as gt
    >>> design = gt.BlockDesign(
    ...     sites=9, held_out=2, topics=564, baseline=200
    ... )
    >>> int(design.sizes["between-site baseline"])
    414
    >>> marks = gt.BlockDesign(sites=3, held_out=1, topics=3).table()
    >>> ["".join(row) for row in marks.to_numpy()]
    ['++−', '+−+', '−++']
    """

    def __init__(
        self,
        sites: int | Iterable[Hashable],
        held_out: int,
        topics: int | Iterable[Hashable],
        baseline: int = 0,
        fill: bool = False,
    ) -> None:
        self.sites = unique_names(sites, "site", "S")
        self.held_out = held_out
        self.baseline = baseline
        self.fill = fill
        self.topics = unique_names(topics, "topic", "t")
        m, k, n = len(self.sites), held_out, len(self.topics)
        if m < 2:
            raise ValueError(f"{m} site; a design needs at least two.")
        if not 1 <= k < m:
            raise ValueError(
                f"held_out is {k}: between 1 and {m - 1} of the {m} sites "
                "can be held out of a topic."
            )
        if not 0 <= baseline <= n:
            raise ValueError(f"baseline={baseline}: there are {n} topics.")

    @property
    def blocks(self) -> int:
        """The number of sets of sites that can be held out, C(m, k)."""
        return comb(len(self.sites), self.held_out)

    @property
    def subsets(self) -> int:
        """The number of times that each set is held out, b."""
        return (len(self.topics) - self.baseline) // self.blocks

    @property
    def sizes(self) -> pd.Series:
        """Series: the number of topics for each analysis (Table 2).

        With `fill` the last subset is incomplete, and all but the first
        two are means over the sites or pairs of sites.
        """
        m, k, b = len(self.sites), self.held_out, self.subsets
        topics = len(self.topics)
        held = topics - self.baseline if self.fill else b * self.blocks
        one_site = held * k / m
        two_sites = held * k * (k - 1) / (m * (m - 1))
        only_first = held * k * (m - k) / (m * (m - 1))
        sizes = {
            "topic subsets": b,
            "all-site baseline": topics - held,
            "within-site baseline": topics - one_site,
            "between-site baseline": topics - two_sites - 2 * only_first,
            "within-site reuse": one_site,
            "between-site reuse": two_sites,
            "participant comparison": only_first,
        }
        return pd.Series(sizes, dtype=float, name="topics")

    @staticmethod
    def options(
        sites: int, topics: int, baseline: int = 0, fill: bool = False
    ) -> pd.DataFrame:
        """Tabulate the sizes for every number of sites held out.

        Parameters
        ----------
        sites, topics, baseline : int
            Numbers of sites, of topics, and of topics that every site
            contributes to.
        fill : bool
            As for `BlockDesign`.

        Returns
        -------
        DataFrame
            A row per `held_out`, with ``blocks`` and the sizes of Table 2.

        Examples
        --------
        >>> import gtlib as gt
        >>> sizes = gt.BlockDesign.options(9, 564, baseline=200)
        >>> sizes["within-site reuse"].tolist()
        [40.0, 80.0, 112.0, 112.0, 140.0, 224.0, 280.0, 320.0]
        """
        designs = {
            k: BlockDesign(sites, k, topics, baseline, fill)
            for k in range(1, sites)
        }
        table = pd.DataFrame({k: d.sizes for k, d in designs.items()}).T
        table.insert(0, "blocks", [d.blocks for d in designs.values()])
        return table.rename_axis("held out")

    def table(self) -> pd.DataFrame:
        """Tabulate the design: ``+`` where a site contributes.

        Returns
        -------
        DataFrame of str
            A row per topic in the order given, indexed by subset (0 is
            the baseline) and topic; a column per site; ``−`` marks the
            sites held out.

        Examples
        --------
        >>> import gtlib as gt
        >>> table = gt.BlockDesign(sites=3, held_out=1, topics=3).table()
        >>> table["S1"].tolist()
        ['+', '+', '−']
        """
        held, subset = self._pattern(np.random.default_rng(0))
        signs = np.where(held, "−", "+")
        table = pd.DataFrame(signs, [subset, [*self.topics]], self.sites)
        return table.rename_axis(["subset", "topic"])

    def assign(self, seed: int | np.random.Generator = 0) -> Assignment:
        """Give each topic, in random order, its held-out sites.

        Parameters
        ----------
        seed : int or numpy Generator
            Decides which topic gets which held-out sites.

        Returns
        -------
        Assignment
            The sites, too, are drawn a random place in the pattern, so
            that no site is favoured where the last subset is incomplete.

        Examples
        --------
        >>> import gtlib as gt
        >>> design = gt.BlockDesign(sites=3, held_out=1, topics=6)
        >>> held_out = design.assign()
        >>> held_out.held_out.sum().tolist()
        [2, 2, 2]
        """
        rng = np.random.default_rng(seed)
        held, _ = self._pattern(rng)
        held = held[:, rng.permutation(len(self.sites))]
        place = rng.permutation(len(self.topics))
        topics = pd.Index(self.topics, name="topic")
        return Assignment(pd.DataFrame(held[place], topics, self.sites))

    def _pattern(self, rng):
        """Return the held-out sites (topics x sites) and the subsets."""
        m, k, b = len(self.sites), self.held_out, self.subsets
        full = b * self.blocks
        rest = len(self.topics) - full
        extra = rest - self.baseline if self.fill else 0
        blocks = slice(rest - extra, rest - extra + full)
        held = np.zeros((len(self.topics), m), dtype=bool)
        subset = np.zeros(len(held), dtype=int)
        if b:  # where not, the sets may be too many to list
            sets = np.array(list(combinations(range(m - 1, -1, -1), k)))
            repeated = np.tile(sets, (b, 1))
            np.put_along_axis(held[blocks], repeated, True, axis=1)
            subset[blocks] = np.repeat(range(1, b + 1), self.blocks)
        held[blocks.stop :] = even_sets(m, k, extra, rng)
        subset[blocks.stop :] = b + 1
        return held, subset


def even_sets(
    sites: int, held_out: int, topics: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw sets of sites to hold out, as evenly as possible.

    The C(m, k) sets are never listed.

    Parameters
    ----------
    sites, held_out, topics : int
        m, k, and how many sets.
    rng : numpy Generator

    Returns
    -------
    ndarray of bool, topics x sites
        Each site is held out equally often, within one. Pairs of sites
        are held out together as evenly as an exchange search finds.

    Notes
    -----
    Sets are filled with the site that was held out least and, of these,
    the one least often held out with those already chosen. Then topics
    drawn two at a time exchange a site each where that does not raise the
    sum of squares of the pair counts, which is least where these are even.

    Examples
    --------
    >>> even_sets(6, 2, 9, np.random.default_rng(0)).sum(axis=0).tolist()
    [3, 3, 3, 3, 3, 3]
    """
    held = np.zeros((topics, sites), dtype=bool)
    together = np.zeros((sites, sites))
    times = np.zeros(sites)
    for row in held:
        for _ in range(held_out):
            cost = together[row].sum(0) + rng.random(sites)
            cost += times * topics * held_out
            cost[row] = np.inf
            site = cost.argmin()
            row[site] = True
            times[site] += 1
        together += np.outer(row, row)
    np.fill_diagonal(together, 0)
    pairs = comb(sites, 2)
    low, surplus = divmod(topics * comb(held_out, 2), pairs)
    least = surplus * (low + 1) ** 2 + (pairs - surplus) * low**2
    excess = (np.triu(together) ** 2).sum() - least
    idle = 0
    for i, j in rng.integers(topics or 1, size=(_TRIES, 2)):
        if excess == 0 or idle > 1000 + topics**2:
            break
        gain = _exchange(held, together, i, j)
        excess += gain
        idle = 0 if gain < 0 else idle + 1
    return held


def _exchange(held, together, i, j):
    """Let topics i and j exchange sites where pairs get no less even.

    Returns what the sum of squares of the pair counts changes by.
    """
    a = np.flatnonzero(held[i] & ~held[j])
    b = np.flatnonzero(held[j] & ~held[i])
    if len(a) == 0:
        return 0
    from_a, from_b = together[a].sum(0), together[b].sum(0)
    gain = (
        (from_a[b] - from_b[b])[None, :]
        + (from_b[a] - from_a[a])[:, None]
        - 2 * together[np.ix_(a, b)]
        + 2 * (len(a) - 1)
    )
    x, y = np.unravel_index(gain.argmin(), gain.shape)
    if gain[x, y] > 0:
        return 0
    for row in (i, j):
        together -= np.outer(held[row], held[row])
        held[row, [a[x], b[y]]] ^= True
        together += np.outer(held[row], held[row])
    np.fill_diagonal(together, 0)
    return 2 * gain[x, y]
