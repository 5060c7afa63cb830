"""Average precision as a random variable: mean, variance, moments."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from gtlib.checks import one_of, progress

__all__ = [
    "ap_distribution",
    "ap_moments",
    "average_precision",
    "delta_ap_moments",
]

# The arithmetic under `gtlib.ap`: moments of S / R.
#
# For independent X_i with P(X_i = 1) = p_i, of which c_ij = 1 / max(r_i,
# r_j) for one ranking, or the difference of two such, and v_i = p_i (1 -
# p_i),
#
#     S = sum over i <= j of c_ij X_i X_j,    R = sum of X_i .
#
# Take the gain g_i = c_ii + sum over j != i of c_ij p_j. S less its mean is
# the sum of g_i (X_i - p_i), and over i < j of c_ij (X_i - p_i) (X_j -
# p_j), all of which are uncorrelated. So the sums of Carterette (2007),
# section 2.1, need no triples of documents:
#
#     E S = sum of p_i (g_i + c_ii) / 2,                               (1)
#     Var S = sum of v_i g_i² + sum over i < j of c_ij² v_i v_j,       (2)
#     Cov(S, R) = sum of v_i g_i,                                      (3)
#     E R = sum of p_i,    Var R = sum of v_i .                        (4)
#
# In the order of the ranks of one ranking the larger rank of a pair is the
# later one, and sums over pairs are prefix sums:
#
#     g_i = (1 + sum of p_j before i) / r_i + sum of p_j / r_j after i, (5)
#     sum over i < j of c_ij² v_i v_j
#         = sum of v_j / r_j² (sum of v_i before j) .                  (6)
#
# With θ = E S / E R, by Taylor's series, second order for the mean and
# first for the variance ("delta"),
#
#     E S/R = θ + (θ Var R - Cov(S, R)) / (E R)²,                      (7)
#     Var S/R = Var(S - θR) / (E R)²,                                  (8)
#     Var(S - θR) = Var S - 2θ Cov(S, R) + θ² Var R ;                  (9)
#
# the paper ("plugin") has θ and Var S / (E R)².
#
# Every function takes arrays with documents on the last axis; leading axes
# broadcast.

APPROXIMATIONS = ("plugin", "delta")

_STEP = 0.3  # of the trapezoid in log x: its error is exp(-pi^2 / 0.3)
_NEAR = 16.0  # the sum starts at exp(-16) / E[R]; the rest is geometric
_FAR = 3.6  # and ends at exp(3.6), where exp(-x) is 1e-16
_FEW = 200  # documents for which a matrix is the faster way
_BLOCK = 50_000  # numbers held at once, so that they stay in the cache


class Form(NamedTuple):
    """Mean and variance of S and of R, and their covariance."""

    s_mean: np.ndarray
    s_var: np.ndarray
    cov: np.ndarray
    r_mean: np.ndarray
    r_var: np.ndarray


def check_ranking(
    ranks: ArrayLike,
    p: ArrayLike,
    one_ranking: bool = False,
    name: str = "p",
) -> tuple[np.ndarray, np.ndarray]:
    """Return `ranks` and `p` as arrays of floats, or refuse them."""
    ranks = np.asarray(ranks, dtype=float)
    p = np.asarray(p, dtype=float)
    if ranks.ndim == 0 or ranks.shape[-1:] != p.shape[-1:]:
        raise ValueError(
            f"ranks and {name} need one entry per document on the last "
            f"axis; their shapes are {ranks.shape} and {p.shape}"
        )
    if one_ranking and ranks.ndim + p.ndim > 2:
        raise ValueError(
            "ranks and p must have one axis, the documents; "
            f"their shapes are {ranks.shape} and {p.shape}"
        )
    _refuse(
        p,
        ~((p >= 0) & (p <= 1)),
        "is not a probability; give every document one, 0 or 1 if judged",
    )
    whole = (ranks >= 1) & (ranks == np.floor(ranks))
    _refuse(
        ranks,
        ~whole,
        "is not a rank; use 1, 2, ... or numpy.inf for a document that was "
        "not retrieved",
    )
    ordered = np.sort(ranks, axis=-1)
    later = ordered[..., 1:]
    _refuse(
        later,
        (later == ordered[..., :-1]) & (later < np.inf),
        "is the rank of two documents in one ranking; break the tie first",
        place=False,
    )
    return ranks, p


def _refuse(values, wrong, why, place=True):
    if wrong.any():
        where = f" at {np.argwhere(wrong)[0].tolist()}" if place else ""
        raise ValueError(f"{values[wrong][0]:g}{where} {why}")


def divide(a: ArrayLike, b: ArrayLike) -> np.ndarray:
    """Return a / b, and 0 where b is 0: there nothing can be relevant."""
    a, b = np.broadcast_arrays(a, b)
    return np.divide(a, b, out=np.zeros(a.shape), where=b != 0)


def gains(ranks: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return g_i for one ranking: (5)."""
    order, w, p = _rank_order(ranks, p)
    later = _sums_before((w * p)[..., ::-1])[..., ::-1]
    out = np.empty(p.shape)
    np.put_along_axis(
        out, order, (1 + _sums_before(p)) * w + later, axis=-1
    )
    return out


def ranking_form(ranks: np.ndarray, p: np.ndarray) -> Form:
    """Return the form of one ranking; O(n) once in rank order."""
    squares = _squares(ranks, p * (1 - p))
    return _make_form(gains(ranks, p), 1 / ranks, squares, p)


def difference_form(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> Form:
    """Return the form of the difference of two rankings; O(n log n)."""
    v = p * (1 - p)
    # The sum in (2): c_ij² is a_ij² + b_ij² - 2 a_ij b_ij
    squares = _squares(a, v) + _squares(b, v) - 2 * _crossed(a, b, v)
    gain = gains(a, p) - gains(b, p)
    return _make_form(gain, 1 / a - 1 / b, np.maximum(squares, 0), p)


def pair_forms(ranks: np.ndarray, p: np.ndarray) -> Form:
    """Return the forms of all pairs of rankings, systems x systems."""
    v = p * (1 - p)
    gain = gains(ranks, p)
    # (2) with products in the place of squares: Cov of the S of two
    weighted = gain * np.sqrt(v)
    gram = weighted @ weighted.T + _gram(ranks, v)
    variance = np.diag(gram)
    s_var = np.maximum(variance[:, None] + variance - 2 * gram, 0)
    mean = (gain + 1 / ranks) @ p / 2  # (1) and (3) of each
    cov = gain @ v
    return Form(
        s_mean=mean[:, None] - mean,
        s_var=s_var,
        cov=cov[:, None] - cov,
        r_mean=p.sum(),
        r_var=v.sum(),
    )


def approximate(form: Form, ratio: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and variance of S / R: ``plugin`` or ``delta``."""
    one_of(ratio, "ratio", APPROXIMATIONS)
    theta = divide(form.s_mean, form.r_mean)
    square = form.r_mean**2
    if ratio == "plugin":
        return theta, divide(form.s_var, square)
    bias = divide(theta * form.r_var - form.cov, square)  # (7)
    rest = np.maximum(_rest_variance(form, theta), 0)
    return theta + bias, divide(rest, square)  # (8)


def integrate(
    form_of: Callable[[np.ndarray], Form], p: np.ndarray
) -> tuple[float, float]:
    """Compute exact mean and variance of S / R, which is 0 where R = 0.

    1 / R is the integral of exp(-xR) over x > 0, and 1 / R² that of
    x exp(-xR). Weighting by exp(-xR), whose mean is G(x), only tilts the
    probabilities, to p_x, so that each x needs the moments of S once:

        G(x) = product of 1 - p_i + p_i t,    t = exp(-x),          (10)
        p_x = p t / (1 - p + p t),                                  (11)
        E S/R = integral of G(x) E_x S,                             (12)
        E (S/R - θ)² = integral of x G(x) E_x (S - θR)²
                       + θ² P(R = 0) .                              (13)

    The trapezoid rule in log x converges exponentially.

    Parameters
    ----------
    form_of : callable
        Gives the `Form` for probabilities of shape (nodes, documents).
    p : numpy.ndarray, shape (documents,)
    """
    plain = form_of(p)
    if plain.r_mean == 0:
        return 0.0, 0.0
    theta = plain.s_mean / plain.r_mean
    start = -_NEAR - np.log(max(float(plain.r_mean), 1.0))
    x = np.exp(np.arange(start, _FAR, _STEP))
    blocks = np.array_split(x, -(-x.size * p.size // _BLOCK))
    # Below the first node exp(-xR) is 1, and the rule a geometric series.
    s, square = _shifted(plain, theta)
    first = _STEP * s * x[0] / np.expm1(_STEP)
    second = _STEP * square * x[0] ** 2 / np.expm1(2 * _STEP)
    for part in progress(blocks, "moments"):
        loss = np.expm1(-part)[:, None]  # t - 1
        weight = np.exp(np.log1p(p * loss).sum(axis=1))  # (10)
        tilted = p * (1 + loss) / (1 + p * loss)  # (11)
        s, square = _shifted(form_of(tilted), theta)
        # (12) and (13): dx is x d log x
        first += _STEP * np.sum(part * weight * s)
        second += _STEP * np.sum(part**2 * weight * square)
    second += theta**2 * np.prod(1 - p)
    return first, max(second - (first - theta) ** 2, 0)


def _shifted(form, theta):
    """E S and E (S - θR)²."""
    mean = form.s_mean - theta * form.r_mean
    return form.s_mean, _rest_variance(form, theta) + mean**2


def _rest_variance(form, theta):
    """Var(S - θR): (9)."""
    return form.s_var - 2 * theta * form.cov + theta**2 * form.r_var


def _make_form(gain, diagonal, squares, p):
    """Compute (1) to (4), given the second sum in (2)."""
    v = p * (1 - p)
    return Form(
        np.sum(p * (gain + diagonal), axis=-1) / 2,
        np.sum(v * gain**2, axis=-1) + squares,
        np.sum(v * gain, axis=-1),
        np.sum(p, axis=-1),
        np.sum(v, axis=-1),
    )


def _rank_order(ranks, p):
    """The rank order, reciprocal ranks in it, and p in it."""
    order = np.argsort(ranks, axis=-1)
    w = 1 / np.take_along_axis(ranks, order, axis=-1)
    shape = np.broadcast_shapes(ranks.shape, p.shape)
    order = np.broadcast_to(order, shape)
    p = np.take_along_axis(np.broadcast_to(p, shape), order, axis=-1)
    return order, w, p


def _sums_before(x):
    """Sum of the entries before each one."""
    return np.cumsum(x, axis=-1) - x


def _squares(ranks, v):
    """The sum over i < j of c_ij² v_i v_j for one ranking: (6)."""
    _, w, v = _rank_order(ranks, v)
    return np.sum(v * w**2 * _sums_before(v), axis=-1)


def _crossed(a, b, v):
    """Sum over i < j of v_i v_j / (max(a_i, a_j) max(b_i, b_j)).

    In the order of `a` the later document of a pair, j, gives
    1 / max(a) = 1/a_j. As if it were the earlier one that gives 1 / max(b),
    prefix sums have

        sum over i < j of v_i v_j 1/a_j 1/b_i .                     (14)

    That is right for the pairs whose order in `b` is the other one. To
    those that have the same order, in which j gives 1/b_j, `_concordant`
    adds

        sum of v_i v_j 1/a_j (1/b_j - 1/b_i) .                      (15)
    """
    retrieved = np.isfinite(a) & np.isfinite(b)
    a, b, v = 1 / a[retrieved], 1 / b[retrieved], v[..., retrieved]
    if a.size <= _FEW:
        shared = np.minimum.outer(a, a) * np.minimum.outer(b, b)
        return np.sum((v @ shared - v * a * b) * v, axis=-1) / 2
    order = np.argsort(-a)
    a, b, v = a[order], b[order], v[..., order]
    everywhere = np.sum(v * a * _sums_before(v * b), axis=-1)  # (14)
    return everywhere + _concordant(np.argsort(-b), a, b, v)


def _concordant(order, a, b, v):
    """Sum of v_i v_j a_j (b_j - b_i) over i < j with i first in `order`:
    (15), a and b being reciprocal ranks.

    A merge sort run backwards, a level per bit of the position: within a
    block, in the order of `order`, prefix sums over the first half's
    documents meet the second half's; then the block is split. Blocks are
    filled up to a power of two with documents that weigh nothing.
    """
    n = order.size
    size = 1 << (n - 1).bit_length()
    lead = v.shape[:-1]
    position = np.r_[order, n:size]
    parts = np.zeros((4, *lead, size))
    parts[..., :n] = np.stack([v * a * b, v * a, v, v * b])[..., order]
    total = np.zeros(lead)
    half = size // 2
    while half:
        late = (position & half) > 0
        blocks = (-1, 2 * half)
        early = np.where(late, 0, parts[2:]).reshape(2, *lead, *blocks)
        sums = np.cumsum(early, axis=-1).reshape(2, *lead, size)[..., late]
        ab, only_a = parts[:2, ..., late]
        # v_j a_j b_j (sum of v_i) - v_j a_j (sum of v_i b_i)
        total += np.sum(ab * sums[0] - only_a * sums[1], axis=-1)
        position = _split_blocks(position, late, half)
        parts = _split_blocks(parts, late, half)
        half //= 2
    return total


def _split_blocks(x, late, half):
    """Each block's early half, then its late half, orders kept."""
    halves = (*x.shape[:-1], -1, half)
    early = x[..., ~late].reshape(halves)
    joined = np.stack([early, x[..., late].reshape(halves)], axis=-2)
    return joined.reshape(x.shape)


def _gram(ranks, v):
    """Sum over i < j of a_ij b_ij v_i v_j for each pair of rankings.

    A document that one ranking alone retrieved adds to the diagonal only,
    which needs no matrix. The others go in blocks, against all after them.
    """
    w = 1 / ranks  # a_ij is the smaller of two of them
    shared = (v > 0) & (np.count_nonzero(w, axis=0) > 1)
    diagonal = _squares(ranks, v)
    w, v = w[:, shared], v[shared]
    systems, n = w.shape
    total = np.zeros((systems, systems))
    block = max(1, _BLOCK // max(1, systems * n))
    for start in range(0, n, block):
        rows = np.arange(start, min(start + block, n))
        scale = np.sqrt(v[rows, None] * v[start:])
        scale[rows[:, None] >= np.arange(start, n)] = 0
        a = np.minimum(w[:, rows, None], w[:, None, start:]) * scale
        a = a.reshape(systems, -1)
        total += a @ a.T
    np.fill_diagonal(total, diagonal)
    return total


# Mean, variance, distribution and confidence of average precision.

# Ways to take moments of S / R: see `ap_moments`.
RATIOS = (*APPROXIMATIONS, "exact")


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
    ranks, p = check_ranking(ranks, relevance, name="relevance")
    if not np.isin(p, (0, 1)).all():
        raise ValueError("relevance must be 0 or 1 for every document")
    total = np.sum(p * (gains(ranks, p) + 1 / ranks), axis=-1) / 2
    return _as_float(divide(total, np.sum(p, axis=-1)))


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
    ranks, p = check_ranking(ranks, p, one_ranking=True)
    return _moments(lambda q: ranking_form(ranks, q), p, ratio)


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
    ranks_a, p = check_ranking(ranks_a, p, one_ranking=True)
    ranks_b, p = check_ranking(ranks_b, p, one_ranking=True)
    return _moments(
        lambda q: difference_form(ranks_a, ranks_b, q), p, ratio
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
    return gains(*check_ranking(ranks, p))


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
    ranks, p = check_ranking(ranks, p, one_ranking=True)
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
    ap = divide(total, hits[:, -1]).round(12)
    values, place = np.unique(ap, return_inverse=True)
    return values, np.bincount(place, weights=chance)


def _moments(form_of, p, ratio):
    one_of(ratio, "ratio", RATIOS)
    if ratio == "exact":
        return Moments(*map(float, integrate(form_of, p)))
    return Moments(*map(float, approximate(form_of(p), ratio)))


def _as_float(x):
    return float(x) if np.ndim(x) == 0 else x
