"""Numbers of topics that show a difference: the power of tests."""

import numpy as np

from gtlib.comparisons.paired import f_power
from gtlib.dstudy.d_study import smallest_satisfying
from gtlib.gtheory import GStudy
from gtlib.tables import checks

_MOST = 10**12  # topics that are looked for


def topics_to_detect(
    g: GStudy,
    difference: float,
    alpha: float = 0.05,
    power: float = 0.8,
    *,
    systems: int = 2,
    matched: bool = True,
) -> int:
    """Plan the topics on which a difference is likely to be significant.

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
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_components("system x topic", {"system": 0.003,
    ...     "topic": 0.03, "system x topic": 0.01})
    >>> gt.topics_to_detect(g, 0.05)
    65
    >>> gt.topics_to_detect(g, 0.05, matched=False)
    253
    >>> gt.topics_to_detect(g, 0.05, systems=10)
    127
    """
    alpha = checks.significance_level(alpha)
    difference = checks.positive(difference, "difference")
    power = checks.fraction(power, "power", ".8")
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

    fewest = smallest_satisfying(enough)
    if fewest is None or fewest > _MOST:
        raise ValueError(f"More than {_MOST:.0e} topics are needed.")
    return fewest + 1
