"""Make the embedded Robust 2003 scores: ``make data-build``.

Scores the 17 public runs by NIST's judgments, which makes
data/scores/robust2003.csv.gz.
The same versions of the libraries give the same file, byte for byte.
"""

import pandas as pd
from score_tables import score_table, write_table

import gtlib as gt

MEASURES = {"AP": "AP", "nDCG@10": "nDCG@10", "P@10": "P@10", "RR": "RR"}


def main():
    runs = pd.concat(map(gt.read_run, gt.load("robust2003-runs")))
    qrels = gt.read_qrels(gt.load("robust2003-qrels"))
    scores = score_table(runs, qrels.assign(assessor="NIST"), MEASURES)
    scores = scores.sort_values(["system", "topic"]).drop(
        columns="assessor"
    )
    write_table("robust2003.csv.gz", scores, "%.6f")


if __name__ == "__main__":
    main()
