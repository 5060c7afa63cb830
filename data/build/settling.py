"""How often so many further topics settle a pair: two minutes.

Writes data/scores/settling-trials.csv, which chapter 9 shows. The topics of
a real collection are taken for all that there are. A study has some of
them, drawn with replacement; pairs of systems whose p-value there is .05 or
more are told a number of further topics, which are drawn in the same way.
Counted is how often the pair is then significant, on all topics together.
`rule` says which number it is: `predicted`, that of `gt.compare`, or
`as seen`, which gives the difference that was seen the power .8, as if it
were the true one. `pairs` are the first system with the next (`top`), or
any system with others (`any`).

And data/scores/order-trials.csv: of all pairs with any system, how likely
`same_order` says that as many other topics order them alike, and how often
as many others, drawn in the same way, did.
"""

import numpy as np
import pandas as pd
import scipy
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from gtlib.allocation import smallest_satisfying
from gtlib.comparisons import f_power

COLLECTIONS = {  # and topics of a study, so many that few pairs are settled
    "robust2004": 50,
    **dict.fromkeys(["trec3", "trec5", "trec6", "trec7", "trec8"], 30),
    **{f"web{year}": 30 for year in range(2010, 2015)},
    **dict.fromkeys(["dl21", "cf-ap"], 30),
}
STUDIES = 100
PAIRS = 8  # of a study, of any systems
POWER, LEVEL = 0.8, 0.05


def topics_as_seen(effect, topics):
    """Further topics that give a standardized difference its power."""

    def enough(further):
        n = topics + further
        return f_power(n * effect**2, 1, n - 1.0, LEVEL) >= POWER

    return smallest_satisfying(enough) or np.nan


def unsettled(scores, chosen, rng):
    """Two tables of pairs that a study does not tell apart."""
    table = pd.DataFrame(scores[:, chosen])
    table.columns = range(len(chosen))
    study = gt.gstudy(table)
    first = table.mean(axis=1).idxmax()
    for pairs, system in {
        "top": first,
        "any": int(rng.integers(len(table))),
    }.items():
        beside = gt.compare(study, system)
        nearest = beside.head(1) if pairs == "top" else beside
        open_ = nearest[
            (nearest["p_value"] >= LEVEL) & (nearest["difference"] != 0)
        ]
        number = min(PAIRS, len(open_))
        yield pairs, open_.iloc[rng.permutation(len(open_))[:number]]


def is_settled(differences, chosen, further, rng):
    """Whether so many further topics make a pair significant."""
    n = len(chosen) + int(further)
    times = rng.multinomial(
        int(further), np.full_like(differences, 1 / len(differences))
    )
    times = times + np.bincount(chosen, minlength=len(differences))
    mean = times @ differences / n
    square = times @ (differences - mean) ** 2 / (n - 1) / n
    t = abs(mean) / np.sqrt(square)
    return bool(t > scipy.special.stdtrit(n - 1, 1 - LEVEL / 2))


def trials(name, topics):
    """The trials of one collection."""
    scores = gt.load(name).to_numpy(float)
    rng = np.random.default_rng(0)
    for _ in range(STUDIES):
        chosen = rng.integers(scores.shape[1], size=topics)
        for pairs, open_ in unsettled(scores, chosen, rng):
            for row in open_.itertuples():
                differences = scores[row.a] - scores[row.b]
                numbers = {
                    "predicted": row.more,
                    "as seen": topics_as_seen(row.effect_size, topics),
                }
                for rule, more in numbers.items():
                    came = np.nan
                    if np.isfinite(more):
                        came = is_settled(differences, chosen, more, rng)
                    yield pairs, rule, more, came


def same_order(name, topics):
    """Return the pairs of one collection: the predicted probability of the
    same order, and whether it came."""
    scores = gt.load(name).to_numpy(float)
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(STUDIES):
        chosen, others = rng.integers(scores.shape[1], size=(2, topics))
        table = pd.DataFrame(scores[:, chosen])
        table.columns = range(topics)
        study = gt.gstudy(table)
        beside = gt.compare(study, int(rng.integers(len(table))))
        beside = beside[beside["difference"] != 0]
        means = scores[:, others].mean(axis=1)
        again = means[beside["a"]] - means[beside["b"]]
        came = again * beside["difference"].to_numpy() > 0
        rows.append(
            pd.DataFrame({"said": beside["same_order"], "came": came})
        )
    table = pd.concat(rows)
    ends = {"collection": name, "topics": topics, "pairs": len(table)}
    return ends | table.mean().to_dict()


def main():
    orders = [same_order(*each) for each in tqdm(COLLECTIONS.items())]
    write_table("order-trials.csv", pd.DataFrame(orders))
    rows = []
    for name, topics in tqdm(COLLECTIONS.items()):
        table = pd.DataFrame(
            trials(name, topics),
            columns=["pairs", "rule", "more", "settled"],
        )
        groups = table.groupby(["pairs", "rule"])
        row = groups.agg(
            cases=("more", "size"),
            told=("more", "count"),
            settled=("settled", "sum"),
            median_more=("more", "median"),
        )
        rows.append(row.assign(collection=name, topics=topics))
    columns = ["collection", "topics", "pairs", "rule"]
    columns += ["cases", "told", "settled", "median_more"]
    record = pd.concat(rows).reset_index()[columns]
    write_table("settling-trials.csv", record.astype({"settled": int}))


if __name__ == "__main__":
    main()
