"""Make the embedded Deep Learning 2021 scores: ``make data-build``.

Scores the 63 runs by the judgments of people (data/scores/dl21.csv.gz) and
by those of each machine judge (data/scores/dl21-judges.csv.gz), and counts
what is in the judges' files (data/scores/dl21-files.csv). The same versions
of the libraries give the same files, byte for byte.
"""

import pandas as pd
from score_tables import score_table, write_table
from sklearn.metrics import cohen_kappa_score

import gtlib as gt
from gtlib.data import COVERAGE, GRADES, data_folder, fetch, remote_paths
from gtlib.runs import read_fields

MEASURES = {
    "nDCG@10": "nDCG@10",
    "AP(rel=2)@100": "AP@100",
    "P(rel=2)@10": "P@10",
    "RR(rel=2)": "RR",
}
HUMAN = "human"


def judges_files():
    """The path of each judge's file, below that of its model."""
    registry = pd.read_csv(data_folder() / "registry.csv", index_col="name")
    patterns = registry.loc["dl21-judgments", "files"].split()[1:]
    return [path for pattern in patterns for path in remote_paths(pattern)]


def file_row(path, people):
    """What a file holds, and how it agrees with people's grades."""
    keys = ["topic", "document"]
    lines = read_fields(fetch(path), ["topic", "_", "document", "grade"])
    valid = lines[lines["grade"].isin(GRADES)]
    grades = valid.groupby(keys)["grade"].nunique()
    last = valid.drop_duplicates(keys, keep="last").set_index(keys)["grade"]
    both = people.to_frame("people").join(last.astype(int), how="inner")
    coverage = len(both) / len(people)
    model, _, name = path.split("/")[-3:]
    return {
        "model": model,
        "prompt": int(name.removesuffix(".txt").rpartition("_")[2]),
        "lines": len(lines),
        "invalid": len(lines) - len(valid),
        "repeated": len(valid) - len(grades),
        "contradicted": int((grades > 1).sum()),
        "coverage": coverage,
        "kept": coverage >= COVERAGE,
        "kappa": cohen_kappa_score(both["people"], both["grade"]),
        "weighted_kappa": cohen_kappa_score(
            both["people"], both["grade"], weights="quadratic"
        ),
    }


def main():
    runs, judgments = gt.load("dl21-runs"), gt.load("dl21-judgments")
    people = judgments["assessor"] == HUMAN
    human = score_table(runs, judgments[people], MEASURES)
    human = human.sort_values(["system", "topic"]).drop(columns="assessor")
    write_table("dl21.csv.gz", human, "%.6f")
    judges = score_table(runs, judgments[~people], MEASURES)
    named = judges.pop("assessor").str.split("/", expand=True)
    judges.insert(2, "model", named[0])
    judges.insert(3, "prompt", named[1].astype(int))
    official = judgments[people].set_index(["topic", "document"])
    files = pd.DataFrame(
        file_row(path, official["relevance"]) for path in judges_files()
    ).sort_values(["model", "prompt"])
    write_table("dl21-files.csv", files, "%.5f")
    judges = judges.sort_values(["model", "prompt", "system", "topic"])
    write_table("dl21-judges.csv.gz", judges, "%.4f")


if __name__ == "__main__":
    main()
