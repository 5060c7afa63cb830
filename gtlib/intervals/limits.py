"""Confidence limits in closed form, from mean squares of balanced data.

Each function takes the mean squares and degrees of freedom of one quantity
and returns ``(low, high)``. Under the normal model every mean square,
divided by its expectation, is a chi-square over its degrees of freedom,
independent of the others. F_p(a, b) is the quantile p of F with a and b
degrees of freedom. In a limit that leaves the probability α/2 beyond it, p
is 1 - α/2 for the lower one and α/2 for the upper one.

Of n_s systems on n_q topics,

    E MS_s = σ²_e + n_q σ²_s,                                        (1)
    E MS_q = σ²_e + n_s σ²_q,
    E MS_e = σ²_e .

Feldt's ratio of signal to noise, and its limits, are

    σ²_s / σ²_e = (E MS_s / E MS_e - 1) / n_q,                       (2)
    (MS_s / MS_e / F_p - 1) / n_q,    F_p = F_p(df_s, df_e) .        (3)

Arteaga's, with q_b = F_p(df_s, b) and df_s = n_s - 1, are

    σ²_s / (σ²_q + σ²_e)
        = n_s/n_q (E MS_s - E MS_e) / ((n_s - 1) E MS_e + E MS_q),   (4)
    n_s/n_q N/D,                                                     (5)
        N = MS_s² - q_∞ MS_s MS_e + (q_∞ - q_e) q_e MS_e²,
        D = MS_s ((n_s - 1) q_∞ MS_e + q_q MS_q) .

The limits of the modified large sample, of mean squares times numbers that
sum to T, are T - sqrt(V) and T + sqrt(V'). Of P positive terms a_i, with
n_i degrees of freedom, and others -b_j, with m_j,

    V = sum of G_i² a_i² + sum of H_j² b_j²                          (6)
        + sum over i, j of G_ij a_i b_j
        + sum over h < i of G*_hi a_h a_i,
    G_i = 1 - 1/F_{1-α/2}(n_i, ∞),    H_j = 1/F_{α/2}(m_j, ∞) - 1,   (7)
    G_ij = ((F - 1)² - G_i² F² - H_j²) / F,                          (8)
        F = F_{1-α/2}(n_i, m_j),
    G*_hi = ((1 - 1/F_{1-α/2}(n_h + n_i, ∞))² (n_h + n_i)²/(n_h n_i)
             - G_h² n_h/n_i - G_i² n_i/n_h) / (P - 1),               (9)

and V' is V with the a and the b exchanged.
"""

import numpy as np
import scipy


def feldt(
    mean_squares: np.ndarray,
    df: np.ndarray,
    n: int,
    confidence_level: float,
) -> np.ndarray:
    """Return limits of (expected MS_s / expected MS_e - 1) / n, exact: (3).

    For system x topic that is σ²(system)/σ²(error), the generalizability
    of one topic as a ratio of signal to noise (Feldt 1965).

    Parameters
    ----------
    mean_squares, df : two floats each, or two arrays
        Of systems, and of error.
    n : int
        Observations of each system in the study.
    confidence_level : float in (0, 1)
    """
    with np.errstate(divide="ignore"):  # no error, no limit
        ratio = np.divide(*mean_squares)
    quantiles = scipy.special.fdtri(*df, _ends(confidence_level))
    return (ratio / quantiles - 1) / n


def arteaga(
    mean_squares: np.ndarray,
    df: np.ndarray,
    levels: tuple[int, int],
    confidence_level: float,
) -> np.ndarray:
    """Return limits of σ²(system) / (σ²(topic) + σ²(system x topic)): (5).

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
    p = _ends(confidence_level)
    q_infinite = _f_over_infinity(df[0], p)
    q_topics = scipy.special.fdtri(df[0], df[1], p)
    q_error = scipy.special.fdtri(df[0], df[2], p)
    # (5): the last term of N, which has no MS_s in it
    constant = (q_infinite - q_error) * q_error * error**2
    # Below its least value in MS_s the quotient would rise again.
    systems = np.maximum(systems, np.sqrt(np.maximum(constant, 0)))
    numerator = systems**2 - q_infinite * systems * error + constant
    noise = (n_s - 1) * q_infinite * error + q_topics * topics
    denominator = systems * noise
    with np.errstate(divide="ignore", invalid="ignore"):  # all means alike
        return n_s / n_q * numerator / denominator


def modified_large_sample(
    terms: np.ndarray, df: np.ndarray, confidence_level: float
) -> tuple[float, float]:
    """Return limits of a mean square, or of a difference of sums: (6).

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
    minus = terms < 0
    up, df_up = terms[~minus], df[~minus]
    down, df_down = -terms[minus], df[minus]
    variance_low = _variance(up, df_up, down, df_down, confidence_level)
    variance_high = _variance(down, df_down, up, df_up, confidence_level)
    total = np.sum(terms)
    low = total - np.sqrt(max(variance_low, 0.0))
    high = total + np.sqrt(max(variance_high, 0.0))
    return low, high


def _variance(a, n, b, m, confidence_level):
    """V of (6), of the limit at which the terms a shrink and b grow."""
    above, below = _ends(confidence_level)
    g = 1 - 1 / _f_over_infinity(n, above)  # (7)
    h = 1 / _f_over_infinity(m, below) - 1
    row, pooled = n[:, None], n[:, None] + n
    f = scipy.special.fdtri(row, m, above)
    cross = ((f - 1) ** 2 - (g[:, None] * f) ** 2 - h**2) / f  # (8)
    joint = pooled * (1 - 1 / _f_over_infinity(pooled, above))
    own = g[:, None] ** 2 * row / n
    among = joint**2 / (row * n) - own - own.T  # (9), times P - 1
    return (
        np.sum((g * a) ** 2)
        + np.sum((h * b) ** 2)
        + a @ cross @ b
        + a @ np.triu(among, 1) @ a / max(len(a) - 1, 1)
    )


def _ends(confidence_level):
    """The p of F_p that give the lower and the upper limit."""
    tail = (1 - confidence_level) / 2
    return np.array([1 - tail, tail])


def _f_over_infinity(df, p):
    """F_p(df, ∞): with infinitely many degrees below it, a chi-square."""
    return scipy.special.chdtri(df, 1 - p) / df
