"""The Cystic Fibrosis collection: its documents, topics and judgments.

1239 papers of 1974-79, 100 questions, and for each question the papers
that four judges found relevant, each on a scale 0-2 (Shaw, Wood, Wood &
Tibbo 1991). The originals stay with their owners; this reads the copies
that `gtlib.load` fetches.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pandas as pd

ASSESSORS = ("physician", "colleagues", "postdoc", "librarian")

# In the file, query 93 is swallowed by query 92: its number and its count
# of results stand there as one more judgment, its own follow, and its
# text is lost.
SPOILT = (92, 93)


def read_documents(paths: Iterable[Path]) -> pd.DataFrame:
    """Columns ``document``, ``title``, ``abstract``, ``mesh`` and
    ``references``.

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
            "title": _text(record, "TITLE"),
            "abstract": _text(record, "ABSTRACT")
            or _text(record, "EXTRACT"),
            "mesh": "|".join(dict.fromkeys(headings)),
            "references": "|".join(dict.fromkeys(cited)),
        }
        rows.append(row)
    return pd.DataFrame(rows).sort_values("document", ignore_index=True)


def read_topics(path: Path) -> pd.DataFrame:
    """Columns ``topic`` and ``text``, without the two spoilt topics."""
    rows = [(t, _text(query, "QueryText")) for t, query in _queries(path)]
    return pd.DataFrame(rows, columns=["topic", "text"])


def read_judgments(path: Path) -> pd.DataFrame:
    """Columns ``topic``, ``document``, ``assessor`` and ``relevance``.

    A row per topic, document and assessor for every document that any of
    the four found at least marginally relevant (1) or highly relevant
    (2); what is not listed counts as not relevant (0).
    """
    rows = [
        (topic, f"{int(item.text or ''):05d}", *graded)
        for topic, query in _queries(path)
        for item in query.iter("Item")
        for graded in zip(
            ASSESSORS, map(int, item.get("score", "")), strict=True
        )
    ]
    columns = ["topic", "document", "assessor", "relevance"]
    return pd.DataFrame(rows, columns=columns)


def _queries(path):
    for query in ET.parse(path).getroot().iter("QUERY"):
        topic = int(query.findtext("QueryNumber", ""))
        if topic not in SPOILT:
            yield topic, query


def _text(node, name):
    first = node.find(name)
    words = [] if first is None else "".join(first.itertext()).split()
    return " ".join(words)
