"""What audits of thinned collections say, beside the truth: ten minutes.

Writes two files that chapter 13 shows. Collections that are judged deeply,
and synthetic ones, are judged again from the first documents of a part of
their runs, and audited. pool-losses.csv holds what each contributor loses
where it is left out, by the audit that is told depth and contributors and
by the one that is not, beside pools that were made without it.
pool-advice.csv holds the actions that the audit tabulates on half of the
topics, which of them it expects to leave the least error, and the error
that each leaves: of the difference between a run that the audit does not
know and one that it does, against all topics and judgments.
"""

import re
import sys

import numpy as np
import pandas as pd
from score_tables import judged_collections, write_table
from tqdm import tqdm

from book.support.simulations import PoolSimulation, synthetic_runs
from gtaudit import split_measures
from gtaudit.actions import advise
from gtaudit.judgment_study import score_and_study
from gtlib.reuse import Assignment

DEPTHS, PARTS, SEEDS = (5, 7, 10, 20), (0.5, 0.75), 5
DRAWS = 200
NOTHING = None, None


class Judged:
    """A collection that can be judged again."""

    def __init__(self, runs, qrels, complete):
        qrels = qrels.astype({"topic": str})
        self.runs = runs.astype({"topic": str})
        self.runs = self.runs[self.runs["topic"].isin(qrels["topic"])]
        self.systems = self.runs["system"].unique()
        self.topics = [*qrels["topic"].unique()]
        key = ["topic", "document"]
        if complete:  # what has no line was judged and is not relevant
            seen = self.runs[key].drop_duplicates()
            qrels = seen.merge(qrels, "outer", on=key)
            qrels = qrels.fillna({"relevance": 0})
        self.qrels = qrels[[*key, "relevance"]].astype({"relevance": int})
        alone = dict(zip(self.systems, self.systems, strict=True))
        self.pools = PoolSimulation(self.runs, self.qrels, alone)

    def without(self, contributors):
        """Whose documents are not judged, on any topic."""
        out = {s: s not in contributors for s in self.systems}
        return Assignment(pd.DataFrame(out, self.topics))

    def scores(self, contributors, depth):
        """AP, systems x topics, with such pools."""
        out = self.without(contributors)
        return self.pools.average_precision(out, depth)

    def judgments(self, contributors, depth):
        return self.pools.judgments(self.without(contributors), depth)


def collections():
    for name, (runs, qrels) in judged_collections().items():
        yield name, Judged(runs, qrels, name == "Cystic Fibrosis")
    runs, qrels, _ = synthetic_runs()
    yield "synthetic", Judged(runs, qrels, True)


def losses():
    rows = []
    for name, of in collections():
        for depth in DEPTHS:
            for part in PARTS:
                rng = np.random.default_rng(0)
                n = int(part * len(of.systems))
                chosen = sorted(rng.permutation(of.systems)[:n])
                kept = of.scores(chosen, depth).mean(axis=1)
                truth = [
                    kept[run]
                    - of.scores({*chosen} - {run}, depth).loc[run].mean()
                    for run in tqdm(
                        chosen, f"{name}, {depth}", disable=None
                    )
                ]
                told = depth, dict.fromkeys(chosen, True)
                qrels = of.judgments(chosen, depth)
                for how, pools in ("told", told), ("inferred", NOTHING):
                    found = study(of.runs, qrels, pools)[1]
                    lost = found.left_out
                    lost = lost["score"] - lost["score_without"]
                    rows.append(
                        {
                            "collection": name,
                            "depth": depth,
                            "contributors": n,
                            "audit": how,
                            "depth_found": found.pooling.depth,
                            "contributors_found": len(lost),
                            "explained": found.pooling.explained,
                            "mean": lost.mean(),
                            "mean_true": np.mean(truth),
                            "largest": lost.max(),
                            "largest_true": max(truth),
                        }
                    )
    write_table("pool-losses.csv", pd.DataFrame(rows))


def study(runs, qrels, pools):
    table, found, _ = score_and_study(runs, qrels, ["AP"], pools=pools)
    return table, found


def advice():
    rows = []
    for name, of in collections():
        for depth in DEPTHS:
            for seed in tqdm(
                range(SEEDS), f"{name}, {depth}", disable=None
            ):
                rows += of_one(name, of, depth, seed)
    write_table("pool-advice.csv", pd.DataFrame(rows))


def of_one(name, of, depth, seed):
    """A quarter of the runs is new, a quarter did not contribute."""
    rng = np.random.default_rng(seed)
    n = len(of.systems)
    new, out, chosen = np.split(
        rng.permutation(of.systems), [n // 4, n // 2]
    )
    known = [*chosen, *out]
    half = len(of.topics) // 2
    topics = rng.permutation(of.topics)[:half]
    judged = of.judgments(chosen, depth)
    judged = judged[judged["topic"].isin(topics)]
    runs = of.runs[of.runs["system"].isin(known)]
    runs = runs[runs["topic"].isin(topics)]
    table, found = study(runs, judged, NOTHING)
    (collection,) = split_measures(table).values()
    told = advise(collection, found)
    least = told["error"].idxmin()
    truth = of.pools.average_precision(of.without(of.systems), 10**6).mean(
        axis=1
    )
    ranked = found.runs["score"].sort_values(ascending=False).index
    others = [s for s in ranked if s not in found.pooling.contributors]
    for action, row in told.iterrows():
        more, to, runs = 0, depth, [*chosen]
        if match := re.match(r"(\d+) more topic", action):
            more = int(match[1])
        elif match := re.match(r"judge to depth (\d+)", action):
            to = int(match[1])
        elif match := re.match(r"pool (\d+) more run", action):
            runs += others[: int(match[1])]
        scores = of.scores(runs, to)
        yield {
            "collection": name,
            "depth": depth,
            "seed": seed,
            "action": action,
            "advised": action == least,
            "price": row["price"],
            "expected": row["error"],
            "error": error(scores, truth, new, known, half + more, rng),
        }


def error(scores, truth, new, known, size, rng):
    """Of a difference of a new system and a known one, on other topics.

    Shallow pools make all AP larger: the scale of differences is put
    right, as known systems have it.
    """
    means = scores.mean(axis=1)[known]
    scale = np.polyfit(means, truth[known], 1)[0]
    off = (scale * scores).sub(truth, axis=0)
    squares = []
    for _ in range(DRAWS):
        topics = rng.choice(scores.columns, size)
        means = off[topics].mean(axis=1)
        gaps = np.subtract.outer(means[new].values, means[known].values)
        squares.append((gaps**2).mean())
    return np.mean(squares) ** 0.5


PARTS_MADE = {"losses": losses, "advice": advice}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS_MADE:
        PARTS_MADE[name]()
