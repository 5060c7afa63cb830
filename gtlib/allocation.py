"""Optimal allocation: which numbers of levels, at which price."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, compress
from math import inf, nan
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gtlib import checks, uncertainty
from gtlib.anova import COEFFICIENTS, error_name, largest_error
from gtlib.checks import list_some, one_of, plural, positive
from gtlib.design import Design
from gtlib.intervals import percentiles
from gtlib.scores import Interval
from gtlib.uncertainty import is_balanced, replicate

if TYPE_CHECKING:
    from gtlib.gtheory import Plan

# The costs and errors of many designs at once.
#
# A cost is a sum of prices, each times a product of numbers of levels. An
# error is a sum of variance components, each divided by such a product; and
# as estimated components may be negative, it is the highest of zero and of
# one or two such sums (`gtlib.anova`).

Cost = Mapping[str, float] | None

# The key of the price of judging one topic by one assessor.
JUDGMENT = "judgment"
# Relative difference under which two errors or two costs are equal.
TIE = 1e-12
# No number is sought beyond.
LARGEST_NUMBER = checks.LARGEST


@dataclass(frozen=True, eq=False)
class Terms:
    """A sum of terms, each a weight and the facets that it involves."""

    weights: np.ndarray
    members: np.ndarray

    @classmethod
    def from_weights(
        cls,
        facets: Sequence[str],
        involved: Iterable[Container[str]],
        weights: Iterable[float],
    ) -> Terms:
        """Return a term for each weight that is not zero."""
        members = [[f in own for f in facets] for own in involved]
        sizes = np.array([*weights], dtype=float)
        table = np.array(members, dtype=bool).reshape(-1, len(facets))
        return cls(sizes[sizes != 0], table[sizes != 0])

    def total(self, numbers: np.ndarray) -> np.ndarray:
        """Return the cost of designs (n, facets): sums of weight x
        product."""
        return self._parts(numbers).sum(axis=1)

    def largest(
        self, limit: float, low: np.ndarray, high: np.ndarray, facet: int
    ) -> np.ndarray:
        """Return the largest number of a facet, up to `high`, at which a
        cost keeps the limit while the other numbers are `low`."""
        parts = self._parts(low)
        rising = self.members[:, facet]
        left = limit * (1 + TIE) - parts @ ~rising
        each = parts @ rising / low[:, facet]
        unlimited = np.where(left >= 0, np.inf, 0.0)
        most = np.divide(left, each, out=unlimited, where=each > 0)
        return np.minimum(np.floor(most * (1 + TIE)), high[:, facet])

    def line(
        self, low: np.ndarray, high: np.ndarray, facet: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return a, b and c: with n of a facet, the sum of weight / product
        is no less than a + b / n while the others lie between `low` and
        `high`, and just that where these are the same. c is how much is
        taken from a sum of positive terms, which rounding errors grow
        with."""
        parts = np.broadcast_to(self.weights, (len(low), len(self.weights)))
        negative = self.weights < 0
        for other, members in enumerate(self.members.T):
            if other == facet:
                continue
            number = np.where(negative, low[:, [other]], high[:, [other]])
            parts = parts / np.where(members, number, 1.0)
        inside = self.members[:, facet]
        return parts @ ~inside, parts @ inside, -parts @ negative

    def _parts(self, numbers):
        parts = self.weights
        for facet, members in enumerate(self.members.T):
            parts = parts * np.where(members, numbers[:, [facet]], 1.0)
        return parts


@dataclass(frozen=True, eq=False)
class Error:
    """An error of designs: the highest of zero and of some sums.

    Attributes
    ----------
    sums : tuple of Terms
        Each the sum of its weights over products.
    """

    sums: tuple[Terms, ...]

    def __call__(self, numbers: np.ndarray) -> np.ndarray:
        """Return the error of designs (n, facets)."""
        values = [terms.total(1 / numbers) for terms in self.sums]
        return np.maximum.reduce([*values, np.zeros(len(numbers))])

    @property
    def weights(self) -> np.ndarray:
        """The weights of all terms."""
        return np.concatenate([terms.weights for terms in self.sums])

    @property
    def members(self) -> np.ndarray:
        """The facets of all terms, (terms, facets)."""
        return np.concatenate([terms.members for terms in self.sums])

    def range(
        self, limit: float, low: np.ndarray, high: np.ndarray, facet: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and the largest number of a facet, between
        `low` and `high`, at which an error may keep the limit while the
        other numbers are between them; the smallest is larger where there
        is none."""
        least, most = low[:, facet], high[:, facet]
        for terms in self.sums:
            a, b, c = terms.line(low, high, facet)
            room = limit + TIE * np.maximum(limit, c) - a
            with np.errstate(divide="ignore", invalid="ignore"):
                edge = b / room
            # Of b > 0 it is the smallest number, of b < 0 the largest.
            smallest = np.where(room > 0, (1 - TIE) * edge, np.inf)
            smallest = np.where(b > 0, smallest, -np.inf)
            largest = np.where(room < 0, (1 + TIE) * edge, np.inf)
            largest = np.where(b < 0, largest, np.inf)
            largest = np.where((b == 0) & (room < 0), -np.inf, largest)
            least = np.maximum(least, np.ceil(smallest))
            most = np.minimum(most, np.floor(largest))
        return np.minimum(least, high[:, facet] + 1), most

    def lowest(
        self, low: np.ndarray, high: np.ndarray, facet: int
    ) -> np.ndarray:
        """Return the least error of each block of designs that differ in
        the number of one facet only."""
        least, most = low[:, facet], high[:, facet]
        lines = [terms.line(low, low, facet)[:2] for terms in self.sums]
        zero = np.zeros(len(low))
        tried = [least, most]
        # A highest of lines is lowest at an end, or where two of them meet.
        for (a, b), (c, d) in combinations([*lines, (zero, zero)], 2):
            with np.errstate(divide="ignore", invalid="ignore"):
                meet = (d - b) / (a - c)
            meet = np.where(np.isfinite(meet), meet, least)
            tried += [np.floor(meet), np.ceil(meet)]
        numbers = np.clip(tried, least, most)
        values = [a + b / numbers for a, b in lines]
        return np.maximum(np.maximum.reduce(values), 0).min(axis=0)


def read_cost(
    design: Design, facets: Sequence[str], cost: Cost = None
) -> Terms:
    """Return the cost of a D-study's numbers, in the form that the search
    takes."""
    if cost is None:
        cost = {JUDGMENT: 1.0}
    if not isinstance(cost, Mapping):
        raise ValueError(
            f"cost={checks.shown(cost)}: give prices such as "
            f"{{'judgment': 1, {facets[0]!r}: 20}}."
        )
    for name, price in cost.items():
        if name != JUDGMENT and name not in facets:
            raise ValueError(
                f"cost has a price for {list_some([repr(name)])}; there "
                f"are prices for {', '.join([JUDGMENT, *facets])}."
            )
        if not (isinstance(price, Real) and 0 <= float(price) < np.inf):
            raise ValueError(
                f"the price of {name} is {price!r}; a price is a number, "
                "zero or more."
            )
    facets_of_price = [
        facets if name == JUDGMENT else design.closure([name])
        for name in cost
    ]
    return Terms.from_weights(facets, facets_of_price, cost.values())


# Exact search over whole-number designs.
#
# With all numbers but one given, the last needs no search. More of it
# raises the cost, and lowers the error, so the best is the largest that the
# budget pays, or the smallest that reaches the target. (Where components
# are negative more of it may raise the error. But each sum is then a line
# in 1/n, the highest of lines has one lowest point, and the numbers that
# keep a limit follow one another.)
#
# All values of the other numbers are tried, but in blocks: all the designs
# between a lowest and a highest one. This leaves the last number a range.
# With less of it even the highest others have more error than a design that
# was found before; with more of it even the lowest others cost more than
# the budget. (Of the cheapest design: more than a design that was found
# before; and with less of it they miss the target.) A block without a range
# is dropped, and the others are halved until each is a single design:
# branch and bound of all blocks at once, in one dimension less. Nothing is
# rounded, so the answer is the one that trying every design would give.


_MOST_TO_SPEND = 1e15


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise the error under a budget, or the cost under an error.

    Attributes
    ----------
    bounds : mapping of facet to (low, high)
        Smallest and largest number of each, infinity where unbounded.
    error : Error
        Variance components and the facets that divide them.
    cost : Terms
    limit : float
        The budget, or the largest error allowed if `cheapest`.
    cheapest : bool
        Which of the two is minimised.
    """

    bounds: Mapping[str, tuple[float, float]]
    error: Error
    cost: Terms
    limit: float
    cheapest: bool = False

    @classmethod
    def from_plan(
        cls,
        plan: Plan,
        limit: float,
        cost: Cost,
        coefficient: str,
        cheapest: bool = False,
    ) -> Problem:
        """Return a plan's question: for a budget, or a largest error."""
        one_of(coefficient, "coefficient", COEFFICIENTS)
        error = error_terms(plan, coefficient)
        paid = read_cost(plan.design, list(plan.bounds), cost)
        if not cheapest:
            limit = positive(limit, "budget")
            if limit > _MOST_TO_SPEND:
                raise ValueError(
                    f"budget={limit:g}: at most {_MOST_TO_SPEND:g}, since "
                    "numbers of levels are exact up to there."
                )
        return cls(plan.bounds, error, paid, limit, cheapest)

    @property
    def corners(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest numbers, each an array (1, facets)."""
        low, high = np.array([*self.bounds.values()], dtype=float).T
        return low[None], np.where(self.idle, low, high)[None]

    @property
    def idle(self) -> np.ndarray:
        """The numbers that stay at their smallest, whatever the limit.

        Such a number divides nothing above zero; or another number, which
        may grow without end, divides all of that which it divides, and
        nothing below zero that it does not, and has no price that it does
        not have: that other one does the same work for no more money.
        """
        low, high = np.array([*self.bounds.values()]).T
        error = self.error.members
        positive = self.error.weights > 0
        idle = np.array(~error[positive].any(axis=0))
        for facet in reversed(np.flatnonzero(low == 1)):
            own = error[:, [facet]]
            divides_as_much = np.where(
                positive[:, None], error >= own, error <= own
            )
            costs_no_more = (
                self.cost.members <= self.cost.members[:, [facet]]
            )
            unbounded = np.isinf(high) & (np.arange(len(low)) != facet)
            serves = unbounded & ~idle & divides_as_much.all(axis=0)
            idle[facet] |= (serves & costs_no_more.all(axis=0)).any()
        return idle & (low < high)


def error_terms(
    plan: Plan, coefficient: str, components: np.ndarray | None = None
) -> Error:
    """Return a coefficient's error as sums over products of the numbers.

    `components`, an array (effects,), replaces the G-study's own.
    """
    ones = dict.fromkeys(plan.bounds, 1)
    mean = plan.effects.mean_components(ones, components)
    relative, own = map(
        plan.effects.errors, ("generalizability", coefficient)
    )
    counted = [own]
    if (mean[own & ~relative] < 0).any():  # then it may be the lower sum
        counted.append(relative)
    return Error(
        tuple(
            Terms.from_weights(
                list(plan.bounds),
                plan.effects.table["divisors"][effects],
                mean[effects],
            )
            for effects in counted
        )
    )


def search(problem: Problem) -> np.ndarray | None:
    """Find the best whole-number design within the bounds, exactly.

    Designs that tie on what is minimised (to a relative 1e-12) are told
    apart by the other of error and cost, then by the fewest levels of
    the last facet, then of the one before it, and so on.
    """
    blocks = _whole(problem)
    least_so_far = np.inf
    if blocks is None or (blocks[0] > blocks[1]).any():
        return None
    last = int(np.argmax(blocks[1] / blocks[0]))
    while True:
        blocks = _with_range(problem, blocks, last, least_so_far)
        found = _least_of_corners(problem, blocks, last)
        least_so_far = min(least_so_far, found.min(initial=np.inf))
        if least_so_far <= 0 and not problem.cheapest:
            # Many designs may have no error: go on for the cheapest.
            least_so_far = problem.limit
            problem = replace(problem, limit=0.0, cheapest=True)
            continue
        sides = blocks[1] / blocks[0]
        sides[:, last] = 0
        if (sides <= 1).all():
            break
        blocks = _halves(problem, blocks, sides)
    blocks = _with_range(problem, blocks, last, least_so_far)
    return _untied(problem, blocks, last) if blocks.size else None


def _least_of_corners(problem, blocks, last):
    """Of each block look at the designs of one corner, in all but the last
    number: the least error or cost of those that keep the limit."""
    low, high = blocks
    if not problem.cheapest:  # the cheapest corner, which can be paid
        return problem.error.lowest(low, high, last)
    least, most = high.copy(), high.copy()
    least[:, last] = low[:, last]
    design = high.copy()
    design[:, last], enough = problem.error.range(
        problem.limit, least, most, last
    )
    return problem.cost.total(design[design[:, last] <= enough])


def _whole(problem):
    """One block within finite bounds, (2, 1, facets): lowest, highest.

    None where no number, however large, reaches the target.
    """
    low, high = problem.corners
    budget = problem.limit
    if problem.cheapest:

        def enough(n):
            error = problem.error(np.clip(n, low, high))[0]
            return error <= problem.limit or n >= high.max()

        n = smallest_satisfying(enough) or np.inf
        design = np.clip(n, low, high)
        budget = problem.cost.total(design)[0]
        if (problem.error.weights > 0).all():
            if np.isinf(n):
                return None
        elif problem.error(design)[0] > problem.limit:
            # Fewer of what divides a negative component may reach it.
            budget = np.inf
    for place, facet in enumerate(problem.bounds):
        priced = problem.cost.members[:, place].any()
        most = problem.cost.largest(budget, low, high, place)
        high[:, place] = np.minimum(most, LARGEST_NUMBER)
        if np.isinf(most[0]) and not priced:
            raise ValueError(
                f"More of {facet} costs nothing, so there is no best "
                "number of it: give it a price, or a bound such as "
                f"{facet}=(1, 100)."
            )
    return np.array([low, high])


def _with_range(problem, blocks, last, least_so_far):
    """Give each block the range of the last number in which its designs
    may keep the limit and be no worse than the best so far, and drop the
    blocks without such a range."""
    low, high = blocks
    if problem.cheapest:
        error, cost = problem.limit, least_so_far
    else:
        error, cost = least_so_far, problem.limit
    most = problem.cost.largest(cost, low, high, last)
    low[:, last], enough = problem.error.range(error, low, high, last)
    high[:, last] = np.minimum(most, enough)
    return blocks[:, low[:, last] <= high[:, last]]


def _halves(problem, blocks, sides):
    """Cut each block in two across its longest side, on a log scale."""
    place = np.arange(len(sides)), np.argmax(sides, axis=1)
    cut = np.floor(np.sqrt(blocks[0][place] * blocks[1][place]))
    lower, upper = blocks.copy(), blocks.copy()
    lower[1][place] = cut
    upper[0][place] = cut + 1
    parted = (upper[0] <= upper[1]).all(axis=1)
    return np.concatenate([lower, upper[:, parted]], axis=1)


def _untied(problem, blocks, last):
    """Choose among blocks that leave only the last number open: the least
    error, then the least cost, then the fewest levels."""
    low, high = blocks
    left = problem.error.lowest(low, high, last)
    tied = left <= left.min() * (1 + TIE)
    low, high = low[tied], high[tied]
    least, _ = problem.error.range(left.min(), low, high, last)
    low[:, last] = np.minimum(least, high[:, last])
    paid = problem.cost.total(low)
    low = low[paid <= paid.min() * (1 + TIE)]
    return low[np.lexsort(low.T)[0]].astype(np.int64)


# The best and the cheapest whole-number design, and how sure that is.

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
        What a reader should know: what the coefficient would be if the
        negative estimates that it rests on were zero, and numbers that
        cannot pay for themselves.
    interval : Interval or None
        Of the coefficient that was made highest; None unless draws of
        the components were asked for, like `winners`.
    winners : DataFrame or None
        A row for each design that is the best in some draws: its numbers
        of levels, and the ``share`` of the draws, the largest first.
    """

    plan: Plan
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
        drawn = uncertainty.resampled_facets(self.plan.study)
        kept = [f for f in self.levels if f not in drawn]
        if not kept:
            return ""
        return (
            f" The draws keep each {' and '.join(kept)} of the study, "
            "which has gaps: the choice is less sure than that."
        )

    __repr__ = __str__


def best(
    self: Plan,
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
    one that trying every design would give (``gtlib.allocation``),
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
    n_resamples = checks.resamples(n_resamples, 0)
    seed = checks.seed(seed)
    problem = Problem.from_plan(self, budget, cost, coefficient)
    allocation = allocate(self, problem, coefficient)
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
        interval=allocation.plan.interval(coefficient, seed=seed),
        winners=winners.rename("share").reset_index(),
    )


def cheapest(
    self: Plan,
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
    allocation = (
        allocate(self, problem, coefficient) if universe > 0 else None
    )
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
    self: Plan,
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
    (``gtlib.intervals``), or, in a study with gaps, from
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
    n_resamples = checks.resamples(n_resamples)
    seed = checks.seed(seed)
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


def allocate(
    plan: Plan, problem: Problem, coefficient: str
) -> Allocation | None:
    """Find the design that solves a plan's problem, if there is one."""
    numbers = search(problem)
    if numbers is None:
        return None
    levels = dict(zip(plan.bounds, numbers.tolist(), strict=True))
    paid = float(problem.cost.total(numbers[None])[0])
    notes = [
        f"{facet} stays at {plan.bounds[facet][0]} however large the "
        "budget: what it divides is not above zero, or another number "
        "divides it as well, so the money does more elsewhere."
        for facet in compress(plan.bounds, problem.idle)
    ]
    chosen = plan.with_numbers(levels)
    notes = [*_rests_on_negatives(chosen, coefficient), *notes]
    return Allocation(chosen, paid, tuple(notes))


def _rests_on_negatives(plan, coefficient):
    """Say which negative estimates a coefficient rests on, and what it
    would be if they were zero."""
    promised = f"{getattr(plan, coefficient):.4f}"
    without = plan.coefficients(plan.study.variance.to_numpy())
    if f"{without[coefficient]:.4f}" == promised:
        return
    alone = plan.sums(np.diag(plan.study.estimate))
    part = alone["universe_score"] + alone[error_name(coefficient)]
    named = plan.study.estimate.index[part < 0]
    if len(named) == 1:
        whose, its = "a negative estimate, that", "its"
    else:
        whose, its = "negative estimates, those", "their"
    yield (
        f"The {coefficient} of {promised} rests on {whose} of "
        f"{' and '.join(named)}: with zero in {its} place it would be "
        f"{without[coefficient]:.4f}."
    )


def _name_levels(levels):
    return ", ".join(
        f"{facet} {number}" for facet, number in levels.items()
    )


def _lowest(plan):
    return {facet: low for facet, (low, _) in plan.bounds.items()}


# The ratio of two numbers at which an error is smallest.


def optimal_ratio(
    self: Plan,
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

    A and B are sums of components with their signs, or zero where they are
    below it.  The interval is that of components which could have led to
    the same mean squares (``"pivotal"``).  Of a study with gaps it is that
    of components which the restricted likelihood does not refute
    (``"profile"``), or from bootstrap studies where Henderson's method has
    estimated it.

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
    n_resamples = checks.resamples(n_resamples)
    seed = checks.seed(seed)
    level = checks.confidence_level(confidence_level)
    free = [f for f in self.bounds if f not in self.fixed]
    if len(free) != 2:
        raise ValueError(
            f"A ratio needs two facets to share a budget; {self.design} "
            f"has {len(free)}. Plan.best takes any number of them."
        )
    first, second = np.maximum(_parts(self, coefficient, free), 0)
    if first == second == 0:
        raise ValueError(
            f"Neither {free[0]} nor {free[1]} divides a component of the "
            f"error of {coefficient} alone, or only such as are estimated "
            "as zero or less: with this cost any split is as good."
        )
    estimate = float(first / second) if second else inf
    quantity = f"{plural(free[0])} to one {free[1]}"
    g = self.study
    if g.cells is None and not g.levels:
        reason = "the components come without the levels of their study"
        return Interval(nan, nan, estimate, level, "none", reason, quantity)
    balanced = is_balanced(g)
    method = "pivotal" if balanced else uncertainty.choose_with_gaps(g)
    effects = np.eye(len(g.estimate))
    first, second = _parts(self, coefficient, free, effects)
    if method == "profile":
        low, high = g.profile.ratio(first, second, level)
    else:
        components = replicate(g, method, n_resamples, seed)
        above, below = np.maximum([first, second] @ components, 0)
        ratios = np.full(above.shape, inf)
        np.divide(above, below, out=ratios, where=below > 0)
        low, high = percentiles(ratios, level, method, estimate)
    reason = "" if np.isfinite(high) else "no upper limit"
    return Interval(
        float(low), float(high), estimate, level, method, reason, quantity
    )


def _parts(plan, coefficient, free, components=None):
    """Sum the error's components that each free facet divides alone."""
    ones = {f: 1 if f in free else n for f, (n, _) in plan.bounds.items()}
    mean = plan.effects.mean_components(ones, components)
    in_error = plan.effects.errors(coefficient)
    divisors = plan.effects.table["divisors"].map(set(free).intersection)
    return [mean[in_error & (divisors == {f})].sum(axis=0) for f in free]


def describe_ceiling(plan: Plan, numbers: Mapping, coefficient: str) -> str:
    """Say how high a coefficient gets as some numbers grow without end,
    and which errors stay."""
    values = plan.coefficients(numbers=numbers)
    if values["universe_score"] <= 0:
        return f"the variance of {plan.design.object} is estimated as zero."
    if plan.incidence is None:
        means = plan.effects.mean_components(plan.fill_numbers(numbers))
        errors = means * plan.effects.errors(coefficient)
    else:  # each component alone
        alone = plan.sums(np.diag(plan.study.estimate), numbers)
        errors = alone[error_name(coefficient)]
    stays = pd.Series(errors, plan.effects.table.index).clip(lower=0)
    total = stays.sum()
    parts = [
        f"{effect} ({part / total:.0%})"
        for effect, part in stays.sort_values(ascending=False).items()
        if part > 0.005 * total
    ]
    return (
        f"its ceiling is {values[coefficient]:.4f}, because of the error "
        f"that stays: {', '.join(parts)}."
    )


def smallest_satisfying(holds: Callable[[int], bool]) -> int | None:
    """Find the smallest whole number for which `holds`; None if there is
    none up to 10**15."""
    start = 1
    while not holds(start):
        start *= 2
        if start > LARGEST_NUMBER:
            return None
    return 1 + bisect_left(range(1, start), True, key=holds)
