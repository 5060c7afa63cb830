"""Probabilities of relevance, with the systems as experts."""

import functools
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
import scipy

from gtlib import checks
from gtlib.checks import needed, one_of
from gtlib.runs import Pool

__all__ = ["ExpertModel"]

# The paper's model, or scikit-learn's logistic regression.
AGGREGATORS = ("experts", "logistic")
# Where probabilities of relevance come from; ``uniform`` is 1/2.
MODELS = ("uniform", *AGGREGATORS)

_FOLDS = 5
_TOLERANCE = 1e-16  # of a step's expected gain, relative to the likelihood
_MOST_STEPS = 100


def relevance_estimates(
    pool: Pool, judgments: pd.DataFrame, model: str
) -> pd.Series:
    """Estimate the probability of relevance of every pooled document.

    Parameters
    ----------
    pool : Pool
        The documents, with their ranks in every system.
    judgments : DataFrame
        Columns ``topic``, ``document``, ``relevance``.
    model : {"uniform", "experts", "logistic"}
        1/2 for every unjudged document, or an `ExpertModel`.

    Returns
    -------
    Series
        Indexed by topic and document; 0 or 1 where judged.

    Raises
    ------
    ValueError
        If the model is unknown.

    Examples
    --------
    >>> import gtlib as gt
    >>> from gtlib.experts import relevance_estimates
    >>> drawn = gt.synthetic_collection(systems=4, topics=3, documents=40)
    >>> pool = gt.pool_runs(drawn.runs)
    >>> estimates = relevance_estimates(pool, drawn.qrels.head(), "uniform")
    >>> sorted(set(estimates))
    [0.0, 0.5, 1.0]
    """
    one_of(model, "model", MODELS)
    if model == "uniform":
        return pool.labels(judgments, otherwise=0.5)
    return ExpertModel(model).fit(pool, judgments).predict()


class ExpertModel:
    """Probability of relevance of every pooled document.

    Parameters
    ----------
    aggregator : {"experts", "logistic"}
        The last step. ``experts`` is the paper's: no intercept and a Beta
        prior on each system's weight. ``logistic`` is scikit-learn's
        L2-regularised logistic regression, with an intercept, on the same
        opinions; it needs scikit-learn.

    Attributes
    ----------
    pool : Pool
    opinions : numpy.ndarray, shape (systems, documents)
        Each system's calibrated probability of relevance, q_ij.
    weights : Series
        Weight of each system in the aggregate (step 3), lambda_j; with
        ``logistic`` also the intercept.

    Notes
    -----
    1. In every topic rank r (and one level for "not retrieved") has a
       coefficient; the coefficients maximise the likelihood that each
       rank is preferred to every lower one, with the topic's judgments,
       and one more document of either kind, as the prior. q_r is its
       inverse logit.
    2. For every system a logistic regression of relevance on q_r over all
       topics gives q_ij; a document that was not retrieved has feature 0,
       and each ranked document is tried as relevant, then as not relevant.
    3. p_i = 1 / (1 + exp(-sum over j of lambda_j q_ij)), fitted on the
       judged documents; the mean of five fits, each without a fifth of
       them.

    The text of the paper that is openly preserved ends within its section
    3.2. It has equation 2, a Beta prior without its size, and opinions
    from pairwise preference that fall with rank and are zero for a
    document that was not retrieved. That zero is taken as the feature of
    step 2, which moves it. How step 2 is fitted and smoothed, the size of
    the prior and the folds are ours; chapter 16 of the book shows how much
    each decides.

    References
    ----------
    Carterette (2007), "Robust test collections for retrieval evaluation",
    section 3, equation 2.

    Examples
    --------
    >>> import gtlib as gt
    >>> drawn = gt.synthetic_collection(systems=4, topics=3, documents=40)
    >>> judged = drawn.qrels.iloc[::5]
    >>> p = gt.ExpertModel().fit(gt.pool_runs(drawn.runs), judged).predict()
    >>> bool(p.between(0, 1).all())
    True
    """

    def __init__(self, aggregator: str = "experts") -> None:
        one_of(aggregator, "aggregator", AGGREGATORS)
        self.aggregator = aggregator

    def fit(self, pool: Pool, judgments: pd.DataFrame) -> "ExpertModel":
        """Fit the three steps.

        Parameters
        ----------
        pool : Pool
            The documents, with their ranks in every system.
        judgments : DataFrame
            Columns ``topic``, ``document``, ``relevance``; may be empty.

        Returns
        -------
        ExpertModel
            Itself.

        Raises
        ------
        ValueError
            If the judgments are not right.
        RuntimeError
            If a fit does not converge; the message says how far it was.

        Examples
        --------
        >>> import gtlib as gt
        >>> drawn = gt.synthetic_collection(4, topics=3, documents=40)
        >>> pool, judged = gt.pool_runs(drawn.runs), drawn.qrels.iloc[::5]
        >>> model = gt.ExpertModel().fit(pool, judged)
        >>> model.weights.index.tolist() == pool.systems.tolist()
        True
        """
        checks.instance(pool, "pool", Pool, "pool_runs")
        self.pool = pool
        self._labels = pool.labels(judgments).to_numpy()
        counts = (
            np.bincount(pool.topic_of, self._labels == y) for y in (1, 0)
        )
        depth = int(pool.ranks[np.isfinite(pool.ranks)].max())
        self._calibrate(rank_opinions(depth, *counts))
        self._aggregate()
        return self

    def predict(self) -> pd.Series:
        """Estimate the probability of relevance of every pooled document.

        Returns
        -------
        Series
            Indexed by topic and document; 0 or 1 where judged.

        Examples
        --------
        >>> import gtlib as gt
        >>> drawn = gt.synthetic_collection(4, topics=3, documents=40)
        >>> pool, judged = gt.pool_runs(drawn.runs), drawn.qrels.iloc[::5]
        >>> model = gt.ExpertModel().fit(pool, judged)
        >>> p = model.predict()
        >>> bool(p.between(0, 1).all())
        True
        """
        known = self._labels
        p = np.where(np.isnan(known), self.estimates(), known)
        return pd.Series(p, self.pool.documents, name="p")

    def estimates(self) -> np.ndarray:
        """Estimate relevance from the systems alone, of all documents.

        Returns
        -------
        numpy.ndarray, shape (documents,)
            Probability of relevance of each pooled document.

        Examples
        --------
        >>> import gtlib as gt
        >>> drawn = gt.synthetic_collection(4, topics=3, documents=40)
        >>> pool, judged = gt.pool_runs(drawn.runs), drawn.qrels.iloc[::5]
        >>> model = gt.ExpertModel().fit(pool, judged)
        >>> p = model.estimates()
        >>> bool(((p > 0) & (p < 1)).all())
        True
        """
        intercept = self.weights.get("intercept", 0.0)
        slopes = self.weights.loc[self.pool.systems].to_numpy()
        return scipy.special.expit(intercept + slopes @ self.opinions)

    def _calibrate(self, levels):
        """Step 2; `levels` are the opinions by topic and rank."""
        ranks = self.pool.ranks
        lowest = levels.shape[1]
        level = np.where(np.isfinite(ranks), ranks, lowest).astype(int) - 1
        cells = self.pool.topic_of * lowest + level
        feature = levels.copy()
        feature[:, -1] = 0
        x = np.column_stack([np.ones(levels.size), feature.ravel()])

        def opinion(cell):
            # Each ranked document, and "not retrieved" in each topic, is
            # tried once as relevant and once as not.
            tried = np.zeros(len(x))
            tried[cell] = 1
            tried[lowest - 1 :: lowest] = 1
            relevant = np.bincount(cell, self._labels == 1, len(x))
            not_relevant = np.bincount(cell, self._labels == 0, len(x))
            hits = tried + relevant
            misses = tried + not_relevant
            line = logistic(x, hits, misses, "the systems' calibration")
            return scipy.special.expit(x[cell] @ line)

        self.opinions = np.array([opinion(cell) for cell in cells])

    def _aggregate(self):
        """Step 3."""
        judged = np.flatnonzero(~np.isnan(self._labels))
        x = self.opinions[:, judged].T
        y = self._labels[judged]
        if self.aggregator == "logistic":
            names = ["intercept", *self.pool.systems]
            fit = _logistic_weights
        else:
            names = [*self.pool.systems]
            fit = _expert_weights
        fold = np.arange(len(judged)) % _FOLDS
        weights = [fit(x[fold != k], y[fold != k]) for k in range(_FOLDS)]
        index = pd.Index(names, name="system")
        self.weights = pd.Series(np.mean(weights, axis=0), index)


def _expert_weights(x, y):
    """Estimate weights a posteriori; the prior is one hit and one miss of
    each system."""
    systems = x.shape[1]
    rows = np.vstack([x, np.eye(systems)])
    hits = np.r_[y, np.ones(systems)]
    misses = np.r_[1 - y, np.ones(systems)]
    return logistic(rows, hits, misses, "the experts' weights")


def _logistic_weights(x, y):
    if len(np.unique(y)) < 2:
        share = (y.sum() + 1) / (len(y) + 2)
        return np.r_[np.log(share / (1 - share)), np.zeros(x.shape[1])]
    linear = needed(
        "sklearn.linear_model", "The aggregator 'logistic'", "chapters"
    )
    model = linear.LogisticRegression(solver="newton-cholesky").fit(x, y)
    return np.r_[model.intercept_, model.coef_[0]]


def rank_opinions(
    depth: int, relevant: Iterable[float], not_relevant: Iterable[float]
) -> np.ndarray:
    """Estimate what a rank says about relevance, topic by topic (step 1).

    The coefficients theta of the levels 1 .. depth and of "not retrieved"
    maximise ::

        sum over r < s of log sigma(theta_r - theta_s)
        + sum over r of (1 + relevant) log sigma(theta_r)
                      + (1 + not_relevant) log sigma(-theta_r)

    (pairwise preference, Carterette & Petkova 2006), and the opinion is
    sigma(theta_r). Its mean over the levels is
    (1 + relevant) / (2 + relevant + not_relevant).

    Parameters
    ----------
    depth : int
        Length of the runs.
    relevant, not_relevant : iterable of float, a number per topic
        Judged documents of each topic.

    Returns
    -------
    numpy.ndarray, shape (topics, depth + 1)
        The last column is "not retrieved".

    Raises
    ------
    RuntimeError
        If Newton's method does not converge.

    Examples
    --------
    >>> from gtlib.experts import rank_opinions
    >>> rank_opinions(4, [0], [0]).round(3).tolist()
    [[0.818, 0.665, 0.5, 0.335, 0.182]]
    """
    counts = zip(relevant, not_relevant, strict=True)
    theta = [_rank_coefficients(depth + 1, *count) for count in counts]
    return scipy.special.expit(theta)


@functools.lru_cache(maxsize=1024)
def _rank_coefficients(levels, relevant, not_relevant):
    """Fit the theta of a topic; topics and fits often share counts."""
    hits = 1 + relevant
    total = 2 + relevant + not_relevant
    wins = np.arange(levels)[::-1]  # level r is preferred to so many

    def value(theta):
        lost = np.triu(np.logaddexp(0, theta - theta[:, None]), 1).sum()
        return np.sum(hits * theta - total * np.logaddexp(0, theta)) - lost

    def slope(theta):
        beats = scipy.special.expit(theta[:, None] - theta)
        own = scipy.special.expit(theta)
        gradient = wins - (beats.sum(axis=1) - 0.5) + hits - total * own
        curve = beats * (1 - beats)
        np.fill_diagonal(curve, 0)
        diagonal = curve.sum(axis=1) + total * own * (1 - own)
        return gradient, np.diag(diagonal) - curve

    start = np.linspace(1, -1, levels)
    return maximise(start, value, slope, "the rank coefficients")


def logistic(
    x: np.ndarray, hits: np.ndarray, misses: np.ndarray, what: str
) -> np.ndarray:
    """Fit the weights of a logistic regression, by maximum likelihood.

    Parameters
    ----------
    x : numpy.ndarray, shape (cells, k)
        Explanatory variables of each cell.
    hits, misses : numpy.ndarray, shape (cells,)
        Weight of y = 1 and of y = 0 in each cell.
    what : str
        Named if it does not converge.

    Returns
    -------
    numpy.ndarray, shape (k,)
        The weight of each variable.

    Raises
    ------
    RuntimeError
        If Newton's method does not converge.

    Examples
    --------
    >>> import numpy as np
    >>> from gtlib.experts import logistic
    >>> x = np.array([[1, 0], [1, 1]])
    >>> weights = logistic(x, np.array([1, 3]), np.array([3, 1]), "x")
    >>> (weights / np.log(3)).round(6).tolist()
    [-1.0, 2.0]
    """
    total = hits + misses

    def value(weights):
        z = x @ weights
        return hits @ z - total @ np.logaddexp(0, z)

    def slope(weights):
        fitted = scipy.special.expit(x @ weights)
        curve = (x.T * (total * fitted * (1 - fitted))) @ x
        return (hits - total * fitted) @ x, curve

    return maximise(np.zeros(x.shape[1]), value, slope, what)


def maximise(
    x: np.ndarray,
    value: Callable[[np.ndarray], float],
    slope: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    what: str,
) -> np.ndarray:
    """Find where a concave function is highest, by Newton's method."""
    current = value(x)
    for _ in range(_MOST_STEPS):
        gradient, curve = slope(x)
        step = np.linalg.solve(curve, gradient)
        if gradient @ step <= _TOLERANCE * (1 + abs(current)):
            return x + step
        size = 1.0
        least = current - 1e-12 * (1 + abs(current))
        candidate = value(x + step)
        while candidate < least and size > 1e-6:
            size /= 2
            candidate = value(x + size * step)
        x = x + size * step
        current = candidate
    raise RuntimeError(
        f"{what} did not converge in {_MOST_STEPS} Newton steps: the "
        f"gradient is still {np.abs(gradient).max():.2g}. Are the counts "
        "of judgments finite and the prior above 0?"
    )
