"""Confidence limits in closed form, from mean squares of balanced data.

Each function takes the mean squares and degrees of freedom of one quantity
and returns ``(low, high)``; under the normal model every mean square,
divided by its expectation, is a chi-square over its degrees of freedom.
"""

import numpy as np
import scipy


def feldt(
    mean_squares: np.ndarray,
    df: np.ndarray,
    n: int,
    confidence_level: float,
) -> tuple[float, float]:
    """Limits of (expected MS_s / expected MS_e - 1) / n, exact.

    For system x topic that is σ²(system)/σ²(error), the generalizability
    of one topic as a ratio of signal to noise (Feldt 1965).

    Parameters
    ----------
    mean_squares, df : two floats each
        Of systems, and of error.
    n : int
        Observations of each system in the study.
    confidence_level : float in (0, 1)
    """
    ratio = mean_squares[0] / mean_squares[1]
    tail = (1 - confidence_level) / 2
    return tuple(
        (ratio / scipy.special.fdtri(*df, p) - 1) / n
        for p in (1 - tail, tail)
    )


def arteaga(
    mean_squares: np.ndarray,
    df: np.ndarray,
    levels: tuple[int, int],
    confidence_level: float,
) -> tuple[float, float]:
    """Limits of σ²(system) / (σ²(topic) + σ²(system x topic)).

    Nearly exact (Arteaga, Jeyaratnam & Franklin 1982): the dependability
    of one topic as a ratio of signal to noise.

    Parameters
    ----------
    mean_squares, df : three floats each
        Of systems, of topics, and of their interaction.
    levels : two ints
        Systems and topics of the study.
    confidence_level : float in (0, 1)
    """
    systems, topics, error = mean_squares
    n_s, n_q = levels
    tail = (1 - confidence_level) / 2

    def limit(p):
        q_infinite = _f_over_infinity(df[0], p)
        q_error = scipy.special.fdtri(df[0], df[2], p)
        q_topics = scipy.special.fdtri(df[0], df[1], p)
        constant = (q_infinite - q_error) * q_error * error**2
        # Below its least value the quotient would rise again.
        of_systems = max(systems, np.sqrt(max(constant, 0)))
        numerator = (
            of_systems**2 - q_infinite * of_systems * error + constant
        )
        denominator = of_systems * (
            df[0] * q_infinite * error + q_topics * topics
        )
        if not denominator:  # all systems have the same mean
            return -np.inf if constant < 0 else np.nan
        return n_s * numerator / (denominator * n_q)

    return limit(1 - tail), limit(tail)


def satterthwaite(
    terms: np.ndarray, df: np.ndarray, confidence_level: float
) -> tuple[float, float]:
    """Limits of a sum of mean squares, as if it were one chi-square.

    Parameters
    ----------
    terms : array
        Mean squares times their coefficients (Satterthwaite 1946).
    df : array
    confidence_level : float in (0, 1)

    Returns
    -------
    (low, high)
        NaN if the sum is not positive, or so small beside its terms that
        the chi-square would have less than one degree of freedom: its
        quantiles then go from nearly 0 to nearly infinity.
    """
    estimate = np.sum(terms)
    effective = estimate**2 / np.sum(terms**2 / df)
    if estimate <= 0 or effective < 1:
        return np.nan, np.nan
    tail = (1 - confidence_level) / 2
    return tuple(
        effective * estimate / scipy.special.chdtri(effective, p)
        for p in (tail, 1 - tail)
    )


def modified_large_sample(
    terms: np.ndarray, df: np.ndarray, confidence_level: float
) -> tuple[float, float]:
    """Limits of a mean square, or of a difference of sums of them.

    The large-sample variance, modified so that the limits are exact when
    one mean square stands alone (Graybill & Wang 1980) or two stand
    against each other at zero; Ting, Burdick, Graybill, Jeyaratnam & Lu
    (1990), as in Burdick & Graybill (1992), section 3.3.

    Parameters
    ----------
    terms : array
        Mean squares times their coefficients, positive and negative.
    df : array
    confidence_level : float in (0, 1)
    """
    tail = (1 - confidence_level) / 2
    estimate = np.sum(terms)
    minus = terms < 0
    up, down = terms[~minus], -terms[minus]
    n_up, n_down = df[~minus], df[minus]
    low = _spread(up, n_up, down, n_down, tail)
    high = _spread(down, n_down, up, n_up, tail)
    return estimate - np.sqrt(low), estimate + np.sqrt(high)


def _spread(near, n, far, m, tail):
    """Squared distance of the limit at which `near` shrinks and `far`
    grows; the upper limit is the lower one of the difference reversed."""
    g = 1 - 1 / _f_over_infinity(n, 1 - tail)
    h = 1 / _f_over_infinity(m, tail) - 1
    total = np.sum((g * near) ** 2) + np.sum((h * far) ** 2)
    for i in range(len(near)):
        f = scipy.special.fdtri(n[i], m, 1 - tail)
        cross = ((f - 1) ** 2 - (g[i] * f) ** 2 - h**2) / f
        total += np.sum(cross * near[i] * far)
        for j in range(i):
            both = n[i] + n[j]
            joint = 1 - 1 / _f_over_infinity(both, 1 - tail)
            cross = (
                joint**2 * both**2 / (n[i] * n[j])
                - g[i] ** 2 * n[i] / n[j]
                - g[j] ** 2 * n[j] / n[i]
            )
            total += cross * near[i] * near[j] / (len(near) - 1)
    return max(total, 0.0)


def _f_over_infinity(df, p):
    """Quantile p of F with infinitely many denominator degrees."""
    return scipy.special.chdtri(df, 1 - p) / df
