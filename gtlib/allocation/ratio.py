"""The ratio of two numbers at which an error is smallest."""

import numpy as np

import gtlib.tables.checks as checks
from gtlib.dstudy import Numbers
from gtlib.estimates import COEFFICIENTS, StudyData
from gtlib.intervals import replicate
from gtlib.intervals.replicates import is_balanced
from gtlib.tables import Interval


def optimal_ratio(
    self: Numbers, coefficient: str = "dependability"
) -> float:
    """Levels of the first facet to one level of the second, at the best.

    Parameters
    ----------
    coefficient : {"dependability", "generalizability"}
        What is made highest.

    Returns
    -------
    float
        Infinite when no component is divided by the second facet alone:
        one assessor then, and all the money for topics.

    Raises
    ------
    ValueError
        When the design has not two facets to share a budget, or no
        component prefers one of them.

    Notes
    -----
    An error is A/n_i + B/n_a + C/(n_i n_a). While the cost is n_i n_a
    the last term is settled by the budget, and the others are smallest
    where n_i / n_a = A / B: for topics and assessors crossed,

        dependability:    (σ²_i + σ²_pi) / (σ²_a + σ²_pa)
        generalizability: σ²_pi / σ²_pa

    (Bodoff & Li 2007, section 3.2.3). The budget does not matter.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 0.5,
    ...      "system x topic": 12, "system x assessor": 0.2,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> p = g.plan()
    >>> round(p.optimal_ratio()), round(p.optimal_ratio("generalizability"))
    (40, 60)
    """
    free, (first, second) = _divided_alone(self, coefficient)
    if first == second == 0:
        raise ValueError(
            f"Neither {free[0]} nor {free[1]} divides a component of the "
            f"error of {coefficient} alone: with this cost any split is as "
            "good."
        )
    return float(first / second) if second else float("inf")


def optimal_ratio_interval(
    self: Numbers,
    coefficient: str = "dependability",
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Interval of the optimal ratio of the first facet to the second.

    Parameters
    ----------
    coefficient : as in `Plan.optimal_ratio`
    confidence_level : float in (0, 1)
    n_resamples, seed : int

    Returns
    -------
    Interval
        Its upper limit is infinite when the component that the second
        facet divides may well be zero.

    Notes
    -----
    Quantiles over components that could have led to the observed mean
    squares (``gtlib.intervals.replicates``), or, in a study with gaps, over
    bootstrap studies.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic x assessor",
    ...     {"system": 40, "topic": 100, "assessor": 4},
    ...     {"system": 2.3, "topic": 3.6, "assessor": 4.4,
    ...      "system x topic": 0.04, "system x assessor": 0.015,
    ...      "topic x assessor": 0.17, "system x topic x assessor": 0.002})
    >>> ratio = g.plan().optimal_ratio_interval()
    >>> ratio.low < ratio.estimate < ratio.high
    True
    """
    level = checks.confidence_level(confidence_level)
    estimate = optimal_ratio(self, coefficient)
    method, drawn = drawn_components(self.study, n_resamples, seed)
    _, (first, second) = _divided_alone(self, coefficient, drawn)
    ratios = np.full(first.shape, np.inf)
    np.divide(first, second, out=ratios, where=second > 0)
    low, high = np.quantile(
        ratios, [(1 - level) / 2, (1 + level) / 2], method="nearest"
    )
    reason = ""
    if np.isinf(high):
        reason = "no upper limit: the second facet may bring no error"
    return Interval(
        float(low), float(high), estimate, level, method, reason
    )


def drawn_components(
    g: StudyData, n_resamples: int, seed: int
) -> tuple[str, np.ndarray]:
    """A method that fits the study, and components drawn by it."""
    method = "pivotal" if is_balanced(g) else "bootstrap"
    return method, replicate(g, method, n_resamples, seed)


def _divided_alone(plan, coefficient, components=None):
    """Two facets, and the error that each divides without the other: the
    sums A and B of `optimal_ratio`."""
    checks.one_of(coefficient, "coefficient", COEFFICIENTS)
    free = tuple(f for f in plan.bounds if f not in plan.fixed)
    if len(free) != 2:
        raise ValueError(
            f"A ratio needs two facets to share a budget; {plan.design} "
            f"has {len(free)}. Plan.best takes any number of them."
        )
    ones = {
        f: 1 if f in free else low for f, (low, _) in plan.bounds.items()
    }
    mean = plan.sources.mean_variance(ones, components)
    counted = plan.sources.errors(coefficient)
    divisors = plan.sources.table["divisors"]
    alone = [
        counted & (divisors.map(set(free).intersection) == {f})
        for f in free
    ]
    return free, np.array([mean[rows].sum(axis=0) for rows in alone])
