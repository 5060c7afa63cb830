"""Block designs against the paper and against counting by hand."""

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gtlib as gt
from gtlib.reuse import Assignment, even_sets

PAPER = gt.load("carterette-2010")["value"]


def count_sizes(table):
    """Table 2's sizes, by looking at every cell of a printed Table 1."""
    rows = table.to_numpy() == "+"
    subsets = table.index.get_level_values("subset")
    first, second = 0, 1
    cases = {
        "topic subsets": len(set(subsets) - {0}),
        "all-site baseline": sum(all(row) for row in rows),
        "within-site baseline": sum(row[first] for row in rows),
        "between-site baseline": sum(
            row[first] and row[second] for row in rows
        ),
        "within-site reuse": sum(not row[first] for row in rows),
        "between-site reuse": sum(
            not row[first] and not row[second] for row in rows
        ),
        "participant comparison": sum(
            not row[first] and row[second] for row in rows
        ),
    }
    return pd.Series(cases)


class TestSizes:
    @pytest.mark.parametrize("m", range(2, 9))
    def test_equal_counting_the_cells_of_the_design(self, m):
        for k in range(1, m):
            for baseline, spare in ((0, 0), (5, 3)):
                topics = (
                    baseline + 2 * comb(m, k) + min(spare, comb(m, k) - 1)
                )
                design = gt.BlockDesign(m, k, topics, baseline)
                counted = count_sizes(design.table())
                assert design.sizes.to_dict() == counted.to_dict()

    def test_every_site_and_pair_counts_the_same(self):
        held = gt.BlockDesign(6, 3, 45).table().to_numpy() == "−"
        together = held.T.astype(int) @ held
        assert set(np.diag(together)) == {20}
        assert set(together[np.triu_indices(6, 1)]) == {8}

    def test_of_million_query_2008(self):
        design = gt.BlockDesign(
            int(PAPER["mq2008/sites"]),
            int(PAPER["mq2008/held-out"]),
            int(PAPER["mq2008/topics"]),
            int(PAPER["mq2008/baseline"]),
        )
        assert design.subsets == PAPER["mq2008/subsets"]
        assert design.sizes.tolist() == [10, 204, 484, 414, 80, 10, 70]

    def test_of_robust_2004_are_those_of_thirteen_sites(self):
        sizes = gt.BlockDesign(13, 2, 249, fill=True).sizes
        for name, key in (
            ("within-site baseline", "figure-1/baseline-topics"),
            ("within-site reuse", "figure-1/reuse-topics"),
            ("between-site reuse", "robust2004/between-reuse"),
        ):
            assert round(sizes[name]) == PAPER[key]
        held = gt.BlockDesign(13, 2, 249, fill=True).assign(1).held_out
        counts = set(held.sum())
        assert counts == {38, 39}
        assert PAPER["robust2004/within-reuse"] in counts
        assert PAPER["apl/reuse-topics"] in counts
        assert PAPER["apl/baseline-topics"] in {249 - n for n in counts}

    @pytest.mark.parametrize("sites", [12, 14])
    def test_of_robust_2004_are_not_those_of_other_numbers(self, sites):
        sizes = gt.BlockDesign(sites, 2, 249, fill=True).sizes
        printed = PAPER["figure-1/reuse-topics"]
        assert round(sizes["within-site reuse"]) != printed

    def test_of_million_query_2009_do_not_give_figure_2(self):
        topics = PAPER["mq2009/topics"] - PAPER["mq2009/baseline"]
        assert topics == PAPER["mq2009/reuse"]
        design = gt.BlockDesign(8, 2, 638, 146, fill=True)
        assert topics / design.blocks == pytest.approx(17.57, abs=0.005)
        assert design.sizes["within-site reuse"] == 123
        assert PAPER["figure-2/site-reuse"] == 160

    def test_filled_are_means_over_sites_and_pairs(self):
        design = gt.BlockDesign(7, 3, 50, 4, fill=True)
        held = design.assign(3).held_out.to_numpy()
        pairs = list(combinations(range(7), 2))
        a, b = np.array(pairs).T
        sizes = design.sizes
        assert sizes["all-site baseline"] == 4
        assert held.sum(0).mean() == pytest.approx(
            sizes["within-site reuse"]
        )
        assert (held[:, a] & held[:, b]).sum(0).mean() == pytest.approx(
            sizes["between-site reuse"]
        )
        assert (~held[:, a] & ~held[:, b]).sum(0).mean() == pytest.approx(
            sizes["between-site baseline"]
        )

    def test_options_have_a_row_per_number_held_out(self):
        table = gt.BlockDesign.options(9, 564, 200)
        assert table.index.tolist() == list(range(1, 9))
        for k, row in table.iterrows():
            design = gt.BlockDesign(9, k, 564, 200)
            assert row["blocks"] == comb(9, k)
            assert row[1:].to_dict() == design.sizes.to_dict()


class TestTable:
    def test_is_table_1_in_its_order(self):
        table = gt.BlockDesign(6, 2, 15).table()
        held = [
            {int(site[1]) for site in table.columns[row == "−"]}
            for row in table.to_numpy()
        ]
        printed = [
            {int(digit) for digit in f"{PAPER[f'table-1/topic-{i}']:.0f}"}
            for i in range(1, 16)
        ]
        assert held == printed

    def test_has_the_counts_that_section_3_1_reads_from_it(self):
        out = gt.BlockDesign(6, 2, 15).table().to_numpy() == "−"
        s5, s6 = out[:, 4], out[:, 5]
        alone = np.flatnonzero(s6 & ~s5) + 1
        counts = {
            "within-reuse": s6.sum(),
            "within-baseline": (~s6).sum(),
            "between-baseline": (~s5 & ~s6).sum(),
            "between-reuse": (s5 & s6).sum(),
            "participant-first": alone.min(),
            "participant-last": alone.max(),
        }
        for name, count in counts.items():
            assert count == PAPER[f"table-1/{name}"]

    def test_repeats_for_each_subset(self):
        table = gt.BlockDesign(4, 1, 10, baseline=1).table()
        first, second = table.loc[1].to_numpy(), table.loc[2].to_numpy()
        assert (first == second).all()
        assert (table.loc[0] == "+").all(axis=None)


class TestEvenSets:
    @given(st.data())
    def test_sites_are_held_out_equally_often_within_one(self, data):
        m = data.draw(st.integers(2, 9))
        k = data.draw(st.integers(1, m - 1))
        topics = data.draw(st.integers(0, 30))
        rng = np.random.default_rng(0)
        held = even_sets(m, k, topics, rng)
        assert (held.sum(axis=1) == k).all()
        assert np.ptp(held.sum(axis=0)) <= 1

    @pytest.mark.slow
    @pytest.mark.parametrize("m", range(3, 15))
    def test_pairs_are_even_when_two_are_held_out(self, m):
        for topics in range(1, comb(m, 2) + 1, 3):
            held = even_sets(m, 2, topics, np.random.default_rng(1))
            together = (held.T.astype(int) @ held)[np.triu_indices(m, 1)]
            assert together.max() <= 1

    @pytest.mark.parametrize(
        "m, k, topics", [(7, 3, 7), (9, 3, 12), (13, 4, 13), (6, 3, 10)]
    )
    def test_find_the_balanced_incomplete_block_designs(self, m, k, topics):
        held = even_sets(m, k, topics, np.random.default_rng(0))
        together = (held.T.astype(int) @ held)[np.triu_indices(m, 1)]
        assert np.ptp(together) == 0

    def test_are_as_even_as_the_best_of_all_choices(self):
        for m, k, topics in ((5, 3, 4), (5, 2, 4), (6, 3, 3), (5, 3, 5)):
            sets = np.zeros((comb(m, k), m), dtype=int)
            every = np.array(list(combinations(range(m), k)))
            np.put_along_axis(sets, every, 1, axis=1)
            upper = np.triu_indices(m, 1)
            best = min(
                (sum_of_squares(sets[list(chosen)], upper))
                for chosen in combinations(range(len(sets)), topics)
                if np.ptp(sets[list(chosen)].sum(0)) <= 1
            )
            held = even_sets(m, k, topics, np.random.default_rng(2))
            assert sum_of_squares(held.astype(int), upper) == best

    def test_do_not_list_all_sets(self):
        held = even_sets(60, 30, 10, np.random.default_rng(0))
        assert (held.sum(axis=0) == 5).all()


def spread(assignment):
    """Most less least: sites held out of a topic, topics that a site is
    held out of, and topics that a pair of sites is held out of."""
    held = assignment.held_out.to_numpy(int)
    held = held[held.any(axis=1)]
    together = held.T @ held
    pairs = together[np.triu_indices(len(together), 1)]
    return [*map(np.ptp, (held.sum(axis=1), held.sum(axis=0), pairs))]


def sum_of_squares(held, upper):
    return ((held.T @ held)[upper] ** 2).sum()


class TestAssignment:
    names = ("Delaware", "NEU", "Sheffield", "APL", "IBM")

    def design(self, **changes):
        given = {
            "sites": self.names,
            "held_out": 2,
            "topics": range(301, 334),
            "baseline": 10,
            "fill": True,
            **changes,
        }
        return gt.BlockDesign(**given)

    def test_names_topics_and_sites_and_is_even(self):
        made = self.design().assign(seed=4)
        assert made.held_out.index.tolist() == list(range(301, 334))
        assert tuple(made.held_out.columns) == self.names
        assert (~made.held_out.any(axis="columns")).sum() == 10
        assert max(spread(made)) <= 1

    def test_depends_on_the_seed_alone(self):
        one, two, other = (self.design().assign(s) for s in (1, 1, 2))
        assert one.held_out.equals(two.held_out)
        assert not one.held_out.equals(other.held_out)

    @pytest.mark.slow
    def test_every_site_is_as_likely_to_be_held_out_more_often(self):
        design = self.design(topics=11, baseline=0)
        total = sum(
            design.assign(seed).held_out.sum() for seed in range(300)
        )
        assert total.min() > 0.9 * total.mean()

    def test_survives_a_file(self, tmp_path):
        made = self.design(topics=[f"MB{i}" for i in range(20)]).assign(2)
        made.to_csv(tmp_path / "design.csv")
        again = Assignment.read_csv(tmp_path / "design.csv", self.names)
        pd.testing.assert_frame_equal(again.held_out, made.held_out)

    def test_may_be_made_elsewhere(self, tmp_path):
        path = tmp_path / "theirs.csv"
        path.write_text("topic,held_out\n1,\n2,APL; IBM\n3,NEU\n")
        made = Assignment.read_csv(path)
        assert made.held_out.columns.tolist() == ["APL", "IBM", "NEU"]
        assert made.held_out.sum().tolist() == [1, 1, 1]

    @pytest.mark.slow
    def test_of_sixty_sites_is_even_in_sites(self):
        made = gt.BlockDesign(60, 20, 30, fill=True).assign(0)
        assert max(spread(made)[:2]) <= 1
