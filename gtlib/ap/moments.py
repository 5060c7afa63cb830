"""Mean, variance, distribution and confidence of average precision."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from gtlib.ap import quadratic
from gtlib.tables import one_of

# Ways to take moments of S / R: see `ap_moments`.
RATIOS = (*quadratic.APPROXIMATIONS, "exact")


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and variance of a random score; floats, or arrays of them.

    Attributes
    ----------
    mean : float or numpy.ndarray
    variance : float or numpy.ndarray
    """

    mean: float | np.ndarray
    variance: float | np.ndarray


def average_precision(
    ranks: ArrayLike, relevance: ArrayLike
) -> float | np.ndarray:
    """Compute average precision of one ranking, or of many.

    Parameters
    ----------
    ranks : array_like, shape (..., documents)
        Rank of each document, from 1; ``numpy.inf`` if not retrieved.
    relevance : array_like of 0 and 1, shape (..., documents)
        Which documents are relevant; broadcast against `ranks`.

    Returns
    -------
    float or numpy.ndarray
        AP, from 0 to 1; the shape is that of `ranks` and `relevance`
        broadcast, without the last axis. A topic without a relevant
        document has AP 0.

    Raises
    ------
    ValueError
        If a rank is below 1, not whole, or given twice, a relevance is
        not 0 or 1, or the two differ in their number of documents.

    Examples
    --------
    >>> import gtlib as gt
    >>> gt.average_precision([1, 2, 3], [1, 0, 1])
    0.8333333333333333
    """
    ranks, p = quadratic.check_ranking(ranks, relevance, name="relevance")
    if not np.isin(p, (0, 1)).all():
        raise ValueError("relevance must be 0 or 1 for every document")
    total = np.sum(p * (quadratic.gains(ranks, p) + 1 / ranks), axis=-1) / 2
    return _as_float(quadratic.divide(total, np.sum(p, axis=-1)))


def ap_moments(
    ranks: ArrayLike, p: ArrayLike, ratio: str = "plugin"
) -> Moments:
    """Compute mean and variance of AP when relevance is uncertain.

    Parameters
    ----------
    ranks : array_like, shape (documents,)
        Rank of each document, from 1; ``numpy.inf`` if not retrieved.
        Ranks may have gaps: a document left out is not relevant for sure.
    p : array_like, shape (documents,)
        Probability that each document is relevant, 0 or 1 where judged.
    ratio : {"plugin", "delta", "exact"}
        How S / R is handled. ``plugin`` divides the exact moments of S by
        E[R] and E[R]^2, as the paper does; ``delta`` adds the terms for
        the randomness of R (Taylor, second order for the mean and first
        for the variance); ``exact`` integrates over the generating
        function of R, 80 to 120 times the work.

    Returns
    -------
    Moments
        Mean and variance of AP, floats.

    Raises
    ------
    ValueError
        If a rank is below 1, not whole, or given twice, a probability is
        outside 0 to 1, or the shapes differ.

    Notes
    -----
    With v_i = p_i (1 - p_i) and g_i = a_ii + sum over j != i of a_ij p_j,
    Var S = sum v_i g_i^2 + sum over i < j of a_ij^2 v_i v_j, exactly. The
    sums are prefix sums over rank, O(n) once documents are in rank order.

    ``plugin`` is off by an order of 1/n, not of n 2^-n as a footnote of the
    paper says: with every p_i = p the mean is (1 - p) / n too large, for
    large n. The variance of one AP is itself of that order: at even odds
    it tends to 5/2 of the exact one; if belief falls with rank it is too
    large by less.

    References
    ----------
    Carterette (2007), "Robust test collections for retrieval evaluation",
    section 2; the toy example has ranks 2, 1, 3.

    Examples
    --------
    >>> import gtlib as gt
    >>> toy = gt.ap_moments([2, 1, 3], [0.4, 0.8, 0.7], ratio="exact")
    >>> print(f"{toy.mean:.6f} {toy.variance:.6f}")
    0.816667 0.064778
    """
    ranks, p = quadratic.check_ranking(ranks, p, one_ranking=True)
    return _moments(lambda q: quadratic.ranking_form(ranks, q), p, ratio)


def delta_ap_moments(
    ranks_a: ArrayLike,
    ranks_b: ArrayLike,
    p: ArrayLike,
    ratio: str = "plugin",
) -> Moments:
    """Compute mean and variance of AP(a) - AP(b), relevance uncertain.

    Parameters
    ----------
    ranks_a, ranks_b : array_like, shape (documents,)
        Rank of each document in the two systems, ``numpy.inf`` if not
        retrieved.
    p : array_like, shape (documents,)
        Probability that each document is relevant.
    ratio : {"plugin", "delta", "exact"}
        How to divide by the number of relevant documents, which is random
        too: see `ap_moments`.

    Returns
    -------
    Moments
        Mean and variance of the difference, floats.

    Raises
    ------
    ValueError
        As `ap_moments`.

    Notes
    -----
    Carterette (2007), section 2.  The cross term is the sum over i < j of
    v_i v_j / (max(r_i, r_j) max(s_i, s_j)), with ranks r and s and
    v = p (1 - p).  A merge over the two orders sums it in O(n log n);
    no documents x documents matrix is made.

    Examples
    --------
    >>> import gtlib as gt
    >>> m = gt.delta_ap_moments([1, 2, 3], [3, 1, 2], [0.9, 0.5, 0.1])
    >>> print(f"{m.mean:.4f} {m.variance:.4f}")
    0.2667 0.0405
    """
    ranks_a, p = quadratic.check_ranking(ranks_a, p, one_ranking=True)
    ranks_b, p = quadratic.check_ranking(ranks_b, p, one_ranking=True)
    return _moments(
        lambda q: quadratic.difference_form(ranks_a, ranks_b, q), p, ratio
    )


def ap_gains(ranks: ArrayLike, p: ArrayLike) -> np.ndarray:
    """Return what each document's relevance is expected to add to S.

    The gain g_i = a_ii + sum over j != i of a_ij p_j is
    E[S | X_i = 1] - E[S | X_i = 0]; gains for a difference of two systems
    are the difference of their gains.

    Parameters
    ----------
    ranks : array_like, shape (..., documents)
        Rank of each document, ``numpy.inf`` if not retrieved.
    p : array_like, shape (..., documents)
        Probability that each document is relevant.

    Returns
    -------
    numpy.ndarray, shape (..., documents)

    Raises
    ------
    ValueError
        As `ap_moments`.

    Examples
    --------
    >>> from gtlib.ap import ap_gains
    >>> ap_gains([1, 2, 3], [0.5, 0.5, 0.5]).round(4).tolist()
    [1.4167, 0.9167, 0.6667]
    """
    return quadratic.gains(*quadratic.check_ranking(ranks, p))


def confidence(moments: Iterable[Moments]) -> float | np.ndarray:
    """Return the confidence that MAP(a) is below MAP(b).

    P(dMAP < 0) = Phi(-E / sqrt(V)) with E the mean of the topics'
    expectations and V the sum of their variances over topics squared;
    topics are independent (Carterette 2007, equation 1).

    Parameters
    ----------
    moments : iterable of Moments
        One for each topic, as `delta_ap_moments` gives.

    Returns
    -------
    float or numpy.ndarray
        The probability; with no variance left it is 0, 1/2 or 1.

    Raises
    ------
    ValueError
        If there is no topic.

    Examples
    --------
    >>> from gtlib.ap import Moments, confidence
    >>> topics = [Moments(-0.10, 0.02), Moments(0.04, 0.02)]
    >>> round(confidence(topics), 4)
    0.6179
    """
    moments = list(moments)
    if not moments:
        raise ValueError("confidence needs moments of one topic or more")
    mean = sum(m.mean for m in moments)
    spread = np.sqrt(sum(m.variance for m in moments))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(mean == 0, 0.0, -mean / spread)
    return _as_float(scipy.special.ndtr(z))


def ap_distribution(
    ranks: ArrayLike, p: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the distribution of AP by listing all 2^n judgments.

    Parameters
    ----------
    ranks : array_like, shape (documents,)
        Rank of each of at most 20 documents, ``numpy.inf`` if not
        retrieved.
    p : array_like, shape (documents,)
        Probability that each document is relevant.

    Returns
    -------
    values, probabilities : numpy.ndarray
        The distinct values of AP, ascending, and their probabilities.

    Raises
    ------
    ValueError
        As `ap_moments`, and if there is no document, or more than 20.

    Examples
    --------
    >>> import gtlib as gt
    >>> values, chances = gt.ap_distribution([1, 2], [0.5, 0.5])
    >>> values.tolist(), chances.tolist()
    ([0.0, 0.5, 1.0], [0.25, 0.25, 0.5])
    """
    ranks, p = quadratic.check_ranking(ranks, p, one_ranking=True)
    n = len(p)
    if n == 0:
        raise ValueError("No documents: one at least is needed.")
    if n > 20:
        raise ValueError(
            f"{n} documents have 2^{n} possible judgments: too many to "
            "list; 20 documents are the limit"
        )
    x = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    chance = np.prod(np.where(x, p, 1 - p), axis=1)
    order = np.argsort(ranks)
    x = x[:, order]
    hits = np.cumsum(x, axis=1)
    total = (x * hits) @ (1 / ranks[order])
    ap = quadratic.divide(total, hits[:, -1]).round(12)
    values, place = np.unique(ap, return_inverse=True)
    return values, np.bincount(place, weights=chance)


def _moments(form_of, p, ratio):
    one_of(ratio, "ratio", RATIOS)
    if ratio == "exact":
        return Moments(*map(float, quadratic.integrate(form_of, p)))
    return Moments(*map(float, quadratic.approximate(form_of(p), ratio)))


def _as_float(x):
    return float(x) if np.ndim(x) == 0 else x
