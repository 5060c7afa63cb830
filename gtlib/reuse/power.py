"""The paired t-test and its power, for many pairs at once."""

import numpy as np
import scipy


def paired_t_test(differences):
    """The two-sided paired t-test of each row of score differences.

    Parameters
    ----------
    differences : array, pairs x topics

    Returns
    -------
    mean, effect, p : arrays, one value per pair
        The mean difference, the mean in standard deviations, and the
        p-value. Differences that are all the same have the effect 0 if
        they are zero, else an infinite one.

    Examples
    --------
    >>> mean, effect, p = paired_t_test([[0.1, 0.2, 0.3]])
    >>> round(effect[0], 6), round(p[0], 6)
    (np.float64(2.0), np.float64(0.07418))
    """
    z = np.asarray(differences, dtype=float)
    topics = z.shape[1]
    mean, sd = z.mean(axis=1), z.std(axis=1, ddof=1)
    constant = np.ptp(z, axis=1) == 0
    sd = np.where(constant, 0.0, sd)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(mean == 0, 0.0, mean / sd)
    p = 2 * scipy.special.stdtr(
        topics - 1, -np.abs(effect) * np.sqrt(topics)
    )
    return mean, effect, p


def paired_t_power(effect_size, topics, alpha=0.05):
    """Power of the two-sided paired t-test.

    Parameters
    ----------
    effect_size : float or array
        Mean difference over standard deviation of the differences.
    topics : int or array
        How many topics are sampled; at least two.
    alpha : float

    Returns
    -------
    float or array
        P(p < alpha): the tails of the noncentral t distribution with
        topics - 1 degrees of freedom and noncentrality
        ``effect_size * sqrt(topics)``.

    Examples
    --------
    >>> round(float(paired_t_power(0.5, 34)), 4)
    0.8078
    """
    effect, topics = np.broadcast_arrays(np.abs(effect_size), topics)
    if (np.asarray(topics) < 2).any():
        raise ValueError("A paired t-test needs at least two topics.")
    df = topics - 1.0
    bound = scipy.special.stdtrit(df, 1 - alpha / 2)
    # Beyond 60 the power is 1 within rounding unless the bound is large.
    center = np.minimum(effect * np.sqrt(topics), 60 + 2 * bound)
    # Far in the lower tail nctdtr gives NaN for what is below 1e-15.
    below = np.nan_to_num(scipy.special.nctdtr(df, center, bound), nan=0.0)
    far = np.nan_to_num(scipy.special.nctdtr(df, center, -bound), nan=0.0)
    power = np.where(np.isinf(effect), 1.0, np.clip(1 - below + far, 0, 1))
    return power if power.ndim else float(power)
