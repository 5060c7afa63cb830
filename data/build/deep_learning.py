"""Make the embedded Deep Learning 2021 scores: ``make data-build``.

Scores the 63 runs by the judgments of people (data/scores/dl21.csv.gz) and
by those of each machine judge (data/scores/dl21-judges.csv.gz). The same
versions of the libraries give the same files, byte for byte.
"""

import sys

from tables import as_csv, write

import gtlib as gt

MEASURES = {
    "nDCG@10": "nDCG@10",
    "AP(rel=2)@100": "AP@100",
    "P(rel=2)@10": "P@10",
    "RR(rel=2)": "RR",
}
HUMAN = "human"


def score_table(runs, judgments):
    """A row per system, topic and assessor, a column per measure."""
    found = gt.read_runs(runs, judgments, list(MEASURES), report=None)
    table = found.pivot_table(
        index=["system", "topic", "assessor"],
        columns="measure",
        values="score",
    ).rename(columns=MEASURES)[list(MEASURES.values())]
    return table.reset_index().astype({"topic": int})


def main():
    runs, judgments = gt.load("dl21-runs"), gt.load("dl21-judgments")
    people = judgments["assessor"] == HUMAN
    human = score_table(runs, judgments[people])
    human = human.sort_values(["system", "topic"]).drop(columns="assessor")
    write("dl21.csv.gz", as_csv(human, "%.6f"))
    judges = score_table(runs, judgments[~people])
    named = judges.pop("assessor").str.split("/", expand=True)
    judges.insert(2, "model", named[0])
    judges.insert(3, "prompt", named[1].astype(int))
    order = ["model", "prompt", "system", "topic"]
    write("dl21-judges.csv.gz", as_csv(judges.sort_values(order), "%.4f"))


if __name__ == "__main__":
    sys.exit(main())
