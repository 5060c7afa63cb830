"""The mean of one system, and how sure it is."""

from math import nan

import numpy as np
import scipy
from numpy.typing import ArrayLike

from gtlib.scores import Interval


def mean_interval(values: ArrayLike) -> Interval:
    """Return a mean with its 95% interval, by Student's t; of fewer than
    two values there is none.

    Examples
    --------
    >>> f"{mean_interval([0, 1, 1, 1]):.2f}"
    '0.75 [-0.05, 1.55]'
    """
    x = np.asarray(values, float)
    x = x[np.isfinite(x)]
    if len(x) < 2:
        return Interval(nan, nan, float(x.mean()) if len(x) else nan)
    error = float(x.std(ddof=1)) / len(x) ** 0.5
    half = float(scipy.special.stdtrit(len(x) - 1, 0.975)) * error
    mean = float(x.mean())
    return Interval(mean - half, mean + half, mean, method="t")
