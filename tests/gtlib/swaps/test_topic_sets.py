"""Random topic sets and all pairs of systems, against plain loops."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from gtlib.swaps import draw_topics, paired_t, set_means


def generator():
    return np.random.default_rng(3)


class TestDrawTopics:
    def test_cuts_a_permutation(self):
        drawn = draw_topics(generator(), 9, 3, trials=40, sets=3)
        assert drawn.shape == (3, 40, 3)
        for trial in range(40):
            used = drawn[:, trial].ravel().tolist()
            assert sorted(used) == list(range(9))
        orders = {tuple(drawn[:, trial].ravel()) for trial in range(40)}
        assert len(orders) > 30

    def test_a_part_of_the_topics_is_drawn_evenly(self):
        drawn = draw_topics(generator(), 5, 1, trials=2000, sets=2)
        assert (drawn[0] != drawn[1]).all()
        for one in drawn:
            seen = Counter(one.ravel().tolist())
            assert stats.chisquare(list(seen.values())).pvalue > 0.001
            assert set(seen) == set(range(5))


class TestSetMeans:
    scores = np.random.default_rng(1).random((4, 6))

    def test_are_means_over_the_drawn(self):
        (drawn,) = draw_topics(generator(), 6, 5, trials=7, sets=1)
        means = set_means(self.scores, drawn)
        assert means.shape == (4, 7)
        for trial, topics in enumerate(drawn):
            by_hand = self.scores[:, topics].mean(axis=1)
            assert means[:, trial] == pytest.approx(by_hand)

    def test_of_the_same_scores_in_another_order_are_equal(self):
        """As floats .1 + .2 + .3 and .3 + .2 + .1 are not."""
        scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
        assert scores[0].sum() != scores[1].sum()
        means = set_means(scores, np.array([[0, 1, 2], [2, 0, 1]]))
        assert (means == 0.2).all()


class TestPairedT:
    @pytest.mark.parametrize("topics", [2, 3, 30])
    def test_is_scipys(self, topics):
        rng = np.random.default_rng(topics)
        scores = rng.random((5, topics)) + 1e4 * rng.random(topics)
        difference, t = paired_t(scores)
        for k, (i, j) in enumerate(combinations(range(5), 2)):
            theirs = stats.ttest_rel(scores[i], scores[j]).statistic
            assert t[k] == pytest.approx(theirs, rel=1e-7)
            gap = scores[i].mean() - scores[j].mean()
            assert difference[k] == pytest.approx(gap)

    def test_of_a_constant_lead_and_of_none(self):
        one = np.random.default_rng(0).random(9)
        difference, t = paired_t(np.stack([one, one, one + 0.25]))
        assert difference.tolist() == [0, -0.25, -0.25]
        assert t.tolist() == [0, -np.inf, -np.inf]

    def test_of_equal_means_is_exactly_0(self):
        """Else a pair that is tied would be put in an order by rounding."""
        scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
        difference, t = paired_t(scores + np.array([0.7, 0.1, 0.4]))
        assert difference.tolist() == t.tolist() == [0]
