"""What chapter 13 shows, and the script that made it."""

import importlib.util

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.collections.remote import data_folder


@pytest.fixture(scope="module")
def script():
    path = data_folder() / "build" / "judging.py"
    if not path.is_file():
        pytest.skip("only the repository has data/build")
    spec = importlib.util.spec_from_file_location("judging_script", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_split_sums_to_the_simulated_total():
    split = gt.load("judging-split")
    parts = split[["topics", "unjudged", "bend"]].sum(axis=1)
    total = parts / split["drawn_topics"] + split["bias"]
    off = (total - split["simulated"]).abs() / split["error"]
    assert (off < 3.5).all(), off.max()
    assert (split["error"] < 0.02 * split["simulated"]).all()


def test_the_size_is_near_its_level_under_every_way():
    tests = gt.load("judging-tests")
    assert (tests["simulations"] >= 500).all()
    assert sorted(tests["loss"].unique()) == [0, 0.03, 0.06, 0.12]
    size = tests[tests["loss"] == 0]
    error = np.sqrt(0.05 * 0.95 / size["simulations"])
    assert ((size["rate"] - 0.05).abs() < 3.5 * error).all()
    for _, rates in tests.groupby(["collection", "way"]):
        assert rates.sort_values("loss")["rate"].is_monotonic_increasing


def test_scores_are_those_of_the_errors():
    """The first draw of every way, where nothing is drawn by chance."""
    record = gt.load("judging-scores").astype({"topic": str})
    sets = gt.load("judging-sets").set_index(
        ["collection", "way", "judgments"]
    )
    for name in ("Cystic Fibrosis", "Robust 2003"):
        of = record[record["collection"] == name]

        def scores(way, judgments, of=of):
            rows = of[of["judgments"] == judgments]
            return rows.pivot_table(way, "system", "topic")

        truth = scores("all judgments", 20)
        for way in ("MTC", "bandit", "shallow pool"):
            parts = gt.gstudy(scores(way, 20) - truth).estimate
            row = sets.loc[(name, way, 20)]
            assert parts["system"] == pytest.approx(row["bias"], rel=0.02)
            assert parts["system x topic"] == pytest.approx(
                row["variance"], rel=0.02
            )


def small():
    drawn = gt.synthetic_collection(systems=10, topics=12, documents=60)
    pool = gt.pool_runs(drawn.runs, depth=15)
    groups = pd.Series([f"G{i // 2}" for i in range(10)], pool.systems)
    return pool, drawn.qrels, groups


def test_the_steps_of_a_newcomer_lead_from_truth_to_its_score(script):
    pool, qrels, groups = small()
    script.HELD_OUT = 2
    names = sorted(groups.unique())
    design = gt.BlockDesign(names, 2, list(pool.topics), fill=True)
    chosen = design.assign(3)
    row, without = script.newcomer(pool, qrels, groups, chosen, "MTC", 5, 0)
    out = script.held(chosen, groups, pool.topics)
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    last = without.where(out).mean(axis=1)
    steps = ["topics", "estimator", "other sites", "own site"]
    assert sum(row[s] for s in steps) == pytest.approx(
        (last - truth).mean()
    )
    found = gt.judged_scores(pool, qrels, "mtc", 5, held_out=out, seed=0)
    pd.testing.assert_frame_equal(without, found)


def test_the_quick_test_is_that_of_chapter_7(script):
    pool, qrels, groups = small()
    scores = pool.average_precision(pool.labels(qrels, 0))
    names = sorted(groups.unique())
    design = gt.BlockDesign(names, 2, list(pool.topics), fill=True)
    script.SIMULATIONS = 200
    none, much = (
        script.rejected(scores, groups, design, loss) for loss in (0, 0.6)
    )
    assert none == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 200))
    assert much > 0.5
