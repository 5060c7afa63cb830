"""What intervals hold of a judge beside people: twenty minutes.

Writes data/scores/mark-coverage.csv, which book/audit-reference.md quotes.
Items are drawn with replacement from collections that people and machines
judged, or are simulated; the judge marks 300 of them, and people the first
few. `kappa`, `mean` and `people` are the shares of 95% intervals that hold
what is true of all items: of agreement, of people's mean with the judge's
help, and by people alone. `width` is how wide the interval of the mean is
in terms of that of people alone, the median. `told` is how often a number
of further marks was named that would settle whether the judge agrees, and
`settled` the share of these that did.
"""

import numpy as np
import pandas as pd
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from gtaudit.beside_people import (
    SUBSTANTIAL,
    marks_collection,
    marks_to_settle,
    study_judges,
)
from gtaudit.nouns import Nouns

TRIALS, ITEMS, HUMAN = 300, 300, (30, 100)
COLLECTIONS = "dl21", "llmjudge", "rag24"
# Of simulated marks, how far a judge's are from merit.
NOISE = 0.5, 1.0
MANY = 200_000
# A document with this grade is relevant.
RELEVANT = 2


def populations():
    """Yield the name of each collection, the judge, and all marks."""
    for name in COLLECTIONS:
        long = gt.load(f"{name}-judgments")
        marks = long.pivot_table(
            "relevance", ["topic", "document"], "assessor"
        )
        marks = marks[marks["human"].notna()]
        judges = marks.columns.drop("human")
        whole = judges[marks[judges].notna().mean() > 0.99]
        agree = marks[whole].corrwith(marks["human"]).sort_values()
        for judge in (agree.index[len(agree) // 2], agree.index[-1]):
            both = marks[["human", judge]].dropna()
            most = both["human"].max()
            yield name, str(judge), both.clip(0, most).to_numpy(int)
    for noise in NOISE:
        rng = np.random.default_rng(0)
        merit = rng.normal(0, 1, MANY)
        errors = rng.normal([0, 0.3], [0.5, noise], (MANY, 2))
        grades = np.clip(np.round(1.5 + merit[:, None] + errors), 0, 3)
        yield "simulated", f"noise {noise}", grades.astype(int)


def study(marks, human):
    """What the command finds, if people marked the first."""
    table = pd.DataFrame(marks.astype(float), columns=["human", "judge"])
    table.loc[human:, "human"] = np.nan
    table.index.name = "item"
    table.attrs["marks"] = {"human": "human", "judge": "judge"}
    found = study_judges(marks_collection(table, Nouns()))
    return found.agreement.iloc[0], found.means.iloc[0]


def truth(marks):
    """The agreement of all marks, and people's mean."""
    table = pd.DataFrame(marks, columns=["human", "judge"])
    number = table.stack().nunique()  # noqa: PD013
    kind = "weighted kappa" if number > 2 else "Cohen's kappa"
    found = gt.agreement(table, n_resamples=2).loc[kind]
    return found["estimate"], marks[:, 0].mean()


def row(marks, human, trials=TRIALS):
    """The shares of intervals that hold, of `trials` draws."""
    kappa, mean = truth(marks)
    held = {"kappa": [], "mean": [], "people": []}
    widths, settled = [], []
    for trial in range(trials):
        rng = np.random.default_rng([trial, human])
        drawn = marks[rng.integers(len(marks), size=ITEMS * 20)]
        agreed, means = study(drawn[:ITEMS], human)
        held["kappa"].append(agreed["low"] <= kappa <= agreed["high"])
        held["mean"].append(means["low"] <= mean <= means["high"])
        ends = means["human_low"], means["human_high"]
        held["people"].append(ends[0] <= mean <= ends[1])
        widths.append((means["high"] - means["low"]) / (ends[1] - ends[0]))
        more = marks_to_settle(agreed, human, SUBSTANTIAL)
        if 0 < more <= len(drawn) - human:
            again, _ = study(drawn[: human + more], human + more)
            ends = again["low"], again["high"]
            settled.append(not ends[0] < SUBSTANTIAL <= ends[1])
    return {
        "human": human,
        "truth": kappa,
        **{name: np.mean(each) for name, each in held.items()},
        "width": np.median(widths),
        "told": len(settled) / trials,
        "settled": np.mean(settled) if settled else np.nan,
    }


def main():
    rows = []
    for name, judge, grades in tqdm([*populations()]):
        kinds = {"grades": grades, "relevant": (grades >= RELEVANT) * 1}
        for kind, marks in kinds.items():
            for human in HUMAN:
                own = {"collection": name, "judge": judge, "marks": kind}
                rows.append(own | row(marks, human))
    write_table("mark-coverage.csv", pd.DataFrame(rows), "%.4g")


if __name__ == "__main__":
    main()
