"""Retrieval models over a small collection, as arrays topics x documents.

Every model takes an `Index` and returns one score per topic and document;
minus infinity marks what the model does not retrieve.
"""

import re
from dataclasses import dataclass

import bm25s
import numpy as np
import Stemmer
from bm25s.stopwords import STOPWORDS_EN_PLUS
from scipy import sparse
from scipy.stats import rankdata
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
)
from sklearn.preprocessing import normalize

_STEMMER = Stemmer.Stemmer("english")
_STOP = frozenset(STOPWORDS_EN_PLUS)


def words(text, stem=True):
    """Lower-case words of two characters or more, without stop words."""
    found = re.findall(r"[a-z0-9]{2,}", text.lower())
    found = [word for word in found if word not in _STOP]
    return _STEMMER.stemWords(found) if stem else found


@dataclass(frozen=True)
class Index:
    """Term counts of documents and topics over one vocabulary."""

    documents: sparse.csr_array  # documents x terms
    topics: sparse.csr_array  # topics x terms
    tokens: tuple  # of each document
    questions: tuple  # tokens of each topic

    @classmethod
    def of(cls, tokens, questions):
        """The index of tokenised documents and topics."""
        counter = CountVectorizer(analyzer=list, dtype=float).fit(tokens)
        counts = map(counter.transform, (tokens, questions))
        return cls(*map(sparse.csr_array, counts), tokens, questions)

    @property
    def lengths(self):
        return self.documents.sum(axis=1)

    @property
    def collection(self):
        """Share of each term in all of the text."""
        totals = self.documents.sum(axis=0)
        return totals / totals.sum()

    @property
    def frequency(self):
        """Number of documents that hold each term."""
        return (self.documents > 0).sum(axis=0)


def _weighted(index, weight, queries=None, offset=0.0):
    """Sum of weight(count, term, document) over the terms of a topic.

    Documents that hold no term of the topic are not retrieved.
    """
    queries = index.topics if queries is None else queries
    counts = index.documents.tocoo()
    document, term = counts.coords
    values = weight(counts.data, term, document)
    weights = sparse.csr_array((values, (document, term)), counts.shape)
    scores = (queries @ weights.T).toarray() + offset
    return np.where(_common(queries, index.documents), scores, -np.inf)


def _common(queries, documents):
    """The number of different terms that both hold, topics x documents."""
    return ((queries != 0).astype(float) @ (documents > 0).T).toarray()


def _positive(scores):
    """Scores, and minus infinity where they are zero or less."""
    return np.where(scores > 0, scores, -np.inf)


def bm25(index, k1=1.2, b=0.75, method="lucene"):
    """Okapi BM25 and its variants, by the library bm25s."""
    engine = bm25s.BM25(k1=k1, b=b, method=method)
    engine.index(list(index.tokens), show_progress=False)
    questions = (
        [word for word in question if word in engine.vocab_dict]
        for question in index.questions
    )
    scores = [engine.get_scores(question) for question in questions]
    return _positive(np.array(scores, dtype=float))


def tfidf(index, sublinear=False, idf=True):
    """Cosine of tf-idf vectors."""
    vectors, queries = _tfidf(index, sublinear, idf)
    return _positive((queries @ vectors.T).toarray())


def _tfidf(index, sublinear=False, idf=True):
    weigh = TfidfTransformer(sublinear_tf=sublinear, use_idf=idf)
    vectors = weigh.fit_transform(index.documents)
    return vectors, weigh.transform(index.topics)


def lsa(index, dimensions):
    """Cosine in the space of the first singular vectors of tf-idf."""
    vectors, queries = _tfidf(index, sublinear=True)
    svd = TruncatedSVD(dimensions, algorithm="arpack", random_state=0)
    documents = normalize(svd.fit_transform(vectors))
    return normalize(svd.transform(queries)) @ documents.T


def dirichlet(index, mu=1000, queries=None):
    """Query likelihood, Dirichlet smoothing (Zhai & Lafferty 2004)."""
    queries = index.topics if queries is None else queries
    share, lengths = index.collection, index.lengths
    norm = np.outer(queries.sum(axis=1), np.log(mu / (lengths + mu)))
    return _weighted(
        index,
        lambda count, term, _: np.log1p(count / (mu * share[term])),
        queries,
        norm,
    )


def jelinek_mercer(index, background=0.5):
    """Query likelihood, linear smoothing with the collection's model."""
    share, lengths = index.collection, index.lengths
    odds = (1 - background) / background
    return _weighted(
        index,
        lambda count, term, document: np.log1p(
            odds * count / lengths[document] / share[term]
        ),
    )


def pl2(index, c=1.0):
    """Divergence from randomness: Poisson, Laplace, normalisation 2."""
    rate = index.documents.sum(axis=0) / index.documents.shape[0]
    return _weighted(
        index,
        lambda count, term, document: _poisson(
            _normalised(index, count, document, c), rate[term]
        ),
    )


def _poisson(tf, rate):
    bits = (
        tf * np.log2(tf / rate)
        + (rate - tf) * np.log2(np.e)
        + 0.5 * np.log2(2 * np.pi * tf)
    )
    return bits / (tf + 1)


def inl2(index, c=1.0, queries=None):
    """Divergence from randomness: inverse document frequency, Laplace,
    normalisation 2."""
    documents = index.documents.shape[0]
    idf = np.log2((documents + 1) / (index.frequency + 0.5))

    def weight(count, term, document):
        tf = _normalised(index, count, document, c)
        return tf / (tf + 1) * idf[term]

    return _weighted(index, weight, queries)


def dph(index):
    """The parameter-free hypergeometric model DPH."""
    lengths, totals = index.lengths, index.documents.sum(axis=0)
    mean, documents = lengths.mean(), index.documents.shape[0]

    def weight(count, term, document):
        share = np.minimum(count / lengths[document], 1 - 1e-9)
        expected = count * mean / lengths[document] * documents
        bits = count * np.log2(expected / totals[term])
        bits += 0.5 * np.log2(2 * np.pi * count * (1 - share))
        return (1 - share) ** 2 / (count + 1) * bits

    return _weighted(index, weight)


def _normalised(index, count, document, c):
    lengths = index.lengths
    return count * np.log2(1 + c * lengths.mean() / lengths[document])


def coordination(index):
    """How many different words of the topic a document holds."""
    return _positive(_common(index.topics, index.documents))


def overlap(index):
    """Common words as a share of all words of topic and document."""
    common = _common(index.topics, index.documents)
    size = [(m > 0).sum(axis=1) for m in (index.topics, index.documents)]
    return _positive(common / (np.add.outer(*size) - common))


def conjunction(index, enough=10):
    """Boolean: a searcher joins the topic's words by AND, the rarest
    first, for as long as enough documents stay; longest document first."""
    holds, frequency = (index.documents > 0).toarray(), index.frequency
    scores = np.full((len(index.questions), len(holds)), -np.inf)
    for row in range(len(scores)):
        terms = index.topics[[row]].indices
        stay = np.ones(len(holds), dtype=bool)
        for term in sorted(terms, key=frequency.item):
            if (stay & holds[:, term]).sum() >= enough:
                stay &= holds[:, term]
        scores[row] = np.where(stay, index.lengths, -np.inf)
    return scores


def relevance_model(index, documents=10, terms=40, original=0.5, mu=1000):
    """RM3: the topic's model mixed with that of its best documents."""
    first = dirichlet(index, mu)
    likelihood = np.exp(first - first.max(axis=1, keepdims=True))
    share = sparse.diags_array(1 / index.lengths) @ index.documents
    model = _best(likelihood, first, documents) @ share
    expanded = normalize(_largest(model, terms), norm="l1") * (1 - original)
    asked = normalize(index.topics, norm="l1") * original
    return dirichlet(index, mu, sparse.csr_array(asked + expanded))


def rocchio(index, documents=10, terms=40, beta=0.75):
    """Rocchio's feedback from the best documents of the tf-idf cosine."""
    vectors, queries = _tfidf(index, sublinear=True)
    first = (queries @ vectors.T).toarray()
    best = _best(np.ones_like(first), first, documents)
    queries = queries + beta * _largest(best @ vectors, terms)
    return _positive((normalize(queries) @ vectors.T).toarray())


def bose_einstein(index, documents=5, terms=30, beta=0.6):
    """InL2 with the query expansion Bo1 (Amati 2003)."""
    first = inl2(index)
    chosen = _best(np.ones_like(first), first, documents) * documents
    counts = (chosen @ index.documents).tocoo()
    rate = index.documents.sum(axis=0) / index.documents.shape[0]
    expected = rate[counts.coords[1]]
    bits = counts.data * np.log2((1 + expected) / expected)
    bits += np.log2(1 + expected)
    gain = sparse.csr_array((bits, counts.coords), counts.shape)
    expanded = normalize(_largest(gain, terms), norm="max") * beta
    asked = normalize(index.topics, norm="max")
    return inl2(index, queries=sparse.csr_array(asked + expanded))


def _best(weights, scores, n):
    """Weights of each topic's n best documents, adding up to one."""
    return normalize(_kept(weights, scores, n), norm="l1")


def _largest(rows, n):
    """The n largest entries of each row."""
    dense = rows.toarray()
    return _kept(dense, dense, n)


def _kept(values, scores, n):
    """Of each row the values with the n highest scores, else zero."""
    rank = _ranks(scores)
    return sparse.csr_array(np.where(rank <= n, values, 0))


def _ranks(scores):
    """Ranks in each row from 1; scores that agree to nine decimals are
    ties, and go to the earlier column."""
    return rankdata(-np.round(scores, 9), method="ordinal", axis=1)


def coupled(first, references, documents=10, weight=None):
    """Bibliographic coupling (Kessler 1963): documents that cite what the
    best documents of a first run cite.

    `references` is an Index of cited papers. With a `weight` the cosine
    is added to the first run's scores, brought to 0-1; without, it
    stands alone.
    """
    vectors = TfidfTransformer().fit_transform(references.documents)
    best = _best(np.ones_like(first), first, documents)
    scores = (normalize(best @ vectors) @ vectors.T).toarray()
    if weight is None:
        return _positive(scores)
    return _unit(first) + weight * scores


def _unit(scores):
    """Scores brought to 0-1 in each topic; 0 where nothing was found."""
    seen = np.isfinite(scores)
    low = np.where(seen, scores, np.inf).min(axis=1, keepdims=True)
    width = scores.max(axis=1, keepdims=True) - low
    return np.where(seen, scores - low, 0) / np.where(width > 0, width, 1)


def reciprocal_rank_fusion(runs, k=60, depth=100):
    """Sum of 1 / (k + rank) (Cormack, Clarke & Buettcher 2009)."""
    total = np.zeros_like(runs[0])
    for scores in runs:
        ranks = _ranks(scores)
        seen = (ranks <= depth) & np.isfinite(scores)
        total += np.where(seen, 1 / (k + ranks), 0)
    return _positive(total)


def combined(runs, times_found=False):
    """CombSUM, or CombMNZ (Fox & Shaw 1994), of scores brought to 0-1."""
    total = sum(_unit(scores) for scores in runs)
    found = sum(np.isfinite(scores) for scores in runs)
    total = total * found if times_found else total
    return np.where(found > 0, total, -np.inf)
