"""Rank statistics against scipy, loops and an enumeration of all cones."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import gtlib as gt

VALUES = st.lists(st.integers(0, 6), min_size=3, max_size=9)


def pair_tau(x, y, z, pairs):
    """tau-b of the given ordered pairs, one at a time: y against z."""
    agree = first = second = 0
    for i, j in pairs:
        old, new = np.sign(x[i] - x[j]), np.sign(y[i] - z[j])
        agree += old * new
        first += old != 0
        second += new != 0
    return agree / np.sqrt(first * second) if first * second else np.nan


class TestKendallTau:
    @settings(deadline=None)
    @given(VALUES, st.randoms())
    def test_of_all_pairs_is_scipys(self, x, random):
        y = [random.randint(0, 6) for _ in x]
        ours, theirs = gt.kendall_tau(x, y), stats.kendalltau(x, y)[0]
        assert ours == pytest.approx(theirs, nan_ok=True)

    @given(VALUES, st.randoms())
    def test_within_between_and_participant_count_their_pairs(self, x, r):
        y = [r.randint(0, 6) for _ in x]
        site = [r.choice("ABC") for _ in x]
        n = range(len(x))
        same = [(i, j) for i, j in combinations(n, 2) if site[i] == site[j]]
        other = [(i, j) for i in n for j in n if site[i] != site[j]]
        cases = {
            "within": (same, y),
            "between": (other, y),
            "participant": (other, x),
        }
        for name, (pairs, against) in cases.items():
            assert gt.kendall_tau(x, y, site, name) == pytest.approx(
                pair_tau(x, y, against, pairs), nan_ok=True
            )

    def test_lines_up_series_by_system(self):
        x = pd.Series({"a": 3, "b": 2, "c": 1})
        y = pd.Series({"c": 1, "a": 3, "b": 2})
        assert gt.kendall_tau(x, y) == 1
        sites = {"a": "A", "b": "A", "c": "C"}
        assert gt.kendall_tau(x, -y, sites, "within") == -1

    @pytest.mark.parametrize(
        "arguments, message",
        [
            (([1, 2], [1, 2, 3]), "shapes are"),
            (([1, 2], [1, np.nan]), "missing or infinite"),
            (([1, 2], [1, 2], None, "within"), "sites must say"),
            (([1, 2], [1, 2], ["A"], "within"), "1 sites for 2 systems"),
            (([1, 2], [1, 2], ["A", "A"], "across"), "comparison is"),
        ],
    )
    def test_refuses(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            gt.kendall_tau(*arguments)

    def test_refuses_other_systems(self):
        x, y = pd.Series({"a": 1, "b": 2}), pd.Series({"a": 1, "c": 2})
        with pytest.raises(ValueError, match="System b is in one ranking"):
            gt.kendall_tau(x, y)
        with pytest.raises(ValueError, match="System b has no site"):
            gt.kendall_tau(x, x, {"a": "A"}, "within")


class TestTauAp:
    @given(st.permutations(range(6)), st.permutations(range(6)))
    def test_counts_what_is_above(self, right, judged):
        order = sorted(range(6), key=lambda s: -judged[s])
        total = 0
        for i in range(1, 6):
            above = sum(right[order[j]] > right[order[i]] for j in range(i))
            total += above / i
        assert gt.tau_ap(right, judged) == pytest.approx(2 * total / 5 - 1)

    def test_is_1_and_minus_1_at_the_ends(self):
        x = np.arange(8.0)
        assert gt.tau_ap(x, x) == 1
        assert gt.tau_ap(x, -x) == -1
        assert gt.tau_ap(x, np.zeros(8)) == 0

    def test_weighs_the_top(self):
        x = [5, 4, 3, 2, 1]
        top, bottom = [4, 5, 3, 2, 1], [5, 4, 3, 1, 2]
        assert gt.tau_ap(x, top) < gt.tau_ap(x, bottom)
        assert gt.kendall_tau(x, top) == gt.kendall_tau(x, bottom)


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
            found = gt.d_rank(table, reference, draws=10)
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
        weights = gt.d_rank(
            table, pd.Series([3, 2, 1]), draws=20000
        ).weights
        assert weights[0] == pytest.approx(angle / (2 * np.pi), abs=0.03)
        assert weights[1] == pytest.approx(0.5, abs=0.02)

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
