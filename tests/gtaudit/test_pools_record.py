"""Losses in audits of thinned collections, on record, and the script."""

import numpy as np
import pandas as pd
import pytest

from book.support.simulations import synthetic_runs
from gtlib.data import data_folder

SCORES = data_folder() / "scores"
LOSSES = pd.read_csv(SCORES / "pool-losses.csv")
SIZES = {"Cystic Fibrosis": (18, 27), "Robust 2003": (7, 11)}
SIZES["synthetic"] = 9, 13


@pytest.fixture
def build(script):
    return script("pools")


def test_every_pool_is_audited_told_and_not():
    pools = LOSSES.groupby(["collection", "depth", "contributors"])["audit"]
    assert (pools.agg(" ".join) == "told inferred").all()
    assert len(pools) == 3 * 4 * 2
    for name, of in LOSSES.groupby("collection"):
        assert {*of["depth"]} == {5, 7, 10, 20}
        assert tuple(sorted({*of["contributors"]})) == SIZES[name]


def test_losses_of_an_audit_that_is_told_are_the_true_ones():
    told = LOSSES[LOSSES["audit"] == "told"]
    assert (told["depth_found"] == told["depth"]).all()
    assert (told["contributors_found"] == told["contributors"]).all()
    for what in ("mean", "largest"):
        np.testing.assert_allclose(
            told[what], told[f"{what}_true"], rtol=0, atol=1e-6
        )
        assert (told[f"{what}_true"] > 5e-4).all()


def test_losses_of_an_audit_that_is_not_told_are_close():
    """Within 30% is what may be said of it; here within 7%."""
    rows = LOSSES[LOSSES["audit"] == "inferred"]
    assert (rows["depth_found"] == rows["depth"]).all()
    off = rows["contributors_found"] - rows["contributors"]
    assert off.between(-1, 2).all()
    for what, least in {"mean": 0.93, "largest": 0.999}.items():
        ratio = rows[what] / rows[f"{what}_true"]
        assert ratio.between(0.7, 1.3).all()
        assert ratio.between(least, 1.03).all()
    ratio = rows["mean"] / rows["mean_true"]
    assert ratio.mean() == pytest.approx(0.989, abs=5e-4)
    assert (ratio.round(4) == 1).mean() > 0.7


@pytest.mark.sources
@pytest.mark.slow
def test_the_record_is_what_comes_out(build):
    """Two rows of the synthetic collection."""
    runs, qrels, _ = synthetic_runs()
    of = build.Judged(runs, qrels, True)
    chosen = np.random.default_rng(0).permutation(of.systems)[:9]
    kept = of.scores(chosen, 5).mean(axis=1)
    truth = [
        kept[run] - of.scores({*chosen} - {run}, 5).loc[run].mean()
        for run in chosen
    ]
    rows = LOSSES.set_index(["collection", "depth", "contributors"])
    told = 5, dict.fromkeys(chosen, True)
    both = rows.loc[("synthetic", 5, 9)].set_index("audit")
    for how, pools in {"told": told, "inferred": build.NOTHING}.items():
        found = build.study(of.runs, of.judgments(chosen, 5), pools)
        lost = found.left_out["score"] - found.left_out["score_without"]
        row = both.loc[how]
        assert row["depth_found"] == found.pooling.depth
        assert row["explained"] == pytest.approx(found.pooling.explained)
        expected = lost.mean(), lost.max(), np.mean(truth), max(truth)
        names = ["mean", "largest", "mean_true", "largest_true"]
        assert row[names].tolist() == pytest.approx(expected, rel=1e-4)


@pytest.mark.sources
@pytest.mark.slow
def test_the_script_makes_the_file(build, monkeypatch, capsys):
    """Of a small collection, as it makes them of large ones."""
    runs, qrels, _ = synthetic_runs(4, 2, 12, 60, 1)
    small = build.Judged(runs, qrels, True)
    written = {}
    for name, of in {
        "collections": lambda: [("small", small)],
        "write_table": written.__setitem__,
        "DEPTHS": (3,),
    }.items():
        monkeypatch.setattr(build, name, of)
    build.losses()
    losses = written["pool-losses.csv"]
    assert [*losses] == [*LOSSES]
    assert len(losses) == 2 * 2
    told = losses[losses["audit"] == "told"]
    np.testing.assert_allclose(told["mean"], told["mean_true"], atol=1e-9)
