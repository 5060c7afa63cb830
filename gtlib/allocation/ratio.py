"""The ratio of two numbers at which an error is smallest."""

from math import inf, nan

import numpy as np

import gtlib.tables.checks as checks
from gtlib.dstudy import DStudy
from gtlib.estimates import COEFFICIENTS
from gtlib.intervals import methods, replicates
from gtlib.tables import Interval, plural


def optimal_ratio(
    self: DStudy,
    coefficient: str = "dependability",
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Estimate the best number of levels of one facet to one of another.

    Parameters
    ----------
    coefficient : {"dependability", "generalizability"}
        What is made highest.
    confidence_level : float in (0, 1)
        Confidence level of the interval.
    n_resamples, seed : int
        Of the methods that draw.

    Returns
    -------
    Interval
        Its ``estimate`` is infinite when no component is divided by the
        second facet alone: one assessor then, and all the money for
        topics.  Without limits, and with the reason, where the components
        come without the study that they were estimated from.

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

    The interval is that of components which could have led to the same
    mean squares (``"pivotal"``): the wider one of two, as each component
    of a draw that is below zero counts as zero, or only their sum.  Of a
    study with gaps it is that of components which the restricted
    likelihood does not refute (``"profile"``), or from bootstrap studies
    where Henderson's method has estimated it.

    Examples
    --------
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 0.5,
    ...      "system x topic": 12, "system x assessor": 0.2,
    ...      "topic x assessor": 1, "system x topic x assessor": 2},
    ...     levels={"system": 40, "topic": 50, "assessor": 6})
    >>> print(g.plan().optimal_ratio())
    topics to one assessor 40 [8.011, 76.67] (95%, pivotal)
    >>> print(g.plan().optimal_ratio("generalizability"))
    topics to one assessor 60 [46.22, 75.99] (95%, pivotal)
    """
    checks.one_of(coefficient, "coefficient", COEFFICIENTS)
    level = checks.confidence_level(confidence_level)
    free = [f for f in self.bounds if f not in self.fixed]
    if len(free) != 2:
        raise ValueError(
            f"A ratio needs two facets to share a budget; {self.design} "
            f"has {len(free)}. Plan.best takes any number of them."
        )
    first, second = _parts(self, coefficient, free)
    if first == second == 0:
        raise ValueError(
            f"Neither {free[0]} nor {free[1]} divides a component of the "
            f"error of {coefficient} alone: with this cost any split is as "
            "good."
        )
    estimate = float(first / second) if second else inf
    quantity = f"{plural(free[0])} to one {free[1]}"
    g = self.study
    if g.cells is None and not g.levels:
        reason = "the components come without the levels of their study"
        return Interval(nan, nan, estimate, level, "none", reason, quantity)
    balanced = replicates.is_balanced(g)
    method = "pivotal" if balanced else methods.choose_with_gaps(g)
    effects = np.eye(len(g.estimate))
    first, second = _parts(self, coefficient, free, effects)
    if method == "profile":
        low, high = g.profile.ratio(first, second, level)
    else:
        components = methods.replicate(g, method, n_resamples, seed)
        draws = [np.maximum(components, 0)]
        # Those are too high where neither component of a facet is there.
        if method == "pivotal":
            draws.append(components)
        limits = []
        for drawn in draws:
            above, below = np.maximum([first, second] @ drawn, 0)
            ratios = np.full(above.shape, inf)
            np.divide(above, below, out=ratios, where=below > 0)
            limits.append(
                methods.percentiles(ratios, level, method, estimate)
            )
        low, high = np.min(limits, axis=0)[0], np.max(limits, axis=0)[1]
    reason = "" if np.isfinite(high) else "no upper limit"
    return Interval(
        float(low), float(high), estimate, level, method, reason, quantity
    )


def _parts(plan, coefficient, free, components=None):
    """Sum the error's components that each free facet divides alone."""
    ones = {f: 1 if f in free else n for f, (n, _) in plan.bounds.items()}
    mean = plan.effects.mean_variance(ones, components)
    in_error = plan.effects.errors(coefficient)
    divisors = plan.effects.table["divisors"].map(set(free).intersection)
    return [mean[in_error & (divisors == {f})].sum(axis=0) for f in free]
