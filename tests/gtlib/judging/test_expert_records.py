"""What the appendix to chapter 6 shows, and the script that made it."""

import pandas as pd
import pytest

import gtlib as gt


@pytest.fixture(scope="module")
def trials():
    return gt.load("expert-trials")


def test_every_choice_was_tried_on_both_collections(trials):
    choices = trials[trials["study"] == "choices"]
    counts = choices.groupby("collection")["model"].nunique()
    assert counts.to_dict() == {"Cystic Fibrosis": 11, "Robust 2003": 11}
    assert (choices["effort"] == 5).all()


def test_a_zero_after_step_2_makes_confidence_worthless(trials):
    choices = trials[trials["study"] == "choices"].set_index("model")
    zero = choices.loc["step 2: unranked 0 afterwards"]
    assert (zero["confidence"] > 0.95).all()
    assert (zero["right"] < 0.5).all()
    usual = choices.loc["as in the chapter"]
    assert (usual["confidence"] < usual["right"]).all()


def test_more_judgments_order_systems_better():
    taus = gt.load("effort-taus")
    mean = taus.groupby(["collection", "strategy", "effort"])["tau"].mean()
    assert (mean.xs(40, level="effort") > mean.xs(5, level="effort")).all()


def test_raw_scores_are_worse_predictors_than_ranks():
    raw = gt.load("raw-scores")
    assert raw["between_topics"].between(0, 1).all()
    assert raw["log rank"].mean() < raw["score"].mean()
    assert raw["base rate"].mean() > raw["log rank"].mean()


@pytest.mark.slow
def test_the_records_come_out_again(script, trials):
    build = script("experts")
    drawn = gt.synthetic_collection(
        14, build.TOPICS, depth=build.DEPTH, seed=6
    )
    pool = gt.pool_runs(drawn.runs)
    found = build.told_everything(pool, drawn.qrels)
    kept = trials[trials["study"] == "everything"]
    kept = kept.set_index("collection").loc["synthetic"]
    for name, value in found.items():
        assert value == pytest.approx(kept[name], rel=1e-5)
    rows = pd.DataFrame(build.taus(pool, drawn.qrels))
    taus = gt.load("effort-taus").query("collection == 'synthetic'")
    assert rows["tau"].tolist() == pytest.approx(
        taus["tau"].tolist(), rel=1e-5
    )


@pytest.mark.slow
def test_a_repetition_of_the_choices_is_the_chapter_s(script):
    """Cystic Fibrosis, twice: what is claimed is near the record."""
    build = script("experts")
    runs, qrels = build.judged_collections()["Cystic Fibrosis"]
    made = [t for k in (0, 1) for t in build.choice_trials(runs, qrels, k)]
    found = build.calibration_scores(pd.concat(made)).loc[5]
    kept = gt.load("expert-trials").query(
        "study == 'choices' and collection == 'Cystic Fibrosis'"
    )
    kept = kept.set_index("model").loc[found.index]
    assert (found["confidence"] - kept["confidence"]).abs().max() < 0.15


@pytest.mark.slow
def test_the_raw_scores_of_two_runs_come_out_again(script):
    build = script("experts")
    runs, qrels = build.judged_collections()["Robust 2003"]
    kept = gt.load("raw-scores").head(2)
    two = runs[runs["system"].isin(kept["run"])]
    found = pd.DataFrame(build.raw_scores(two, qrels)).set_index("run")
    pd.testing.assert_frame_equal(
        found.loc[kept["run"]], kept.set_index("run"), rtol=1e-5
    )
