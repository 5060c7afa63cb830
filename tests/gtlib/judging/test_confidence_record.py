"""The hundred repetitions on record, and the script that makes them."""

import numpy as np
import pytest
from scipy.special import expit, logit

import gtlib as gt


@pytest.fixture
def build(script):
    return script("confidence")


@pytest.fixture(scope="module")
def record():
    table = gt.load("confidence-trials")
    keys = ["collection", "compared", "effort", "model"]
    whole = table[(table["low"] == 0.5) & (table["high"] == 1)]
    return whole.set_index(keys).sort_index()


@pytest.mark.slow
@pytest.mark.sources
def test_the_record_is_what_comes_out(build, record, monkeypatch):
    """Other repetitions, within four standard errors of both."""
    monkeypatch.setattr(build, "EFFORTS", (5,))
    draw = build.synthetic
    parts = [t for n in (900, 901) for t in build.repetition(draw, n)]
    found = build.summary(build.pd.concat(parts, ignore_index=True))
    found = found[(found["low"] == 0.5) & (found["high"] == 1)]
    found = found.set_index(["compared", "effort", "model"]).sort_index()
    kept = record.loc["synthetic"].loc[found.index].sort_index()
    assert record["n_resamples"].min() >= 100
    models = {"uniform", "experts", "logistic", "posterior", "not relevant"}
    assert set(record.index.unique("model")) == models
    ten = found.loc["ten systems"]
    assert (ten["pairs"] == 2 * 45).all()
    for name in ("confidence", "brier"):
        gap = (ten[name] - kept.loc["ten systems", name]).abs()
        assert gap.max() < 0.12


@pytest.mark.sources
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
    assert (p[:, known] == y).all()  # the same bits: what is told stays
    found = logit(p[:, ~known])
    opinions = model.opinions[:, ~known]
    np.testing.assert_allclose(found.mean(axis=0), weights @ opinions)
    spread = opinions.T @ np.linalg.inv(curve) @ opinions
    np.testing.assert_allclose(np.cov(found.T), spread, rtol=0.1)


@pytest.mark.sources
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


REAL = ["Cystic Fibrosis", "Robust 2003"]
EVERYWHERE = [*REAL, "synthetic"]


def z_of(rows):
    return (rows["confidence"] - rows["right"]) / rows["error"]


@pytest.mark.parametrize("name", EVERYWHERE)
def test_five_judgments_claim_no_more_than_comes_true(record, name):
    """Chapter 6's answer to the abstract, over all pairs and by bin."""
    table = gt.load("confidence-trials")
    table = table[table["collection"] == name]
    table = table[table["model"] == "experts"]
    table = table[table["compared"] == "ten systems"]
    table = table[table["pairs"] >= 30]
    few, many = (table[table["effort"] == e] for e in (5, 40))
    assert (z_of(few) <= 2).all()
    assert (z_of(many[many["low"] >= 0.65]) > 2).all()
    whole = record.loc[name, "ten systems", 5, "experts"]
    assert z_of(whole) < -2.5
    assert 0.6 < whole["confidence"] < 0.75


@pytest.mark.parametrize("name", REAL)
def test_a_posterior_of_the_weights_is_part_of_a_cure(record, name):
    rows = record.loc[name, "ten systems"]
    gap = (rows["confidence"] - rows["right"]).unstack("model")
    left = gap["posterior"] / gap["experts"]
    assert z_of(rows.loc[15, "experts"]) > 2.5
    assert abs(z_of(rows.loc[15, "posterior"])) < 2.5
    assert left[15] < 0.5 < 0.7 < left[40]
    assert z_of(rows.loc[40, "posterior"]) > 7
    log = rows["log"].unstack("model").loc[[15, 40]]
    assert (log["posterior"] < log["experts"]).all()


@pytest.mark.parametrize("name", EVERYWHERE)
def test_an_adversary_breaks_confidence(record, name):
    evader, chaff = (record.loc[name, who] for who in ("evader", "chaff"))
    for effort in (5, 40):
        assert z_of(evader.loc[effort, "experts"]) > 2.5
        assert chaff.loc[(effort, "experts"), "right"] > 0.9
    row = evader.loc[5, "experts"]
    assert row["confidence"] > 0.88
    assert 0.59 < row["right"] < 0.75
    row = chaff.loc[40, "uniform"]
    assert row["confidence"] > 0.9
    assert row["right"] < 0.02


def test_which_brier_score_is_best(record):
    brier = record.xs("ten systems", level="compared")["brier"]
    brier = brier.unstack("model")[["uniform", "experts", "logistic"]]
    assert (brier.idxmax(axis=1) == "uniform").all()
    best = brier.idxmin(axis=1)
    exceptions = best[best != "logistic"]
    assert (exceptions == "experts").all()
    assert list(exceptions.index) == [("Robust 2003", e) for e in (15, 40)]
    worse = brier["uniform"] > 0.25
    assert list(brier.index[worse]) == [
        *[("Cystic Fibrosis", e) for e in (5, 15, 40)],
        *[("Robust 2003", e) for e in (15, 40)],
    ]


@pytest.mark.slow
def test_a_loop_that_stops_at_a_confidence_is_wrong_as_often_as_it_says(
    script,
):
    record = gt.load("stops").set_index("strategy")
    wrong = record["wrong"] / record["stopped"]
    error = (0.05 * 0.95 / record["stopped"]) ** 0.5
    assert (wrong <= 0.05 + 2 * error).all()
    assert (record["claimed"] / record["stopped"] <= 0.05).all()
    stops = script("stops")
    assert (record["pairs"] == stops.PAIRS).all()
    for found in stops.trial(1):
        assert found["claimed"] <= 0.05
        assert found["wrong"] <= found["stopped"] <= 1
