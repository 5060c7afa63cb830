"""Tests of a mean difference that hold however often one looks.

Whoever adds topics until a p-value is below .05 is wrong more often than
in five of a hundred cases. These limits hold at all numbers of topics at
once: with the probability that is named, none of the intervals along the
way leaves the true mean out.
"""

import numpy as np

# The largest share of a bet that one topic can lose (Waudby-Smith &
# Ramdas).
_MOST = 0.5
# The standard deviation of the mixture, in standardized differences.
_EFFECT = 0.3
_HALVINGS = 50


def betting_limits(
    differences: np.ndarray, confidence_level: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the limits of the mean of differences between -1 and 1, by
    betting against each possible mean.

    Parameters
    ----------
    differences : array (pairs, topics)
        Topics in the order in which they came: a bet on one is made from
        those before it.
    confidence_level : float in (0, 1)
        The probability that all limits, at every look, hold the mean.

    Returns
    -------
    low, high, p_value : arrays, a value per pair
        Limits of the mean, and the p-value of no difference.

    Notes
    -----
    The hedged capital process of Waudby-Smith & Ramdas (2024, theorem 3),
    with its predictable plug-in bets, of (1 + difference) / 2. Nothing is
    assumed but the bounds, and that topics are drawn independently.

    References
    ----------
    Waudby-Smith & Ramdas (2024), "Estimating means of bounded random
    variables by betting", JRSS B 86.

    Examples
    --------
    >>> import numpy as np
    >>> from gtlib.comparisons import betting_limits
    >>> rng = np.random.default_rng(0)
    >>> z = rng.uniform(0, 0.4, (1, 100))
    >>> low, high, p = betting_limits(z)
    >>> bool(0 < low[0] < 0.2 < high[0]), bool(p[0] < 0.05)
    (True, True)
    """
    x = (1 + differences) / 2
    alpha = 1 - confidence_level
    t = np.arange(1, x.shape[1] + 1)
    mean = (0.5 + np.cumsum(x, axis=1)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2, axis=1)) / (t + 1)
    before = np.c_[np.full(len(x), 0.25), variance[:, :-1]]
    bets = np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log(t + 1)))

    def wealth_above(m):
        """Return the log of what a bet on more than m has become."""
        stake = np.minimum(bets, _MOST / np.maximum(m, 1e-300)[:, None])
        return np.log1p(stake * (x - m[:, None])).sum(axis=1)

    def wealth_below(m):
        stake = np.minimum(bets, _MOST / np.maximum(1 - m, 1e-300)[:, None])
        return np.log1p(-stake * (x - m[:, None])).sum(axis=1)

    # Half of the money is on either side.
    enough = np.log(2 / alpha)
    low, high = np.zeros(len(x)), np.ones(len(x))
    ends = []
    for wealth, rises in ((wealth_above, False), (wealth_below, True)):
        outside, inside = (high, low) if rises else (low, high)
        for _ in range(_HALVINGS):
            middle = (outside + inside) / 2
            lost = wealth(middle) >= enough
            outside = np.where(lost, middle, outside)
            inside = np.where(lost, inside, middle)
        ends.append(2 * outside - 1)
    none = np.full(len(x), 0.5)
    most = np.maximum(wealth_above(none), wealth_below(none))
    return *ends, np.exp(np.minimum(np.log(2) - most, 0))


def mixture_limits(
    differences: np.ndarray, confidence_level: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the limits of the mean of normal differences, by a mixture of
    normal distributions of what it may be.

    Parameters and what is returned are those of `betting_limits`; the
    differences have no bounds, and their order does not matter.

    Notes
    -----
    The likelihood ratio of t for a standardized mean that is normal with
    variance v, beside one of zero, is with n topics

        (1 + n v)**(-1/2) ((1 + u) / (1 + u / (1 + n v)))**(n/2),

    u = t**2 / (n - 1) (Wang & Ramdas 2025). Of normal differences
    it exceeds 1 / alpha at any n with probability alpha at most; of others
    that is so in the limit.

    References
    ----------
    Wang & Ramdas (2025), "Anytime-valid t-tests and confidence sequences
    for Gaussian means with unknown variance", arXiv:2310.03722.

    Examples
    --------
    >>> import numpy as np
    >>> from gtlib.comparisons import mixture_limits
    >>> z = np.random.default_rng(0).normal(2, 1, (1, 30))
    >>> low, high, p = mixture_limits(z)
    >>> bool(1 < low[0] < 2 < high[0] < 3), bool(p[0] < 0.001)
    (True, True)
    """
    n = differences.shape[1]
    alpha = 1 - confidence_level
    mean = differences.mean(axis=1)
    error = differences.std(axis=1, ddof=1) / np.sqrt(n)
    wide = 1 + n * _EFFECT**2
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.where(mean == 0, 0, (mean / error) ** 2 / (n - 1))
        ratio = np.where(np.isinf(u), wide, (1 + u) / (1 + u / wide))
    evidence = n / 2 * np.log(ratio) - np.log(wide) / 2
    least = (wide / alpha**2) ** (1 / n)
    half = np.full(len(mean), np.inf)
    if least < wide:
        half = error * np.sqrt((n - 1) * (least - 1) / (1 - least / wide))
    return mean - half, mean + half, np.exp(np.minimum(-evidence, 0))
