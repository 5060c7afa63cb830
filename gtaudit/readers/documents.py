"""Runs and judgments as JSON: documents, with a number each, by topic.

``{"q1": {"doc7": 14.2}}`` are those of ranx and pytrec_eval, also where a
document is one of several topics. ``{"bm25": {"q1": 0.3}}`` are scores.

https://amenra.github.io/ranx, https://github.com/cvangysel/pytrec_eval
"""

import re
from collections.abc import Mapping

from gtaudit.words import are_known_systems, is_numbered, role_of_numbered
from gtlib.checks import list_some

# Names of documents, and names that may be theirs: they have several
# numbers, as FR940104-0-00001 has.
_DOCUMENT = r"(?i)(d|docs?|docid|document|passage|msmarco\w*|clueweb)[\W_]*"
_DOCUMENT += r"\d[\w.:-]*"
_PERHAPS = r"(?i)[a-z_.-]*\d+([-_.:]+[a-z]*\d+){1,4}"
# The grades of judgments, of which there are few.
_GRADES = {-2, -1, 0, 1, 2, 3, 4}
# The least documents by which a file is told, and the share of those of two
# topics with which they are of a run, and with which they may be.
_FEW, _SHARED, _CROSSED = 4, 0.25, 0.75


def kind_of_documents(by_topic: Mapping[str, object]) -> str:
    """Return ``run`` or ``judgments``, if the objects in an object hold
    numbers of documents; else nothing.

    Hardly any document is one of two topics; or topics are numbered, and
    documents are called so, or are not the same of each. They are judged
    where grades are few whole numbers, and one is given twice.

    Examples
    --------
    >>> kind_of_documents({"q1": {"d3": 9.1, "d4": 8}, "q2": {"d3": 7.5,
    ... "d9": 7}}), kind_of_documents({"q1": {"d3": 1, "d4": 0, "d5": 0},
    ... "q2": {"d3": 0, "d9": 2}})
    ('run', 'judgments')
    >>> kind_of_documents({"bm25": {"q1": 0.5, "q2": 0}, "lm": {"q1": 1,
    ... "q2": 0.3}})
    ''
    """
    rows = [row for row in by_topic.values() if isinstance(row, dict)]
    cells = [cell for row in rows for cell in row.items()]
    values = [value for _, value in cells]
    names = {name for name, _ in cells}
    if len(rows) < max(2, len(by_topic)) or len(cells) < _FEW:
        return ""
    if any(not isinstance(v, int | float) or v is True for v in values):
        return ""
    apart = len(names) >= len(cells) * (1 - _SHARED)
    topics = role_of_numbered(by_topic) == "topic"
    called = all(re.fullmatch(_DOCUMENT, name) for name in names)
    uneven = len(cells) < _CROSSED * len(rows) * len(names)
    systems = are_known_systems(names) or role_of_numbered(names)
    perhaps = all(re.fullmatch(_PERHAPS, name) for name in names)
    numbered = is_numbered(names) or perhaps
    found = topics and (called or (uneven and numbered))
    if not (apart or found) or systems in (True, "system"):
        return ""
    again = any(len({*row.values()}) < len(row) for row in rows)
    alone = all(len(row) < 2 for row in rows)
    graded = {*values} <= _GRADES and (again or alone or not apart)
    return "judgments" if graded else "run"


def documents_sentence(
    source: object, by_topic: Mapping[str, Mapping], kind: str
) -> str:
    """Say what a run is, or judgments are, and what to do with it."""
    names = dict.fromkeys(n for row in by_topic.values() for n in row)
    some = list_some(names, 3)
    if kind == "run":
        return (
            f"{source} reads like a run, the documents that a system found "
            f"for each topic ({some}), and not like scores: write it as "
            "TREC has runs (topic Q0 document rank score system), and give "
            "it with --runs, and judgments with --qrels."
        )
    return (
        f"{source} reads like judgments, how relevant documents are to "
        f"each topic ({some}), and not like scores: write them as TREC has "
        "qrels (topic 0 document grade), and give them with --qrels, and "
        "runs with --runs."
    )
