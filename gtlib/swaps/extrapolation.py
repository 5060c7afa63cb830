"""Exponential curves through swap rates, and whether they hold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from gtlib.swaps.binned import BinnedRates


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """Exponential curves through rates, continued to other sizes.

    Attributes
    ----------
    rate : DataFrame
        The fitted curve; rows = sizes, columns = bins.
    low : DataFrame
    high : DataFrame
        Its 95% confidence limits, of the same shape.
    """

    rate: pd.DataFrame
    low: pd.DataFrame
    high: pd.DataFrame

    def against(self, observed: BinnedRates, size: int) -> pd.DataFrame:
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


def extrapolate_swaps(
    rates: BinnedRates,
    sizes: Sequence[int] = (50,),
) -> Extrapolation:
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

    Returns
    -------
    Extrapolation
        Without the bins that have fewer than three rates above zero.

    Raises
    ------
    ValueError
        If no bin can be fitted.

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
    sizes = pd.Index(sizes, name="size")
    fits = {}
    for edge, column in rates.rate.items():
        seen = column.dropna()
        if (seen > 0).sum() >= 3:
            fits[edge] = _fit_exponential(
                seen.index.to_numpy(float), seen.to_numpy(), sizes
            )
    if not fits:
        raise ValueError(
            "No bin has three rates above zero: measure more sizes."
        )
    columns = pd.IntervalIndex(list(fits), name="difference")
    parts = (np.array(part).T for part in zip(*fits.values(), strict=True))
    return Extrapolation(
        *(pd.DataFrame(part, sizes, columns) for part in parts)
    )


def _fit_exponential(x, y, sizes):
    """The curve through the rates y at x, low and high, at `sizes`."""

    def curve(x, log_a, b):
        return np.exp(log_a - b * x)

    positive = y > 0
    slope, start = np.polyfit(x[positive], np.log(y[positive]), 1)
    (log_a, b), covariance = scipy.optimize.curve_fit(
        curve, x, y, p0=(start, -slope)
    )
    gradient = np.stack([np.ones(len(sizes)), -np.asarray(sizes, float)])
    log_rate = log_a - b * np.asarray(sizes, float)
    spread = np.sqrt(
        np.einsum("is,ij,js->s", gradient, covariance, gradient)
    ) * scipy.special.stdtrit(len(x) - 2, 0.975)
    return np.exp([log_rate, log_rate - spread, log_rate + spread])
