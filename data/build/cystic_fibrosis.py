"""Make the embedded Cystic Fibrosis files: ``make data-build``.

Runs every system of systems.py on the collection, keeps the first 100
documents of each topic (data/scores/cf-runs.txt.gz), and scores them with
the judgments of each of the four assessors (data/scores/cf.csv.gz), as
rankings and document by document (data/scores/cf-correctness.csv.gz). The
same versions of the libraries give the same files, byte for byte.
"""

import xml.etree.ElementTree as ET
from itertools import chain

import numpy as np
import pandas as pd
from score_tables import SCORES, score_table, write, write_table
from systems import SYSTEMS, Collection
from tqdm import tqdm

import gtlib as gt
from book.support.decisions import document_correctness

DEPTH = 100
MEASURES = {m: m for m in ("AP", "nDCG@10", "P@10", "RR")}
CALLED = (5, 10, 20, 50)
DESIGN = "system x assessor x (document:topic)"


def read_documents(paths):
    """Columns ``document``, ``title``, ``abstract``, ``mesh`` and
    ``references``, from the files of the collection.

    ``document`` is the record number in five digits, as in the runs;
    ``abstract`` is empty for the documents that have none; ``mesh`` holds
    the subject headings, major ones first, without their qualifiers,
    and ``references`` the papers cited, both separated by ``|``.
    """
    rows = []
    parts = ("author", "publication", "d1", "d2", "d3")
    for record in chain(*(ET.parse(p).iter("RECORD") for p in paths)):
        headings = [
            " ".join((node.text or "").split(":")[0].split())
            for node in record.iter("TOPIC")
        ]
        cited = [
            ", ".join(node.get(part, "") for part in parts)
            for node in record.iterfind("REFERENCES/CITE")
        ]
        row = {
            "document": f"{int(record.findtext('RECORDNUM', '')):05d}",
            "title": text_of(record, "TITLE"),
            "abstract": text_of(record, "ABSTRACT")
            or text_of(record, "EXTRACT"),
            "mesh": "|".join(dict.fromkeys(headings)),
            "references": "|".join(dict.fromkeys(cited)),
        }
        rows.append(row)
    return pd.DataFrame(rows).sort_values("document", ignore_index=True)


def text_of(node, name):
    first = node.find(name)
    words = [] if first is None else "".join(first.itertext()).split()
    return " ".join(words)


def ranking(system, collection):
    """The run of a system as TREC lines, best document first.

    Scores that agree to nine decimals are ties, and go by document name.
    The score that is written only counts down from 100: it says the rank
    and nothing else.
    """
    names = collection.documents["document"].to_numpy()
    scores = np.round(collection.run(system), 9)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
    for row, topic in enumerate(collection.topics["topic"]):
        best = order[row][np.isfinite(scores[row, order[row]])]
        for rank, name in enumerate(names[best], start=1):
            yield f"{topic} Q0 {name} {rank} {DEPTH + 1 - rank} {system}\n"


def in_order(table, assessors):
    """Systems as they are listed, each with its family, and assessors."""
    place = {name: i for i, name in enumerate([*SYSTEMS, *assessors])}
    table.insert(1, "family", table["system"].str.partition("-")[0])
    return table.sort_values(
        ["system", "topic", "assessor"],
        key=lambda c: c if c.name == "topic" else c.map(place),
    )


def correctness_table(runs, judgments):
    """Mean squares of the study with a document facet.

    Scores per document would give the judgments away, mean squares do
    not; and they are all that a G-study needs.
    """
    tables = {}
    for k in CALLED:
        scores = document_correctness(runs, judgments, k=k)
        tables[k] = gt.gstudy(scores, DESIGN).table[["df", "mean_square"]]
    return pd.concat(tables, names=["k", "effect"]).reset_index()


def main():
    documents = read_documents(gt.load("cf-documents"))
    collection = Collection(documents, gt.load("cf-topics"))
    lines = []
    for system in tqdm(SYSTEMS, desc="Running systems", disable=None):
        lines += ranking(system, collection)
    write("cf-runs.txt.gz", "".join(lines))
    runs, judgments = SCORES / "cf-runs.txt.gz", gt.load("cf-judgments")
    scores = score_table(runs, judgments, MEASURES)
    scores = in_order(scores, judgments["assessor"].unique())
    write_table("cf.csv.gz", scores, "%.6f")
    facets = correctness_table(gt.read_run(runs), judgments)
    write_table("cf-correctness.csv.gz", facets, "%.9g")


if __name__ == "__main__":
    main()
