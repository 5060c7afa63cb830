"""Audits of tables that an engine sums."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtaudit.actions import advise
from gtaudit.audit_data import collect
from gtaudit.command import main
from gtaudit.planning import present_cost
from gtaudit.results import coefficient_table, required_table
from tests.cases import first, only
from tests.refusals import refused

pytest.importorskip("ibis")
pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    index = np.indices((6, 8, 3)).reshape(3, -1)
    names = ["Model", "item", "judge"]
    frame = pd.DataFrame(index.T, columns=names).astype(str)
    effect = index[0] / 10 + rng.normal(size=8)[index[1]] / 5
    return frame.assign(score=effect + rng.normal(size=144) / 9)


@pytest.mark.slow
def test_scores_that_are_called_errors_are_doubted(frame, tmp_path):
    """What to do instead is said: nothing turns the rows of an engine."""
    path = tmp_path / "big.parquet"
    frame.rename(columns={"score": "wer"}).to_parquet(path)
    options = {"engine": True, "measure": "wer"}
    (told,) = collect([str(path)], **options).doubts
    assert told.code == "loss"
    assert "write them with the other sign" in told.what


@pytest.mark.slow
def test_a_report_is_of_means_and_says_so(frame, tmp_path):
    path = tmp_path / "big.parquet"
    frame.to_parquet(path)
    found = collect([str(path)], engine=True)
    means = frame.pivot_table("score", "Model", "item")
    cells = found.collection.cells
    assert cells.to_numpy() == pytest.approx(means.to_numpy())
    names = ["system", "topic", "assessor", "score"]
    g = gt.gstudy(frame.set_axis(names, axis=1), " x ".join(names[:3]))
    first, _ = found.notes
    assert "all 144 scores" in first and "(anova)" in first
    assert f"{g.table['percent'].iloc[0]:.1f}% sys" in first


TABLES = {
    "judges": (["system", "topic", "assessor"], None),
    "a judge": (["system", "topic"], None),
    "seeds": (["system", "seed", "topic"], None),
    "judges and seeds": (["system", "seed", "topic", "assessor"], None),
    "shared seeds": (
        ["system", "topic", "seed"],
        "system x topic x seed",
    ),
    "prompts": (["model", "item", "prompt"], "model x item x prompt"),
    "own seeds": (["model", "q", "seed"], "model x q x (seed:model)"),
    "nested": (["system", "topic", "rater"], "system x (topic:rater)"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", only(["judges and seeds"], TABLES))
def test_the_numbers_of_an_audit_in_memory(what, tmp_path):
    """Judges, seeds, repeated runs and prompts, numbered from 0."""
    facets, design = TABLES[what]
    shape = (6, 5, 4, 3)[: len(facets)]
    index = np.indices(shape).reshape(len(shape), -1)
    table = pd.DataFrame(index.T, columns=facets).astype(str)
    if what == "nested":  # so that no two raters share a topic
        table["topic"] = table["rater"] + "-" + table["topic"]
    rng = np.random.default_rng(3)
    score = index[0] / 9 + rng.normal(size=table.shape[0]) / 9
    for level in index[1:]:
        score += rng.normal(size=level.max() + 1)[level] / 5
    table = table.assign(score=score)
    if what == "a judge":
        table = table.assign(judge="the only one", seed=7)
    path = tmp_path / "scores.parquet"
    table.to_parquet(path)
    here = collect([str(path)], design=design)
    there = collect([str(path)], design=design, engine=True)
    assert there.notes[2:] == here.notes
    one, other = both = here.collection, there.collection
    assert str(other.design) == str(one.design)
    assert other.size == one.size
    pd.testing.assert_frame_equal(
        other.cells.sort_index(axis=1), one.cells.sort_index(axis=1)
    )
    assert (other.observations == one.observations).all()
    assert other.study.estimate.to_numpy() == pytest.approx(
        one.study.estimate.to_numpy(), rel=1e-9, abs=1e-13
    )
    same = replace(one.study, cells=None)  # sums show no scatter
    for numbers in (coefficient_table, required_table):
        tables = [numbers(study) for study in (same, other.study)]
        pd.testing.assert_frame_equal(*tables, rtol=1e-9)
    if what == "judges and seeds":
        prices = [
            present_cost(c.plan, {"topic": 5, "judgment": 1}) for c in both
        ]
        assert prices[0][0] == pytest.approx(prices[1][0], rel=1e-9)
        assert prices[0][1] == pytest.approx(prices[1][1], rel=1e-9)
        advice = [advise(c).sort_index() for c in both]
        pd.testing.assert_series_equal(*(t["price"] for t in advice))
        left = [t["error"] / t["error"]["stop"] for t in advice]
        pd.testing.assert_series_equal(*left)


@pytest.mark.slow
def test_the_command_names_the_files_of_a_pattern(
    frame, tmp_path, monkeypatch
):
    """Its report has what the pattern stood for, and their checksums."""
    for i in range(2):
        frame.iloc[i::2].to_parquet(tmp_path / f"{i}.parquet")
    asked = {}

    def written(out, study, title, options, provenance, **_):
        asked.update(provenance, size=study.first.collection.size)
        return [out]

    monkeypatch.setattr("gtaudit.run.write_report", written)
    pattern = str(tmp_path / "*.parquet")
    out = str(tmp_path / "report.html")
    monkeypatch.setattr("gtaudit.audit_large.LARGE", 9)
    assert main(["audit", pattern, "--out", out]) == 0
    names = [file["name"] for file in asked["files"]]
    assert sorted(names) == ["0.parquet", "1.parquet"]
    assert asked["size"] == "6 systems × 8 topics × 3 assessors"


@pytest.mark.slow
def test_with_gaps_a_report_is_of_means(frame, tmp_path):
    path = tmp_path / "big.parquet"
    frame.drop(index=[3, 50]).to_parquet(path)
    found = collect([str(path)], engine=True)
    assert "(henderson)" in found.notes[0]
    assert str(found.collection.design) == "system x topic"


@pytest.mark.slow
def test_a_sample_of_topics_is_said(frame, tmp_path, monkeypatch):
    path = tmp_path / "big.csv"
    frame.to_csv(path, index=False)
    monkeypatch.setattr("gtaudit.audit_large.MOST", 30)
    options = {"design": "Model x item x judge", "engine": True}
    found = collect(path, **options)
    assert found.collection.cells.shape == (6, 5)
    assert "5 items, a random sample of the 8 (seed 0)" in found.notes[1]


def unnamed(frame):
    names = frame["Model"].where(frame["Model"] > "0", "  ")
    return frame.assign(Model=names)


REFUSED = {
    "no column RR": (pd.DataFrame.copy, {"measure": "RR"}),
    "a column of measures": (lambda f: f.assign(measure="AP"), {}),
    "system has no name": (unnamed, {}),
    "no column Second": (
        lambda f: f.assign(second=1.0),
        {"measure": "Second"},
    ),
    "may name the system": (
        lambda f: f.rename(columns={"judge": "run"}),
        {},
    ),
    "No column names the topic": (
        lambda f: f.rename(columns={"item": "thing"}),
        {},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("words", only(["system has no name"], REFUSED))
def test_what_a_report_would_get_wrong_is_refused(frame, tmp_path, words):
    change, options = REFUSED[words]
    path = tmp_path / "a.parquet"
    change(frame).to_parquet(path)
    refused(lambda: collect(path, **options, engine=True), words)


@pytest.mark.slow
def test_a_design_names_the_columns(frame, tmp_path):
    renamed = frame.rename(
        columns={"Model": "S", "item": "I", "judge": "J"}
    )
    renamed.to_parquet(tmp_path / "a.parquet")
    found = collect(
        [str(tmp_path / "a.parquet")],
        design="S x I x J",
        engine=True,
    )
    assert found.collection.cells.shape == (6, 8)


@pytest.mark.parametrize("engine", first(1, [None, True]))
def test_no_two_seeds_of_systems_are_taken_for_one(tmp_path, engine):
    systems = ["a", "a/b", "a/", "a/-b", "a//b"]
    own = ["1", "b/1", "/1", "//1", "b//1", "-b//1", "/b//1", "-//1"]
    levels = itertools.product(systems, own, ["q1", "q2", "q3"])
    table = pd.DataFrame(levels, columns=["system", "seed", "topic"])
    score = np.random.default_rng(5).random(len(table))
    path = tmp_path / "scores.parquet"
    table.assign(score=score).to_parquet(path)
    found = collect([str(path)], engine=engine).collection
    study = found.study
    assert study.levels == {"system": 5, "seed": 8, "topic": 3}
    means = score.reshape(5, 8, 3).mean(axis=2)
    between = 3 * means.var(axis=1, ddof=1).mean()
    assert study.mean_squares["seed:system"] == pytest.approx(between)
