"""The paired t-test of two systems, for many pairs at once.

With S1 the sum of n score differences and S2 that of their squares, r² =
S1² / (n S2) is their squared correlation with a constant, and t² = (n - 1)
r² / (1 - r²). Callers add up differences in the way that is fast for them.
"""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from gtlib.tables import checks

# The r² from which on all differences are the same up to rounding.
_ONE = 1 - 1e-12


def r_squared(
    total: np.ndarray, squares: np.ndarray, size: int
) -> np.ndarray:
    """Return r² from sums of differences; 0 where all of them are 0."""
    r2 = total * total
    r2 /= np.maximum(squares * size, np.finfo(r2.dtype).tiny)
    return np.minimum(r2, 1, out=r2)


def r_squared_from_t(t: ArrayLike, size: int) -> np.ndarray:
    """Return the r² of n differences that belongs to a t."""
    return np.square(t) / (np.square(t) + size - 1)


def t_from_r_squared(r2: np.ndarray, size: int) -> np.ndarray:
    """Return the absolute t of n differences that belongs to an r²."""
    with np.errstate(divide="ignore"):
        t = np.sqrt((size - 1) * r2 / (1 - r2))
    return np.where(r2 > _ONE, np.inf, t)


def t_statistic(
    total: np.ndarray, squares: np.ndarray, size: int
) -> np.ndarray:
    """Return the paired t from sums of n differences and of their squares.

    0 where all differences are 0, and infinite where all are the same.

    Examples
    --------
    >>> z = np.array([[0.1, 0.2, 0.3]])
    >>> t_statistic(z.sum(axis=1), (z * z).sum(axis=1), 3).round(4)
    array([3.4641])
    """
    return np.sign(total) * t_from_r_squared(
        r_squared(total, squares, size), size
    )


def p_value(t: np.ndarray, size: ArrayLike) -> np.ndarray:
    """Return the two-sided p-value of the t of n differences."""
    return 2 * scipy.special.stdtr(np.asarray(size) - 1, -np.abs(t))


def critical_t(size: ArrayLike, alpha: float) -> np.ndarray:
    """Return the abs(t) of n differences that has the p-value alpha."""
    return scipy.special.stdtrit(np.asarray(size) - 1.0, 1 - alpha / 2)


def wilson_limits(mean: np.ndarray, square: ArrayLike) -> np.ndarray:
    """Return Wilson's (1927) limits of means from 0 to 1: 2 x n.

    They solve (mean - mu)² = square mu (1 - mu) for mu. With z² / n for
    `square` they are those of the share of a sample of n.

    Examples
    --------
    >>> import numpy as np
    >>> from gtlib.comparisons import wilson_limits
    >>> wilson_limits(np.array([0, 0.5]), 1.96**2 / 10).round(3).tolist()
    [[0.0, 0.237], [0.278, 0.763]]
    """
    reach = np.sqrt(square * (mean * (1 - mean) + np.divide(square, 4)))
    limits = np.stack([mean - reach, mean + reach]) + np.divide(square, 2)
    return np.clip(limits / (1 + np.asarray(square)), 0, 1)


def nearly_constant(values: np.ndarray) -> np.ndarray:
    """Return whether all values of a row but two (or a third, if that is
    fewer) are the same, up to 1e-9.

    Examples
    --------
    >>> import numpy as np
    >>> from gtlib.comparisons import nearly_constant
    >>> nearly_constant(np.array([[0.3, 0.1 + 0.2, 0.3, 1], [0, 1, 1, 0]]))
    array([ True, False])
    """
    apart = np.abs(values - np.median(values, axis=1, keepdims=True)) > 1e-9
    return apart.sum(axis=1) <= min(2, values.shape[1] / 3)


def holm(p: np.ndarray) -> np.ndarray:
    """Adjust the p-values of several tests by Holm's (1979) method.

    Examples
    --------
    >>> import numpy as np
    >>> from gtlib.comparisons import holm
    >>> holm(np.array([0.04, 0.01, 0.03])).round(2).tolist()
    [0.06, 0.03, 0.06]
    """
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(steps, 1)[np.argsort(order)]


def paired_t_power(
    effect_size: ArrayLike, topics: ArrayLike, alpha: float = 0.05
) -> float | np.ndarray:
    """Compute the power of the two-sided paired t-test.

    Parameters
    ----------
    effect_size : float or array
        Mean difference over standard deviation of the differences.
    topics : int or array
        How many topics are sampled; at least two.
    alpha : float in (0, 1)
        Significance level of the test.

    Returns
    -------
    float or array
        P(p < alpha): both tails of the noncentral t distribution with
        topics - 1 degrees of freedom and noncentrality
        ``effect_size * sqrt(topics)``, or the upper one of its square.

    Raises
    ------
    ValueError
        If an effect size is no number, there are fewer than two topics, or
        `alpha` is out of range.

    Examples
    --------
    >>> import gtlib as gt
    >>> round(float(gt.paired_t_power(0.5, 34)), 4)
    0.8078
    """
    alpha = checks.significance_level(alpha)
    effect, topics = np.broadcast_arrays(np.abs(effect_size), topics)
    if np.isnan(effect).any():
        raise ValueError("An effect_size is not a number (NaN).")
    if not (topics >= 2).all():
        raise ValueError("A paired t-test needs at least two topics.")
    power = f_power(topics * effect**2, 1, topics - 1.0, alpha)
    return power if power.ndim else float(power)


def f_power(
    noncentrality: ArrayLike, df: float, df_error: ArrayLike, alpha: float
) -> np.ndarray:
    """Compute the power of an F-test; with one df, of a two-sided t.

    Examples
    --------
    >>> from gtlib.comparisons import f_power
    >>> f_power(8.5, 1, 33, 0.05).round(4)
    np.float64(0.8078)
    """
    bound = scipy.special.fdtri(df, df_error, 1 - alpha)
    # Near a noncentrality of 0 it may be 1, and NaN far in its lower tail.
    below = scipy.special.ncfdtr(df, df_error, noncentrality, bound)
    return np.clip(1 - np.nan_to_num(below), alpha, 1)
