"""Audits of tables that an engine sums."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.audit.gathered import collect

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


def test_a_report_is_of_means_and_says_so(frame, tmp_path):
    path = tmp_path / "big.parquet"
    frame.to_parquet(path)
    found = collect([str(path)], memory_limit="100MB")
    means = frame.pivot_table("score", "Model", "item")
    cells = found.collection.cells
    assert cells.to_numpy() == pytest.approx(means.to_numpy())
    names = ["system", "topic", "assessor", "score"]
    g = gt.gstudy(frame.set_axis(names, axis=1), " x ".join(names[:3]))
    first, second = found.notes
    assert first.startswith(
        "From all 144 scores, by sums of groups (anova)"
    )
    assert f"system {g.table['percent'].iloc[0]:.1f}%" in first
    assert second.endswith("Means of 6 systems on 8 topics.")


def test_a_sample_of_topics_is_said(frame, tmp_path, monkeypatch):
    path = tmp_path / "big.csv"
    frame.to_csv(path, index=False)
    monkeypatch.setattr("gtlib.audit.large.MOST", 30)
    options = {"design": "Model x item x judge", "memory_limit": "100MB"}
    found = collect(path, **options)
    assert found.collection.cells.shape == (6, 5)
    assert "5 topics, a random sample of the 8 (seed 0)" in found.notes[1]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"judge": "run"}, "Several columns may name the system"),
        ({"item": "thing"}, "No column names the topic"),
    ],
)
def test_columns_that_do_not_say_what_they_are(
    columns, said, frame, tmp_path
):
    path = tmp_path / "big.parquet"
    frame.rename(columns=columns).to_parquet(path)
    with pytest.raises(ValueError, match=said):
        collect(path, memory_limit="100MB")


def test_runs_are_read_as_they_are(tmp_path):
    with pytest.raises(ValueError, match="for one table of scores"):
        collect(runs=tmp_path, qrels=tmp_path, memory_limit="1GB")


@pytest.mark.parametrize(
    ("change", "measure", "message"),
    [
        ({}, "RR", "no column RR"),
        ({"measure": "AP"}, None, "a column of measures"),
        ({"Model": "  "}, None, "system has no name"),
        ({"second": 1.0}, "Second", "no column Second"),
    ],
)
def test_what_a_report_would_get_wrong_is_refused(
    frame, tmp_path, change, measure, message
):
    table = frame.assign(**change).drop_duplicates(
        ["Model", "item", "judge"]
    )
    if "Model" in change:
        table = pd.concat([frame, table.assign(judge="0")])
        table = table.drop_duplicates(["Model", "item", "judge"])
    table.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=message):
        collect(
            [str(tmp_path / "a.parquet")],
            measure=measure,
            memory_limit="100MB",
        )


def test_a_design_names_the_columns(frame, tmp_path):
    renamed = frame.rename(
        columns={"Model": "S", "item": "I", "judge": "J"}
    )
    renamed.to_parquet(tmp_path / "a.parquet")
    found = collect(
        [str(tmp_path / "a.parquet")],
        design="S x I x J",
        memory_limit="100MB",
    )
    assert found.collection.cells.shape == (6, 8)
