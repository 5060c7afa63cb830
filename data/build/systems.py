"""The retrieval systems that are run on the Cystic Fibrosis collection.

A family stands for what one research group sends in, its systems for the
group's runs: alike in kind, different in fields, stemming and parameters.
The parameters are customary values, chosen so that quality spreads.
"""

import functools

from retrieval import (
    Index,
    bm25,
    bose_einstein,
    combined,
    conjunction,
    coordination,
    coupled,
    dirichlet,
    dph,
    inl2,
    jelinek_mercer,
    lsa,
    overlap,
    pl2,
    reciprocal_rank_fusion,
    relevance_model,
    rocchio,
    tfidf,
    words,
)

FIELDS = {
    "title": ["title"],
    "text": ["title", "abstract"],
    "mesh": ["mesh"],
    "all": ["title", "abstract", "mesh"],
}

# family -> system -> scores, topics x documents, from a `Collection`
FAMILIES = {
    "bm25": {
        "bm25-all": lambda c: bm25(c.index("all")),
        "bm25-text": lambda c: bm25(c.index("text")),
        "bm25-words": lambda c: bm25(c.index("text", stem=False)),
        "bm25-title": lambda c: bm25(c.index("title")),
        "bm25-plus": lambda c: bm25(c.index("all"), 2.0, 0.5, "bm25+"),
    },
    "tfidf": {
        "tfidf-all": lambda c: tfidf(c.index("all")),
        "tfidf-log": lambda c: tfidf(c.index("all"), sublinear=True),
        "tfidf-words": lambda c: tfidf(c.index("text", stem=False)),
        "tfidf-title": lambda c: tfidf(c.index("title", stem=False)),
        "tfidf-noidf": lambda c: tfidf(c.index("all"), idf=False),
    },
    "lm": {
        "lm-dirichlet": lambda c: dirichlet(c.index("all"), 500),
        "lm-smooth": lambda c: dirichlet(c.index("text"), 5000),
        "lm-words": lambda c: dirichlet(c.index("text", stem=False)),
        "lm-linear": lambda c: jelinek_mercer(c.index("all"), 0.3),
        "lm-title": lambda c: jelinek_mercer(c.index("title"), 0.7),
    },
    "dfr": {
        "dfr-inl2": lambda c: inl2(c.index("all")),
        "dfr-pl2": lambda c: pl2(c.index("all")),
        "dfr-dph": lambda c: dph(c.index("text")),
        "dfr-mesh": lambda c: inl2(c.index("mesh")),
    },
    "lsa": {
        "lsa-50": lambda c: lsa(c.index("all"), 50),
        "lsa-200": lambda c: lsa(c.index("all"), 200),
        "lsa-words": lambda c: lsa(c.index("text", stem=False), 100),
    },
    "feedback": {
        "feedback-rm3": lambda c: relevance_model(
            c.index("all"), original=0.3
        ),
        "feedback-words": lambda c: relevance_model(
            c.index("text", stem=False)
        ),
        "feedback-rocchio": lambda c: rocchio(c.index("all")),
        "feedback-bo1": lambda c: bose_einstein(c.index("all")),
    },
    "citation": {
        "citation-only": lambda c: coupled(
            c.run("bm25", "bm25-all"), c.references()
        ),
        "citation-bm25": lambda c: coupled(
            c.run("bm25", "bm25-all"), c.references(), weight=0.5
        ),
        "citation-rm3": lambda c: coupled(
            c.run("feedback", "feedback-rm3"), c.references(), weight=1.0
        ),
    },
    "matching": {
        "matching-all": lambda c: coordination(c.index("all")),
        "matching-mesh": lambda c: coordination(c.index("mesh")),
        "matching-title": lambda c: overlap(c.index("title")),
        "matching-and": lambda c: conjunction(c.index("text")),
    },
    "fusion": {
        "fusion-rrf": lambda c: reciprocal_rank_fusion(
            [
                c.run("citation", "citation-rm3"),
                c.run("feedback", "feedback-rocchio"),
                c.run("lsa", "lsa-200"),
            ]
        ),
        "fusion-sum": lambda c: combined(
            [
                c.run("tfidf", "tfidf-log"),
                c.run("lm", "lm-linear"),
                c.run("dfr", "dfr-mesh"),
            ]
        ),
        "fusion-mnz": lambda c: combined(
            [
                c.run("bm25", "bm25-title"),
                c.run("lsa", "lsa-50"),
                c.run("matching", "matching-mesh"),
            ],
            times_found=True,
        ),
    },
}


class Collection:
    """Documents and topics, each index and each run made once."""

    def __init__(self, documents, topics):
        self.documents = documents
        self.topics = topics
        self.index = functools.cache(self._index)
        self.references = functools.cache(self._references)
        self.run = functools.cache(self._run)

    def _index(self, fields, stem=True):
        texts = self.documents[FIELDS[fields]].agg(" ".join, axis="columns")
        return Index.of(
            tuple(words(text, stem) for text in texts),
            tuple(words(text, stem) for text in self.topics["text"]),
        )

    def _references(self):
        cited = tuple(
            text.split("|") if text else []
            for text in self.documents["references"]
        )
        return Index.of(cited, ())

    def _run(self, family, system):
        return FAMILIES[family][system](self)
