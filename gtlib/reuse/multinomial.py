"""Goodness of fit of four counts to expected counts that are given."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from gtlib.tables import checks


@dataclass(frozen=True)
class GoodnessOfFit:
    """A statistic and its p-value."""

    statistic: float
    p_value: float


def goodness_of_fit(
    observed: ArrayLike,
    expected: ArrayLike,
    method: str = "asymptotic",
    n_resamples: int = 9999,
    seed: int = 0,
) -> GoodnessOfFit:
    """Test whether four observed counts match the expected ones.

    Parameters
    ----------
    observed : array of int, shape (4,) or (2, 2)
        Numbers of pairs of systems in each cell.
    expected : array of float, the same shape
        Expected numbers; their total is that of `observed`, up to 1%
        because printed numbers are rounded.
    method : {"asymptotic", "exact", "monte-carlo"}
        How the p-value is computed: from the chi-square distribution with
        3 degrees of freedom (nothing is estimated from the observed
        counts), from the multinomial probabilities of all tables with this
        total, or from `n_resamples` tables drawn from the multinomial.
        ``"exact"`` is exact only for independent pairs of equal power.
    n_resamples : int
        Number of tables drawn by ``"monte-carlo"``.
    seed : int
        Seed of these draws.

    Returns
    -------
    GoodnessOfFit
        ``statistic``, X² = Σ (O - E)²/E, and ``p_value``, the
        probability of a statistic at least as large.

    Raises
    ------
    ValueError
        If the shapes or totals differ, or a count is negative.

    Notes
    -----
    The counts are multinomial if all pairs have the same four
    probabilities. Independent pairs with probabilities p of their own have
    Poisson multinomial counts, which vary less: X² is then 4 - Σ Σ p²/E
    on average (over pairs and cells), where the multinomial has 3, so that
    p-values tend to be too large. By how much, `expected` does not tell.
    Pairs that share systems and topics vary more than either, which is
    what `reusability_test` allows for.

    Examples
    --------
    >>> import gtlib as gt
    >>> apl = gt.goodness_of_fit([6, 3, 0, 1], [7.098, 2.043, 0.073, 0.786])
    >>> round(apl.statistic, 4), round(apl.p_value, 4)
    (0.7494, 0.8615)
    """
    checks.one_of(method, "method", ("asymptotic", "exact", "monte-carlo"))
    seen = np.ravel(np.asarray(observed, dtype=float))
    mean = np.ravel(np.asarray(expected, dtype=float))
    if len(seen) != 4 or len(mean) != 4:
        raise ValueError("observed and expected have four cells each.")
    if (seen < 0).any() or (mean < 0).any() or (seen % 1).any():
        raise ValueError("Counts are whole and not negative.")
    total = int(seen.sum())
    if total == 0 or abs(mean.sum() - total) > 0.01 * total:
        raise ValueError(
            f"The observed counts add to {total}, the expected ones to "
            f"{mean.sum():g}: both should count the same pairs."
        )
    statistic = float(pearson(seen, mean))
    least = statistic * (1 - 1e-9) - 1e-12
    if method == "asymptotic":
        p = scipy.special.chdtrc(3, statistic)
    elif method == "exact":
        p = _exact_tail(total, mean, least)
    else:
        n = checks.whole_number(n_resamples, "n_resamples")
        rng = np.random.default_rng(seed)
        tables = rng.multinomial(total, mean / mean.sum(), size=n)
        hits = (pearson(tables, mean) >= least).sum()
        p = (1 + hits) / (1 + n)
    return GoodnessOfFit(statistic, float(p))


def pearson(observed: ArrayLike, expected: np.ndarray) -> np.ndarray:
    """Sum (O - E)²/E over the last axis; an expected 0 must be observed."""
    gap = np.asarray(observed, dtype=float) - expected
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(gap == 0, 0.0, gap**2 / expected)
    return parts.sum(axis=-1)


def _exact_tail(total, mean, least):
    """Sum P(X² >= least) over all tables, by their first cell."""
    law = scipy.stats.multinomial(total, mean / mean.sum())
    tail = 0.0
    for first in range(total + 1):
        left = total - first
        second_and_third, third = np.tril_indices(left + 1)
        cells = np.stack(
            [
                np.full_like(second_and_third, first),
                second_and_third - third,
                third,
                left - second_and_third,
            ],
            axis=-1,
        )
        tail += law.pmf(cells[pearson(cells, mean) >= least]).sum()
    return min(tail, 1.0)
