"""Relevance of unjudged documents, from the systems' opinions.

Carterette (2007), section 3: every system is an expert that gives its
opinion on each document by ranking it. The opinions are calibrated on the
judged documents and aggregated into a probability of relevance.
"""

import numpy as np
import pandas as pd
from scipy.special import expit

from gtlib.pool import Pool, pool_runs

AGGREGATORS = ("experts", "logistic")
"""The paper's model, or scikit-learn's logistic regression."""

_TOLERANCE = 1e-10
_MOST_STEPS = 100


class ExpertModel:
    """Probability of relevance of every pooled document.

    Parameters
    ----------
    aggregator : {"experts", "logistic"}
        The last step. ``experts`` is the paper's: no intercept and a Beta
        prior on each system's weight. ``logistic`` is scikit-learn's
        L2-regularised logistic regression, with an intercept, on the same
        opinions; it needs scikit-learn.
    folds : int
        The weights are averaged over so many fits, each without one fold
        of the judged documents.
    alpha, beta : float
        The Beta prior of a rank's opinion: so many relevant and not
        relevant documents are assumed before the first judgment.

    Attributes
    ----------
    pool : Pool
    opinions : numpy.ndarray, shape (systems, documents)
        Each system's calibrated probability of relevance, q_ij.
    calibration : DataFrame
        Intercept and slope of each system's calibration (step 2).
    weights : Series
        Weight of each system in the aggregate (step 3), lambda_j; with
        ``logistic`` also the intercept.

    Notes
    -----
    1. In every topic rank r (and one level for "not retrieved") has a
       coefficient; the coefficients maximise the likelihood that each
       rank is preferred to every lower one, with the topic's judgments as
       the prior. q_r is its inverse logit.
    2. For every system a logistic regression of relevance on q_r over all
       topics gives q_ij; a document that was not retrieved has feature 0,
       and every (topic, rank) counts once as relevant and once as not.
    3. p_i = 1 / (1 + exp(-sum over j of lambda_j q_ij)), fitted on the
       judged documents.

    The text of the paper that is openly preserved ends within its section
    3.2; where it is silent (folds, unretrieved documents) the choices are
    ours.

    References
    ----------
    Carterette (2007), "Robust test collections for retrieval evaluation",
    section 3, equation 2.

    Examples
    --------
    >>> from gtlib.simulate import synthetic_collection
    >>> drawn = synthetic_collection(systems=4, topics=3, documents=40)
    >>> judged = drawn.qrels.iloc[::5]
    >>> p = ExpertModel().fit(drawn.runs, judged).predict()
    >>> bool(p.between(0, 1).all())
    True
    """

    def __init__(self, aggregator="experts", folds=5, alpha=1.0, beta=1.0):
        if aggregator not in AGGREGATORS:
            raise ValueError(
                f"aggregator is one of {AGGREGATORS}, not {aggregator!r}."
            )
        if folds < 2:
            raise ValueError(f"folds is {folds}; it must be 2 or more.")
        if alpha <= 0 or beta <= 0:
            raise ValueError("alpha and beta must be above 0.")
        self.aggregator = aggregator
        self.folds = folds
        self.alpha = alpha
        self.beta = beta

    def fit(self, runs, judgments):
        """Fit the three steps.

        Parameters
        ----------
        runs : Pool or DataFrame
            As `pool_runs` takes them.
        judgments : DataFrame
            Columns ``topic``, ``document``, ``relevance``; may be empty.

        Returns
        -------
        ExpertModel
            Itself.

        Raises
        ------
        ValueError
            If runs or judgments are not right.
        RuntimeError
            If a fit does not converge; the message says how far it was.
        """
        self.pool = runs if isinstance(runs, Pool) else pool_runs(runs)
        self._labels = self.pool.labels(judgments).to_numpy()
        levels = rank_opinions(
            self._depth(), *self._counts(), self.alpha, self.beta
        )
        self._calibrate(levels)
        self._aggregate()
        return self

    def predict(self):
        """Probability of relevance of every pooled document.

        Returns
        -------
        Series
            Indexed by topic and document; 0 or 1 where judged.
        """
        p = self.estimates()
        judged = ~np.isnan(self._labels)
        p[judged] = self._labels[judged]
        return pd.Series(p, self.pool.documents, name="p")

    def estimates(self):
        """What the systems alone say, for judged documents too.

        Returns
        -------
        numpy.ndarray, shape (documents,)
        """
        intercept = self.weights.get("intercept", 0.0)
        slopes = self.weights.loc[self.pool.systems].to_numpy()
        return expit(intercept + slopes @ self.opinions)

    def _depth(self):
        ranks = self.pool.ranks
        return int(ranks[np.isfinite(ranks)].max())

    def _counts(self):
        """Judged relevant and not relevant documents of every topic."""
        topic, size = self.pool.topic_of, len(self.pool.topics)
        return [
            np.bincount(topic[self._labels == y], minlength=size)
            for y in (1, 0)
        ]

    def _calibrate(self, levels):
        """Step 2; `levels` are the opinions by topic and rank."""
        pool, depth = self.pool, levels.shape[1] - 1
        ranks = np.where(np.isfinite(pool.ranks), pool.ranks, depth + 1)
        level = ranks.astype(int) - 1
        features = levels.copy()
        features[:, -1] = 0
        cell = pool.topic_of * (depth + 1) + level
        shape = (len(pool.systems), features.size)
        exists = np.zeros(shape)
        np.put_along_axis(exists, cell, 1, axis=1)
        exists[:, depth :: depth + 1] = 1
        weight = []
        for y in (0, 1):
            told = np.flatnonzero(self._labels == y)
            count = [
                np.bincount(row[told], minlength=features.size)
                for row in cell
            ]
            weight.append(exists + count)
        line = logistic_lines(features.ravel(), *weight)
        self.calibration = pd.DataFrame(
            line, pool.systems, columns=["intercept", "slope"]
        )
        f = np.take_along_axis(features[pool.topic_of], level.T, axis=1).T
        self.opinions = expit(line[:, :1] + line[:, 1:] * f)

    def _aggregate(self):
        """Step 3."""
        told = np.flatnonzero(~np.isnan(self._labels))
        x, y = self.opinions[:, told].T, self._labels[told]
        names = [*self.pool.systems]
        if self.aggregator == "logistic":
            names = ["intercept", *names]
        fold = np.arange(len(told)) % self.folds
        fit = {"experts": _expert_weights, "logistic": _logistic_weights}[
            self.aggregator
        ]
        weights = [
            fit(x[fold != k], y[fold != k]) for k in range(self.folds)
        ]
        self.weights = pd.Series(
            np.mean(weights, axis=0), pd.Index(names, name="system")
        )


def rank_opinions(depth, relevant, not_relevant, alpha=1.0, beta=1.0):
    """Step 1: what a rank says about relevance, topic by topic.

    The coefficients theta of the levels 1 .. depth and of "not retrieved"
    maximise

        sum over r < s of log sigma(theta_r - theta_s)
        + sum over r of (alpha + relevant) log sigma(theta_r)
                      + (beta + not_relevant) log sigma(-theta_r)

    (pairwise preference, Carterette & Petkova 2006), and the opinion is
    sigma(theta_r). Its mean over the levels is
    (alpha + relevant) / (alpha + beta + relevant + not_relevant).

    Parameters
    ----------
    depth : int
        Length of the runs.
    relevant, not_relevant : array_like of int, shape (topics,)
        Judged documents of each topic.
    alpha, beta : float

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
    >>> rank_opinions(4, [0], [0]).round(3).tolist()
    [[0.818, 0.665, 0.5, 0.335, 0.182]]
    """
    counts = np.column_stack([relevant, not_relevant])
    cases, place = np.unique(counts, axis=0, return_inverse=True)
    theta, opinions = None, np.empty((len(cases), depth + 1))
    for k, (hits, misses) in enumerate(cases):
        theta = _rank_coefficients(
            depth + 1, alpha + hits, beta + misses, theta
        )
        opinions[k] = expit(theta)
    return opinions[place.ravel()]


def _rank_coefficients(levels, hits, misses, start):
    """Newton's method with step halving; the likelihood is concave."""
    theta = np.linspace(1, -1, levels) if start is None else start
    wins = np.arange(levels)[::-1]  # level r is preferred to so many

    def value(theta):
        gaps = theta[:, None] - theta
        upper = np.triu(np.logaddexp(0, -gaps), 1).sum()
        own = hits * np.logaddexp(0, -theta)
        return -(upper + np.sum(own + misses * np.logaddexp(0, theta)))

    def slope(theta):
        beats = expit(theta[:, None] - theta)
        own = expit(theta)
        gradient = wins - (beats.sum(axis=1) - 0.5)
        gradient += hits - (hits + misses) * own
        curve = beats * (1 - beats)
        np.fill_diagonal(curve, 0)
        total = curve.sum(axis=1) + (hits + misses) * own * (1 - own)
        return gradient, np.diag(total) - curve

    return maximised(theta, value, slope, "the rank coefficients")


def logistic_lines(x, misses, hits):
    """Step 2: many weighted logistic regressions on one feature at once.

    Parameters
    ----------
    x : numpy.ndarray, shape (cells,)
    misses, hits : numpy.ndarray, shape (systems, cells)
        Weight of y = 0 and of y = 1 in each cell.

    Returns
    -------
    numpy.ndarray, shape (systems, 2)
        Intercepts and slopes.

    Raises
    ------
    RuntimeError
        If Newton's method does not converge.

    Examples
    --------
    >>> x = np.array([0.0, 1.0])
    >>> line = logistic_lines(x, np.array([[3, 1]]), np.array([[1, 3]]))
    >>> (line / np.log(3)).round(6).tolist()
    [[-1.0, 2.0]]
    """
    both = np.column_stack([np.ones_like(x), x])
    total = misses + hits
    moments = np.column_stack([both, x**2])

    def value(line):
        z = line @ both.T
        return np.sum(hits * z - total * np.logaddexp(0, z), axis=1)

    def slope(line):
        fitted = expit(line @ both.T)
        gradient = (hits - total * fitted) @ both
        a, b, c = ((total * fitted * (1 - fitted)) @ moments).T
        curve = np.stack([np.stack([a, b], -1), np.stack([b, c], -1)], -2)
        return gradient, curve

    start = np.zeros((len(hits), 2))
    return maximised(start, value, slope, "the systems' calibration")


def maximised(x, value, slope, what):
    """Maximise concave functions by Newton's method, all at once.

    Parameters
    ----------
    x : numpy.ndarray, shape (..., k)
        Where to start.
    value, slope : callable
        Give the value, and gradient and negative Hessian.
    what : str
        Named if it does not converge.
    """
    now = value(x)
    for _ in range(_MOST_STEPS):
        gradient, curve = slope(x)
        step = np.linalg.solve(curve, gradient[..., None])[..., 0]
        gain = np.sum(gradient * step, axis=-1)
        if np.all(gain <= _TOLERANCE * (1 + np.abs(now)) * 1e-6):
            return x + step
        size = np.ones_like(now)
        while True:
            try_ = x + np.asarray(size)[..., None] * step
            then = value(try_)
            worse = then < now - 1e-12 * (1 + np.abs(now))
            if not np.any(worse & (size > 1e-6)):
                break
            size = np.where(worse, size / 2, size)
        x, now = try_, then
    raise RuntimeError(
        f"{what} did not converge in {_MOST_STEPS} Newton steps: the "
        f"gradient is still {np.abs(gradient).max():.2g}. Are the counts "
        "of judgments finite and the prior above 0?"
    )


def _expert_weights(x, y):
    """Maximum a posteriori weights; the prior is a row e_j per system."""
    rows = np.vstack([x, np.eye(x.shape[1]), np.eye(x.shape[1])])
    hits = np.r_[y, np.ones(x.shape[1]), np.zeros(x.shape[1])]

    def value(weights):
        z = rows @ weights
        return np.sum(hits * z - np.logaddexp(0, z))

    def slope(weights):
        fitted = expit(rows @ weights)
        curve = (rows.T * (fitted * (1 - fitted))) @ rows
        return rows.T @ (hits - fitted), curve

    return maximised(
        np.zeros(x.shape[1]), value, slope, "the experts' weights"
    )


def _logistic_weights(x, y):
    if len(np.unique(y)) < 2:
        share = (y.sum() + 1) / (len(y) + 2)
        return np.r_[np.log(share / (1 - share)), np.zeros(x.shape[1])]
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=1000).fit(x, y)
    return np.r_[model.intercept_, model.coef_[0]]
