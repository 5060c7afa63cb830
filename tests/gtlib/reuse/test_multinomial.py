"""Goodness of fit: the paper's tables, and tables listed one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import gtlib as gt
from gtlib.reuse import CELLS

PAPER = gt.load("carterette-2010")["value"]


def printed(table):
    keys = [cell.replace(" ", "-") for cell in CELLS]
    return [
        PAPER[[f"{table}/{kind}/{key}" for key in keys]].to_numpy()
        for kind in ("observed", "expected")
    ]


class TestAsymptotic:
    @pytest.mark.parametrize(
        "table, p",
        [
            ("apl", 0.8615),
            ("table-3", 0.5955),
            ("table-4", 0.7517),
            ("table-5", 0.0),
        ],
    )
    def test_of_the_papers_tables(self, table, p):
        found = gt.goodness_of_fit(*printed(table))
        assert found.p_value == pytest.approx(p, abs=5e-5)
        assert found.p_value == pytest.approx(PAPER[f"{table}/p"], abs=0.02)

    def test_statistic_of_apl(self):
        found = gt.goodness_of_fit(*printed("apl"))
        assert found.statistic == pytest.approx(0.7494, abs=5e-5)
        assert gt.goodness_of_fit(*printed("table-5")).p_value < 2e-9

    def test_is_pearsons_with_fixed_expectations(self):
        observed, expected = [12, 3, 4, 21], [10.0, 5.0, 5.0, 20.0]
        found = gt.goodness_of_fit(observed, expected)
        theirs = stats.chisquare(observed, expected)
        assert found.statistic == pytest.approx(theirs.statistic)
        assert found.p_value == pytest.approx(theirs.pvalue)


class TestExact:
    def test_of_apl_over_286_tables(self):
        found = gt.goodness_of_fit(*printed("apl"), method="exact")
        assert found.p_value == pytest.approx(0.8928, abs=5e-5)

    @given(
        st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any),
        st.lists(st.integers(1, 9), min_size=4, max_size=4),
    )
    def test_adds_up_every_table(self, observed, weights):
        total = sum(observed)
        share = np.array(weights) / sum(weights)

        def x2(cells):
            return sum(
                (c - total * s) ** 2 / (total * s)
                for c, s in zip(cells, share, strict=True)
            )

        tail = sum(
            stats.multinomial.pmf(cells, total, share)
            for cells in product(range(total + 1), repeat=4)
            if sum(cells) == total and x2(cells) >= x2(observed) - 1e-9
        )
        found = gt.goodness_of_fit(observed, total * share, "exact")
        assert found.p_value == pytest.approx(tail, abs=1e-10)

    @pytest.mark.slow
    def test_agrees_with_drawing_tables(self):
        for table in ("apl", "table-3"):
            exact = gt.goodness_of_fit(*printed(table), method="exact")
            drawn = gt.goodness_of_fit(
                *printed(table),
                method="monte-carlo",
                n_resamples=20000,
                seed=7,
            )
            error = np.sqrt(exact.p_value * (1 - exact.p_value) / 20000)
            assert abs(drawn.p_value - exact.p_value) < 4 * error


class TestPairsOfUnequalPower:
    @given(st.lists(st.lists(st.integers(1, 9), min_size=4, max_size=4),
                    min_size=1, max_size=4))  # fmt: skip
    def test_have_a_smaller_mean_of_x2(self, weights):
        """As the notes say: every way that the pairs can fall, listed."""
        p = np.array([np.divide(w, sum(w)) for w in weights])
        expected = p.sum(axis=0)
        mean = 0
        for cells in product(range(4), repeat=len(p)):
            counts = np.bincount(cells, minlength=4)
            chance = np.prod(p[range(len(p)), cells])
            mean += chance * gt.goodness_of_fit(counts, expected).statistic
        assert mean == pytest.approx(4 - (p * p / expected).sum())
        assert mean < 3 + 1e-9

    def test_make_exact_p_values_too_large(self):
        """Two kinds of pairs, drawn 4000 times: at most .3 in .25."""
        kind = [0.97, 0.01, 0.01, 0.01]
        p = np.repeat([kind, kind[::-1]], 5, axis=0)
        rng = np.random.default_rng(0)
        cells = (rng.random((4000, 10, 1)) > p.cumsum(axis=1)).sum(axis=2)
        tables, times = np.unique(
            [np.bincount(row, minlength=4) for row in cells],
            axis=0,
            return_counts=True,
        )
        small = [
            gt.goodness_of_fit(t, p.sum(axis=0), "exact").p_value <= 0.3
            for t in tables
        ]
        assert times @ small / 4000 < 0.25


class TestZeroCells:
    def test_nothing_expected_and_nothing_seen_adds_nothing(self):
        for method in ("asymptotic", "exact", "monte-carlo"):
            found = gt.goodness_of_fit([3, 0, 0, 1], [3, 0, 0, 1], method)
            assert found.statistic == 0
            assert found.p_value == pytest.approx(1)

    def test_something_seen_that_is_impossible(self):
        found = gt.goodness_of_fit([3, 1, 0, 1], [4, 0, 0, 1], "exact")
        assert found.statistic == np.inf
        assert found.p_value == 0
