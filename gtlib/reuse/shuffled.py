"""The statistics of reusability, for many shuffles of the topics at once.

A paired t-test over a set of topics needs the sum of a pair's score
differences and the sum of their squares. Over many shuffled sets these are
two products of a matrix, pairs x topics, with the sets' 0/1 matrix.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from gtlib.paired import (
    critical_t,
    paired_t_power,
    r_squared,
    r_squared_of,
    t_of,
)
from gtlib.reuse.heldout import HeldOutScores
from gtlib.reuse.multinomial import pearson

_GRID = 1 << 15


class ShuffledStatistics:
    """Statistics of held-out sets that are moved to other topics.

    Parameters
    ----------
    data : HeldOutScores
    comparisons : sequence of str
    moved : array of bool, one value per topic
        The topics that exchange their held-out sites.
    alpha : float

    Notes
    -----
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
        self.comparisons = comparisons
        self.alpha = alpha
        self.groups = []
        for s in range(len(data.names)):
            for t in range(s, len(data.names)):
                rounds = [
                    name
                    for name in comparisons
                    if (name == "within") == (s == t)
                ]
                first, second = data.members(s, t) if rounds else ((), ())
                if len(first):
                    z = data.array[first] - data.array[second]
                    stack = np.concatenate([z, z**2]).astype(np.float32)
                    self.groups.append((s, t, rounds, stack))
        self.means = _MeanStatistics(data, moved)

    def __call__(
        self, order: np.ndarray
    ) -> dict[tuple[str, str], np.ndarray]:
        held = self.data.held[:, order]
        size = len(order)
        counts = {name: np.zeros((3, 4, size)) for name in self.comparisons}
        for s, t, rounds, stack in self.groups:
            contributed = ~(held[s] | held[t])
            if contributed[0].sum() < 2:
                continue
            base = _Baseline(stack, contributed, self.alpha)
            for name in rounds:
                for reuse in _reuse_sets(name, held[s], held[t]):
                    if reuse[0].sum() >= 2:
                        counts[name] += base.against(reuse)
        agreement = {
            ("agreement", name): pearson(seen.T, mean.T)
            for name, (seen, mean, _) in counts.items()
        }
        taus = {
            ("order", name): (same - swapped)
            / np.maximum(same + swapped, 1)
            for name, (_, _, (same, swapped, *_)) in counts.items()
        }
        return {**agreement, **taus, **self.means(order, held)}


class _MeanStatistics:
    """RMSE and held-out effect, from the sums of the scores by site."""

    def __init__(self, data, moved):
        self.data, self.moved = data, moved
        place = np.flatnonzero(moved)
        held = data.held[:, place].astype(float)
        systems = np.bincount(data.site_of, minlength=len(held))[:, None]
        mean = (systems * held).sum(axis=0) / systems.sum()
        centred = held - held.mean(axis=1, keepdims=True) - mean
        centred += mean.mean()
        scale = (systems * centred * held).sum()
        totals = np.zeros((len(held), len(place)))
        np.add.at(totals, data.site_of, data.array[:, place])
        # [i, j]: what topic j adds when it gets the held-out sites of i
        self.on_scores = centred.T @ totals / scale
        self.on_held = centred.T @ (systems * held) / scale

    def __call__(self, order, held):
        place = np.cumsum(self.moved) - 1
        source = place[order[:, self.moved]]
        topic = np.arange(source.shape[1])
        return {
            ("scores", "RMSE"): self._rmse(held),
            ("scores", "effect"): self.on_scores[source, topic].sum(axis=1),
            ("scores", "overlap"): self.on_held[source, topic].sum(axis=1),
        }

    def _rmse(self, held):
        square, systems = 0.0, 0
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


def _reuse_sets(comparison, first, second):
    """The topics of reuse, for each direction that the pairs have."""
    if comparison == "participant":
        return first & ~second, second & ~first
    return (first & second,)


class _Baseline:
    """Pairs of two sites over the topics that both contributed to.

    Whether t is significant is whether r² is large (`gtlib.paired`).
    """

    def __init__(self, stack, topics, alpha):
        self.stack, self.alpha = stack, alpha
        self.size = int(topics[0].sum())
        self.total, squares = _sums(stack, topics)
        r = r_squared(self.total, squares, self.size)
        self.significant = r > _bound(self.size, alpha)
        self.ones = np.count_nonzero(self.significant, axis=0)
        self.place = (np.sqrt(r) * (_GRID - 1)).astype(np.int32)
        self.power = self._power(self.size)

    def against(self, topics):
        """Observed cells, expected cells, pairs in the same order or not.

        An array 3 x 4 x shuffles.
        """
        size = int(topics[0].sum())
        total, squares = _sums(self.stack, topics)
        r = r_squared(total, squares, size)
        significant = r > _bound(size, self.alpha)
        both = np.count_nonzero(self.significant & significant, axis=0)
        twos = np.count_nonzero(significant, axis=0)
        power = self._power(size)
        product = self.total * total
        same = np.count_nonzero(product > 0, axis=0)
        swapped = np.count_nonzero(product < 0, axis=0)
        pairs, none = len(product), np.zeros_like(same)
        expected = _four(
            np.einsum("ij,ij->j", self.power, power, dtype=float),
            self.power.sum(axis=0, dtype=float),
            power.sum(axis=0, dtype=float),
            pairs,
        )
        observed = _four(both, self.ones, twos, pairs)
        return np.array([observed, expected, [same, swapped, none, none]])

    def _power(self, size):
        return _power_table(self.size, size, self.alpha).take(self.place)


def _sums(stack, topics):
    """Sums of differences and of squares: each pairs x shuffles."""
    sums = stack @ topics.astype(np.float32).T
    half = len(stack) // 2
    return sums[:half], sums[half:]


def _four(both, ones, twos, pairs):
    return [both, ones - both, twos - both, pairs - ones - twos + both]


def _bound(size, alpha):
    return np.float32(r_squared_of(critical_t(size, alpha), size))


@lru_cache(maxsize=256)
def _power_table(base_size, size, alpha):
    """Power in a sample of `size`, over a grid of the baseline's r."""
    r = (np.arange(_GRID) + 0.5) / _GRID
    t = t_of(r**2, base_size)
    knots = np.concatenate(
        [np.linspace(0, 12, 400), np.geomspace(12.1, t[-1] + 13, 200)]
    )
    power = paired_t_power(knots / np.sqrt(base_size), size, alpha)
    return np.interp(t, knots, power).astype(np.float32)
