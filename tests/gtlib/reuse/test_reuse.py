"""The published analyses against loops over pairs with scipy."""

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import gtlib as gt
from gtlib.reuse import Assignment, site_scores
from gtlib.scores import as_long
from tests.cases import first

PAPER = gt.load("carterette-2010")["value"]


def example(systems=9, sites=4, topics=40, held_out=2, seed=0):
    """Scores with skill, difficulty and noise; sites of unequal size."""
    rng = np.random.default_rng(seed)
    names = [f"run{i}" for i in range(systems)]
    site = pd.Series([f"S{i % sites + 1}" for i in range(systems)], names)
    design = gt.BlockDesign(sites, held_out, topics, 8, fill=True)
    scores = rng.normal(0.3, 0.1, (systems, topics))
    scores += rng.normal(0, 0.05, (systems, 1))
    scores += rng.normal(0, 0.1, topics)
    table = pd.DataFrame(scores, names, design.topics)
    return table, site, design.assign(seed)


def slow_pairs(scores, site, assignment, comparison):
    """Pairs and their two lists of topics, by asking every topic."""
    held, site = assignment.held_out.to_dict("index"), dict(site)
    choose = permutations if comparison == "participant" else combinations
    for a, b in choose(scores.index, 2):
        if (site[a] == site[b]) != (comparison == "within"):
            continue
        base, reuse = [], []
        for topic, out in held.items():
            out_a, out_b = out[site[a]], out[site[b]]
            if comparison == "within":
                (reuse if out_a else base).append(topic)
            elif not out_a and not out_b:
                base.append(topic)
            elif out_a and out_b == (comparison == "between"):
                reuse.append(topic)
        if len(base) > 1 and len(reuse) > 1:
            yield a, b, base, reuse


def slow_power(effect, n, alpha=0.05):
    bound = stats.t.isf(alpha / 2, n - 1)
    return stats.nct.sf(bound, n - 1, abs(effect) * np.sqrt(n)) + (
        stats.nct.cdf(-bound, n - 1, abs(effect) * np.sqrt(n))
        if abs(effect) * np.sqrt(n) < 5
        else 0
    )


class TestSignificanceAgreement:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "comparison", ["within", "between", "participant"]
    )
    def test_counts_and_expects_as_pair_by_pair(self, comparison):
        scores, site, assignment = example()
        seen, mean = np.zeros(4), np.zeros(4)
        for a, b, base, reuse in slow_pairs(
            scores, site, assignment, comparison
        ):
            significant = [
                stats.ttest_rel(scores.loc[a, t], scores.loc[b, t]).pvalue
                < 0.05
                for t in (base, reuse)
            ]
            z = (scores.loc[a] - scores.loc[b])[base]
            effect = z.mean() / z.std()
            first, second = (
                slow_power(effect, len(t)) for t in (base, reuse)
            )
            seen[(not significant[0]) * 2 + (not significant[1])] += 1
            mean += [
                first * second,
                first * (1 - second),
                (1 - first) * second,
                (1 - first) * (1 - second),
            ]
        found = gt.significance_agreement(
            scores, site, assignment, comparison
        )
        assert found.observed.tolist() == seen.tolist()
        assert found.expected.to_numpy() == pytest.approx(mean, abs=1e-5)
        assert found.goodness_of_fit().statistic == pytest.approx(
            ((seen - mean) ** 2 / mean).sum(), rel=1e-5
        )

    def test_of_one_site_is_that_sites(self):
        scores, site, assignment = example()
        whole = gt.significance_agreement(scores, site, assignment)
        parts = [
            gt.significance_agreement(
                scores[(site == name).to_numpy()], site, assignment
            )
            for name in site.unique()
        ]
        assert whole.observed.equals(sum(p.observed for p in parts))
        assert parts[0].observed.sum() == 3  # run0, run4 and run8

    def test_takes_long_tables(self):
        scores, site, assignment = example()
        wide = gt.significance_agreement(scores, site, assignment)
        long = as_long(scores.rename_axis("system"))
        again = gt.significance_agreement(long, dict(site), assignment)
        assert again.observed.equals(wide.observed)

    @pytest.mark.parametrize(
        "adjust, theirs", first(1, [("bh", "fdr_bh"), ("holm", "holm")])
    )
    def test_adjusting_rejects_what_statsmodels_does(self, adjust, theirs):
        data = example(14, 4, 80, seed=3)
        plain = gt.significance_agreement(*data, "between")
        found = gt.significance_agreement(*data, "between", adjust=adjust)
        p = [
            [
                stats.ttest_rel(data[0].loc[a, t], data[0].loc[b, t]).pvalue
                for t in topics
            ]
            for a, b, *topics in slow_pairs(*data, "between")
        ]
        base, reuse = (
            multipletests(own, method=theirs)[0] for own in np.transpose(p)
        )
        seen = [
            (one & other).sum()
            for one in (base, ~base)
            for other in (reuse, ~reuse)
        ]
        assert found.observed.tolist() == seen
        assert 0 < base.sum() < plain.observed.iloc[:2].sum()
        assert found.expected["neither"] > plain.expected["neither"]

    def test_leaves_out_identical_systems(self):
        scores, site, assignment = example()
        whole = gt.significance_agreement(scores, site, assignment)
        scores.loc["run4"] = scores.loc["run0"]
        less = gt.significance_agreement(scores, site, assignment)
        assert less.observed.sum() == whole.observed.sum() - 1

    def test_pairs_of_robust_2004_are_those_of_table_4(self):
        scores = gt.load("robust2004")
        site = gt.load("robust2004-sites").set_index("system")["site"]
        design = gt.BlockDesign(
            sorted(set(site)), 2, scores.columns, fill=True
        )
        found = gt.significance_agreement(scores, site, design.assign())
        cells = [key for key in PAPER.index if "table-4/observed" in key]
        assert found.observed.sum() == PAPER[cells].sum() == 434


class TestPrintedTotals:
    def total(self, table):
        keys = [k for k in PAPER.index if f"{table}/observed" in k]
        return PAPER[keys].sum()

    def test_table_3_counts_all_pairs(self):
        runs = PAPER["mq2008/systems"]
        assert self.total("table-3") == runs * (runs - 1) / 2

    def test_table_5_counts_the_pairs_between_the_sites_of_table_6(self):
        """Run counts that let every printed tau of participants occur."""
        runs = {"iiith": 3, "uogtr": 2}
        sites = [
            key.split("/")[-1]
            for key in PAPER.index
            if key.startswith("table-6/within/statap")
        ]
        sizes = [runs.get(site, 5) for site in sites]
        total = sum(sizes)
        assert total == PAPER["mq2009/systems"]
        pairs = total * (total - 1) / 2 - sum(
            n * (n - 1) / 2 for n in sizes
        )
        assert self.total("table-5") == pairs
        for site, n in zip(sites, sizes, strict=True):
            for measure in ("statap", "mtc"):
                tau = PAPER[f"table-6/participant/{measure}/{site}"]
                count = n * (total - n)
                possible = np.arange(-count, count + 1, 2) / count
                assert np.abs(possible - tau).min() < 5.1e-4


class TestScores:
    def test_means_where_a_site_contributed_and_where_not(self):
        scores, site, assignment = example()
        means = site_scores(scores, site, assignment)
        for system, row in means.iterrows():
            out = assignment.held_out[site[system]]
            assert row["reuse"] == pytest.approx(
                scores.loc[system, out].mean()
            )
            assert row["baseline"] == pytest.approx(
                scores.loc[system, ~out].mean()
            )

    def test_mean_where_a_site_is_never_held_out_is_missing(self):
        scores, site, assignment = example()
        held = assignment.held_out.assign(S1=False)
        means = site_scores(scores, site, Assignment(held))
        assert (means["reuse"].isna() == (site == "S1")).all()
