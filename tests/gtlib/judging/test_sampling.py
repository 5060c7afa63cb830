"""Estimates from drawn judgments, against lists of all possible draws."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.judging import (
    cut_strata,
    inclusion_probabilities,
    inferred_ap,
    sampled_ap,
    sampling_weights,
)
from tests.cases import first


def one_topic(seed=0, documents=11, systems=3):
    """A pool of one topic, all retrieved by somebody, and its judgments."""
    rng = np.random.default_rng(seed)
    names = [f"d{i:02d}" for i in range(documents)]
    runs = pd.concat(
        pd.DataFrame(
            {
                "system": f"s{i}",
                "topic": "1",
                "document": rng.permutation(names)[: documents - i],
                "rank": np.arange(1, documents - i + 1),
            }
        )
        for i in range(systems)
    )
    qrels = pd.DataFrame({"topic": "1", "document": names})
    qrels["relevance"] = (rng.random(documents) < 0.5).astype(int)
    return gt.pool_runs(runs), qrels


def every_draw(ranks, size, strategy):
    """All sets of documents that the design can draw, alike in chance."""
    weights = sampling_weights(ranks)
    stratum, drawn = cut_strata(weights, size)
    if strategy == "random":
        stratum, drawn = np.zeros(len(weights), int), [size]
    parts = [
        combinations(np.flatnonzero(stratum == h), n)
        for h, n in enumerate(drawn)
    ]
    return [np.concatenate(draw).astype(int) for draw in product(*parts)]


@pytest.mark.parametrize("strategy", ["random", "stratified"])
@pytest.mark.parametrize("size", [4, 8, 9])
def test_inclusion_probabilities_are_counts_of_all_draws(strategy, size):
    pool, _ = one_topic()
    draws = every_draw(pool.ranks, size, strategy)
    shown = np.zeros((len(draws), len(pool.documents)))
    for row, draw in zip(shown, draws, strict=True):
        row[draw] = 1
    single, pair = inclusion_probabilities(pool.ranks, size, strategy)
    np.testing.assert_allclose(single, shown.mean(axis=0))
    np.testing.assert_allclose(pair, shown.T @ shown / len(draws))
    assert single.sum() == pytest.approx(size)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", first(1, ["stratified", "random"]))
@pytest.mark.parametrize("size", first(1, [4, 8]))
def test_both_sums_of_ap_are_unbiased(strategy, size):
    """AP times the estimated R is S: the mean over all draws is exact."""
    pool, qrels = one_topic(1, documents=9)
    truth = pool.labels(qrels).to_numpy()
    single, _ = inclusion_probabilities(pool.ranks, size, strategy)
    s, r = [], []
    for draw in every_draw(pool.ranks, size, strategy):
        told = qrels.iloc[draw]
        r.append((truth / single)[draw].sum())
        s.append(sampled_ap(pool, told, strategy)["1"] * r[-1])
    ap = pool.average_precision(truth)["1"]
    assert np.mean(r) == pytest.approx(truth.sum())
    np.testing.assert_allclose(np.mean(s, axis=0), ap * truth.sum())


@pytest.mark.slow
@pytest.mark.parametrize("strategy", first(1, ["stratified", "random"]))
def test_what_was_judged_before_counts_once(strategy):
    """Again over all draws, from the documents that are left."""
    pool, qrels = one_topic(1, documents=11)
    truth = pool.labels(qrels).to_numpy()
    before = np.arange(len(truth)) < 3
    rest = replace(pool, ranks=np.where(before, np.inf, pool.ranks))
    left = pool.ranks[:, ~before]
    single, _ = inclusion_probabilities(left, 4, strategy)
    s, r = [], []
    for draw in every_draw(left, 4, strategy):
        told = qrels[~before].iloc[draw]
        known = truth[before].sum()
        r.append((truth[~before] / single)[draw].sum() + known)
        found = sampled_ap(pool, told, strategy, rest, qrels[before])
        s.append(found["1"] * r[-1])
    ap = pool.average_precision(truth)["1"]
    assert 0 < truth[before].sum() < 3 and truth[~before].sum() > 2
    assert np.mean(r) == pytest.approx(truth.sum())
    np.testing.assert_allclose(np.mean(s, axis=0), ap * truth.sum())


def big_topic():
    """One topic of 600 documents, about a third of them relevant."""
    pool, qrels = one_topic(2, documents=600, systems=4)
    merit = 0.7 - 0.6 * pool.ranks[0] / 600
    drawn = np.random.default_rng(3).random(600) < merit
    return pool, qrels.assign(relevance=drawn.astype(int))


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.2, 0.7])
@pytest.mark.parametrize("strategy", ["random", "stratified", "infAP"])
def test_estimates_are_right_on_average(strategy, rate):
    pool, qrels = big_topic()
    truth = pool.average_precision(pool.labels(qrels))["1"]
    size, name = int(rate * 600), strategy.replace("infAP", "random")
    draws = []
    for seed in range(30):
        told = gt.judge(pool, qrels, name, size, seed=seed)
        draws.append(
            inferred_ap(pool, told)["1"]
            if strategy == "infAP"
            else sampled_ap(pool, told, name)["1"]
        )
    error = np.std(draws, axis=0, ddof=1) / np.sqrt(len(draws))
    assert (error < 0.023).all()
    off = np.abs(np.mean(draws, axis=0) - truth)
    assert (off < 3 * error).all(), (off / error).max()


@pytest.mark.parametrize("strategy", ["random", "stratified", "sampling"])
def test_all_judgments_give_the_score(strategy):
    pool, qrels = one_topic(4)
    truth = pool.average_precision(pool.labels(qrels))
    told = gt.judge(pool, qrels, strategy, 10**6)
    found = [sampled_ap(pool, told, strategy)]
    found += [inferred_ap(pool, told)] if strategy == "random" else []
    for table in found:
        pd.testing.assert_frame_equal(
            table, truth, check_names=False, atol=1e-4
        )


def test_inferred_ap_is_trec_eval():
    """Whose qrels hold -1 for what might have been drawn and was not."""
    drawn = gt.synthetic_collection(systems=4, topics=5, documents=60)
    pool = gt.pool_runs(drawn.runs)
    some = pool.only(pool.systems[:3])
    frame = np.isfinite(some.ranks).any(axis=0)
    told = gt.judge(some, drawn.qrels, "random", 15)
    known = pool.labels(told, otherwise=-1).astype(int)[frame]
    listed = known.rename("relevance").rename_axis(["topic", "document"])
    import pytrec_eval

    judged = {
        topic: part.droplevel("topic").to_dict()
        for topic, part in listed.groupby(level="topic")
    }
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"infAP"})
    ours = inferred_ap(pool, told, some)
    for system, run in drawn.runs.groupby("system"):
        ranked = {
            topic: dict(zip(t["document"], -t["rank"] * 1.0, strict=True))
            for topic, t in run.groupby("topic")
        }
        theirs = evaluator.evaluate(ranked)
        for topic in pool.topics:
            assert ours.loc[system, topic] == pytest.approx(
                theirs[topic]["infAP"], abs=1e-4
            )


def test_what_nobody_could_draw_is_not_relevant():
    """Scores of a system whose own documents were never drawn from."""
    pool, qrels = one_topic(5)
    some = pool.only(["s2"])  # it lacks two documents
    told = gt.judge(some, qrels, "stratified", 100)
    naive = pool.average_precision(pool.labels(told, 0))
    found = sampled_ap(pool, told, "stratified", some)
    pd.testing.assert_frame_equal(found, naive, check_names=False)


@pytest.mark.parametrize("seed", range(5))
def test_strata_hold_what_they_give(seed):
    rng = np.random.default_rng(seed)
    weights = rng.random(30) ** 8
    for size in [1, 3, 4, 7, 8, 15, 29, 30, 99]:
        stratum, drawn = cut_strata(weights, size)
        assert drawn.sum() == min(size, 30)
        assert (np.bincount(stratum) >= drawn).all()
        assert len(drawn) == max(1, min(size, 30) // 4)
        lightest = [weights[stratum == h].min() for h in range(len(drawn))]
        heaviest = [weights[stratum == h].max() for h in range(len(drawn))]
        assert all(np.array(lightest[:-1]) >= heaviest[1:])


def test_the_bandit_follows_its_rule():
    """A slow reference: dictionaries, one system and document at a time."""
    drawn = gt.synthetic_collection(systems=5, topics=3, documents=50)
    pool = gt.pool_runs(drawn.runs, depth=15)
    judged = gt.judge(pool, drawn.qrels, "bandit", 12)
    truth = drawn.qrels.set_index(["topic", "document"])["relevance"]
    runs = drawn.runs[drawn.runs["rank"] <= 15]
    for topic, mine in judged.groupby("topic"):
        lists = {
            s: runs[(runs["system"] == s) & (runs["topic"] == topic)]
            .sort_values("rank")["document"]
            .tolist()
            for s in pool.systems
        }
        told = {}
        for document in mine.sort_values("step")["document"]:
            worth = {}
            for system, own in lists.items():
                seen = [told[d] for d in own if d in told]
                if len(seen) < len(own):
                    worth[system] = (1 + sum(seen)) / (2 + len(seen))
            best = max(worth, key=worth.get)  # the first of several
            expected = next(d for d in lists[best] if d not in told)
            assert document == expected
            told[document] = truth[topic, document]
