"""Is confidence right as often as it says? Repeated, half an hour of a CPU.

Writes data/scores/confidence-trials.csv.gz, which chapter 6 shows: the
experiment of Carterette (2007) on other topics and systems every time,
with a posterior of the experts' weights, and against adversaries.
"""

from dataclasses import replace
from itertools import chain, pairwise

import numpy as np
import pandas as pd
import scipy
from score_tables import judged_collections, write_table
from tqdm import tqdm

import gtlib as gt
from book.support.simulations import calibration_scores, ordered_pairs
from gtlib.experts import relevance_estimates

N_RESAMPLES = 100
EFFORTS = (5, 15, 40)
TOPICS, DEPTH, EVALUATED, DRAWS = 30, 50, 10, 16
BINS = (0.5, 0.65, 0.8, 0.9, 0.97, 1)


def synthetic(rng):
    """A new collection each time: its pool and judgments."""
    drawn = gt.synthetic_collection(
        14, TOPICS, depth=DEPTH, seed=rng.integers(2**32)
    )
    return gt.pool_runs(drawn.runs), drawn.qrels


def real(runs, qrels):
    """A function that draws thirty of a collection's topics."""
    runs = runs[runs["rank"] <= DEPTH]
    names = runs["topic"].unique()

    def draw(rng):
        some = rng.choice(names, TOPICS, replace=False)
        return gt.pool_runs(runs[runs["topic"].isin(some)]), qrels

    return draw


def likely_relevance(model, pool, told, rng, draws=DRAWS):
    """The relevance that the experts expect, for draws of their weights.

    The weights are normal about the fitted ones; the inverse covariance
    is the curvature of the log posterior there (Laplace's approximation).
    Draws come in opposite pairs. Returns an array, draws x documents.
    """
    labels = pool.labels(told).to_numpy()
    known = ~np.isnan(labels)
    prior = np.eye(len(pool.systems))
    rows = np.vstack([model.opinions[:, known].T, prior, prior])
    weights = model.weights.to_numpy()
    fitted = scipy.special.expit(rows @ weights)
    curve = (rows.T * (fitted * (1 - fitted))) @ rows
    half = rng.normal(size=(len(weights), draws // 2))
    noise = np.hstack([half, -half])
    away = np.linalg.solve(np.linalg.cholesky(curve).T, noise)
    p = scipy.special.expit((weights + away.T) @ model.opinions)
    p[:, known] = labels[known]
    return p


def with_adversaries(pool, told, base):
    """The pool, and two runs that avoid whatever is judged.

    ``evader`` is the system `base` without the judged documents; ``chaff``
    has the unjudged documents that no system ranks high, lowest first.
    """
    judged = pool.labels(told).notna().to_numpy()
    own = pool.ranks[pool.systems.get_loc(base)]
    deepest = -pool.ranks.min(axis=0)
    runs = []
    for wish in (own, deepest):
        wish = np.where(judged, np.inf, wish)
        place = pd.Series(wish).groupby(pool.topic_of).rank("first")
        ranks = np.where(np.isfinite(wish), place, np.inf)
        runs.append(np.where(ranks <= DEPTH, ranks, np.inf))
    systems = pool.systems.append(pd.Index(["evader", "chaff"]))
    ranks = np.vstack([pool.ranks, runs])
    return replace(pool, systems=systems.rename("system"), ranks=ranks)


def compared(pool, qrels, told, names, rng):
    """Pairs of `names` by each model, with the confidence and whether the
    order was right."""
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    others = pool.only(names)
    experts = gt.ExpertModel().fit(pool, told)
    beliefs = {"experts": [experts.predict()]}
    if rng is not None:
        beliefs["posterior"] = likely_relevance(experts, pool, told, rng)
    for model in ("uniform", "logistic"):
        beliefs[model] = [relevance_estimates(pool, told, model)]
    beliefs["not relevant"] = [pool.labels(told, otherwise=0)]
    for model, many in beliefs.items():
        c = sum(others.confidence(p) for p in many) / len(many)
        yield ordered_pairs(c, truth[names]).assign(model=model)


def repetition(draw, repeat):
    """All pairs of one repetition."""
    rng = np.random.default_rng(repeat)
    pool, qrels = draw(rng)
    names = list(rng.permutation(pool.systems)[: EVALUATED + 3])
    two, ten, base = names[:2], names[2:-1], names[-1]
    judged = gt.judge(pool.only(two), qrels, "mtc", max(EFFORTS))
    for effort in EFFORTS:
        told = judged[judged["step"] <= effort]
        tables = [
            table.assign(compared="ten systems")
            for table in compared(pool, qrels, told, ten, rng)
        ]
        wider = with_adversaries(pool, told, base)
        adversaries = ["evader", "chaff"]
        for table in compared(wider, qrels, told, ten + adversaries, None):
            some = table[["a", "b"]]
            some = some.where(some.isin(adversaries))
            of_one = table.assign(compared=some["a"].fillna(some["b"]))
            tables.append(of_one[some.notna().sum(axis=1) == 1])
        yield pd.concat(tables).assign(effort=effort, repeat=repeat)


def summary(trials):
    """Scores by bin of confidence; the bin from .5 to 1 is all pairs."""
    tables = {}
    for name, part in trials.groupby("compared", sort=False):
        for low, high in (*pairwise(BINS), (0.5, 1)):
            c = part["confidence"]
            inside = part[(c >= low) & ((c < high) | (high == 1))]
            if not inside.empty:
                scores = calibration_scores(inside)
                groups = inside.groupby(["effort", "model"], sort=False)
                scores.insert(0, "pairs", groups.size())
                tables[name, low, high] = scores
    return pd.concat(
        tables, names=["compared", "low", "high"]
    ).reset_index()


def main():
    tables, drawn = {}, {"synthetic": synthetic}
    for name, judged in judged_collections().items():
        drawn[name] = real(*judged)
    for name, draw in drawn.items():
        repeats = tqdm(range(N_RESAMPLES), name, disable=None)
        parts = chain.from_iterable(repetition(draw, r) for r in repeats)
        tables[name] = summary(pd.concat(parts, ignore_index=True))
    table = pd.concat(tables, names=["collection"])
    table = table.reset_index("collection").assign(n_resamples=N_RESAMPLES)
    write_table("confidence-trials.csv.gz", table)


if __name__ == "__main__":
    main()
