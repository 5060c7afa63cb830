"""The best and the cheapest whole-number design, and how sure that is."""

from dataclasses import dataclass, field, replace
from itertools import compress
from math import nan

import numpy as np
import pandas as pd

from gtlib.allocation.prices import Cost
from gtlib.allocation.search import Problem, error_terms, search
from gtlib.dstudy import DStudy
from gtlib.dstudy.d_study import describe_ceiling
from gtlib.estimates import COEFFICIENTS
from gtlib.estimates.coefficients import largest_error
from gtlib.intervals import interval as coefficient_interval
from gtlib.intervals import methods, replicate
from gtlib.intervals.replicates import is_balanced
from gtlib.tables import Interval, checks

# The most designs that are named, of those that are best in some draws.
_MOST_NAMED = 3


@dataclass(frozen=True, repr=False)
class Allocation:
    """A whole-number design, with its cost and its coefficients.

    Attributes
    ----------
    plan : Plan
        The design with these numbers: its errors, source by source.
    cost : float
        In the unit of the prices; without prices, judgments.
    notes : tuple of str
        What a reader should know: negative estimates counted as zero,
        numbers that cannot pay for themselves.
    interval : Interval or None
        Of the coefficient that was made highest; None unless draws of
        the components were asked for, like `winners`.
    winners : DataFrame or None
        A row for each design that is the best in some draws: its numbers
        of levels, and the ``share`` of the draws, the largest first.
    """

    plan: DStudy
    cost: float
    notes: tuple[str, ...] = ()
    interval: Interval | None = None
    winners: pd.DataFrame | None = field(default=None, compare=False)

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

    @property
    def share(self) -> float:
        """The share of the draws in which this design is the best; NaN
        without draws. It may be higher than the chance that a study like
        this one chooses the truly best."""
        if self.winners is None:
            return nan
        wins = self._wins(self.winners)
        return float(self.winners.loc[wins, "share"].sum())

    def __str__(self) -> str:
        summary = (
            f"{_name_levels(self.levels)}: cost {self.cost:,.10g}, "
            f"generalizability {self.generalizability:.4f}, dependability "
            f"{self.dependability:.4f}"
        )
        return "\n".join([summary, *self.notes, *self._certainty()])

    def _wins(self, winners):
        numbers = winners[[*self.levels]]
        return (numbers == [*self.levels.values()]).all(axis=1)

    def _certainty(self):
        """Say how sure the choice is, if that was asked for."""
        if self.winners is None:
            return
        yield str(self.interval)
        others = self.winners[~self._wins(self.winners)].head(_MOST_NAMED)
        numbers = others[[*self.levels]].to_dict("records")
        best_instead = [
            f"{_name_levels(levels)} ({share:.0%})"
            for levels, share in zip(numbers, others["share"], strict=True)
        ]
        if best_instead:
            most_often = "; else most often " + "; ".join(best_instead)
        else:
            most_often = ""
        yield (
            f"The best design in {self.share:.0%} of the draws of the "
            f"components{most_often}.{self._facets_not_drawn()}"
        )

    def _facets_not_drawn(self):
        """Say which facets the bootstrap of a study with gaps keeps."""
        if is_balanced(self.plan.study):
            return ""
        drawn = methods.resampled_facets(self.plan.study)
        kept = [f for f in self.levels if f not in drawn]
        if not kept:
            return ""
        return (
            f" The draws keep each {' and '.join(kept)} of the study, "
            "which has gaps: the choice is less sure than that."
        )

    __repr__ = __str__


def best(
    self: DStudy,
    budget: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
    n_resamples: int = 0,
    seed: int = 0,
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
    n_resamples, seed : int
        With some hundreds, the answer also says how sure it is: in which
        share of so many draws of the components (those of
        `Plan.sensitivity`) each design is the best, and the interval of
        the coefficient that the chosen one has (`Plan.interval`).  It
        takes a search for each draw.

    Returns
    -------
    Allocation
        The design, its cost and its coefficients.

    Raises
    ------
    ValueError
        If the smallest design costs more than the budget, or a facet
        without an upper bound costs nothing; of draws also as
        `Plan.interval`.

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
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 0.5,
    ...      "system x topic": 12, "system x assessor": 0.2,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> g.plan().best(1000).levels
    {'topic': 200, 'assessor': 5}
    >>> g.plan().best(1000, {"judgment": 1, "topic": 9}).levels
    {'topic': 71, 'assessor': 5}
    >>> two = gt.GStudy.from_components(
    ...     g.design, g.estimate,
    ...     levels={"system": 8, "topic": 25, "assessor": 2})
    >>> print(two.plan().best(400, n_resamples=300))
    topic 133, assessor 3: cost 399, generalizability ...
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
    if not n_resamples:
        return allocation
    draws = {"n_resamples": n_resamples, "seed": seed}
    designs = sensitivity(
        self, budget, cost, coefficient=coefficient, **draws
    )
    shares = designs.groupby([*self.bounds]).size() / len(designs)
    winners = shares.sort_values(ascending=False, kind="stable")
    return replace(
        allocation,
        interval=coefficient_interval(
            allocation.plan, coefficient, seed=seed
        ),
        winners=winners.rename("share").reset_index(),
    )


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
        The design, its cost and its coefficients.

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
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_components(
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
        Number of draws, and their seed.

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
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_mean_squares(
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


def _name_levels(levels):
    return ", ".join(
        f"{facet} {number}" for facet, number in levels.items()
    )


def _lowest(plan):
    return {facet: low for facet, (low, _) in plan.bounds.items()}
