"""How many further levels of a facet are expected to show who is the best.

A first system is picked for being first, and so seems further ahead than it
is. What further topics will show is therefore drawn: true means from what
the table tells of them, then means over present and further topics
together, and each time the first is told apart from all others, or not.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, log10

import numpy as np
import scipy

from gtaudit.collection import Collection
from gtlib.allocation import smallest_satisfying
from gtlib.comparisons import Means, estimate_means, total_error

# The probability with which so many are to be enough.
SURE = 0.8

# Nobody is told of more levels.
MOST = 10**6

# Draws of what further levels show, and the first systems that are drawn.
_DRAWS, _FIRST = 1000, 100


def levels_to_settle(
    collection: Collection, facet: str, alpha: float
) -> float:
    """Return the further levels of a facet with which the first system is
    told apart from all others at once, with probability `SURE`.

    Parameters
    ----------
    collection : Collection
        Of three systems or more.
    facet : str
        Drawn, and in no other that is drawn.
    alpha : float
        The level at which a leaderboard tells who may be the best.

    Returns
    -------
    float
        Rounded up to two digits; NaN if `MOST` are not enough.

    Notes
    -----
    With y the means of k systems, C the part of their squared error that
    falls with the facet, and a the variance of true means, the true means
    have the mean a (a + C)⁻¹ (y - ȳ) and the variance a C (a + C)⁻¹. As a
    is known from k systems only, it is drawn: the variance of y over
    chi-square with k - 1 degrees of freedom, less that of C. Of n levels C
    shows n - 1 directions only: it is moved towards equal errors of all
    systems, the share k / (k + n) of the way. Whatever else is in the
    errors stays as it is.

    Examples
    --------
    >>> from gtaudit import prepare
    >>> from gtlib import load
    >>> levels_to_settle(prepare(load("cf-ap")), "topic", 0.05) > 98
    True
    """
    means = estimate_means(collection.study, collection.fixed)
    if facet not in means.drawn:
        return np.nan
    return _Forecast(means, facet, alpha).levels()


@dataclass(frozen=True, eq=False)
class _Forecast:
    means: Means
    facet: str
    alpha: float

    @cached_property
    def first(self):
        """The positions of the first systems."""
        value = self.means.value.to_numpy()
        return np.argsort(-value, kind="stable")[:_FIRST]

    @cached_property
    def pairs(self):
        """The present differences of all pairs of the first systems."""
        i, j = np.triu_indices(len(self.first), 1)
        return self.means.differences(self.first[i], self.first[j])

    @cached_property
    def has(self):
        """Which parts of the error fall with the facet."""
        sets = self.means.moves
        return np.array([[self.facet in facets] for facets in sets])

    @cached_property
    def present(self):
        """How many levels there are now, as a system has them."""
        move = self.means.moves[frozenset([self.facet])]
        return float(1 / np.mean(1 / move.number))

    @cached_property
    def draws(self):
        """Present means, true means, and the error of as many levels
        again, each in the directions in which errors are independent; and
        these directions."""
        value = self.means.value.to_numpy()
        k = len(value)
        falls = (self.pairs.parts * self.has).sum(axis=0)
        square = scipy.spatial.distance.squareform(falls)
        centre = np.eye(len(square)) - 1 / len(square)
        sizes, ways = np.linalg.eigh(-centre @ square @ centre / 2)
        sizes = np.maximum(sizes, 0)
        # Of few levels some directions show no error at all.
        share = len(sizes) / (len(sizes) + self.present)
        sizes += share * (sizes.sum() / (len(sizes) - 1) - sizes)
        rng = np.random.default_rng(0)
        seen = value.var(ddof=1) * (k - 1) / rng.chisquare(k - 1, _DRAWS)
        true = np.maximum(seen - falls.mean() / 2, 0)[:, None]
        now = (value[self.first] - value.mean()) @ ways
        with np.errstate(divide="ignore", invalid="ignore"):
            kept = np.where(sizes > 0, true / (true + sizes), 1)
        # Drawn of systems: directions of one size are known as a whole, and
        # which of them are found depends on the last bit.
        normal = rng.standard_normal((2, _DRAWS, len(sizes))) @ ways
        drawn = kept * now + np.sqrt(kept * sizes) * normal[0]
        return now, drawn, np.sqrt(sizes) * normal[1], ways

    def levels(self):
        if np.ptp(self.means.value.to_numpy()) == 0:
            return np.nan
        if not self.settles(MOST):
            return np.nan
        return _round_up(smallest_satisfying(self.settles))

    def settles(self, more):
        """Return whether so many further levels are enough."""
        now, drawn, error, ways = self.draws
        n = self.present
        new = drawn + error * np.sqrt(n / more)
        mean = ((n * now + more * new) / (n + more)) @ ways.T
        leader = mean.argmax(axis=1)
        rows = np.arange(len(mean))
        gap = mean[rows, leader, None] - mean
        needed = scipy.spatial.distance.squareform(self.needed(more))
        apart = gap > needed[leader]
        apart[rows, leader] = True
        return apart.all(axis=1).mean() >= SURE

    def needed(self, more):
        """Return the difference of each pair that tells it apart, with so
        many further levels."""
        times = 1 + more / self.present
        pairs = self.pairs
        error, df = total_error(
            [*self.means.moves],
            np.where(self.has, (pairs.free + 1) * times - 1, pairs.free),
            np.where(self.has, pairs.parts / times, pairs.parts),
            np.where(
                self.has,
                pairs.typical[:, None] / times,
                pairs.typical[:, None],
            ),
        )
        level = 1 - self.alpha / (len(self.means.value) - 1)
        return scipy.special.stdtrit(df, level) * error


def _round_up(number):
    """Round up to two digits, which is all that such draws can tell.

    Examples
    --------
    >>> _round_up(7), _round_up(1231)
    (7.0, 1300.0)
    """
    unit = 10 ** max(floor(log10(number)) - 1, 0)
    return float(ceil(number / unit) * unit)
