"""How often means, differences and ranks hold the truth: seven minutes.

Writes data/scores/error-coverage.csv, which the appendix to chapter 10
shows: 95% intervals of systems' means and of their differences, and the
limits of all ranks at once, over studies whose truth is known. A study
has four true means, of three systems each. `errors` says where they come
from: the `design`, as of
`gt.leaderboard` and `gt.compare`, or, `plain`, as if every score had a
topic of its own: Student's interval of a system's scores, and that of
differences where both systems have a score.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import scipy
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from gtlib.comparisons import estimate_means

STUDIES = 600
LEVEL = 0.95
COLUMNS = ["of", "errors", "coverage", "width"]
TRUE = np.repeat([0.3, 0.45, 0.6, 0.75], 3)
SPREAD = {  # standard deviations of the effects
    ("topic",): 0.15,
    ("system", "topic"): 0.1,
    ("passage",): 0.1,
    ("system", "passage"): 0.06,
    ("assessor",): 0.05,
    ("system", "assessor"): 0.03,
    ("topic", "assessor"): 0.05,
    ("system", "topic", "assessor"): 0.06,
}
CROSSED, JUDGED = "system x topic", "system x topic x assessor"
NESTED = "system x (topic:passage)"
UNEVEN = np.repeat([2, 4, 6, 8, 20, 20], 5)
SHARED = 0.4  # of what makes a 0 or a 1, topics have so much


@dataclass(frozen=True)
class Kind:
    """A kind of table: its design, and how a study of it is drawn."""

    name: str
    design: str
    draw: Callable


def crossed(rng, missing=0.0, passages=None, **levels):
    """Normal effects of all facets, some of the scores deleted."""
    levels = {"system": len(TRUE), "topic": 50, **levels}
    index = np.indices([*levels.values()]).reshape(len(levels), -1)
    table = pd.DataFrame(dict(zip(levels, index, strict=True)))
    if passages is not None:
        home = np.repeat(np.arange(len(passages)), passages)
        table["passage"] = home[table["topic"]]
    score = TRUE[table["system"]]
    for effect, spread in SPREAD.items():
        if set(effect) <= set(table):
            shape = [table[f].max() + 1 for f in effect]
            drawn = rng.normal(0, spread, shape)
            score = score + drawn[tuple(table[f] for f in effect)]
    table["score"] = score
    return table[rng.random(len(table)) >= missing]


def nested(rng, passages):
    """Questions (topics) of passages, as many of each as is said."""
    return crossed(rng, passages=passages, topic=sum(passages))


def solved(rng):
    """0 or 1, with the true means as probabilities over topics."""
    topic, own = rng.normal(size=50), rng.normal(size=(len(TRUE), 50))
    hard = SHARED**0.5 * topic + (1 - SHARED) ** 0.5 * own
    score = (hard < scipy.special.ndtri(TRUE)[:, None]).astype(float)
    system, topic = np.indices(score.shape).reshape(2, -1)
    return pd.DataFrame(
        {"system": system, "topic": topic, "score": score.ravel()}
    )


KINDS = [
    Kind("50 topics", CROSSED, crossed),
    Kind("0 or 1, 50 topics", CROSSED, solved),
    Kind("30% deleted", CROSSED, partial(crossed, missing=0.3)),
    Kind("60% deleted", CROSSED, partial(crossed, missing=0.6)),
    Kind("30 passages of 10", NESTED, partial(nested, passages=[10] * 30)),
    Kind("30 uneven passages", NESTED, partial(nested, passages=UNEVEN)),
    Kind("10 passages of 10", NESTED, partial(nested, passages=[10] * 10)),
    Kind("4 assessors", JUDGED, partial(crossed, assessor=4)),
    Kind("2 assessors", JUDGED, partial(crossed, assessor=2)),
]


def held(kind, studies=STUDIES, seed=0):
    """The rows of a kind: coverage, its standard error, widths."""
    rng = np.random.default_rng(seed)
    rows = [of_study(kind, rng) for _ in tqdm(range(studies))]
    found = pd.concat(rows).groupby(["of", "errors"], sort=False)
    table = found.mean()
    table.insert(1, "error", found["coverage"].sem(ddof=0))
    table.insert(0, "studies", studies)
    table.insert(0, "kind", kind.name)
    return table.reset_index()[["kind", "studies", *COLUMNS, "error"]]


def of_study(kind, rng):
    """Shares of the intervals of one study that hold, and mean widths."""
    scores = kind.draw(rng)
    g = gt.gstudy(scores, kind.design)
    board = gt.leaderboard(g)
    table = board.table.sort_index()
    one, other = np.triu_indices(len(TRUE), 1)
    gap = TRUE[one] - TRUE[other]
    pairs = estimate_means(g).differences(one, other).limits(LEVEL)
    others = [c for c in scores if c not in ("system", "score")]
    x = scores.pivot_table("score", "system", others).to_numpy()
    apart = TRUE[:, None] - TRUE
    better, worse = (apart < 0).sum(axis=1), (apart > 0).sum(axis=1)
    best, worst = table["best_rank"], table["worst_rank"]
    ranks = (best <= 1 + better) & (worst >= len(TRUE) - worse)
    width = (worst - best).mean()
    of_each = {
        ("means", "design"): (table[["low", "high"]].T.to_numpy(), TRUE),
        ("means", "plain"): (students(x), TRUE),
        ("differences", "design"): (pairs, gap),
        ("differences", "plain"): (students(x[one] - x[other]), gap),
    }
    found = []
    for name, ((low, high), truth) in of_each.items():
        share = ((low <= truth) & (truth <= high)).mean()
        found.append((*name, share, np.nanmean(high - low)))
    found.append(("ranks", "design", float(ranks.all()), width))
    return pd.DataFrame(found, columns=COLUMNS)


def students(x):
    """Limits of the mean of each row, of what is there."""
    test = scipy.stats.ttest_1samp(x, 0, axis=1, nan_policy="omit")
    return np.array(test.confidence_interval(LEVEL))


def main():
    tables = [held(kind, seed=n) for n, kind in enumerate(KINDS)]
    write_table("error-coverage.csv", pd.concat(tables), "%.4g")


if __name__ == "__main__":
    main()
