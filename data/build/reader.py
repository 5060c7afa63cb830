"""A synthetic table for readers to begin with, whose truth is known.

Writes data/scores/scores.csv: scores of 12 systems that do not exist, on
40 topics, by 5 assessors, drawn by a seed; and
data/scores/reader-answers.csv: what each of 200 such tables answers to the
questions of the chapters. A new draw has other topics and other assessors;
the systems, with their true means, stay. A minute.
"""

import numpy as np
import pandas as pd
from score_tables import write_table
from tqdm import trange

import gtlib as gt

DESIGN = "system x topic x assessor"
# The mean of each system over all topics and all assessors.
MEANS = {
    "tfidf": 0.31,
    "lm": 0.36,
    "bm25": 0.38,
    "dfr": 0.39,
    "rm3": 0.41,
    "dense": 0.44,
    "sparse": 0.45,
    "expansion": 0.48,
    "hybrid": 0.50,
    "fusion": 0.51,
    "cascade": 0.53,
    "rerank": 0.65,
}
LEVELS = {"system": len(MEANS), "topic": 40, "assessor": 5}
# The variance of every other effect. Topics matter most, and what a
# system gains or loses on a topic comes next; an assessor is a little
# severe or mild, and favours some systems.
VARIANCES = {
    "topic": 0.0150,
    "assessor": 0.0004,
    "system x topic": 0.0060,
    "system x assessor": 0.0003,
    "topic x assessor": 0.0006,
    DESIGN: 0.0012,
}
# A usual table: the first that advises the design which is best in truth,
# and whose other answers are among the middle four fifths.
SEED = 6
TABLES, BUDGET = 200, 400
DIGITS = 4


def true_study():
    """The study that each table estimates."""
    system = np.var([*MEANS.values()], ddof=1)
    components = {"system": system, **VARIANCES}
    return gt.GStudy.from_components(DESIGN, components, levels=LEVELS)


def draw_table(seed):
    """A score of each system, topic and assessor, from 0 to 1."""
    rng = np.random.default_rng(seed)
    shape = [*LEVELS.values()]
    scores = np.array([*MEANS.values()])[:, None, None] + np.zeros(shape)
    for effect, variance in VARIANCES.items():
        drawn = [f in effect.split(" x ") for f in LEVELS]
        sizes = [n if d else 1 for n, d in zip(shape, drawn, strict=True)]
        scores += rng.normal(0, np.sqrt(variance), sizes)
    names = [
        [*MEANS],
        range(1, LEVELS["topic"] + 1),
        [*"ABCDE"],
    ]
    index = pd.MultiIndex.from_product(names, names=[*LEVELS])
    scores = scores.clip(0, 1).round(DIGITS).ravel()
    return pd.DataFrame({"score": scores}, index).reset_index()


def answers(table, truth):
    """What a table answers, and what is true of the design it advises."""
    study = gt.gstudy(table, DESIGN)
    plan = study.plan()
    board = gt.leaderboard(study)
    best = plan.best(BUDGET)
    true = truth.plan(levels=best.levels).dependability
    return {
        "best": board.table.index[0],
        "may_be_best": int(board.table["may_be_best"].sum()),
        "told_apart": board.told_apart,
        "largest": study.variance.idxmax(),
        "generalizability": plan.generalizability,
        "dependability": plan.dependability,
        "topics_to_compare": plan.required(
            "topic", 0.95, "generalizability"
        ),
        "topics_to_be_sure": plan.required_interval(
            "topic", 0.95, "generalizability"
        ).high,
        "topics_to_score": plan.required("topic", 0.95),
        **{f"best_{facet}s": n for facet, n in best.levels.items()},
        "promised": best.dependability,
        "true": true,
        "lost": truth.plan().best(BUDGET).dependability - true,
    }


def main():
    write_table("scores.csv", draw_table(SEED), f"%.{DIGITS}f")
    truth = true_study()
    rows = [
        {"table": seed, **answers(draw_table(seed), truth)}
        for seed in trange(TABLES)
    ]
    write_table("reader-answers.csv", pd.DataFrame(rows))


if __name__ == "__main__":
    main()
