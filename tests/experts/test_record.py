"""The hundred repetitions on record, and the script that makes them."""

import sys

import numpy as np
import pytest
from scipy.special import expit, logit

import gtlib as gt
from gtlib.collections.remote import data_folder


@pytest.fixture
def build(monkeypatch):
    folder = data_folder() / "build"
    if not folder.is_dir():
        pytest.skip("only the repository has data/build")
    monkeypatch.syspath_prepend(folder)
    import confidence

    yield confidence
    sys.modules.pop("confidence", None)


@pytest.fixture(scope="module")
def record():
    table = gt.load("confidence-trials")
    keys = ["collection", "compared", "effort", "model"]
    whole = table[(table["low"] == 0.5) & (table["high"] == 1)]
    return whole.set_index(keys)


def test_the_record_is_what_comes_out(build, record, monkeypatch):
    """Other repetitions, within four standard errors of both."""
    monkeypatch.setattr(build, "EFFORTS", (5,))
    found = build.trial_table(build.synthetic, range(900, 905))
    found = found[(found["low"] == 0.5) & (found["high"] == 1)]
    found = found.set_index(["compared", "effort", "model"])
    kept = record.loc["synthetic"].loc[found.index]
    assert record["n_resamples"].min() >= 100
    models = {"uniform", "experts", "logistic", "posterior", "not relevant"}
    assert set(record.index.unique("model")) == models
    ten = found.loc["ten systems"]
    assert (ten["pairs"] == 5 * 45).all()
    for name in ("confidence", "brier"):
        gap = (ten[name] - kept.loc["ten systems", name]).abs()
        assert gap.max() < 0.12


def test_draws_of_the_weights_have_the_curvature_of_the_posterior(build):
    drawn = gt.synthetic_collection(
        systems=3, topics=4, documents=40, depth=20, seed=5
    )
    pool = gt.pool_runs(drawn.runs)
    told = drawn.qrels.iloc[::3]
    model = gt.ExpertModel().fit(pool, told)
    labels = pool.labels(told).to_numpy()
    known = ~np.isnan(labels)
    weights, y = model.weights.to_numpy(), labels[known]

    def log_posterior(w):
        p = expit(w @ model.opinions[:, known])
        prior = np.log(expit(w) * expit(-w)).sum()
        return np.log(np.where(y == 1, p, 1 - p)).sum() + prior

    h, unit = 1e-3, np.eye(3)
    curve = [
        [
            sum(
                a * b * log_posterior(weights + h * (a * u + b * v))
                for a in (-1, 1)
                for b in (-1, 1)
            )
            / -(4 * h * h)
            for u in unit
        ]
        for v in unit
    ]
    rng = np.random.default_rng(0)
    p = build.likely_relevance(model, pool, told, draws=6000, rng=rng)
    assert (p[:, known] == y).all()
    found = logit(p[:, ~known])
    opinions = model.opinions[:, ~known]
    np.testing.assert_allclose(found.mean(axis=0), weights @ opinions)
    spread = opinions.T @ np.linalg.inv(curve) @ opinions
    np.testing.assert_allclose(np.cov(found.T), spread, rtol=0.1)


def test_adversaries_hold_nothing_that_is_judged(build):
    drawn = gt.synthetic_collection(
        systems=4, topics=3, documents=60, depth=20, seed=2
    )
    pool = gt.pool_runs(drawn.runs)
    judged = gt.judge(pool, drawn.qrels, per_topic=6)
    wider = build.with_adversaries(pool, judged, "system 02")
    told = wider.labels(judged).notna().to_numpy()
    for name in ("evader", "chaff"):
        (ranks,) = wider.only([name]).ranks
        assert np.isinf(ranks[told]).all()
        for topic in range(3):
            own = ranks[pool.topic_of == topic]
            own = np.sort(own[np.isfinite(own)])
            assert own.tolist() == list(range(1, len(own) + 1))
    (evader,), (base,) = (
        wider.only([name]).ranks for name in ("evader", "system 02")
    )
    left = np.isfinite(evader) & (pool.topic_of == 0)
    assert (np.argsort(evader[left]) == np.argsort(base[left])).all()
