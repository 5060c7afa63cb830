"""What the variance components say of swaps, before any data are split.

The normal model's swap rate, Kendall's tau and number of topics, and the
published curves from the coefficients to such indicators.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib import checks
from gtlib.study import GStudy
from gtlib.swaps.binned import bin_edges, bin_intervals

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
"""Quadrature on (-1, 1)."""

_EXPONENTS = {
    "tau": 2.84729794002905,
    "tau_ap": 3.98652984123827,
    "power": 4.77902509574171,
    "minor_conflicts": 1.53337366741287,
    "major_conflicts": 2.62976839002005,
    "absolute_sensitivity": 1.54402996734738,
    "relative_sensitivity": 1.29759126030214,
    "rmse": 3.27642726002903,
}


def predicted_swap_rates(
    g: GStudy,
    sizes: Sequence[int],
    bins: Sequence[float] | None = None,
    *,
    matched: bool = True,
) -> pd.DataFrame:
    """Swap rate of each bin from the variance components alone.

    With systems and errors normal, two systems' difference d on n topics
    has variance V = 2 (σ²(s) + σ²(e) / n), and the differences on two
    topic sets correlate by ρ = 2 σ²(s) / V, which is Eρ² at n topics. So

        P(swap at d) = Φ(-ρ abs(d) / sqrt(V (1 - ρ²))),

    averaged here over the distances abs(d) that fall into the bin. σ²(e) is
    that of the interaction; if the two systems are not matched on topics,
    that of the topics is added.

    Parameters
    ----------
    g : GStudy
        Of the design ``system x topic``.
    sizes : sequence of int
    bins : sequence of float, optional
        Left edges, as in `swap_rates`.
    matched : bool
        Whether both systems are measured on the same topics.

    Returns
    -------
    DataFrame
        Rows = sizes, columns = bins, as ``swap_rates(...).rate``.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components("system x topic", {"system": 0.003,
    ...     "topic": 0.03, "system x topic": 0.01})
    >>> rates = predicted_swap_rates(g, [25, 50])
    >>> rates[0.03].round(3).tolist()
    [0.214, 0.121]
    """
    true, error = _components(g, matched)
    edges = bin_edges(bins)
    sizes = pd.Index(sizes, name="size")
    rates = []
    for size in sizes:
        observed = true + error / size
        rho = true / observed
        beyond = scipy.special.erfc(
            np.append(edges, np.inf) / 2 / observed**0.5
        )
        inside = (
            beyond[1:, None] - np.diff(beyond)[:, None] * (_NODES + 1) / 2
        )
        inside = np.maximum(inside, np.finfo(float).tiny)
        with np.errstate(divide="ignore"):
            slope = rho * np.sqrt(2 / np.float64(1 - rho**2))
        swap = scipy.special.ndtr(-slope * scipy.special.erfcinv(inside))
        rates.append(swap @ _WEIGHTS / 2)
    return pd.DataFrame(rates, sizes, bin_intervals(edges))


def predicted_tau(
    generalizability: ArrayLike,
) -> float | np.ndarray | pd.Series:
    """Kendall's tau between two topic sets, from Eρ² alone.

    If systems and errors are normal, the mean scores of a system on two
    sets of n topics correlate by Eρ² at n topics, and two normal variables
    that correlate by ρ have tau = 2/π arcsin(ρ) (Greiner's relation). The
    share of all pairs that swap is then (1 - tau) / 2.

    Parameters
    ----------
    generalizability : float or array or Series, in [0, 1]
        Eρ² at the size of the topic sets.

    Returns
    -------
    float, or what was given
        Tau, in [0, 1].

    Examples
    --------
    >>> f"{predicted_tau(0.9):.3f}"
    '0.713'
    """
    _check_share(generalizability, "generalizability")
    return 2 / np.pi * np.arcsin(generalizability)


def topics_to_detect(
    g: GStudy,
    difference: float,
    alpha: float = 0.05,
    power: float = 0.8,
    *,
    matched: bool = True,
) -> int:
    """Topics on which a true difference is likely to be significant.

    The usual sample size of a two-sided z-test: n = (z(1 - alpha/2) +
    z(power))² 2 σ²(e) / difference², where σ²(e) is the interaction of
    system and topic, plus the topics' own variance if the two systems are
    measured on different topics, n each (Robertson 1990).

    Parameters
    ----------
    g : GStudy
        Of the design ``system x topic``.
    difference : float > 0
        In units of the score.
    alpha, power : float in (0, 1)
    matched : bool
        Whether both systems are measured on the same topics.

    Returns
    -------
    int

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components("system x topic", {"system": 0.003,
    ...     "topic": 0.03, "system x topic": 0.01})
    >>> topics_to_detect(g, 0.05), topics_to_detect(g, 0.05, matched=False)
    (63, 252)
    """
    alpha = checks.significance_level(alpha)
    if not difference > 0:
        raise ValueError(f"difference is {difference}; it must exceed 0.")
    if not 0 < power < 1:
        raise ValueError(f"power is {power}; it must lie between 0 and 1.")
    error = _components(g, matched)[1]
    reach = scipy.special.ndtri(1 - alpha / 2) + scipy.special.ndtri(power)
    return math.ceil(2 * error * (reach / difference) ** 2)


def published_fits(
    generalizability: ArrayLike, dependability: ArrayLike
) -> pd.DataFrame:
    """Data-based indicators as powers of the coefficients.

    The curves that Urbano, Marrero & Martín (2013) fitted to over 40 TREC
    collections, with the constants of their R package gt4ireval: tau,
    tau_ap and power are powers of Eρ²; the conflicts and the absolute
    sensitivity of 1 - Eρ²; the relative sensitivity and the root mean
    squared error of 1 - Φ. Its authors advise a grain of salt.

    Parameters
    ----------
    generalizability, dependability : float or sequence, in [0, 1]

    Returns
    -------
    DataFrame
        A column per indicator, as in `split_half`; a row per value,
        indexed like `generalizability`.

    References
    ----------
    Urbano, Marrero & Martín (2013), "On the measurement of test
    collection reliability", SIGIR, figure 3.

    Examples
    --------
    >>> published_fits(0.95, 0.8)[["tau", "relative_sensitivity"]].round(5)
           tau  relative_sensitivity
    0  0.86412               0.12389
    """
    index = getattr(generalizability, "index", None)
    e, phi = np.atleast_1d(generalizability), np.atleast_1d(dependability)
    _check_share(e, "generalizability")
    _check_share(phi, "dependability")
    base = dict.fromkeys(_EXPONENTS, 1 - e)
    base.update(tau=e, tau_ap=e, power=e)
    base.update(relative_sensitivity=1 - phi, rmse=1 - phi)
    return pd.DataFrame(
        {name: base[name] ** power for name, power in _EXPONENTS.items()},
        index,
    )


def _check_share(value, name):
    value = np.asarray(value)
    if not ((value >= 0) & (value <= 1)).all():
        raise ValueError(f"{name} must lie between 0 and 1.")


def _components(g, matched):
    """Variance of the systems and of one topic's error in a difference."""
    needed = ("system", "topic", "system x topic")
    if not set(g.variance.index) == set(needed):
        raise ValueError(
            "This needs a G-study of system x topic; the effects of this "
            f"one are {', '.join(g.variance.index)}."
        )
    true, topic, interaction = g.variance[list(needed)]
    if true + interaction == 0:
        raise ValueError("Neither systems nor errors vary: no prediction.")
    return true, interaction if matched else interaction + topic
