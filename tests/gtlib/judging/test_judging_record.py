"""What chapter 13 shows, and the script that made it."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.reuse import Assignment
from tests.cases import first


@pytest.fixture
def build(script):
    return script("judging")


def test_the_split_sums_to_the_simulated_total():
    split = gt.load("judging-split")
    parts = split[["topics", "unjudged", "bend"]].sum(axis=1)
    total = parts / split["drawn_topics"] + split["bias"]
    off = (total - split["simulated"]).abs() / split["error"]
    assert (off < 3.5).all(), off.max()
    assert (split["error"] < 0.02 * split["simulated"]).all()


def test_the_size_is_near_its_level():
    """Exactly kept with twins, by the ways that never count systems."""
    tests = gt.load("judging-tests")
    assert (tests["simulations"] >= 500).all()
    error = np.sqrt(0.05 * 0.95 / tests["simulations"].iloc[0])
    unmoved = "random thinning", "random, infAP", "shallow pool", "bandit"
    nothing = tests[tests["loss"] == 0]
    alike = nothing[nothing["twins"] & nothing["way"].isin(unmoved)]
    assert len(alike) == 2 * 2 * len(unmoved)
    assert ((alike["rate"] - 0.05).abs() < 3.5 * error).all()
    sure = alike["way"].isin(["shallow pool", "bandit"])
    assert (alike[sure][["effect", "effect error"]] == 0).all(axis=None)
    noise = alike["effect"].abs() - 3.5 * alike["effect error"]
    assert (noise[~sure] < 0).all()
    costless = nothing[nothing["given_back"]]["rate"]
    assert (costless < 0.05 + 3.5 * error).all()


def test_the_power_grows_with_what_is_lost():
    tests = gt.load("judging-tests")
    keys = ["collection", "way", "twins", "given_back"]
    for _, rates in tests.groupby(keys):
        assert rates["loss"].tolist() == [0, 0.03, 0.06, 0.12]
        assert rates["rate"].is_monotonic_increasing
    alone = tests[~tests["twins"] & (tests["loss"] == 0)]
    assert (alone["effect"] < 0).all()


def test_the_error_of_a_difference_is_that_of_paired_draws():
    """Halves that share their draws differ less than they vary."""
    sets = gt.load("judging-sets")
    apart = sets["out"] - sets["in"]
    np.testing.assert_allclose(sets["out less in"], apart, atol=2e-5)
    ends = sets["in error"] + sets["out error"]
    assert (sets["out less in error"] <= ends + 1e-5).all()
    chance = sets["way"].isin(["MTC", "bandit", "shallow pool"])
    assert (sets.loc[chance, "bias error"] == 0).all()
    assert sets["scale"].between(0, 1).all()
    assert (sets["repeats"] >= 40).all()


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


@pytest.mark.sources
def test_the_steps_of_a_newcomer_lead_from_truth_to_its_score(build):
    pool, qrels, groups = small()
    build.HELD_OUT = 2
    names = sorted(groups.unique())
    design = gt.BlockDesign(names, 2, list(pool.topics), fill=True)
    chosen = design.assign(3)
    row, without = build.newcomer(pool, qrels, groups, chosen, "MTC", 5, 0)
    out = build.held(chosen, groups, pool.topics)
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    last = without.where(out).mean(axis=1)
    steps = ["topics", "estimator", "other sites", "own site"]
    assert sum(row[s] for s in steps) == pytest.approx(
        (last - truth).mean()
    )
    found = build.scores_of(pool, qrels, "MTC", 5, out, seed=0)
    pd.testing.assert_frame_equal(without, found)


@pytest.fixture
def design():
    """Held-out sets of a small collection, and whom they hold out."""
    pool, qrels, groups = small()
    names = sorted(groups.unique())
    chosen = gt.BlockDesign(names, 2, list(pool.topics), fill=True).assign(
        3
    )
    return pool, qrels, groups, chosen


@pytest.mark.slow
@pytest.mark.sources
@pytest.mark.parametrize("twins", first(1, [False, True]))
@pytest.mark.parametrize("way", ["shallow pool", "MTC", "bandit"])
def test_a_simulated_collection_is_one_that_was_judged(
    build, design, way, twins
):
    """Every topic, in another order: judged and tested the slow way."""
    pool, qrels, groups, chosen = design
    out = build.held(chosen, groups, pool.topics).to_numpy()
    found = build.judged_without(pool, qrels, out, way, twins, effort=5)
    order = np.random.default_rng(1).permutation(len(pool.topics))
    sets = chosen.held_out.loc[pool.topics].to_numpy()
    drawn = Assignment(
        pd.DataFrame(sets, pool.topics[order], chosen.held_out.columns)
    )
    held_out = build.held(drawn, groups, pool.topics)
    judged = pool
    if twins:
        judged = build.twinned(pool)
        never = held_out.set_axis(held_out.index + " (twin)") & False
        held_out = pd.concat([held_out, never])
    slow = build.scores_of(judged, qrels, way, 5, held_out, seed=0)
    slow = slow.loc[pool.systems]
    quick = found[order, np.arange(len(order))].T
    np.testing.assert_allclose(slow[pool.topics[order]], quick)
    report = gt.reusability_test(slow, groups, drawn, (), n_resamples=99)
    weights = build.effect_weights(out.astype(float))
    assert (weights * quick).sum() == pytest.approx(report.effect.estimate)


@pytest.mark.slow
@pytest.mark.sources
def test_the_quick_p_is_that_of_chapter_7(build, design, monkeypatch):
    """Rejections of collections, each tested with many permutations."""
    pool, qrels, groups, chosen = design
    out = build.held(chosen, groups, pool.topics).to_numpy(float)
    found = build.judged_without(pool, qrels, out > 0, "bandit", False, 5)
    monkeypatch.setattr(build, "SIMULATIONS", 40)
    rates = build.rejected(found, out, (0, 0.3, 0.9), back=0.01)
    place, names = np.arange(len(pool.topics)), list(pool.topics)
    sets = chosen.held_out.loc[names].reset_index(drop=True)
    drawn, ps = Assignment(sets), []
    for seed in range(40):
        rng = np.random.default_rng([seed, 13])
        some = rng.integers(len(place), size=len(place))
        scores = (found[some, place].T + 0.01 * out) * (1 - 0.3 * out)
        report = gt.reusability_test(
            pd.DataFrame(scores, pool.systems, place),
            groups,
            drawn,
            (),
            n_resamples=199,
            seed=seed,
        )
        ps.append(report.table.loc[("scores", "effect"), "p"])
    near = np.mean([0.03 < p < 0.08 for p in ps])
    assert abs(np.mean(np.array(ps) <= 0.05) - rates[1]) <= near + 1e-9
    assert rates[0] <= rates[1] <= rates[2]
    assert rates[2] > 0.5


@pytest.mark.sources
@pytest.mark.parametrize(
    "way", ["random thinning", "shallow pool", "bandit"]
)
def test_a_twin_leaves_what_is_judged_as_it_was(build, design, way):
    """These ways do not ask by how many systems a document was found."""
    pool, qrels, groups, chosen = design
    everybody = pd.DataFrame(False, pool.systems, pool.topics)
    some = build.held(chosen, groups, pool.topics)
    told = []
    for held_out in (everybody, some):
        never = everybody.set_axis(everybody.index + " (twin)")
        contributors = build.twinned(pool).without(
            pd.concat([held_out, never])
        )
        strategy, _ = build.WAYS[way]
        told.append(gt.judge(contributors, qrels, strategy, 5))
    pd.testing.assert_frame_equal(*told)
