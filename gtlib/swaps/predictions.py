"""What the variance components say of swaps, before any data are split.

The normal model's swap rate and numbers of topics, and the published
curves from the coefficients to such indicators.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib.compare.paired import critical_t, f_power
from gtlib.dstudy.numbers import first_that_holds
from gtlib.gtheory.study import GStudy
from gtlib.swaps.binned import bin_edges, bin_intervals
from gtlib.tables import checks

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
"""Quadrature on (-1, 1)."""

_MOST = 10**12
"""Topics that are looked for at most."""

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


def topics_to_detect(
    g: GStudy,
    difference: float,
    alpha: float = 0.05,
    power: float = 0.8,
    *,
    systems: int = 2,
    matched: bool = True,
) -> int:
    """Topics on which a true difference is likely to be significant.

    Parameters
    ----------
    g : GStudy
        Of the design ``system x topic``.
    difference : float > 0
        Between the best and the worst of the systems, in units of the
        score.
    alpha : float in (0, 1)
        Significance level of the test.
    power : float in (0, 1)
        Probability of significance, if the difference is true.
    systems : int
        How many are compared: two by a t-test, more by an analysis of
        variance.
    matched : bool
        Whether all systems are measured on the same topics.

    Returns
    -------
    int
        Topics of each system, two or more.

    Raises
    ------
    ValueError
        If the study has other effects, a number is out of its range, or
        more than 10¹² topics are needed.

    Notes
    -----
    Sakai's topic set size design (2016), with the exact noncentral F in
    place of approximations. The m systems have λ = n difference² / (2 σ²)
    at least, since that is what the best and the worst contribute. On the
    same topics σ² is the interaction of system and topic, and F has m - 1
    and (m - 1)(n - 1) degrees of freedom; with two systems that is the
    paired t-test, of differences whose variance is 2 σ². On different
    topics, n each, the topics' own variance is added, and the degrees of
    freedom are m - 1 and m (n - 1): his one-way design, which he advises
    (2018) for systems on the same topics too, to be on the safe side.

    References
    ----------
    Sakai (2016), "Topic set size design", Information Retrieval Journal
    19; (2018), "Topic set size design for paired and unpaired data",
    ICTIR. Robertson (1990), for matched and non-matched pairs.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components("system x topic", {"system": 0.003,
    ...     "topic": 0.03, "system x topic": 0.01})
    >>> topics_to_detect(g, 0.05), topics_to_detect(g, 0.05, matched=False)
    (65, 253)
    >>> topics_to_detect(g, 0.05, systems=10)
    127
    """
    alpha = checks.significance_level(alpha)
    difference = checks.positive(difference, "difference")
    power = checks.power(power)
    systems = checks.whole_number(systems, "systems", 2)
    error = _components(g, matched)[1]
    with np.errstate(divide="ignore"):
        each = np.square(difference) / np.multiply(2, error)
    between = systems - 1
    errors = between if matched else systems

    def enough(n):
        return f_power(n * each, between, errors * (n - 1), alpha) >= power

    return _fewest(enough)


def topics_for_width(
    g: GStudy,
    width: float,
    confidence_level: float = 0.95,
    *,
    matched: bool = True,
) -> int:
    """Topics on which a difference gets an interval of a given width.

    Parameters
    ----------
    g : GStudy
        Of the design ``system x topic``.
    width : float > 0
        Expected, from the lower to the upper limit of the t interval for
        the difference of two systems, in units of the score.
    confidence_level : float in (0, 1)
    matched : bool
        Whether both systems are measured on the same topics.

    Returns
    -------
    int
        Topics of each system, two or more.

    Raises
    ------
    ValueError
        As `topics_to_detect`.

    Notes
    -----
    The third of Sakai's designs (2016): on n topics the width is 2 t
    sqrt(2 σ²/n) times the expected ratio of a standard deviation to the
    true one, sqrt(2/df) Γ((df + 1)/2) / Γ(df/2). σ² is as in
    `topics_to_detect`, and df is n - 1, or 2 (n - 1) on different topics.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components("system x topic", {"system": 0.003,
    ...     "topic": 0.03, "system x topic": 0.01})
    >>> topics_for_width(g, 0.1)
    33
    """
    alpha = 1 - checks.confidence_level(confidence_level)
    width = checks.positive(width, "width")
    error = _components(g, matched)[1]

    def enough(n):
        df = (n - 1.0) * (1 if matched else 2)
        shrunk = np.sqrt(2 / df) * scipy.special.poch(df / 2, 0.5)
        reach = critical_t(df + 1, alpha) * shrunk
        return 2 * reach * np.sqrt(2 * error / n) <= width

    return _fewest(enough)


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


def _fewest(enough):
    """The least number of topics that is enough, from two on."""
    found = first_that_holds(lambda n: enough(n + 1), 1)
    if found is None or found > _MOST:
        raise ValueError(f"More than {_MOST:.0e} topics are needed.")
    return found + 1


def _check_share(value, name):
    value = np.asarray(value)
    if not ((value >= 0) & (value <= 1)).all():
        raise ValueError(f"{name} must lie between 0 and 1.")


def _components(g, matched):
    """Variance of the systems and of one topic's error in a difference."""
    design = g.design
    if len(design.facets) != 2 or any(design.nesting.values()):
        raise ValueError(
            "This needs a G-study of systems crossed with topics and no "
            f"other facet; this one is {design}."
        )
    first, second, interaction = g.variance
    true, topic = first, second
    if design.facets[0] != design.object:
        true, topic = second, first
    if true + interaction == 0:
        raise ValueError("Neither systems nor errors vary: no prediction.")
    return true, interaction if matched else interaction + topic
