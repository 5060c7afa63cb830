"""Which differences so many topics show, and how many topics a difference
needs: the power of the tests of two or more systems."""

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib.compare import pair_spreads, paired_t_power
from gtlib.compare.paired import f_power
from gtlib.dstudy.numbers import first_that_holds
from gtlib.gtheory import GStudy
from gtlib.tables import as_wide, checks

_MOST = 10**12
"""Topics that are looked for at most."""


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
    if len(g.design.facets) != 2 or any(g.design.nesting.values()):
        raise ValueError(
            "This needs a G-study of systems crossed with topics and no "
            f"other facet; this one is {g.design}."
        )
    topic, interaction = g.variance.drop(g.design.object)
    if g.variance[g.design.object] + interaction == 0:
        raise ValueError("Neither systems nor errors vary: no prediction.")
    error = interaction if matched else interaction + topic
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


def detectable_difference(
    scores: pd.DataFrame | ArrayLike,
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """The true difference that these topics show for half of the pairs.

    Of each pair of systems, the difference of means that a paired t-test
    on as many topics finds significant with the power that is given; the
    median over pairs.

    Parameters
    ----------
    scores : score table
        Wide (systems x topics) or long.
    alpha : float in (0, 1)
        Significance level.
    power : float in (0, 1)

    Returns
    -------
    float
        In units of the score.

    Raises
    ------
    ValueError
        If the table or an argument is not right, or the power is not above
        alpha.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = rng.normal(0, 0.1, (20, 50))
    >>> round(detectable_difference(scores), 2)
    0.06
    """
    alpha = checks.significance_level(alpha)
    if checks.power(power) <= alpha:
        raise ValueError(f"power={power:g} is not above alpha={alpha:g}.")
    values = as_wide(scores).to_numpy()

    def short_of(effect):
        return paired_t_power(effect, values.shape[1], alpha) - power

    most = 1.0
    while short_of(most) < 0:
        most *= 2
    return float(
        scipy.optimize.brentq(short_of, 0, most)
        * np.median(pair_spreads(values))
    )
