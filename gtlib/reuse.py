"""Reusability by design: blocks, held-out systems, tests of agreement."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from math import comb
from numbers import Real
from os import PathLike
from typing import TextIO

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib import checks, comparisons
from gtlib.checks import list_some, one_of, progress
from gtlib.scores import Interval, as_wide

__all__ = [
    "BlockDesign",
    "goodness_of_fit",
    "reusability_test",
    "significance_agreement",
]

# Which sites are held out of which topics, by name.


class Assignment:
    """The sites that are held out of the judging of each topic.

    Parameters
    ----------
    held_out : DataFrame of bool
        Rows = topics, columns = sites; True where a site is held out.

    Raises
    ------
    ValueError
        If a name is given twice, a cell is not True or False, or no site
        contributes to a topic.

    Examples
    --------
    >>> from gtlib.reuse import BlockDesign
    >>> design = BlockDesign(["APL", "IBM", "UIC"], 1, [301, 302, 303])
    >>> design.assign(seed=1).held_out.sum().tolist()
    [1, 1, 1]
    """

    def __init__(self, held_out: pd.DataFrame) -> None:
        unique_names(held_out.index, "topic")
        unique_names(held_out.columns, "site")
        if not held_out.isin([True, False]).all(axis=None):
            raise ValueError("held_out must be True or False everywhere.")
        table = held_out.astype(bool)
        nobody = table.index[table.all(axis="columns")]
        if len(nobody):
            raise ValueError(
                f"Every site is held out of topic {nobody[0]}: nobody is "
                "left to contribute judgments."
            )
        self.held_out = table

    def site_rows(self, sites: Iterable[Hashable]) -> np.ndarray:
        """Return where each of some sites is held out: sites x topics."""
        sites = list(sites)
        columns = self.held_out.columns
        unknown = sorted(set(sites) - set(columns), key=str)
        if unknown:
            raise ValueError(
                f"Site {unknown[0]!r} is not in the assignment; its sites "
                f"are {list_some(columns)}."
            )
        return self.held_out[sites].to_numpy().T

    def to_csv(self, path: str | PathLike[str] | TextIO) -> None:
        """Write a line per topic: topic, held-out sites (by ;)."""
        sites = self.held_out.columns.astype(str)
        if sites.str.contains(";").any():
            raise ValueError("A site's name contains ';': rename it.")
        names = [";".join(sites[row]) for row in self.held_out.to_numpy()]
        table = pd.DataFrame({"held_out": names}, self.held_out.index)
        table.to_csv(path, index_label="topic")

    @staticmethod
    def read_csv(
        path: str | PathLike[str] | TextIO,
        sites: Sequence[str] | None = None,
    ) -> "Assignment":
        """Read what `to_csv` writes, or an assignment made elsewhere.

        Parameters
        ----------
        path : str or Path
            Columns ``topic`` and ``held_out`` (site names separated by
            ``;``, empty for the baseline).
        sites : sequence of str, optional
            Every site, in order; needed for those never held out.

        Returns
        -------
        Assignment
            The sites held out of each topic.

        Raises
        ------
        ValueError
            If a column is missing or a site is not among `sites`.
        """
        table = pd.read_csv(path, dtype={"topic": str, "held_out": str})
        for column in ("topic", "held_out"):
            if column not in table:
                raise ValueError(
                    f"{path} has no column {column!r}; topic and held_out "
                    "are needed."
                )
        table = table.set_index("topic")
        names = table["held_out"].fillna("").str.strip()
        names = names.str.replace(r"\s*;\s*", ";", regex=True)
        held = names.str.get_dummies(";").astype(bool)
        held = held.drop(columns="", errors="ignore")  # held out nobody
        if sites is not None:
            unknown = held.columns.difference(sites)
            if len(unknown):
                raise ValueError(
                    f"{path} holds out {unknown[0]!r}, which is not among "
                    "the sites."
                )
            held = held.reindex(columns=list(sites), fill_value=False)
        return Assignment(held)


def unique_names(
    names_or_count: int | Iterable[Hashable], what: str, prefix: str = ""
) -> tuple[Hashable, ...]:
    """Return a tuple of unique names; a count becomes prefix1, ..."""
    if isinstance(names_or_count, Real):
        most = 10**6
        n = checks.whole_number(names_or_count, f"{what}s", 1, most)
        return tuple(f"{prefix}{i}" for i in range(1, n + 1))
    names = names_or_count
    if not isinstance(names, str):  # a text is names of one letter
        names = checks.several(names, f"{what}s", "names, or a number,")
    names = tuple(checks.label(name, what) for name in names)
    twice = pd.Index(names)[pd.Index(names).duplicated()]
    if len(twice):
        raise ValueError(f"The {what} {twice[0]!r} is given twice.")
    return names


def system_sites(
    systems: pd.Index, sites: pd.Series | Mapping[str, str]
) -> pd.Series:
    """Return the site of each system, or refuse one without."""
    sites = pd.Series(sites)
    lost = systems.difference(sites.index)
    if len(lost):
        raise ValueError(
            f"System {lost[0]} has no site: sites must name that of every "
            "system."
        )
    return sites[systems]


# The block design of Carterette et al. (2010): which sites to hold out.
#
# For each topic of a block, `held_out` of the sites do not contribute to
# the judgments; on those topics their systems play the part of new systems.
# `BlockDesign` counts what a design gives, `Assignment` is a design with
# the names of real topics and sites.

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
        held_out = checks.whole_number(held_out, "held_out", 0)
        baseline = checks.whole_number(baseline, "baseline", 0)
        self.sites = unique_names(sites, "site", "S")
        self.held_out = held_out
        self.baseline = baseline
        self.fill = checks.flag(fill, "fill")
        self.topics = unique_names(topics, "topic", "t")
        m, k, n = len(self.sites), held_out, len(self.topics)
        if m < 2:
            raise ValueError(
                f"sites: there is {m}; a design needs at least two."
            )
        if not 1 <= k < m:
            raise ValueError(
                f"held_out is {k}: between 1 and {m - 1} of the {m} sites "
                "can be held out of a topic."
            )
        if not 0 <= baseline <= n:
            raise ValueError(f"baseline={baseline}: there are {n} topics.")
        if not n:
            raise ValueError("topics: there is none; one is needed.")

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
        sites = checks.whole_number(sites, "sites", 2, 10**6)
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
        rng = np.random.default_rng(checks.seed(seed))
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

    Sets are filled with the site that was held out least and, of these,
    the one least often held out with those already chosen. Then topics
    drawn two at a time exchange a site each where that does not raise the
    sum of squares of the pair counts, which is least where these are even.
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


# Scores, sites and an assignment, checked and lined up.

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
        checks.mapping(sites, "sites", "{'bm25': 'APL'}")
        made_by = "BlockDesign.assign"
        checks.instance(assignment, "assignment", Assignment, made_by)
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
    >>> from gtlib.reuse import Assignment
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


# Goodness of fit of four counts to expected counts that are given.


@dataclass(frozen=True)
class GoodnessOfFit:
    """A statistic and its p-value."""

    statistic: float
    p_value: float


def goodness_of_fit(
    observed: ArrayLike,
    expected: ArrayLike,
    method: str = "asymptotic",
    n_resamples: int = 9999,
    seed: int = 0,
) -> GoodnessOfFit:
    """Test whether four observed counts match the expected ones.

    Parameters
    ----------
    observed : array of int, shape (4,) or (2, 2)
        Numbers of pairs of systems in each cell.
    expected : array of float, the same shape
        Expected numbers; their total is that of `observed`, up to 1%
        because printed numbers are rounded.
    method : {"asymptotic", "exact", "monte-carlo"}
        How the p-value is computed: from the chi-square distribution with
        3 degrees of freedom (nothing is estimated from the observed
        counts), from the multinomial probabilities of all tables with this
        total, or from `n_resamples` tables drawn from the multinomial.
        ``"exact"`` is exact only for independent pairs of equal power.
    n_resamples : int
        Number of tables drawn by ``"monte-carlo"``.
    seed : int
        Seed of these draws.

    Returns
    -------
    GoodnessOfFit
        ``statistic``, X² = Σ (O - E)²/E, and ``p_value``, the
        probability of a statistic at least as large.

    Raises
    ------
    ValueError
        If the shapes or totals differ, or a count is negative.

    Notes
    -----
    The counts are multinomial if all pairs have the same four
    probabilities. Independent pairs with probabilities p of their own have
    Poisson multinomial counts, which vary less: X² is then 4 - Σ Σ p²/E
    on average (over pairs and cells), where the multinomial has 3, so that
    p-values tend to be too large. By how much, `expected` does not tell.
    Pairs that share systems and topics vary more than either, which is
    what `reusability_test` allows for.

    Examples
    --------
    >>> import gtlib as gt
    >>> apl = gt.goodness_of_fit([6, 3, 0, 1], [7.098, 2.043, 0.073, 0.786])
    >>> round(apl.statistic, 4), round(apl.p_value, 4)
    (0.7494, 0.8615)
    """
    checks.one_of(method, "method", ("asymptotic", "exact", "monte-carlo"))
    n = checks.resamples(n_resamples)
    rng = np.random.default_rng(checks.seed(seed))
    seen = checks.number_array(observed, "observed").ravel()
    mean = checks.number_array(expected, "expected").ravel()
    if len(seen) != 4 or len(mean) != 4:
        raise ValueError("observed and expected have four cells each.")
    if (seen < 0).any() or (mean < 0).any() or (seen % 1).any():
        raise ValueError(
            "observed and expected counts are not negative, and the "
            "observed are whole."
        )
    total = int(seen.sum())
    if total == 0 or abs(mean.sum() - total) > 0.01 * total:
        raise ValueError(
            f"The observed counts add to {total}, the expected ones to "
            f"{mean.sum():g}: both should count the same pairs."
        )
    statistic = float(pearson(seen, mean))
    least = statistic * (1 - 1e-9) - 1e-12
    if method == "asymptotic":
        p = scipy.special.chdtrc(3, statistic)
    elif method == "exact":
        p = _exact_tail(total, mean, least)
    else:
        tables = rng.multinomial(total, mean / mean.sum(), size=n)
        hits = (pearson(tables, mean) >= least).sum()
        p = (1 + hits) / (1 + n)
    return GoodnessOfFit(statistic, float(p))


def pearson(observed: ArrayLike, expected: np.ndarray) -> np.ndarray:
    """Sum (O - E)²/E over the last axis; an expected 0 must be observed."""
    gap = np.asarray(observed, dtype=float) - expected
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(gap == 0, 0.0, gap**2 / expected)
    return parts.sum(axis=-1)


def _exact_tail(total, mean, least):
    """Sum P(X² >= least) over all tables, by their first cell."""
    law = scipy.stats.multinomial(total, mean / mean.sum())
    tail = 0.0
    for first in range(total + 1):
        left = total - first
        second_and_third, third = np.tril_indices(left + 1)
        cells = np.stack(
            [
                np.full_like(second_and_third, first),
                second_and_third - third,
                third,
                left - second_and_third,
            ],
            axis=-1,
        )
        tail += law.pmf(cells[pearson(cells, mean) >= least]).sum()
    return min(tail, 1.0)


# Are the same pairs of systems significantly different on reuse topics?
#
# A system's scores on the topics that its site was held out from, against
# those on the topics that it contributed to. Three comparisons ask for
# three kinds of pairs:
#
# ==============  =============================  =========================
# comparison      pairs of systems               topics of reuse
# ==============  =============================  =========================
# within          of one site                    the site is held out
# between         of two sites                   both sites are held out
# participant     of two sites, in that order    only the first is held out
# ==============  =============================  =========================
#
# The baseline is always the topics that both contributed to.

# Where a pair is significant: the four cells of the paper's tables.
CELLS = ("both", "baseline only", "reuse only", "neither")


@dataclass(frozen=True, eq=False)
class Agreement:
    """Counts of significant pairs of systems, observed and expected."""

    observed: pd.Series
    expected: pd.Series

    def goodness_of_fit(self) -> GoodnessOfFit:
        """Apply the published test, `goodness_of_fit`, to these tables.

        Calibrated for one pair of systems, not for a table added over
        pairs: see `reusability_test`.
        """
        return goodness_of_fit(self.observed, self.expected)


def significance_agreement(
    scores: pd.DataFrame | ArrayLike,
    sites: pd.Series | Mapping[str, str],
    assignment: Assignment,
    comparison: str = "within",
    alpha: float = 0.05,
    adjust: str | None = None,
) -> Agreement:
    """Count the pairs that differ significantly on baseline and reuse.

    Parameters
    ----------
    scores : DataFrame, systems x topics
        Wide or long; each topic judged as `assignment` says.
    sites : Series or dict
        System -> site. With the systems of one site only, the table is
        that site's.
    assignment : Assignment
        Which sites were held out of which topics.
    comparison : {"within", "between", "participant"}
        Which pairs of systems are compared.
    alpha : float in (0, 1)
        Significance level of the paired t-tests, two-sided.
    adjust : {None, "holm", "bh"}
        Adjust for the number of tests, in the baseline and the reuse set
        separately: Holm, or Benjamini and Hochberg.

    Returns
    -------
    Agreement
        ``.observed`` and ``.expected`` count pairs. Two systems with the
        same score on every topic are no pair, nor are two with fewer than
        two topics in either set.

    Raises
    ------
    ValueError
        If a system has no site, the assignment lacks a topic or site, no
        pair has enough topics, or an argument is out of its range.

    Notes
    -----
    Carterette et al. 2010, section 3.2.1. The effect size of a pair is its
    mean difference over the baseline topics in standard deviations; with
    P_b and P_r the power of the t-test for that effect in samples of the
    two sizes, the expected cells are P_b P_r, P_b (1 - P_r),
    (1 - P_b) P_r and (1 - P_b)(1 - P_r), added over pairs. When p-values
    are adjusted, the power is that at the level the adjustment came to.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random((6, 40)) * np.linspace(1, 0.5, 6)[:, None]
    >>> scores = pd.DataFrame(scores, list("abcdef"))
    >>> sites = dict(zip("abcdef", "XXYYZZ"))
    >>> design = gt.BlockDesign("XYZ", 1, range(40), baseline=10)
    >>> held_out = design.assign()
    >>> agreement = gt.significance_agreement(scores, sites, held_out)
    >>> agreement.observed.sum(), round(agreement.expected.sum(), 6)
    (np.int64(3), np.float64(3.0))
    """
    alpha = checks.significance_level(alpha)
    checks.one_of(adjust, "adjust", (None, "holm", "bh"))
    data = HeldOutScores(scores, sites, assignment)
    groups = data.pairs(comparison)
    tests = [_paired_tests(data.array, *group) for group in groups]
    if not tests:
        raise no_pairs_error(comparison)
    t_base, n_base, t_reuse, n_reuse = (
        np.concatenate(part) for part in zip(*tests, strict=True)
    )
    effect = t_base / np.sqrt(n_base)
    significant, power = [], []
    for t, topics in ((t_base, n_base), (t_reuse, n_reuse)):
        p = comparisons.p_value(t, topics)
        level = _adjusted_level(p, alpha, adjust)
        significant.append(p < level)
        power.append(comparisons.paired_t_power(effect, topics, level))
    observed = four_cells(*np.array(significant)).astype(int)
    expected = four_cells(*np.array(power))
    return Agreement(
        pd.Series(observed, CELLS, name="pairs"),
        pd.Series(expected, CELLS, name="pairs"),
    )


def _paired_tests(scores, first, second, base, reuse):
    """Compute t and number of topics of pairs: of baseline, of reuse."""
    z = scores[first] - scores[second]
    tests = []
    for part in (base, reuse):
        own = z[:, part]
        size = int(part.sum())
        t = comparisons.t_statistic(
            own.sum(axis=1), (own * own).sum(axis=1), size
        )
        tests += [t, np.full(len(t), size)]
    return tests


def _adjusted_level(p, alpha, adjust):
    """The level that a test's p-value must be below, after adjusting."""
    if adjust is None:
        return alpha
    if adjust == "holm":
        return alpha / max((comparisons.holm(p) >= alpha).sum(), 1)
    rejected = (scipy.stats.false_discovery_control(p) < alpha).sum()
    return alpha * max(rejected, 1) / len(p)


def four_cells(base: np.ndarray, reuse: np.ndarray) -> np.ndarray:
    """Add up the four cells over pairs (the first axis), from marks or
    probabilities of being significant in the baseline and in reuse."""
    both = np.einsum("i...,i...->...", base, reuse, dtype=float)
    in_base = base.sum(axis=0, dtype=float)
    in_reuse = reuse.sum(axis=0, dtype=float)
    neither = len(base) - in_base - in_reuse + both
    return np.stack([both, in_base - both, in_reuse - both, neither])


# The statistics of reusability, for many shuffles of the topics at once.
#
# A paired t-test over a set of topics needs the sum of a pair's score
# differences and the sum of their squares. Over many shuffled sets these
# are two products of a matrix, pairs x topics, with the sets' 0/1 matrix.

_GRID = 1 << 15


class ShuffledStatistics:
    """Statistics of held-out sets that are moved to other topics.

    Called with an array, shuffles x topics, that says whose held-out sites
    each topic gets, it returns a dict of arrays with a value per shuffle.
    Sums are of 32-bit floats and the power is looked up on a fine grid:
    any function of the scores makes an exact permutation test.
    """

    def __init__(
        self,
        data: HeldOutScores,
        comparisons: Sequence[str],
        moved: np.ndarray,
        alpha: float,
    ) -> None:
        self.data = data
        self.moved = moved
        self.comparisons = comparisons
        self.alpha = alpha
        self.groups = []
        for s, t, first, second in data.site_pairs():
            rounds = [n for n in comparisons if (n == "within") == (s == t)]
            if rounds:
                z = data.array[first] - data.array[second]
                stack = np.concatenate([z, z**2]).astype(np.float32)
                self.groups.append((s, t, rounds, stack))
        self.added = self._additions()

    def __call__(
        self, order: np.ndarray
    ) -> dict[tuple[str, str], np.ndarray]:
        held = self.data.held[:, order]
        place = (np.cumsum(self.moved) - 1)[order[:, self.moved]]
        topic = np.arange(place.shape[1])
        added = self.added[:, place, topic].sum(axis=-1)
        statistics = self._pair_statistics(held)
        statistics["scores", "RMSE"] = self._rmse(held)
        effect, overlap = added
        statistics["scores", "effect"] = effect
        statistics["scores", "overlap"] = overlap
        return statistics

    def _pair_statistics(self, held):
        """Compute agreement and order of each comparison."""
        shuffles = held.shape[1]
        alpha = self.alpha
        cells = {n: np.zeros((2, 4, shuffles)) for n in self.comparisons}
        signs = {n: np.zeros((2, shuffles)) for n in self.comparisons}
        for s, t, rounds, stack in self.groups:
            base = ~(held[s] | held[t])
            if base[0].sum() < 2:
                continue
            total, r, significant, size = _paired_tests_of_sets(
                stack, base, alpha
            )
            place = (np.sqrt(r) * (_GRID - 1)).astype(np.int32)
            power = _power_table(size, size, alpha).take(place)
            for name, topics in reuse_sets(rounds, held[s], held[t]):
                reuse_total, _, significant_again, n = (
                    _paired_tests_of_sets(stack, topics, alpha)
                )
                cells[name][0] += four_cells(significant, significant_again)
                power_again = _power_table(size, n, alpha).take(place)
                cells[name][1] += four_cells(power, power_again)
                sign = np.sign(total * reuse_total)
                signs[name][0] += sign.sum(axis=0)
                signs[name][1] += np.count_nonzero(sign, axis=0)
        statistics = {}
        for name, (seen, mean) in cells.items():
            statistics["agreement", name] = pearson(seen.T, mean.T)
        for name, (balance, untied) in signs.items():
            statistics["order", name] = balance / np.maximum(untied, 1)
        return statistics

    def _additions(self):
        """Return an array (2, topics, topics): [0, i, j] is what topic j
        adds to the least-squares effect of the scores when it gets the
        held-out sites of topic i, and [1, i, j] what it adds to the effect
        of the assignment itself."""
        site_of, moved = self.data.site_of, self.moved
        held = self.data.held[:, moved].astype(float)
        systems = np.bincount(site_of, minlength=len(held))[:, None]
        mean = (systems * held).sum(axis=0) / systems.sum()
        centred = held - held.mean(axis=1, keepdims=True) - mean
        centred += mean.mean()
        scale = (systems * centred * held).sum()
        totals = np.zeros_like(held)
        np.add.at(totals, site_of, self.data.array[:, moved])
        return centred.T @ np.stack([totals, systems * held]) / scale

    def _rmse(self, held):
        square = 0.0
        systems = 0
        for s, mask in enumerate(held):
            values = self.data.array[self.data.site_of == s]
            reuse = int(mask[0].sum())
            base = mask.shape[1] - reuse
            if reuse and base:
                sums = values @ mask.T
                rest = values.sum(axis=1, keepdims=True) - sums
                gap = sums / reuse - rest / base
                square = square + (gap**2).sum(axis=0)
                systems += len(values)
        return np.sqrt(square / systems)


def _paired_tests_of_sets(stack, topics, alpha):
    """Return sums of differences, r², where it is significant, and the
    number of topics.

    Whether t is significant is whether r² is large (see `paired`).
    """
    size = int(topics[0].sum())
    total, squares = np.split(stack @ topics.astype(np.float32).T, 2)
    r = comparisons.r_squared(total, squares, size)
    critical = comparisons.critical_t(size, alpha)
    bound = np.float32(comparisons.r_squared_from_t(critical, size))
    return total, r, r > bound, size


@lru_cache(maxsize=256)
def _power_table(base_size, size, alpha):
    """Tabulate the power in a sample of `size`, by the baseline's r."""
    r = (np.arange(_GRID) + 0.5) / _GRID
    t = comparisons.t_from_r_squared(r**2, base_size)
    knots = np.concatenate(
        [np.linspace(0, 12, 400), np.geomspace(12.1, t[-1] + 13, 200)]
    )
    power = comparisons.paired_t_power(
        knots / np.sqrt(base_size), size, alpha
    )
    return np.interp(t, knots, power).astype(np.float32)


# The calibrated test of reusability.
#
# If a collection is reusable, a system's score on a topic is the same
# whether or not its site was held out. Then the design's held-out sets are
# mere labels, which chance gave to the topics, and chance may give them
# again: shuffle the labels over the topics, keep everything else (every
# system, pair and score) as it is, and compute the statistic anew. The
# observed statistic is one draw from that distribution.

_CHUNK = 500


@dataclass(frozen=True, eq=False)
class ReusabilityReport:
    """The result of a test of reusability.

    ``table`` has a row per statistic; ``effect``, an `Interval`, is how
    much a score changes when its system's site is held out;
    ``shuffles`` has the value of each statistic in each permutation.
    """

    table: pd.DataFrame
    effect: Interval
    shuffles: pd.DataFrame
    alpha: float

    @property
    def verdict(self) -> str:
        """The finding, at the level `alpha`, in two sentences."""
        effect = self.effect
        least = self.table["adjusted p"].min()
        level = effect.confidence_level
        finding = "evidence" if least <= self.alpha else "no evidence"
        return (
            f"There is {finding} against reusability (least adjusted p "
            f"{least:.2g}, {len(self.shuffles)} permutations). Holding "
            "a site out changes its scores by "
            f"{effect.estimate:+.3f} ({level:.0%} interval "
            f"{effect.low:+.3f} to {effect.high:+.3f})."
        )

    def __str__(self) -> str:
        return f"{self.verdict}\n\n{self._display_table().to_string()}"

    def _repr_html_(self):
        table = self._display_table().to_html(float_format="{:.4f}".format)
        return f"<p>{self.verdict}</p>\n{table}"

    def _display_table(self):
        return self.table.round(4) + 0.0  # no negative zeros


def reusability_test(
    scores: pd.DataFrame | ArrayLike,
    sites: pd.Series | Mapping[str, str],
    assignment: Assignment,
    comparisons: Sequence[str] = COMPARISONS,
    shuffle: str = "blocks",
    alpha: float = 0.05,
    n_resamples: int = 9999,
    seed: int = 0,
) -> ReusabilityReport:
    """Test whether a collection is reusable, by permuting a block design.

    Parameters
    ----------
    scores : DataFrame, systems x topics
        Wide or long; each topic judged as `assignment` says.
    sites : Series or dict
        System -> site.
    assignment : Assignment
        Which sites were held out of which topics. Chance must have decided
        that, as `BlockDesign.assign` does.
    comparisons : sequence of {"within", "between", "participant"}
        Those without any pair with two topics of reuse are left out; with
        none at all, ``()``, only scores are compared, which is quick.
    shuffle : {"blocks", "all"}
        Which topics may exchange their held-out sites: those with sites
        held out, or the all-site baseline as well. See Notes.
    alpha : float in (0, 1)
        Significance level of the paired t-tests whose agreement is
        counted, and of the verdict; the interval for the effect has the
        confidence level 1 - alpha.
    n_resamples : int
        How many permutations.
    seed : int
        Seed of the permutations.

    Returns
    -------
    ReusabilityReport
        In ``.table``, for each statistic: ``observed``; ``expected``, its
        mean if the collection is reusable; ``p``; and ``adjusted p``,
        which takes account of there being several rows.

    Raises
    ------
    ValueError
        If scores, sites and assignment do not belong together, the design
        has too few topics of reuse, or an argument is out of its range.

    Notes
    -----
    The hypothesis is that the scores would have been the same whichever
    sites had been held out of whichever topics. Then every assignment of
    the design's held-out sets to the topics was equally likely to go with
    these scores, and p = (1 + #{T* ≥ T}) / (1 + n_resamples) is valid
    whatever the distribution of the scores and however systems, pairs and
    sites depend on each other. With ``shuffle="blocks"`` the hypothesis is
    only that *which* sites were held out makes no difference: that a pool
    without some sites is a smaller pool for everyone, compared with the
    all-site baseline, does not count against the collection.

    Statistics. *Agreement*: X² of the observed against the expected table
    (`significance_agreement`). *Order*: the tau of mean differences over
    baseline and reuse topics, pair by pair. *Scores*: the RMSE of
    `site_scores`; and the least-squares effect of being held out in
    score = system + topic + effect * held out, two-sided, whose interval
    holds the effects that would not be rejected. The adjusted p is that of
    the smallest p among the rows (Westfall & Young 1993).

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.random((6, 40)), list("abcdef"))
    >>> sites = dict(zip("abcdef", "XXYYZZ"))
    >>> design = gt.BlockDesign("XYZ", 1, range(40), baseline=10)
    >>> held_out = design.assign()
    >>> report = gt.reusability_test(
    ...     scores, sites, held_out, n_resamples=99
    ... )
    >>> bool(report.effect.low < 0 < report.effect.high)
    True
    """
    alpha = checks.significance_level(alpha)
    n_resamples = checks.resamples(n_resamples)
    seed = checks.whole_number(seed, "seed", 0)
    comparisons = checks.several(comparisons, "comparisons", "texts")
    for name in comparisons:
        one_of(name, "comparisons", COMPARISONS)
    checks.one_of(shuffle, "shuffle", ("blocks", "all"))
    data = HeldOutScores(scores, sites, assignment)
    rounds = [name for name in comparisons if any(data.pairs(name))]
    if comparisons and not rounds:
        raise no_pairs_error(*comparisons)
    moved = data.held.any(axis=0) | (shuffle == "all")
    draws = _draw(data, rounds, moved, alpha, n_resamples, seed)
    overlap = draws.pop(("scores", "overlap"))
    effect = _effect(draws["scores", "effect"], overlap, 1 - alpha)
    shuffles = draws.iloc[1:].reset_index(drop=True)
    return ReusabilityReport(_table(draws), effect, shuffles, alpha)


def _draw(data, rounds, moved, alpha, n_resamples, seed):
    """Compute the statistics of the assignment, then of its shuffles."""
    # An assignment made with the same seed must not share its stream.
    rng = np.random.default_rng([seed, *b"shuffle"])
    statistics = ShuffledStatistics(data, rounds, moved, alpha)
    places = np.arange(data.array.shape[1])
    parts = []
    starts = range(0, n_resamples + 1, _CHUNK)
    for start in progress(starts, "permutations"):
        size = min(_CHUNK, n_resamples + 1 - start)
        order = np.tile(places, (size, 1))
        order[:, moved] = rng.permuted(order[:, moved], axis=1)
        if start == 0:
            order[0] = places
        parts.append(pd.DataFrame(statistics(order)))
    return pd.concat(parts, ignore_index=True)


def _table(draws):
    """Tabulate observed, expected and p of each statistic."""
    p = {}
    for (question, statistic), values in draws.items():
        worse = values
        if statistic == "effect":
            worse = np.abs(values)
        elif question == "order":
            worse = -values
        slack = 1e-6 * np.abs(worse)  # equal but for rounding is equal
        below = np.searchsorted(np.sort(worse), worse - slack)
        p[question, statistic] = 1 - below / len(values)
    least = np.min([*p.values()], axis=0) - 1e-12
    columns = {"observed": draws.iloc[0], "expected": draws.iloc[1:].mean()}
    table = pd.DataFrame(columns).rename_axis(["question", "statistic"])
    table["p"] = [own[0] for own in p.values()]
    table["adjusted p"] = [(least <= own).mean() for own in table["p"]]
    return table


def _effect(change, overlap, level):
    """Estimate the least-squares effect, with those that are not rejected.

    Were the effect d, the scores without it would give the shuffled
    estimates ``change - d * overlap``; d is as extreme as observed where
    that exceeds ``change[0] - d``, which each shuffle solves for d.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = (change[0] - change[1:]) / (1 - overlap[1:])
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(bound, tails).tolist()
    estimate, reason = float(change[0]), ""
    if not np.isfinite([low, high]).all():
        low = high = np.nan
        reason = (
            "with so few topics, shuffles repeat what was held out of which"
        )
    return Interval(
        low, high, estimate, level, "permutation", reason, "effect"
    )
