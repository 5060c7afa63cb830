"""Average precision as a random variable: mean, variance, moments."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from gtlib.checks import number_array, one_of

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
# "exact" needs neither. With s = 1 - t,
#
#     1 / R = integral of t^(R - 1) over 0 < t < 1,
#     1 / R² = integral of -log(t) t^(R - 1) .
#
# Weighting by t^R, whose mean is G(t), only tilts the probabilities:
#
#     G(t) = product of 1 - p_i s,                                    (10)
#     p_t = p t / (1 - p s),                                          (11)
#     E S/R = integral of G(t) / t E_t S,                             (12)
#     E (S/R - θ)² = integral of -log(t) G(t) / t E_t (S - θR)²
#                    + θ² P(R = 0) .                                  (13)
#
# G(t) / t times either moment is a polynomial in t. It falls from t = 1
# about as exp(-s E R) does, so Gauss rules for the weights exp(-s E R) and
# -log(t) exp(-s E R) have what is left to sum, which is almost flat: with
# 14 nodes it is right to rounding, whatever p is.
#
# Every function takes arrays with documents on the last axis; leading axes
# broadcast.

APPROXIMATIONS = ("delta", "plugin")

_NODES = 14  # of a Gauss rule: 10 leave errors of 4e-11, and 12 of 1e-12
_RATES = 4  # rates of the weight in an octave, so that few rules are made
_STEP = 0.25  # of a trapezoid in log x: its error is exp(-pi^2 / 0.25)
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
    ranks = number_array(ranks, "ranks")
    p = number_array(p, name)
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
    order = np.argsort(ranks, axis=-1)
    w = 1 / np.take_along_axis(ranks, order, axis=-1)
    shape = np.broadcast_shapes(ranks.shape, p.shape)
    order = np.broadcast_to(order, shape)
    p = np.take_along_axis(np.broadcast_to(p, shape), order, axis=-1)
    out = np.empty(shape)
    np.put_along_axis(out, order, _ordered_gains(w, p), axis=-1)
    return out


def _half_sum(p, gain, diagonal):
    """E S from the gains: (1)."""
    return np.sum(p * (gain + diagonal), axis=-1) / 2


class Quadratic(NamedTuple):
    """S of one ranking, or of a difference of two, as functions of p.

    `order` has the documents as all else wants them, so that nothing is
    sorted again for another p: `gains` gives g_i of p; `diagonal` is c_ii;
    `squares` gives the second sum in (2), of v.
    """

    order: np.ndarray
    gains: Callable[[np.ndarray], np.ndarray]
    diagonal: np.ndarray
    squares: Callable[[np.ndarray], np.ndarray]

    def form(self, p: np.ndarray) -> Form:
        """Return all moments of S and R: (1) to (4)."""
        v = p * (1 - p)
        gain = self.gains(p)
        return Form(
            _half_sum(p, gain, self.diagonal),
            np.sum(v * gain**2, axis=-1) + self.squares(v),
            np.sum(v * gain, axis=-1),
            np.sum(p, axis=-1),
            np.sum(v, axis=-1),
        )

    def mean(self, p: np.ndarray) -> np.ndarray:
        """Return E S: (1)."""
        return _half_sum(p, self.gains(p), self.diagonal)


def ranking(ranks: np.ndarray) -> Quadratic:
    """Return S of one ranking; O(n) once in rank order."""
    order = np.argsort(ranks)
    w = 1 / ranks[order]
    return Quadratic(
        order,
        lambda p: _ordered_gains(w, p),
        w,
        lambda v: _ordered_squares(w, v),
    )


def difference(a: np.ndarray, b: np.ndarray) -> Quadratic:
    """Return the difference of S of two rankings; O(n log n)."""
    order = np.argsort(a)
    a, b = 1 / a[order], 1 / b[order]
    other = np.argsort(-b)
    back = np.argsort(other)

    def both_gains(p):
        """g_i of both, the second's brought back into the order of `a`."""
        theirs = _ordered_gains(b[other], p[..., other])
        return _ordered_gains(a, p) - theirs[..., back]

    def squares(v):
        """c_ij² is a_ij² + b_ij² - 2 a_ij b_ij."""
        ours = _ordered_squares(a, v)
        theirs = _ordered_squares(b[other], v[..., other])
        return np.maximum(ours + theirs - 2 * _crossed(a, b, v), 0)

    return Quadratic(order, both_gains, a - b, squares)


def pair_forms(ranks: np.ndarray, p: np.ndarray) -> Form:
    """Return the forms of all pairs of rankings, systems x systems."""
    v = p * (1 - p)
    gain = gains(ranks, p)
    mean = _half_sum(p, gain, 1 / ranks)
    cov = gain @ v  # (3)
    order, w = _rank_orders(ranks)
    squares = _ordered_squares(w, v[order])
    return Form(
        s_mean=mean[:, None] - mean,
        s_var=_of_pairs(
            (gain * v) @ gain.T + _gram(ranks, v[None], squares)
        ),
        cov=cov[:, None] - cov,
        r_mean=p.sum(),
        r_var=v.sum(),
    )


def _of_pairs(covariances):
    """Variances of differences, from the covariances of S: (2)."""
    variance = np.diag(covariances)
    return np.maximum(variance[:, None] + variance - 2 * covariances, 0)


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
    score: Quadratic, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the exact mean and variance of S / R, 0 where R = 0."""
    mean = exact_mean(score.mean, p)
    variance = mean**2 * np.prod(1 - p)
    for tilted, weight in _tilted(p, 2):
        form = score.form(tilted)
        rest = np.maximum(_rest_variance(form, mean), 0)
        rest += (form.s_mean - mean * form.r_mean) ** 2
        variance += weight @ rest
    return mean, variance


def exact_mean(
    mean: Callable[[np.ndarray], np.ndarray], p: np.ndarray
) -> np.ndarray:
    """Return the exact mean of S / R, (12), from E S as a function of p."""
    return sum(mean(q) @ weight for q, weight in _tilted(p, 1))


def integrate_pairs(
    ranks: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return exact moments of all pairs of rankings, systems x systems.

    The nodes are added up before documents are paired with documents.
    """
    systems, n = ranks.shape
    order, w = _rank_orders(ranks)
    place = (order + n * np.arange(systems)[:, None]).ravel()

    def s_and_gains(q):
        """E S, systems x nodes, and g_i in order, nodes x systems x ranks,
        which is 0 for what was not retrieved."""
        q = np.take(q, order, axis=1)
        gain = _ordered_gains(w, q)
        return _half_sum(q, gain, w).T, gain

    mean = exact_mean(lambda q: s_and_gains(q)[0], p)
    mean = mean[:, None] - mean
    covariances = np.zeros((systems, systems))
    cov, r_var = np.zeros(systems), np.zeros(())
    variance = mean**2 * np.prod(1 - p)
    squares = np.zeros(systems)
    kept = []
    for q, weight in _tilted(p, 2):
        v = q * (1 - q)
        s, by_rank = s_and_gains(q)
        gain = np.zeros((len(q), systems * n))
        gain[:, place] = by_rank.reshape(len(q), place.size)
        gain = gain.reshape(len(q), systems, n)
        squares += weight @ _ordered_squares(w, np.take(v, order, axis=1))
        weighted = gain * (v * weight[:, None])[:, None]
        covariances += np.tensordot(weighted, gain, ((0, 2), (0, 2)))
        cov += weighted.sum(axis=(0, 2))
        r_var += weight @ v.sum(axis=1)
        away = s[:, None] - s - mean[..., None] * q.sum(axis=1)
        variance += away**2 @ weight
        kept.append(v * np.sqrt(weight)[:, None])
    s_var = _of_pairs(
        covariances + _gram(ranks, np.concatenate(kept), squares)
    )
    cov = cov[:, None] - cov
    rest = s_var - 2 * mean * cov + mean**2 * r_var  # (9), of all nodes
    return mean, variance + np.maximum(rest, 0)


def _tilted(p, power):
    """Yield blocks of p_t, (11), nodes x documents, and of the weights of
    their moments in E S / R^power, (12) or (13)."""
    octaves = np.log2(max(float(p.sum()), 1.0))
    s, weight, rate = _gauss_rule(round(_RATES * octaves), power)
    blocks = max(1, -(-_NODES * p.size // _BLOCK))
    for part in np.array_split(np.arange(_NODES), blocks):
        loss = s[part, None] * p
        flat = np.exp(np.log1p(-loss).sum(axis=1) + rate * s[part])
        t = 1 - s[part]
        yield p * t[:, None] / (1 - loss), weight[part] * flat / t


@cache
def _gauss_rule(step, power):
    """Nodes in s, and weights, of a Gauss rule for exp(-rate s) ds, with a
    factor -log(1 - s) if `power` is 2; and the rate.

    The trapezoid rule in log x, where 1 - s = exp(-x), converges
    exponentially; of its many nodes Lanczos's recurrence makes few.
    """
    rate = 2 ** (step / _RATES)
    x = np.exp(np.arange(-38 - np.log(rate), 3.7, _STEP))
    s = -np.expm1(-x)
    weight = _STEP * x**power * np.exp(-x - rate * s)
    basis = np.zeros((_NODES, x.size))
    basis[0] = np.sqrt(weight / weight.sum())
    for k in range(1, _NODES):
        new = s * basis[k - 1]
        for _ in range(2):  # the second time against rounding
            new -= (basis[:k] @ new) @ basis[:k]
        basis[k] = new / np.linalg.norm(new)
    nodes, vectors = np.linalg.eigh((basis * s) @ basis.T)
    return nodes, weight.sum() * vectors[0] ** 2, rate


def _rest_variance(form, theta):
    """Var(S - θR): (9)."""
    return form.s_var - 2 * theta * form.cov + theta**2 * form.r_var


def _sums_before(x):
    """Sum of the entries before each one."""
    return np.cumsum(x, axis=-1) - x


def _ordered_gains(w, p):
    """g_i for one ranking: (5), `w` being 1 / r_i in the order of r_i."""
    later = _sums_before((w * p)[..., ::-1])[..., ::-1]
    return (1 + _sums_before(p)) * w + later


def _ordered_squares(w, v):
    """The sum over i < j of c_ij² v_i v_j for one ranking: (6)."""
    return np.sum(v * w**2 * _sums_before(v), axis=-1)


def _crossed(a, b, v):
    """Sum over i < j of v_i v_j / (max(r_i, r_j) max(s_i, s_j)).

    `a` is 1/r_i and `b` is 1/s_i, in the order of the ranks r. The later
    document of a pair, j, gives 1 / max(r) = a_j. As if it were the earlier
    one that gives 1 / max(s), prefix sums have

        sum over i < j of v_i v_j a_j b_i .                         (14)

    That is right for the pairs whose order in s is the other one. To those
    that have the same order, in which j gives b_j, `_concordant` adds

        sum of v_i v_j a_j (b_j - b_i) .                            (15)
    """
    retrieved = (a > 0) & (b > 0)
    a, b, v = a[retrieved], b[retrieved], v[..., retrieved]
    if a.size <= _FEW:
        shared = np.minimum.outer(a, a) * np.minimum.outer(b, b)
        return np.sum((v @ shared - v * a * b) * v, axis=-1) / 2
    everywhere = np.sum(v * a * _sums_before(v * b), axis=-1)  # (14)
    return everywhere + _concordant(np.argsort(-b), a, b, v)


def _concordant(order, a, b, v):
    """Sum of v_i v_j a_j (b_j - b_i) over i < j with i first in `order`:
    (15).

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


def _rank_orders(ranks):
    """Of each ranking, the documents that it retrieved in order, filled up
    to the longest with others; and 1 / r."""
    longest = np.isfinite(ranks).sum(axis=1).max()
    order = np.argsort(ranks, axis=1)[:, :longest]
    return order, 1 / np.take_along_axis(ranks, order, axis=1)


def _gram(ranks, v, diagonal):
    """Sum over i < j of a_ij b_ij v_i v_j for each pair of rankings, and
    over the rows of `v`.

    A document that one ranking alone retrieved adds to the `diagonal` only,
    which needs no matrix. The others go in blocks, against all after them.
    """
    w = 1 / ranks  # a_ij is the smaller of two of them
    shared = v.any(axis=0) & (np.count_nonzero(w, axis=0) > 1)
    w, v = w[:, shared], v[:, shared]
    systems, n = w.shape
    total = np.zeros((systems, systems))
    block = max(1, _BLOCK // max(1, systems * n))
    for start in range(0, n, block):
        rows = np.arange(start, min(start + block, n))
        scale = np.sqrt(v[:, rows].T @ v[:, start:])
        scale[rows[:, None] >= np.arange(start, n)] = 0
        a = np.minimum(w[:, rows, None], w[:, None, start:]) * scale
        a = a.reshape(systems, -1)
        total += a @ a.T
    np.fill_diagonal(total, diagonal)
    return total


# Mean, variance, distribution and confidence of average precision.

# Ways to take moments of S / R: see `ap_moments`.
RATIOS = ("exact", *APPROXIMATIONS)


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
    total = _half_sum(p, gains(ranks, p), 1 / ranks)
    return _as_float(divide(total, np.sum(p, axis=-1)))


def ap_moments(
    ranks: ArrayLike, p: ArrayLike, ratio: str = "exact"
) -> Moments:
    """Compute mean and variance of AP when relevance is uncertain.

    Parameters
    ----------
    ranks : array_like, shape (documents,)
        Rank of each document, from 1; ``numpy.inf`` if not retrieved.
        Ranks may have gaps: a document left out is not relevant for sure.
    p : array_like, shape (documents,)
        Probability that each document is relevant, 0 or 1 where judged.
    ratio : {"exact", "delta", "plugin"}
        How S / R is handled. ``exact`` integrates over the generating
        function of R. ``plugin`` divides the exact moments of S by E[R]
        and E[R]^2, as the paper does; ``delta`` adds the terms for the
        randomness of R (Taylor, second order for the mean and first for
        the variance). Both fail where few relevant documents are
        expected.

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

    ``exact`` sums over 14 nodes of a Gauss rule, whatever n is, and is
    right to about 1e-13. It took 2 to 12 times as long as ``plugin``.

    ``plugin`` is off by an order of 1/n, not of n 2^-n as a footnote of the
    paper says: with every p_i = p the mean is (1 - p) / n too large, for
    large n. The variance of one AP is itself of that order: at even odds
    it tends to 5/2 of the exact one; if belief falls with rank it is too
    large by less. Where E[R] is small it is no approximation: with 200
    documents, and a belief that falls as rank^-0.7, AP has

    ====  ===========  ==========  ===============  ==============
    E[R]  plugin mean  exact mean  plugin variance  exact variance
    ====  ===========  ==========  ===============  ==============
    0.05  0.150        0.007       1.895            0.005
    0.5   0.157        0.061       0.205            0.031
    1     0.165        0.102       0.111            0.044
    5     0.230        0.221       0.036            0.027
    10    0.311        0.307       0.024            0.015
    ====  ===========  ==========  ===============  ==============

    and no number from 0 to 1 has a variance above 0.25.

    References
    ----------
    Carterette (2007), "Robust test collections for retrieval evaluation",
    section 2; the toy example has ranks 2, 1, 3.

    Examples
    --------
    >>> import gtlib as gt
    >>> toy = gt.ap_moments([2, 1, 3], [0.4, 0.8, 0.7])
    >>> print(f"{toy.mean:.6f} {toy.variance:.6f}")
    0.816667 0.064778
    """
    ranks, p = check_ranking(ranks, p, one_ranking=True)
    return _moments(ranking(ranks), p, ratio)


def delta_ap_moments(
    ranks_a: ArrayLike,
    ranks_b: ArrayLike,
    p: ArrayLike,
    ratio: str = "exact",
) -> Moments:
    """Compute mean and variance of AP(a) - AP(b), relevance uncertain.

    Parameters
    ----------
    ranks_a, ranks_b : array_like, shape (documents,)
        Rank of each document in the two systems, ``numpy.inf`` if not
        retrieved.
    p : array_like, shape (documents,)
        Probability that each document is relevant.
    ratio : {"exact", "delta", "plugin"}
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
    v = p (1 - p).  A merge over the two orders sums it in O(n log n); no
    documents x documents matrix is made for large n.

    ``plugin`` is close if many relevant documents are expected, and if
    few are, its variance is far too large, as `ap_moments` says. Such a
    topic does not cancel in a `confidence`: its variance outweighs those
    of the others.

    Examples
    --------
    >>> import gtlib as gt
    >>> m = gt.delta_ap_moments([1, 2, 3], [3, 1, 2], [0.9, 0.5, 0.1])
    >>> print(f"{m.mean:.4f} {m.variance:.4f}")
    0.3233 0.1018
    """
    ranks_a, p = check_ranking(ranks_a, p, one_ranking=True)
    ranks_b, p = check_ranking(ranks_b, p, one_ranking=True)
    return _moments(difference(ranks_a, ranks_b), p, ratio)


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


def pair_moments(ranks: np.ndarray, p: np.ndarray, ratio: str) -> Moments:
    """Return moments of all pairs of rankings, systems x systems."""
    one_of(ratio, "ratio", RATIOS)
    if ratio == "exact":
        return Moments(*integrate_pairs(ranks, p))
    return Moments(*approximate(pair_forms(ranks, p), ratio))


def _moments(score, p, ratio):
    """Return moments of one score, floats."""
    one_of(ratio, "ratio", RATIOS)
    p = p[score.order]
    if ratio == "exact":
        return Moments(*map(float, integrate(score, p)))
    return Moments(*map(float, approximate(score.form(p), ratio)))


def _as_float(x):
    return float(x) if np.ndim(x) == 0 else x
