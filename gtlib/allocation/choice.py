"""The best and the cheapest whole-number design, and how sure that is."""

from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import pandas as pd

from gtlib.allocation.prices import Cost
from gtlib.allocation.search import Problem, error_terms, search
from gtlib.dstudy import DStudy
from gtlib.dstudy.d_study import describe_ceiling
from gtlib.estimates import COEFFICIENTS
from gtlib.estimates.coefficients import largest_error
from gtlib.intervals import replicate
from gtlib.intervals.replicates import is_balanced
from gtlib.tables import checks


@dataclass(frozen=True, repr=False)
class Allocation:
    """A whole-number design, what it costs and what it brings.

    Attributes
    ----------
    plan : Plan
        The design with these numbers: its errors, source by source.
    cost : float
        In the unit of the prices; without prices, judgments.
    notes : tuple of str
        What a reader should know: negative estimates counted as zero,
        numbers that cannot pay for themselves.
    """

    plan: DStudy
    cost: float
    notes: tuple[str, ...] = ()

    @property
    def levels(self) -> dict[str, int]:
        """The numbers of levels, a nested facet's within its nest
        (assessors *per topic*)."""
        return self.plan.levels

    @property
    def generalizability(self) -> float:
        """Eρ² of the design."""
        return self.plan.generalizability

    @property
    def dependability(self) -> float:
        """Φ of the design."""
        return self.plan.dependability

    @property
    def row(self) -> dict[str, float]:
        """Numbers, cost and coefficients, as a row of a table."""
        values = {name: getattr(self, name) for name in COEFFICIENTS}
        return {**self.levels, "cost": self.cost, **values}

    def __str__(self) -> str:
        numbers = ", ".join(
            f"{facet} {number}" for facet, number in self.levels.items()
        )
        summary = (
            f"{numbers}: cost {self.cost:,.10g}, generalizability "
            f"{self.generalizability:.4f}, dependability "
            f"{self.dependability:.4f}"
        )
        return "\n".join([summary, *self.notes])

    __repr__ = __str__


def best(
    self: DStudy,
    budget: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
) -> Allocation:
    """Find the most reliable whole-number design that a budget buys.

    Parameters
    ----------
    budget : float > 0
        In the unit of the prices; without prices, judgments.
    cost : mapping, optional
        Without it a design costs the product of its numbers: one for each
        judging of a topic by an assessor. A mapping of prices, a linear
        cost: ``{"judgment": 1, "topic": 20, "assessor": 300}``, where
        ``judgment`` is the price of that product, ``topic`` that of
        developing one and ``assessor`` that of hiring one. Where each
        topic has assessors of its own (``assessor:topic``), topics times
        assessors are hired.
    coefficient : {"dependability", "generalizability"}
        What is made highest.

    Returns
    -------
    Allocation

    Raises
    ------
    ValueError
        If the smallest design costs more than the budget, or a facet
        without an upper bound costs nothing.

    Notes
    -----
    Numbers that the plan was given hold or bound the search; all others
    are free (``g.plan(assessor=(1, 4)).best(1000)``).  The answer is the
    one that trying every design would give (``gtlib.allocation.search``),
    not a continuous solution rounded.  Designs that tie (to a relative
    1e-12) are told apart by the lower cost, then by fewer levels of the
    last facet, then of the one before.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 0.5,
    ...      "system x topic": 12, "system x assessor": 0.2,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> g.plan().best(1000).levels
    {'topic': 200, 'assessor': 5}
    >>> g.plan().best(1000, {"judgment": 1, "topic": 9}).levels
    {'topic': 71, 'assessor': 5}
    """
    problem = Problem.from_plan(self, budget, cost, coefficient)
    allocation = allocate(self, problem)
    if allocation is None:
        low, _ = problem.corners
        smallest = [f"{facet}={n}" for facet, n in _lowest(self).items()]
        raise ValueError(
            f"budget={budget:g} buys no design: the smallest, "
            f"{' and '.join(smallest)}, costs "
            f"{problem.cost.total(low)[0]:g}."
        )
    return allocation


def cheapest(
    self: DStudy,
    target: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
) -> Allocation:
    """Find the cheapest whole-number design that reaches a coefficient.

    Parameters
    ----------
    target : float in (0, 1)
        The coefficient to reach.
    cost, coefficient : as in `Plan.best`

    Returns
    -------
    Allocation

    Raises
    ------
    ValueError
        If no design reaches the target: it says what the ceiling is and
        which component sets it.

    Notes
    -----
    Exact, like `Plan.best`; designs of one cost are told apart by
    the higher coefficient, then by fewer levels of the last facet.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 0.5,
    ...      "system x topic": 12, "system x assessor": 0.2,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> g.plan().cheapest(0.95).levels
    {'topic': 155, 'assessor': 3}
    """
    target = checks.target(target)
    universe = self.effects.coefficients(_lowest(self))["universe_score"]
    limit = largest_error(universe, target)
    problem = Problem.from_plan(
        self, limit, cost, coefficient, cheapest=True
    )
    allocation = allocate(self, problem) if universe > 0 else None
    if allocation is None:
        # With these numbers given, no mean is taken as it was observed.
        free = replace(self, given=self.bounds)
        most = {facet: high for facet, (_, high) in self.bounds.items()}
        raise ValueError(
            f"No design reaches {coefficient} {target:g}: "
            f"{describe_ceiling(free, most, coefficient)} Allow more, or "
            "aim lower."
        )
    return allocation


def sensitivity(
    self: DStudy,
    budget: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
    n_resamples: int = 300,
    seed: int = 0,
) -> pd.DataFrame:
    """Draw other components, and find the best design for each.

    Parameters
    ----------
    budget, cost, coefficient : as in `Plan.best`
    n_resamples, seed : int

    Returns
    -------
    DataFrame, a row per draw of the components
        The best number of each facet; ``best``, the coefficient that it
        has; ``planned``, that of the design chosen from the estimates;
        and ``loss``, what that choice costs.

    Raises
    ------
    ValueError
        As `Plan.best`.

    Notes
    -----
    Components are drawn that could have led to the observed mean squares
    (``gtlib.intervals.replicates``), or, in a study with gaps, from
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
    >>> table = g.plan().sensitivity(400, n_resamples=50)
    >>> bool((table["loss"] >= -1e-12).all())
    True
    """
    planned_levels = best(
        self, budget, cost, coefficient=coefficient
    ).levels
    problem = Problem.from_plan(self, budget, cost, coefficient)
    method = "pivotal" if is_balanced(self.study) else "bootstrap"
    replicates = replicate(self.study, method, n_resamples, seed)
    designs = []
    for components in replicates.T:
        error = error_terms(self, coefficient, components)
        designs.append(search(replace(problem, error=error)))
    best_numbers = np.array(designs).T
    numbers = dict(zip(self.bounds, best_numbers, strict=True))
    reached = self.effects.coefficients(numbers, replicates)[coefficient]
    planned = self.effects.coefficients(planned_levels, replicates)[
        coefficient
    ]
    return pd.DataFrame(
        {
            **numbers,
            "best": reached,
            "planned": planned,
            "loss": reached - planned,
        }
    )


def allocate(plan: DStudy, problem: Problem) -> Allocation | None:
    """Find the design that solves a plan's problem, if there is one."""
    numbers = search(problem)
    if numbers is None:
        return None
    levels = dict(zip(plan.bounds, numbers.tolist(), strict=True))
    paid = float(problem.cost.total(numbers[None])[0])
    notes = [
        f"{facet} stays at {plan.bounds[facet][0]} however large the "
        "budget: what it divides counts as zero, or another number divides "
        "it as well, so the money does more elsewhere."
        for facet in compress(plan.bounds, problem.idle)
    ]
    if plan.study.negative:
        negative = ", ".join(plan.study.negative)
        notes.insert(0, f"Negative estimates counted as zero: {negative}.")
    return Allocation(plan.with_numbers(levels), paid, tuple(notes))


def _lowest(plan):
    return {facet: low for facet, (low, _) in plan.bounds.items()}
