"""How alike two rankings of the same systems are."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from gtlib.reuse.assignment import site_of_each
from gtlib.scores import as_wide


def kendall_tau(baseline, reuse, sites=None, comparison="all"):
    """Kendall's tau, over all pairs of systems or those of one comparison.

    Parameters
    ----------
    baseline, reuse : Series or array, one score per system
        Mean scores over the topics a system contributed to, and over those
        it was held out from.
    sites : Series, dict or array, optional
        The site of each system; needed unless `comparison` is ``"all"``.
    comparison : {"all", "within", "between", "participant"}
        Count the pairs of one site only, those of different sites only,
        or (Carterette et al. 2010, section 5.1) compare the reuse score of
        each system with the baseline scores of the other sites' systems.

    Returns
    -------
    float in [-1, 1]
        Concordant less discordant pairs, over the geometric mean of the
        numbers of pairs untied in either ranking (tau-b); NaN when there
        is no such pair.

    Raises
    ------
    ValueError
        If the systems differ, or sites are needed and not given.

    Examples
    --------
    >>> kendall_tau([0.4, 0.3, 0.2], [0.3, 0.4, 0.1])
    0.3333333333333333
    """
    first, second = _paired(baseline, reuse)
    n = len(first)
    pairs = ~np.eye(n, dtype=bool)
    if comparison != "all":
        if comparison not in ("within", "between", "participant"):
            raise ValueError(
                f"comparison is {comparison!r}; it is all, within, between "
                "or participant."
            )
        same = _same_site(baseline, sites, n)
        pairs &= same if comparison == "within" else ~same
    other = first if comparison == "participant" else second
    return tau_of_signs(
        np.sign(first[:, None] - first)[pairs],
        np.sign(second[:, None] - other)[pairs],
    )


def tau_of_signs(old, new):
    """tau-b from the signs of the same pairs' differences, twice."""
    untied = np.sqrt(float(np.count_nonzero(old)) * np.count_nonzero(new))
    return float((old * new).sum() / untied) if untied else np.nan


def tau_ap(reference, scores):
    """The AP rank correlation, which weighs the top of the ranking most.

    Parameters
    ----------
    reference, scores : Series or array, one score per system
        The ranking held to be right, and the one to be judged.

    Returns
    -------
    float in [-1, 1]
        2/(N-1) * sum over i = 2..N of C(i)/(i-1), less 1, where C(i) counts
        the systems above rank i of `scores` that `reference`, too, puts
        above the system at rank i. A tie counts one half.

    Notes
    -----
    Yilmaz, Aslam & Robertson 2008, equation 3.

    Examples
    --------
    >>> tau_ap([0.4, 0.3, 0.2], [0.3, 0.4, 0.1])
    0.0
    >>> tau_ap([0.4, 0.3, 0.2], [0.4, 0.2, 0.3])
    0.5
    """
    right, judged = _paired(reference, scores)
    order = np.argsort(-judged, kind="stable")
    right, judged = right[order], judged[order]
    agree = (right[:, None] > right) + 0.5 * (right[:, None] == right)
    agree[judged[:, None] == judged] = 0.5
    above = np.triu(agree, 1).sum(axis=0)[1:]
    return float(2 * (above / np.arange(1, len(right))).mean() - 1)


@dataclass(frozen=True)
class RankDistance:
    """The distance of scores from a ranking, and its p-value."""

    statistic: float
    p_value: float
    weights: pd.Series
    """Of the chi-bar-square: degrees of freedom -> probability."""


def d_rank(scores, reference, draws=2000, seed=0):
    """How far scores are from a ranking, given how alike the systems are.

    Parameters
    ----------
    scores : DataFrame, systems x topics
        Wide or long, over the topics of reuse; more topics than systems.
    reference : Series
        The baseline score of each system: the ranking to hold against.
    draws : int
        Simulated cones for the weights of the chi-bar-square.
    seed : int

    Returns
    -------
    RankDistance
        ``.statistic`` is 0 when the order is the same, and t squared for
        two systems that swapped.

    Raises
    ------
    ValueError
        If systems differ between the two, or the differences have no
        invertible covariance matrix (too few topics, identical systems).

    Notes
    -----
    Carterette 2009. With z_k the score differences of neighbours in the
    reference ranking, D = min over θ ≥ 0 of n (z̄ - θ)' S⁻¹ (z̄ - θ): the
    distance to the nearest mean differences that keep the ranking. If all
    true differences are zero, D is a mixture of chi-squares; the weights
    are the probabilities of how many differences are positive at the
    minimum, estimated by simulation. S is taken as known, so that with few
    topics the p-value is too small.

    Examples
    --------
    >>> table = pd.DataFrame([[0.3, 0.2, 0.1, 0.4], [0.4, 0.3, 0.3, 0.4]],
    ...                      index=["a", "b"])
    >>> round(d_rank(table, pd.Series({"a": 0.5, "b": 0.4})).statistic, 6)
    6.0
    """
    from scipy.optimize import nnls  # slow to import, and only used here

    scores = as_wide(scores)
    reference = pd.Series(reference)
    if set(reference.index) != set(scores.index):
        raise ValueError(
            "reference and scores must have the same systems: "
            f"{sorted(set(reference.index) ^ set(scores.index))[0]} is in "
            "one only."
        )
    order = reference.sort_values(ascending=False, kind="stable").index
    values = scores.loc[order].to_numpy()
    z = values[:-1] - values[1:]
    size, topics = z.shape
    covariance = np.atleast_2d(np.cov(z))
    if (
        topics <= size
        or np.linalg.matrix_rank(covariance, hermitian=True) < size
    ):
        raise ValueError(
            f"d_rank of {size + 1} systems needs more topics than that (it "
            f"has {topics}) and no two systems with the same scores."
        )
    whiten = np.linalg.inv(np.linalg.cholesky(covariance))
    target = np.sqrt(topics) * whiten @ z.mean(axis=1)
    distance = nnls(whiten, target)[1] ** 2
    noise = np.random.default_rng(seed).standard_normal((draws, size))
    positive = [np.count_nonzero(nnls(whiten, x)[0]) for x in noise]
    share = np.bincount(size - np.array(positive), minlength=size + 1)
    weights = pd.Series(share / draws, name="weight").rename_axis("df")
    tail = [float(distance < 1e-12)]
    tail += [
        scipy.special.chdtrc(df, distance) for df in range(1, size + 1)
    ]
    p_value = float(weights.to_numpy() @ tail)
    return RankDistance(float(distance), p_value, weights)


def _paired(first, second):
    """Two score vectors of the same systems, in the order of the first."""
    if isinstance(first, pd.Series) and isinstance(second, pd.Series):
        if set(first.index) != set(second.index):
            odd = sorted(set(first.index) ^ set(second.index), key=str)[0]
            raise ValueError(f"System {odd} is in one ranking only.")
        second = second.loc[first.index]
    first, second = np.asarray(first, float), np.asarray(second, float)
    if first.shape != second.shape or first.ndim != 1 or len(first) < 2:
        raise ValueError(
            "Two rankings of the same two or more systems are needed; the "
            f"shapes are {first.shape} and {second.shape}."
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("A score is missing or infinite.")
    return first, second


def _same_site(scores, sites, n):
    """Whether two systems are of one site, as a systems x systems array."""
    if sites is None:
        raise ValueError("sites must say which site each system is of.")
    if isinstance(scores, pd.Series):
        sites = site_of_each(scores.index, sites)
    labels = np.asarray(sites)
    if labels.shape != (n,):
        raise ValueError(f"{labels.size} sites for {n} systems.")
    return labels[:, None] == labels[None, :]
