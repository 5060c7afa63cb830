"""How often a loop that stops at a confidence of .95 is wrong: 4 minutes.

Writes data/scores/stops.csv, which chapter 6 shows. Two systems of a
synthetic collection are judged document by document, and the confidence is
looked at after each judgment, until it is .95. `stopped` counts the pairs
that came so far, `wrong` those of them whose order is another by all
judgments, `claimed` how many would be wrong by the confidences at which the
loop stopped, and `judgments` is the median number of judgments.
"""

import numpy as np
import pandas as pd
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt

PAIRS, LEVEL, PER_TOPIC = 400, 0.95, 60
SIZES = {"systems": 6, "topics": 10, "documents": 100, "depth": 50}
STRATEGIES = "mtc", "random"


def trial(seed):
    """Of a pair: how each strategy stops, and whether it is right."""
    drawn = gt.synthetic_collection(**SIZES, seed=seed)
    rng = np.random.default_rng(seed)
    pair = [*rng.choice(drawn.runs["system"].unique(), 2, replace=False)]
    pool = gt.pool_runs(drawn.runs)
    two = pool.only(pair)
    of_pair = drawn.runs[drawn.runs["system"].isin(pair)]
    scores = gt.read_runs(of_pair, drawn.qrels, "AP", report=None)
    means = scores.groupby("system")["score"].mean()
    for strategy in STRATEGIES:
        judged = gt.judge(
            two, drawn.qrels, strategy, PER_TOPIC, LEVEL, seed=seed
        )
        table = two.confidence(pool.labels(judged, otherwise=0.5))
        below, above = table.index[:2]
        sure = table.loc[below, above]
        if sure < 0.5:
            below, above, sure = above, below, 1 - sure
        yield {
            "strategy": strategy,
            "stopped": int(sure >= LEVEL),
            "wrong": int(sure >= LEVEL and means[below] > means[above]),
            "claimed": (1 - sure) * (sure >= LEVEL),
            "judgments": len(judged),
        }


def main():
    rows = [row for seed in tqdm(range(PAIRS)) for row in trial(seed)]
    groups = pd.DataFrame(rows).groupby("strategy", sort=False)
    sums = groups[["stopped", "wrong", "claimed"]].sum()
    table = sums.assign(
        pairs=groups.size(), judgments=groups["judgments"].median()
    )
    write_table("stops.csv", table.reset_index())


if __name__ == "__main__":
    main()
