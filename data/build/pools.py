"""What audits of thinned collections say, beside the truth: some minutes.

Writes pool-losses.csv, to which the record of the papers leads.
Collections that are judged deeply, and a synthetic one, are judged again
from the first documents of a part of their runs, and audited: what each
contributor loses where it is left out, by the audit that is told depth and
contributors and by the one that is not, beside pools made without it.
"""

import numpy as np
import pandas as pd
from score_tables import judged_collections, write_table
from tqdm import tqdm

from book.support.simulations import PoolSimulation, synthetic_runs
from gtaudit.judgment_study import score_and_study
from gtlib.reuse import Assignment

DEPTHS, PARTS = (5, 7, 10, 20), (0.5, 0.75)
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
                    found = study(of.runs, qrels, pools)
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
    return score_and_study(runs, qrels, ["AP"], pools=pools)[1]


if __name__ == "__main__":
    losses()
