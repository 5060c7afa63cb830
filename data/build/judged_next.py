"""Which documents to judge next: some seven minutes.

Writes data/scores/judged-next.csv.gz, which chapter 13 shows. Collections
that are judged deeply are judged again: at first the `TOP` documents of a
third of the runs, and then, on each topic, about as many once more, or a
part of these, out of the first `DEEP` of all runs:

* ``agreed``: those with the largest sum of 1 / rank over all runs;
* ``deeper``: what the same runs have next;
* ``further runs``: the first documents of the other runs;
* ``at random``: drawn by chance, and counted like the others;
* ``sampled``: the same, but a document that was drawn with probability p
  counts 1 / p times (`gtlib.judging.sampled_ap`);
* ``stratified``: drawn from strata, and counted like that.

`error` is the root mean square, over all pairs of runs, of the difference
of two mean APs less that by all judgments; `tau` is that of the order of
the runs with their order by all judgments. AP is of the first `DEEP`.
"""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
from score_tables import judged_collections, write_table
from tqdm import tqdm

import gtlib as gt
from gtlib.judging import sampled_ap

TOP, DEEP, SEEDS = 5, 100, 50
SHARES = 0.25, 1.0
DRAWN = {"sampled": "random", "stratified": "stratified"}


def collections():
    """Name -> runs and judgments; the third was used to choose nothing."""
    runs = pd.concat(map(gt.read_run, gt.load("dl21-runs")))
    judged = gt.load("dl21-judgments").query("assessor == 'human'")
    judged = judged.assign(relevance=(judged["relevance"] >= 2).astype(int))
    return judged_collections() | {"Deep Learning 2021": (runs, judged)}


def rest_of(pool, known):
    """The pool without the documents that are known."""
    return replace(pool, ranks=np.where(known, np.inf, pool.ranks))


def judge_first(pool, known, order, per_topic):
    """Mark what is known, and on each topic the first of the others."""
    judged = known.copy()
    order = np.where(known, np.inf, order)
    for part in pool.parts():
        first = np.argsort(order[part], kind="stable")[:per_topic]
        judged[part.start + first[np.isfinite(order[part][first])]] = True
    return judged


def trial(pool, relevance, seed):
    """A row for each way and number of documents."""
    rng = np.random.default_rng(seed)
    systems = rng.permutation(len(pool.systems))
    some, others = np.split(systems, [len(systems) // 3])
    best = pool.ranks[some].min(axis=0)
    known = best <= TOP
    qrels = pool.documents.to_frame(index=False).assign(relevance=relevance)
    truth = pool.average_precision(relevance).mean(axis=1)
    by_chance = rng.random(len(known))
    orders = {
        "agreed": -(1 / pool.ranks).sum(axis=0),
        "deeper": best + by_chance,
        "further runs": pool.ranks[others].min(axis=0) + by_chance,
    }

    def row(way, scores):
        off = scores.mean(axis=1) - truth
        order = scores.mean(axis=1).corr(truth, method="kendall")
        # Over pairs the mean square is twice the variance over runs.
        error = np.sqrt(2 * np.var(off, ddof=1))
        return {"way": way, "error": error, "tau": order}

    def plain(way, judged):
        return row(way, pool.average_precision(relevance * judged))

    size = known.sum() / len(pool.topics)
    for share in SHARES:
        per_topic = round(share * size)
        rows = [plain("before", known)]
        for way, order in orders.items():
            judged = judge_first(pool, known, order, per_topic)
            rows.append(plain(way, judged))
        rest = rest_of(pool, known)
        for way, strategy in DRAWN.items():
            drawn = gt.judge(rest, qrels, strategy, per_topic, seed=seed)
            if way == "sampled":
                also = pool.labels(drawn).notna().to_numpy()
                rows.append(plain("at random", known | also))
            scores = sampled_ap(pool, drawn, strategy, rest, qrels[known])
            rows.append(row(way, scores))
        more = {"seed": seed, "share": share, "documents": per_topic}
        yield from (more | line for line in rows)


def main():
    rows = []
    for name, (runs, qrels) in collections().items():
        qrels = qrels.astype({"topic": str})
        runs = runs.astype({"topic": str})
        runs = runs[runs["topic"].isin(qrels["topic"])]
        pool = gt.pool_runs(runs, DEEP)
        relevance = pool.labels(qrels, otherwise=0).to_numpy()
        for seed in tqdm(range(SEEDS), name, file=sys.stderr):
            for row in trial(pool, relevance, seed):
                rows.append({"collection": name} | row)
    write_table("judged-next.csv.gz", pd.DataFrame(rows), "%.4g")


if __name__ == "__main__":
    main()
