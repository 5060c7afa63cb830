"""The statistics of reusability, for many shuffles of the topics at once.

A paired t-test over a set of topics needs the sum of a pair's score
differences and the sum of their squares. Over many shuffled sets these are
two products of a matrix, pairs x topics, with the sets' 0/1 matrix.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from gtlib.comparisons import paired
from gtlib.reuse.heldout import HeldOutScores, reuse_sets
from gtlib.reuse.multinomial import pearson
from gtlib.reuse.significant_pairs import four_cells

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
            total, r, significant, size = _paired_tests(stack, base, alpha)
            place = (np.sqrt(r) * (_GRID - 1)).astype(np.int32)
            power = _power_table(size, size, alpha).take(place)
            for name, topics in reuse_sets(rounds, held[s], held[t]):
                reuse_total, _, significant_again, n = _paired_tests(
                    stack, topics, alpha
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
        of the assignment itself.
        """
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


def _paired_tests(stack, topics, alpha):
    """Return sums of differences, r², where it is significant, and the
    number of topics.

    Whether t is significant is whether r² is large (see `paired`).
    """
    size = int(topics[0].sum())
    total, squares = np.split(stack @ topics.astype(np.float32).T, 2)
    r = paired.r_squared(total, squares, size)
    critical = paired.critical_t(size, alpha)
    bound = np.float32(paired.r_squared_from_t(critical, size))
    return total, r, r > bound, size


@lru_cache(maxsize=256)
def _power_table(base_size, size, alpha):
    """Tabulate the power in a sample of `size`, by the baseline's r."""
    r = (np.arange(_GRID) + 0.5) / _GRID
    t = paired.t_from_r_squared(r**2, base_size)
    knots = np.concatenate(
        [np.linspace(0, 12, 400), np.geomspace(12.1, t[-1] + 13, 200)]
    )
    power = paired.paired_t_power(knots / np.sqrt(base_size), size, alpha)
    return np.interp(t, knots, power).astype(np.float32)
