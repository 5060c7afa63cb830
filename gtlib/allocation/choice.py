"""The best and the cheapest whole-number design, and how sure that is."""

from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import pandas as pd

from gtlib.allocation.prices import TIE, Cost
from gtlib.allocation.ratio import drawn_components
from gtlib.allocation.search import Problem, error_terms, search
from gtlib.dstudy import Numbers
from gtlib.estimates import COEFFICIENTS
from gtlib.estimates.coefficients import largest_error, share
from gtlib.tables import can_style, checks


@dataclass(frozen=True)
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

    plan: Numbers
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

    def _repr_html_(self):
        if not can_style():
            return None
        table = pd.DataFrame([self.row]).style.hide(axis="index")
        shown = table.format("{:.4f}", subset=list(COEFFICIENTS))
        shown = shown.format("{:,.10g}", subset="cost")
        notes = "".join(f"<p>{note}</p>" for note in self.notes)
        return shown.to_html() + notes


def best(
    self: Numbers,
    budget: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
) -> Allocation:
    """The most reliable whole-number design that a budget buys.

    Parameters
    ----------
    budget : float > 0
        In the unit of the prices; without prices, judgments.
    cost : mapping or callable, optional
        Without it a design costs the product of its numbers: one for each
        judging of a topic by an assessor. A mapping of prices, a linear
        cost: ``{"judgment": 1, "topic": 20, "assessor": 300}``, where
        ``judgment`` is the price of that product, ``topic`` that of
        developing one and ``assessor`` that of hiring one. Where each
        topic has assessors of its own (``assessor:topic``), topics times
        assessors are hired. A callable gets the numbers by name
        (``cost(topic=50, assessor=2)``) and may never fall when a number
        rises.
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
    problem = Problem.of(self, budget, cost, coefficient)
    found = allocate(self, problem)
    if found is None:
        low, _ = problem.corners
        raise ValueError(
            f"budget={budget:g} buys no design: the smallest, "
            f"{_listed(_lowest(self))}, costs "
            f"{problem.cost.total(low)[0]:g}."
        )
    return found


def cheapest(
    self: Numbers,
    target: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
) -> Allocation:
    """The cheapest whole-number design that reaches a coefficient.

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
    universe = self.sources.coefficients(_lowest(self))["universe_score"]
    limit = largest_error(universe, target)
    problem = Problem.of(self, limit, cost, coefficient, cheapest=True)
    found = allocate(self, problem) if universe > 0 else None
    if found is None:
        raise ValueError(_ceiling(self, coefficient, target, universe))
    return found


def sensitivity(
    self: Numbers,
    budget: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
    n_resamples: int = 300,
    seed: int = 0,
) -> pd.DataFrame:
    """The best design for a budget, were the components otherwise.

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
    Components are drawn as in `Plan.optimal_ratio_interval`.

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
    chosen = best(self, budget, cost, coefficient=coefficient).levels
    problem = Problem.of(self, budget, cost, coefficient)
    _, drawn = drawn_components(self.study, n_resamples, seed)
    errors = (error_terms(self, coefficient, c) for c in drawn.T)
    found = np.array([search(replace(problem, error=e)) for e in errors])
    numbers = dict(zip(self.bounds, found.T, strict=True))
    reached, kept = (
        self.sources.coefficients(levels, drawn)[coefficient]
        for levels in (numbers, chosen)
    )
    table = {"best": reached, "planned": kept, "loss": reached - kept}
    return pd.DataFrame({**numbers, **table})


def allocate(plan: Numbers, problem: Problem) -> Allocation | None:
    """The design that solves a plan's problem, if there is one."""
    numbers = search(problem)
    if numbers is None:
        return None
    levels = dict(zip(plan.bounds, numbers.tolist(), strict=True))
    paid = float(problem.cost.total(numbers[None])[0])
    return Allocation(
        plan.with_numbers(levels), paid, _notes(plan, problem)
    )


def _notes(plan, problem):
    notes = []
    if plan.study.negative:
        notes.append(
            "Negative estimates counted as zero: "
            f"{', '.join(plan.study.negative)}."
        )
    idle = list(compress(plan.bounds, problem.idle))
    return (*notes, *(_why_idle(plan, facet, idle) for facet in idle))


def _why_idle(plan, facet, idle):
    """Why a number stays at its smallest, in words."""
    others = set(plan.bounds) - set(idle)
    own = [
        effect
        for effect, divisors in plan.sources.table["divisors"].items()
        if facet in divisors and not others & set(divisors)
    ]
    why = (
        f"what it alone divides ({', '.join(own)}) counts as zero"
        if own
        else "another number divides whatever it divides"
    )
    return (
        f"{facet} stays at {plan.bounds[facet][0]} however large the "
        f"budget: {why}, so the money does more elsewhere."
    )


def _ceiling(plan, coefficient, target, universe):
    """Why no design reaches a target, and what stands in the way."""
    start = f"No design reaches {coefficient} {target:g}: "
    if universe == 0:
        return start + (
            f"the variance of {plan.design.object} is estimated as zero, "
            "so nothing tells its levels apart."
        )
    most = {facet: high for facet, (_, high) in plan.bounds.items()}
    stays = pd.Series(
        plan.sources.mean_variance(most), plan.sources.table.index
    )[plan.sources.errors(coefficient)]
    capped = {f: int(n) for f, n in most.items() if np.isfinite(n)}
    culprit = stays.idxmax()
    return start + (
        f"with {_listed(capped)} its ceiling is "
        f"{share(universe, stays.sum()):.4f}, set by {culprit} "
        f"({stays[culprit] / stays.sum():.0%} of the error that stays "
        "however many there are of the rest). Allow more, or aim lower."
    )


def _lowest(plan):
    return {facet: low for facet, (low, _) in plan.bounds.items()}


def _listed(numbers):
    return " and ".join(f"{facet}={n}" for facet, n in numbers.items())


MOST_DESIGNS = 4_000_000
"""`pareto` looks at no more designs than this."""


def pareto(
    self: Numbers,
    budget: float,
    cost: Cost = None,
    *,
    coefficient: str = "dependability",
) -> pd.DataFrame:
    """Every design that no cheaper or equally dear one surpasses.

    Parameters
    ----------
    budget : float > 0
        The frontier is drawn up to this cost.
    cost, coefficient : as in `Plan.best`

    Returns
    -------
    DataFrame, a row per design, from the cheapest to the best
        The number of each facet, ``cost``, ``generalizability`` and
        ``dependability``.

    Raises
    ------
    ValueError
        As `Plan.best`; also when the budget buys more than four
        million designs.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic x assessor",
    ...     {"system": 8, "topic": 16, "assessor": 9,
    ...      "system x topic": 12, "system x assessor": 4,
    ...      "topic x assessor": 1, "system x topic x assessor": 2})
    >>> frontier = g.plan().pareto(8)
    >>> frontier[["topic", "assessor"]].values.tolist()
    [[1, 1], [2, 1], [3, 1], [4, 1], [5, 1], [3, 2], [4, 2]]
    """
    problem = Problem.of(self, budget, cost, coefficient)
    designs = affordable_designs(problem, MOST_DESIGNS)
    if designs is None:
        raise ValueError(
            f"budget={budget:g} buys more than {MOST_DESIGNS:,} designs; "
            "lower it, or bound a facet, for instance "
            f"{list(self.bounds)[-1]}=(1, 10)."
        )
    paid = problem.cost.total(designs)
    kept = _undominated(problem.error.shared(designs), paid)
    levels = dict(
        zip(self.bounds, designs[kept].T.astype(int), strict=True)
    )
    values = self.sources.coefficients(levels)
    return pd.DataFrame(
        {
            **levels,
            "cost": paid[kept],
            **{name: values[name] for name in COEFFICIENTS},
        }
    )


def affordable_designs(problem: Problem, most: int) -> np.ndarray | None:
    """Every design within the budget that could be worth its price.

    Returns
    -------
    array (designs, facets), or None where there are more than `most`
        In the order of the last facet, then of the one before it, ...
    """
    designs, high = problem.corners
    for facet in range(designs.shape[1]):
        ends = np.broadcast_to(high, designs.shape)
        end = problem.cost.largest(problem.limit, designs, ends, facet)
        count = np.maximum(end - designs[:, facet] + 1, 0)
        if count.sum() > most:
            return None
        count = count.astype(int)
        first = np.repeat(np.cumsum(count) - count, count)
        designs = np.repeat(designs, count, axis=0)
        designs[:, facet] += np.arange(len(designs)) - first
    return designs[np.lexsort(designs.T)]


def _undominated(error, cost):
    """Rows where the error is lower than at any cost not above theirs."""
    order = np.lexsort((_coarse(error), _coarse(cost)))
    before = np.minimum.accumulate(np.r_[np.inf, error[order][:-1]])
    return order[error[order] < before * (1 - TIE)]


def _coarse(values):
    """Twelve digits, so that rounding makes no difference."""
    digits, power = np.frexp(values)
    return np.ldexp(digits.round(12), power)
