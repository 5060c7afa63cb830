"""The experts: from the systems' rankings to probabilities."""

import numpy as np
import pandas as pd
import scipy

from gtlib.judging.calibrate import logistic_lines, maximised, rank_opinions
from gtlib.runs.pool import Pool
from gtlib.tables.checks import one_of

AGGREGATORS = ("experts", "logistic")
"""The paper's model, or scikit-learn's logistic regression."""

_FOLDS = 5


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
       and every (topic, rank) counts once as relevant and once as not.
    3. p_i = 1 / (1 + exp(-sum over j of lambda_j q_ij)), fitted on the
       judged documents; the mean of five fits, each without a fifth of
       them.

    The text of the paper that is openly preserved ends within its section
    3.2; where it is silent (folds, unretrieved documents) the choices are
    ours.

    References
    ----------
    Carterette (2007), "Robust test collections for retrieval evaluation",
    section 3, equation 2.

    Examples
    --------
    >>> from gtlib import pool_runs, synthetic_collection
    >>> drawn = synthetic_collection(systems=4, topics=3, documents=40)
    >>> judged = drawn.qrels.iloc[::5]
    >>> p = ExpertModel().fit(pool_runs(drawn.runs), judged).predict()
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
        """
        self.pool = pool
        self._labels = self.pool.labels(judgments).to_numpy()
        self._calibrate(rank_opinions(self._depth(), *self._counts()))
        self._aggregate()
        return self

    def predict(self) -> pd.Series:
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

    def estimates(self) -> np.ndarray:
        """What the systems alone say, for judged documents too.

        Returns
        -------
        numpy.ndarray, shape (documents,)
        """
        intercept = self.weights.get("intercept", 0.0)
        slopes = self.weights.loc[self.pool.systems].to_numpy()
        return scipy.special.expit(intercept + slopes @ self.opinions)

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
        f = np.take_along_axis(features[pool.topic_of], level.T, axis=1).T
        self.opinions = scipy.special.expit(line[:, :1] + line[:, 1:] * f)

    def _aggregate(self):
        """Step 3."""
        told = np.flatnonzero(~np.isnan(self._labels))
        x, y = self.opinions[:, told].T, self._labels[told]
        names, fit = [*self.pool.systems], _expert_weights
        if self.aggregator == "logistic":
            names, fit = ["intercept", *names], _logistic_weights
        fold = np.arange(len(told)) % _FOLDS
        weights = [fit(x[fold != k], y[fold != k]) for k in range(_FOLDS)]
        self.weights = pd.Series(
            np.mean(weights, axis=0), pd.Index(names, name="system")
        )


def _expert_weights(x, y):
    """Maximum a posteriori weights; the prior is a row e_j per system."""
    rows = np.vstack([x, np.eye(x.shape[1]), np.eye(x.shape[1])])
    hits = np.r_[y, np.ones(x.shape[1]), np.zeros(x.shape[1])]

    def value(weights):
        z = rows @ weights
        return np.sum(hits * z - np.logaddexp(0, z))

    def slope(weights):
        fitted = scipy.special.expit(rows @ weights)
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

    model = LogisticRegression(solver="newton-cholesky").fit(x, y)
    return np.r_[model.intercept_, model.coef_[0]]
