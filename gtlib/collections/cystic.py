"""The Cystic Fibrosis collection: its topics and judgments.

1239 papers of 1974-79, 100 questions, and for each question the papers
that four judges found relevant, each on a scale 0-2 (Shaw, Wood, Wood &
Tibbo 1991). The originals stay with their owners; this reads the copies
that `gtlib.load` fetches.
"""

import xml.etree.ElementTree as ET
from pathlib import Path

import pandas as pd

ASSESSORS = ("physician", "colleagues", "postdoc", "librarian")

# In the file, query 93 is swallowed by query 92: its number and its count
# of results stand there as one more judgment, its own follow, and its
# text is lost.
SPOILT = (92, 93)


def read_topics(path: Path) -> pd.DataFrame:
    """Read columns ``topic`` and ``text``, without the two topics that are
    corrupt in the file."""
    rows = [
        (topic, " ".join(query.findtext("QueryText", "").split()))
        for topic, query in _queries(path)
    ]
    return pd.DataFrame(rows, columns=["topic", "text"])


def read_judgments(path: Path) -> pd.DataFrame:
    """Read ``topic``, ``document``, ``assessor`` and ``relevance``.

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
