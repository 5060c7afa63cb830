"""Rank correlations: by hand, by listing every order, and as printed."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import assume, given
from hypothesis import strategies as st

import gtlib as gt
from gtlib.comparisons import predicted_tau

SCORES = st.lists(st.integers(0, 4), min_size=2, max_size=6)


def signs(x):
    return [np.sign(a - b) for i, a in enumerate(x) for b in x[:i]]


class TestKendallTau:
    @given(SCORES, st.randoms())
    def test_counts_pairs_and_leaves_out_ties(self, x, random):
        y = [random.randint(0, 4) for _ in x]
        a, b = np.array(signs(x)), np.array(signs(y))
        untied = np.count_nonzero(a) * np.count_nonzero(b)
        tau = (a * b).sum() / np.sqrt(untied) if untied else np.nan
        assert gt.kendall_tau(x, y) == pytest.approx(tau, nan_ok=True)

    @pytest.mark.parametrize("systems", [2, 9, 200, 201])
    def test_is_scipys_to_the_last_digit(self, systems):
        rng = np.random.default_rng(systems)
        for highest in (2, systems, 10**9):
            x, y = rng.integers(0, highest, (2, systems))
            expected = scipy.stats.kendalltau(x, y).statistic
            found = gt.kendall_tau(x, y)
            assert found == pytest.approx(expected, rel=1e-14, nan_ok=True)

    def test_lines_up_series_by_system(self):
        x = pd.Series({"a": 3, "b": 2, "c": 1})
        y = pd.Series({"c": 1, "a": 3, "b": 2})
        assert gt.kendall_tau(x, y) == 1
        assert gt.tau_ap(x, -y) == -1


def down_the_ranking(reference, order):
    """Yilmaz, Aslam & Robertson: the estimate as an order, best first."""
    total = 0
    for i in range(1, len(order)):
        above = [j for j in order[:i] if reference[j] > reference[order[i]]]
        total += len(above) / i
    return 2 * total / (len(order) - 1) - 1


def orders(estimate):
    """Every way to put the systems in order that breaks ties only."""
    groups = [
        [i for i, value in enumerate(estimate) if value == level]
        for level in sorted(set(estimate), reverse=True)
    ]
    for parts in product(*map(permutations, groups)):
        yield [system for part in parts for system in part]


class TestTauAp:
    """Systems A, B, C, D; the reference has them in this order."""

    reference = (0.9, 0.7, 0.5, 0.3)

    def test_by_hand(self):
        """The estimate says B, A, D, C.

        Above A is B, which the reference has below: 0 of 1. Above D are B
        and A, rightly: 2 of 2. Above C are B, A, and wrongly D: 2 of 3.
        The mean of 0, 1 and 2/3 is 5/9; twice that, less 1, is 1/9.
        """
        estimate = [0.6, 0.8, 0.2, 0.4]
        found = gt.tau_ap(self.reference, estimate)
        assert found == pytest.approx(1 / 9)

    def test_roles_matter(self):
        """The estimate says D, A, B, C: shares 0/1, 1/2, 2/3, mean 7/18.

        The other way round, down A, B, C, D by one that has D above all:
        A above B rightly, A and B above C rightly, none above D: 1, 1, 0.
        """
        estimate = [0.8, 0.6, 0.4, 0.9]
        found = gt.tau_ap(self.reference, estimate)
        assert found == pytest.approx(2 * 7 / 18 - 1)
        turned = gt.tau_ap(estimate, self.reference)
        assert turned == pytest.approx(2 * 2 / 3 - 1)
        agreement = gt.tau_ap(self.reference, estimate, ties="b")
        assert agreement == pytest.approx((found + turned) / 2)

    def test_accuracy_of_a_tie_by_hand(self):
        """The estimate says A, then B and C tied, then D.

        As A, B, C, D it is right: 1. As A, C, B, D the shares are 1/1,
        1/2 (A, and wrongly C, above B) and 3/3: twice 5/6, less 1, is 2/3.
        The mean over the two ways is 5/6.
        """
        estimate = [0.8, 0.6, 0.6, 0.1]
        found = gt.tau_ap(self.reference, estimate)
        assert found == pytest.approx(5 / 6)

    def test_agreement_of_ties_by_hand(self):
        """One says A; B and C tied; D. The other A and B tied; C; D.

        Down the first: above B is A, which the other does not have above
        it: 0 of 1. Above C is A: 1 of 1. Above D are A, B, C: 3 of 3. The
        mean is 2/3. Down the second: A and B have none above. Above C are
        A, rightly, and B, which the first has not above it: 1 of 2. Above
        D: 3 of 3. The mean is 3/4. Together 2/3 + 3/4 - 1 = 5/12.
        """
        one, other = [4, 3, 3, 1], [5, 5, 2, 1]
        found = gt.tau_ap(one, other, ties="b")
        assert found == pytest.approx(5 / 12)
        assert gt.tau_ap(other, one, ties="b") == pytest.approx(5 / 12)

    def test_of_the_examples_of_ircor(self):
        """As printed by the R package of Urbano and Marrero."""
        x = [0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]
        y = [0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]
        assert gt.tau_ap(x, y) == pytest.approx(0.7491182, abs=5e-8)
        y = np.round(np.array(y) * 5) / 5
        assert gt.tau_ap(x, y) == pytest.approx(0.6074515, abs=5e-8)
        x = np.round(np.array(x) * 5) / 5
        found = gt.tau_ap(x, y, ties="b")
        assert found == pytest.approx(0.6269841, abs=5e-8)

    @given(SCORES, st.randoms())
    def test_accuracy_is_the_mean_over_all_ways_to_break_ties(
        self, estimate, random
    ):
        reference = random.sample(range(100), len(estimate))
        every = [down_the_ranking(reference, o) for o in orders(estimate)]
        found = gt.tau_ap(reference, estimate)
        assert found == pytest.approx(np.mean(every))

    @pytest.mark.parametrize("systems", [255, 256, 600])
    def test_of_many_systems_pair_by_pair(self, systems):
        """They are counted in blocks, from the top down."""
        rng = np.random.default_rng(systems)
        one, other = rng.normal(size=(2, systems)).round(1)
        shares = []
        for x, y in ((one, other), (other, one)):
            above = y[:, None] > y
            right = (above & (x[:, None] > x)).sum(axis=0)
            lower = above.any(axis=0)
            shares.append((right[lower] / above.sum(axis=0)[lower]).mean())
        found = gt.tau_ap(one, other, ties="b")
        assert found == pytest.approx(sum(shares) - 1)

    @given(SCORES, st.randoms())
    def test_agreement_is_symmetric_and_blind_to_the_order_of_rows(
        self, x, random
    ):
        y = [random.randint(0, 4) for _ in x]
        assume(len(set(x)) > 1 and len(set(y)) > 1)
        found = gt.tau_ap(x, y, ties="b")
        assert -1 <= found <= 1
        assert gt.tau_ap(y, x, ties="b") == pytest.approx(found)
        turned = gt.tau_ap(x[::-1], y[::-1], ties="b")
        assert turned == pytest.approx(found)
        assert gt.tau_ap(x, x, ties="b") == 1

    def test_is_1_and_minus_1_at_the_ends(self):
        x = np.arange(8.0)
        assert gt.tau_ap(x, x) == 1
        assert gt.tau_ap(x, -x) == gt.tau_ap(x, -x, ties="b") == -1
        assert gt.tau_ap(x, np.zeros(8)) == pytest.approx(0)

    def test_without_any_order_there_is_no_agreement(self):
        assert np.isnan(gt.tau_ap([1, 1], [1, 2], ties="b"))

    def test_weighs_the_top(self):
        x = [5, 4, 3, 2, 1]
        top, bottom = [4, 5, 3, 2, 1], [5, 4, 3, 1, 2]
        assert gt.tau_ap(x, top) < gt.tau_ap(x, bottom)
        below = gt.kendall_tau(x, bottom)
        assert gt.kendall_tau(x, top) == pytest.approx(below)


class TestPredictedTau:
    def test_simulated_rankings(self):
        rng = np.random.default_rng(0)
        true = rng.normal(0, np.sqrt(0.003), 3000)
        one, other = true + rng.normal(0, np.sqrt(0.01 / 30), (2, 3000))
        seen = scipy.stats.kendalltau(one, other).statistic
        rho = 0.003 / (0.003 + 0.01 / 30)
        assert predicted_tau(rho) == pytest.approx(seen, abs=0.02)

    def test_keeps_a_series(self):
        tau = predicted_tau(pd.Series([0.0, 1.0], ["none", "all"]))
        assert tau.to_dict() == {"none": 0, "all": 1}
