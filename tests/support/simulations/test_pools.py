"""Simulated pools against ir_measures and sets of documents."""

import numpy as np
import pytest

import gtlib as gt
from book.support.simulations import PoolSimulation, synthetic_runs
from gtlib.scores import as_wide


@pytest.fixture(scope="module")
def synthetic():
    runs, qrels, site = synthetic_runs(4, 2, 15, 80, seed=1)
    design = gt.BlockDesign(4, 2, sorted(set(qrels["topic"])), 3, fill=True)
    return runs, qrels, site, design.assign(1)


class TestPoolSimulation:
    def test_judges_what_contributing_runs_rank_high(self, synthetic):
        runs, qrels, site, assignment = synthetic
        found = PoolSimulation(runs, qrels, site).judgments(assignment, 5)
        for topic, out in assignment.held_out.iterrows():
            pool = {
                row.document
                for row in runs[runs["topic"] == topic].itertuples()
                if row.rank <= 5 and not out[site[row.system]]
            }
            judged = found[found["topic"] == topic]
            assert set(judged["document"]) == pool
        merged = found.merge(qrels, on=["topic", "document"])
        assert (merged["relevance_x"] == merged["relevance_y"]).all()

    @pytest.mark.parametrize("depth", [1, 7, 80])
    def test_average_precision_is_that_of_ir_measures(
        self, synthetic, depth
    ):
        runs, qrels, site, assignment = synthetic
        pools = PoolSimulation(runs, qrels, site)
        ours = pools.average_precision(assignment, depth)
        judged = pools.judgments(assignment, depth)
        theirs = as_wide(gt.read_runs(runs, judged, "AP", report=None))
        theirs = theirs.loc[ours.index, ours.columns]
        assert np.abs(ours - theirs).max(axis=None) < 1e-12

    def test_a_full_pool_has_lost_nothing(self, synthetic):
        runs, qrels, site, assignment = synthetic
        pools = PoolSimulation(runs, qrels, site)
        assert len(pools.judgments(assignment, 80)) == len(qrels)

    def test_a_topic_without_a_relevant_document_scores_zero(self):
        runs, qrels, site = synthetic_runs(2, 2, 3, 30)
        qrels.loc[qrels["topic"] == "t2", "relevance"] = 0
        pools = PoolSimulation(runs, qrels, site)
        design = gt.BlockDesign(2, 1, ["t1", "t2", "t3"], fill=True)
        assert (
            pools.average_precision(design.assign(), 5)["t2"] == 0
        ).all()

    @pytest.mark.slow
    def test_of_cystic_fibrosis_runs(self):
        judged = gt.load("cf-judgments")
        judged = judged[judged["assessor"] == "physician"]
        runs = gt.read_run(gt.load("cf-runs"))
        judged = judged.assign(topic=judged["topic"].astype(str))
        family = gt.load("cf").drop_duplicates("system")
        family = family.set_index("system")["family"]
        pools = PoolSimulation(runs, judged, family)
        topics = [str(t) for t in gt.load("cf-ap").columns]
        design = gt.BlockDesign(sorted(set(family)), 2, topics, fill=True)
        assignment = design.assign(0)
        ours = pools.average_precision(assignment, 10)
        pooled = pools.judgments(assignment, 10)
        theirs = as_wide(gt.read_runs(runs, pooled, "AP", report=None))
        theirs = theirs.reindex(columns=ours.columns).fillna(0)
        gap = np.abs(ours - theirs.loc[ours.index])
        assert gap.max(axis=None) < 1e-12

    def test_refuses_what_does_not_belong_together(self, synthetic):
        runs, qrels, site, assignment = synthetic
        with pytest.raises(ValueError, match="no column 'rank'"):
            PoolSimulation(runs.drop(columns="rank"), qrels, site)
        with pytest.raises(ValueError, match="System s1 has no site"):
            PoolSimulation(runs, qrels, site.drop("s1"))
        with pytest.raises(ValueError, match="name their topics alike"):
            PoolSimulation(runs.assign(topic="9"), qrels, site)
        pools = PoolSimulation(runs, qrels, site.replace("S1", "S9"))
        with pytest.raises(ValueError, match="Site 'S9' is not in the"):
            pools.judgments(assignment, 5)
        other = gt.BlockDesign(4, 2, ["t1", "t99"], fill=True).assign()
        pools = PoolSimulation(runs, qrels, site)
        with pytest.raises(ValueError, match="'t99' has no judgments"):
            pools.judgments(other, 5)


class TestSyntheticRuns:
    def test_rank_relevant_documents_high_and_sites_alike(self):
        runs, qrels, site = synthetic_runs(3, 2, 20, 100, seed=2)
        assert len(runs) == 6 * 20 * 100
        scores = as_wide(gt.read_runs(runs, qrels, "AP", report=None))
        assert scores.mean(axis=None) > 0.25
        runs = runs[runs["rank"] <= 10].groupby("system")
        tops = {s: set(r["topic"] + r["document"]) for s, r in runs}
        own = len(tops["s1"] & tops["s2"])
        assert site["s1"] == site["s2"] != site["s3"]
        assert own > 1.2 * len(tops["s1"] & tops["s3"])
