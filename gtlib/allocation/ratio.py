"""The ratio of two numbers at which an error is smallest."""

import gtlib.tables.checks as checks
from gtlib.dstudy import DStudy
from gtlib.estimates import COEFFICIENTS


def optimal_ratio(
    self: DStudy, coefficient: str = "dependability"
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
    checks.one_of(coefficient, "coefficient", COEFFICIENTS)
    free = [f for f in self.bounds if f not in self.fixed]
    if len(free) != 2:
        raise ValueError(
            f"A ratio needs two facets to share a budget; {self.design} "
            f"has {len(free)}. Plan.best takes any number of them."
        )
    ones = {f: 1 if f in free else n for f, (n, _) in self.bounds.items()}
    mean = self.effects.mean_variance(ones)
    in_error = self.effects.errors(coefficient)
    free_divisors = self.effects.table["divisors"].map(
        set(free).intersection
    )
    first, second = (
        mean[in_error & (free_divisors == {f})].sum() for f in free
    )
    if first == second == 0:
        raise ValueError(
            f"Neither {free[0]} nor {free[1]} divides a component of the "
            f"error of {coefficient} alone: with this cost any split is as "
            "good."
        )
    return float(first / second) if second else float("inf")
