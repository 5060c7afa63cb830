"""The retrieval systems that are run on the Cystic Fibrosis collection.

A family stands for what one research group sends in, its systems for the
group's runs: alike in kind, different in fields, stemming and parameters.
The parameters are customary values, chosen so that quality spreads.
"""

import functools

import retrieval as by

FIELDS = {
    "title": ["title"],
    "text": ["title", "abstract"],
    "mesh": ["mesh"],
    "all": ["title", "abstract", "mesh"],
}

# family-member -> scores, topics x documents, from a `Collection`
SYSTEMS = {
    "bm25-all": lambda c: by.bm25(c.index("all")),
    "bm25-text": lambda c: by.bm25(c.index("text")),
    "bm25-words": lambda c: by.bm25(c.index("text", stem=False)),
    "bm25-title": lambda c: by.bm25(c.index("title")),
    "bm25-plus": lambda c: by.bm25(c.index("all"), 2.0, 0.5, "bm25+"),
    "tfidf-all": lambda c: by.tfidf(c.index("all")),
    "tfidf-log": lambda c: by.tfidf(c.index("all"), sublinear=True),
    "tfidf-words": lambda c: by.tfidf(c.index("text", stem=False)),
    "tfidf-title": lambda c: by.tfidf(c.index("title", stem=False)),
    "tfidf-noidf": lambda c: by.tfidf(c.index("all"), idf=False),
    "lm-dirichlet": lambda c: by.dirichlet(c.index("all"), 500),
    "lm-smooth": lambda c: by.dirichlet(c.index("text"), 5000),
    "lm-words": lambda c: by.dirichlet(c.index("text", stem=False)),
    "lm-linear": lambda c: by.jelinek_mercer(c.index("all"), 0.3),
    "lm-title": lambda c: by.jelinek_mercer(c.index("title"), 0.7),
    "dfr-inl2": lambda c: by.inl2(c.index("all")),
    "dfr-pl2": lambda c: by.pl2(c.index("all")),
    "dfr-dph": lambda c: by.dph(c.index("text")),
    "dfr-mesh": lambda c: by.inl2(c.index("mesh")),
    "lsa-50": lambda c: by.lsa(c.index("all"), 50),
    "lsa-200": lambda c: by.lsa(c.index("all"), 200),
    "lsa-words": lambda c: by.lsa(c.index("text", stem=False), 100),
    "feedback-rm3": lambda c: by.relevance_model(
        c.index("all"), original=0.3
    ),
    "feedback-words": lambda c: by.relevance_model(
        c.index("text", stem=False)
    ),
    "feedback-rocchio": lambda c: by.rocchio(c.index("all")),
    "feedback-bo1": lambda c: by.bose_einstein(c.index("all")),
    "citation-only": lambda c: by.coupled(
        c.run("bm25-all"), c.references()
    ),
    "citation-bm25": lambda c: by.coupled(
        c.run("bm25-all"), c.references(), weight=0.5
    ),
    "citation-rm3": lambda c: by.coupled(
        c.run("feedback-rm3"), c.references(), weight=1.0
    ),
    "matching-all": lambda c: by.coordination(c.index("all")),
    "matching-mesh": lambda c: by.coordination(c.index("mesh")),
    "matching-title": lambda c: by.overlap(c.index("title")),
    "matching-and": lambda c: by.conjunction(c.index("text")),
    "fusion-rrf": lambda c: by.reciprocal_rank_fusion(
        c.runs("citation-rm3", "feedback-rocchio", "lsa-200")
    ),
    "fusion-sum": lambda c: by.combined(
        c.runs("tfidf-log", "lm-linear", "dfr-mesh")
    ),
    "fusion-mnz": lambda c: by.combined(
        c.runs("bm25-title", "lsa-50", "matching-mesh"),
        times_found=True,
    ),
}


class Collection:
    """Documents and topics, each index and each run made once."""

    def __init__(self, documents, topics):
        self.documents = documents
        self.topics = topics
        self.index = functools.cache(self._index)
        self.references = functools.cache(self._references)
        self.run = functools.cache(lambda system: SYSTEMS[system](self))

    def _index(self, fields, stem=True):
        texts = self.documents[FIELDS[fields]].agg(" ".join, axis="columns")
        return by.Index.of(
            tuple(by.words(text, stem) for text in texts),
            tuple(by.words(text, stem) for text in self.topics["text"]),
        )

    def _references(self):
        cited = tuple(
            text.split("|") if text else []
            for text in self.documents["references"]
        )
        return by.Index.of(cited, ())

    def runs(self, *systems):
        return [self.run(system) for system in systems]
