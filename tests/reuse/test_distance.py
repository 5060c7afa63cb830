"""The distance of scores from a ranking, against a list of all faces."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gtlib as gt


def cone_distance(z):
    """min over θ ≥ 0 of n (z̄-θ)'S⁻¹(z̄-θ): the best of all faces."""
    n, (size, _) = z.shape[1], z.shape
    weight = n * np.linalg.inv(np.atleast_2d(np.cov(z)))
    mean = z.mean(axis=1)
    best = mean @ weight @ mean
    for count in range(1, size + 1):
        for free in combinations(range(size), count):
            free, zero = (
                list(free),
                [i for i in range(size) if i not in free],
            )
            inner = weight[np.ix_(free, free)]
            theta = mean[free] + np.linalg.solve(
                inner, weight[np.ix_(free, zero)] @ mean[zero]
            )
            if (theta >= 0).all():
                gap = mean.copy()
                gap[free] -= theta
                best = min(best, gap @ weight @ gap)
    return best


class TestDRank:
    def table(self, systems, topics, seed):
        rng = np.random.default_rng(seed)
        scores = rng.random((systems, topics)) + rng.random(topics)
        return pd.DataFrame(scores)

    @pytest.mark.parametrize("systems", [2, 3, 5, 8])
    def test_is_the_nearest_point_of_all_faces(self, systems):
        for seed in range(8):
            table = self.table(systems, 25, seed)
            reference = pd.Series(
                np.random.default_rng(seed).random(systems), table.index
            )
            order = np.argsort(-reference.to_numpy())
            z = -np.diff(table.to_numpy()[order], axis=0)
            found = gt.d_rank(table, reference, n_resamples=10)
            assert found.statistic == pytest.approx(
                cone_distance(z), abs=1e-9
            )

    def test_of_two_swapped_systems_is_t_squared(self):
        table = self.table(2, 20, 3)
        means = table.mean(axis=1)
        t = stats.ttest_rel(*table.to_numpy()).statistic
        swapped = gt.d_rank(table, -means)
        assert swapped.statistic == pytest.approx(t**2)
        assert gt.d_rank(table, means).p_value == pytest.approx(1)
        one_sided = stats.norm.sf(abs(t))
        assert swapped.p_value == pytest.approx(one_sided, rel=0.1)

    def test_weights_follow_from_the_angles(self):
        """Of three systems the cone is a wedge: 1/2 and the angle."""
        table = self.table(3, 4000, 5) - 0.5
        angle = np.arccos(0.5)  # neighbours' differences correlate -1/2
        found = gt.d_rank(table, pd.Series([1, 2, 3]), n_resamples=20000)
        inside = angle / (2 * np.pi)
        tail = 0.5 * stats.chi2.sf(found.statistic, 1)
        tail += (0.5 - inside) * stats.chi2.sf(found.statistic, 2)
        assert 0.01 < tail < 0.9
        assert found.p_value == pytest.approx(tail, rel=0.05)

    def test_p_is_uniform_at_the_hardest_null(self):
        """Equal systems: no worse than nominal, within Monte Carlo."""
        p = []
        for seed in range(200):
            noise = np.random.default_rng(seed).standard_normal((4, 60))
            table = pd.DataFrame(noise)
            p.append(gt.d_rank(table, pd.Series([4, 3, 2, 1]), 200).p_value)
        assert 0.02 < np.mean(np.array(p) < 0.05) < 0.11

    def test_of_the_best_8_of_trec_3_reversed(self):
        try:
            best = gt.load("trec3")
        except gt.DatasetUnavailable:
            pytest.skip("TREC-3 is not here")
        means = best.mean(axis=1).sort_values(ascending=False).index[:8]
        best = best.loc[means]
        found = gt.d_rank(best, -best.mean(axis=1))
        assert found.statistic == pytest.approx(50.757, abs=5e-4)
        assert found.p_value < 1e-6

    def test_refuses_what_has_no_distance(self):
        few = self.table(5, 4, 0)
        with pytest.raises(ValueError, match="needs more topics"):
            gt.d_rank(few, few.mean(axis=1))
        twins = self.table(3, 9, 0)
        twins.loc[1] = twins.loc[0]
        with pytest.raises(
            ValueError, match="no two systems with the same"
        ):
            gt.d_rank(twins, twins.mean(axis=1))
        with pytest.raises(ValueError, match="the same systems: 2"):
            gt.d_rank(twins, pd.Series([1, 2, 3], [0, 1, 9]))
