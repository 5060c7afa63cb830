"""Exponential curves through swap rates, and whether they hold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from gtlib.swaps.rates import BinnedRates
from gtlib.tables import checks


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


def extrapolate_swaps(
    rates: BinnedRates, sizes: Sequence[int] = (50,)
) -> Extrapolation:
    """Fit ``rate = A exp(-B size)`` to each bin and continue the curve.

    Ordinary least squares on the rates, bin by bin, as Voorhees & Buckley
    extrapolated from sets of at most 25 topics to 50. The interval is that
    of the fitted curve (delta method on its logarithm): it is right only
    if an exponential is, so hold it against rates observed at the size.

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
        If no bin can be fitted, or a size is no whole number above zero.

    Examples
    --------
    >>> import numpy as np
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(1)
    >>> merit = np.linspace(0.2, 0.4, 8)[:, None]
    >>> scores = merit + rng.normal(0, 0.1, (8, 40))
    >>> curves = gt.extrapolate_swaps(gt.swap_rates(scores, drop=0), [25])
    >>> round(float(curves.rate.loc[25, 0.05]), 2)
    0.01
    """
    numbers = [checks.whole_number(size, "size") for size in sizes]
    rows = pd.Index(numbers, name="size")
    fits = {
        edge: _fit_exponential(column.dropna(), rows.to_numpy(float))
        for edge, column in rates.rate.items()
        if (column > 0).sum() >= 3
    }
    if not fits:
        raise ValueError(
            "No bin has three rates above zero: measure more sizes."
        )
    columns = pd.IntervalIndex(list(fits), name="difference")
    rate, low, high = np.stack([*fits.values()], axis=-1)
    return Extrapolation(
        pd.DataFrame(rate, rows, columns),
        pd.DataFrame(low, rows, columns),
        pd.DataFrame(high, rows, columns),
    )


def _fit_exponential(rates, sizes):
    """The curve through rates by size, low and high, at other `sizes`."""

    def curve(x, log_a, b):
        return np.exp(log_a - b * x)

    x, y = rates.index.to_numpy(float), rates.to_numpy()
    slope, start = np.polyfit(x[y > 0], np.log(y[y > 0]), 1)
    fit = scipy.optimize.curve_fit(curve, x, y, p0=(start, -slope))
    (log_a, b), covariance = fit
    log_rate = log_a - b * sizes
    gradient = np.stack([np.ones(len(sizes)), -sizes])
    spread = np.sqrt((gradient * (covariance @ gradient)).sum(axis=0))
    spread *= scipy.special.stdtrit(len(x) - 2, 0.975)
    return np.exp([log_rate, log_rate - spread, log_rate + spread])
