"""What the variance components say of swaps, before any data are split.

The normal model's swap rate and numbers of topics.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from gtlib.compare.paired import f_power
from gtlib.dstudy.numbers import first_that_holds
from gtlib.gtheory.study import GStudy
from gtlib.swaps.binned import bin_edges, bin_intervals
from gtlib.tables import checks

_MOST = 10**12
"""Topics that are looked for at most."""


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

    averaged here over the distances abs(d) that fall into the bin. With x =
    abs(d) / sqrt(V), φ its density and a = ρ / sqrt(1 - ρ²), the integral
    of φ(x) Φ(-a x) from x on is Φ(-x) / 2 - T(x, a), where T is Owen's
    (1956) function. σ²(e) is that of the interaction; if the two systems
    are not matched on topics, that of the topics is added.

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
    observed = true + error / sizes.to_numpy(float)[:, None]
    rho = true / observed
    x = np.append(edges, np.inf) / np.sqrt(2 * observed)
    pairs = np.abs(np.diff(scipy.special.ndtr(-x)))
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = rho / np.sqrt(1 - rho**2)
        ordered = np.abs(np.diff(scipy.special.owens_t(x, slope))) / pairs
    rates = 0.5 - np.fmin(ordered, 0.5)  # 0 also where no pair can be
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

    def enough(fewer):
        n = fewer + 1
        return f_power(n * each, between, errors * fewer, alpha) >= power

    found = first_that_holds(enough, 1)
    if found is None or found > _MOST:
        raise ValueError(f"More than {_MOST:.0e} topics are needed.")
    return found + 1


def _components(g, matched):
    """Variance of the systems and of one topic's error in a difference."""
    design = g.design
    if len(design.facets) != 2 or any(design.nesting.values()):
        raise ValueError(
            "This needs a G-study of systems crossed with topics and no "
            f"other facet; this one is {design}."
        )
    *main, interaction = g.variance
    true, topic = main if design.facets[0] == design.object else main[::-1]
    if true + interaction == 0:
        raise ValueError("Neither systems nor errors vary: no prediction.")
    return true, interaction if matched else interaction + topic
