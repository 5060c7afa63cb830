"""Exponential curves through swap rates, and whether they hold."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy


@dataclass(frozen=True)
class Extrapolation:
    """Exponential curves through rates, continued to other sizes.

    Attributes
    ----------
    rate : DataFrame
        The fitted curve; rows = sizes, columns = bins.
    low : DataFrame
    high : DataFrame
        Its confidence limits, of the same shape.
    coefficients : DataFrame
        ``A`` and ``B`` of each bin.
    """

    rate: pd.DataFrame
    low: pd.DataFrame
    high: pd.DataFrame
    coefficients: pd.DataFrame

    def against(self, observed, size):
        """The curve at `size` beside the rates observed there.

        Parameters
        ----------
        observed : BinnedRates
        size : int
            A topic-set size of both.

        Returns
        -------
        DataFrame
            A row per bin: extrapolated, low, high, observed, error, and
            whether the observed rate lies within the interval.
        """
        table = pd.DataFrame(
            {
                "extrapolated": self.rate.loc[size],
                "low": self.low.loc[size],
                "high": self.high.loc[size],
                "observed": observed.rate.loc[size],
                "error": observed.error.loc[size],
            }
        ).dropna()
        inside = table["observed"].between(table["low"], table["high"])
        return table.assign(inside=inside)


def extrapolate_swaps(rates, sizes=(50,), level=0.95):
    """Fit ``rate = A exp(-B size)`` to each bin and continue the curve.

    Ordinary least squares on the rates, bin by bin, as Voorhees & Buckley
    extrapolated from sets of at most 25 topics to 50. The interval is that
    of the fitted curve (delta method on its logarithm): it is right only
    if an exponential is, which `Extrapolation.against` puts to the test.

    Parameters
    ----------
    rates : BinnedRates
        With at least three sizes in every bin that is to be fitted.
    sizes : sequence of int
        Where to read the curves off.
    level : float in (0, 1)
        Confidence level of the interval.

    Returns
    -------
    Extrapolation
        Without the bins that have fewer than three rates above zero.

    Raises
    ------
    ValueError
        If no bin can be fitted, or `level` is not in (0, 1).

    Examples
    --------
    >>> from gtlib import swap_rates
    >>> rng = np.random.default_rng(1)
    >>> merit = np.linspace(0.2, 0.4, 8)[:, None]
    >>> scores = merit + rng.normal(0, 0.1, (8, 40))
    >>> curves = extrapolate_swaps(swap_rates(scores, drop=0), [25])
    >>> round(float(curves.rate.loc[25, 0.05]), 2)
    0.01
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1.")
    sizes = pd.Index(sizes, name="size")
    fits = {}
    for edge, column in rates.rate.items():
        seen = column.dropna()
        if (seen > 0).sum() >= 3:
            fits[edge] = _fit_exponential(
                seen.index.to_numpy(float), seen.to_numpy(), sizes, level
            )
    if not fits:
        raise ValueError(
            "No bin has three rates above zero: measure more sizes."
        )
    columns = pd.IntervalIndex(list(fits), name="difference")
    rate, low, high, coefficients = (
        np.array(part).T for part in zip(*fits.values(), strict=True)
    )
    return Extrapolation(
        *(pd.DataFrame(part, sizes, columns) for part in (rate, low, high)),
        pd.DataFrame(coefficients.T, columns, ["A", "B"]),
    )


def _fit_exponential(x, y, sizes, level):
    from scipy.optimize import curve_fit  # slow to import

    def curve(x, log_a, b):
        return np.exp(log_a - b * x)

    positive = y > 0
    slope, start = np.polyfit(x[positive], np.log(y[positive]), 1)
    (log_a, b), covariance = curve_fit(curve, x, y, p0=(start, -slope))
    gradient = np.stack([np.ones(len(sizes)), -np.asarray(sizes, float)])
    log_rate = log_a - b * np.asarray(sizes, float)
    spread = np.sqrt(
        np.einsum("is,ij,js->s", gradient, covariance, gradient)
    ) * scipy.special.stdtrit(len(x) - 2, (1 + level) / 2)
    return (
        np.exp(log_rate),
        np.exp(log_rate - spread),
        np.exp(log_rate + spread),
        (np.exp(log_a), b),
    )
