"""Prices and plans: the options --cost and --budget."""

from collections.abc import Iterable, Mapping
from math import prod

import numpy as np
import pandas as pd

from gtaudit.nouns import Nouns, count_noun
from gtaudit.words import words_of
from gtlib.allocation import JUDGMENT, read_cost
from gtlib.checks import list_some, positive
from gtlib.design import Design
from gtlib.gtheory import GStudy, Plan
from gtlib.scores import require_cells

# No plan has more topics.
MOST_TOPICS = 10**6


def read_numbers(
    text: str, option: str, known: Iterable[str] = ()
) -> dict[str, float]:
    """Read ``"topic=5,assessor=1"`` as numbers by name.

    Parameters
    ----------
    text, option : str
        What was given, and the option that it was given to.
    known : collection of str, optional
        The names that there are; any, if none is given.

    Raises
    ------
    ValueError
        If a part is no name and number, or a name is not known or given
        twice.

    Examples
    --------
    >>> read_numbers("topic=5,assessor=.5", "--cost")
    {'topic': 5.0, 'assessor': 0.5}
    """
    numbers: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = map(str.strip, part.partition("="))
        try:
            value = float(number)
        except ValueError:
            value = np.nan
        if not name or not np.isfinite(value) or name in numbers:
            raise ValueError(
                f"{option} {list_some([text])}: write each name once, with "
                "a number, for instance name=1,other=.5."
            )
        if known and name not in known:
            raise ValueError(
                f"{option} {list_some([text])}: there is no "
                f"{list_some([name])}; there are {', '.join(known)}."
            )
        numbers[name] = value
    return numbers


def name_prices(
    cost: Mapping[str, float], design: Design, nouns: Nouns, systems: int
) -> dict[str, float]:
    """Name prices by the facets of a design.

    A facet may be called by any column's name of its role: a ``task`` for
    a topic, a ``run`` for a repetition. A level that each system has for
    itself, such as a run, is paid for every system.

    Examples
    --------
    >>> from gtaudit.nouns import OURS
    >>> design = Design("repetition:(system x topic)")
    >>> name_prices({"task": 9, "run": 1}, design, OURS, 5)
    {'topic': 9.0, 'repetition': 5.0}
    """
    meant = {
        name: facet
        for facet, role in (
            (nouns.topic, "topic"),
            (nouns.repetition, "repetition"),
            (nouns.assessor, "assessor"),
        )
        if facet in design.facets
        for name in words_of(role)
    }
    if nouns.repetition in design.facets:
        meant["run"] = nouns.repetition
    named: dict[str, float] = {}
    for name, price in cost.items():
        known = name in (*design.facets, JUDGMENT)
        facet = name if known else meant.get(name, name)
        if facet in named:
            raise ValueError(
                f"--cost has two prices for {list_some([facet])}."
            )
        own = design.object in design.nesting.get(facet, ())
        named[facet] = float(price) * (systems if own else 1)
    return named


def require_coefficient(option: str, value: float) -> None:
    """Refuse a value that is not between 0 and 1, as coefficients are."""
    if not 0 < value < 1:
        raise ValueError(f"{option}={value:g} must lie between 0 and 1.")


def check_plan(
    design: Design,
    budget: float | None = None,
    cost: Mapping[str, float] | None = None,
) -> None:
    """Refuse a question that no scores of this design could answer.

    Raises
    ------
    ValueError
        If the budget or a price is out of range, a price is
        of nothing in the design, or a facet costs nothing.
    """
    if budget is not None:
        positive(budget, "--budget")
    if cost is not None:
        facets = [f for f in design.facets if f != design.object]
        read_cost(design, facets, cost)
        priced = [name for name, price in cost.items() if price > 0]
        if not all(1e-99 < cost[name] < 1e99 for name in priced):
            raise ValueError("--cost: prices lie between 1e-99 and 1e99.")
        if JUDGMENT in priced:
            return
        free = [f for f in facets if f not in design.closure(priced)]
        if free:
            raise ValueError(
                f"--cost: {list_some(free)} would cost nothing, and there "
                "would "
                "be no best number of it; give it a price, or judgment "
                "one, for instance judgment=1."
            )


def free_plan(
    g: GStudy, fixed: tuple[str, ...] = (), topic: str = "topic"
) -> Plan:
    """Plan the study's design with numbers of levels that are free."""
    return g.plan(fixed=fixed, levels={topic: (2, MOST_TOPICS)})


def describe_levels(levels: Mapping[str, int], plan: Plan) -> str:
    """Describe numbers of levels, the outer facets first: ``6 subjects,
    10 topics of each subject``."""
    nesting = plan.design.nesting
    parts = []
    for facet in sorted(levels, key=lambda f: len(nesting[f])):
        within = " and ".join(sorted(nesting[facet]))
        of_each = f" of each {within}" if within else ""
        parts.append(f"{count_noun(levels[facet], facet)}{of_each}")
    return ", ".join(parts)


def name_more(plan: Plan, facet: str, levels: int) -> str:
    """Name further levels of a facet: ``6 more topics of each subject``."""
    return describe_levels({facet: levels}, plan).replace(" ", " more ", 1)


def present_numbers(plan: Plan) -> Mapping[str, float]:
    """Return the number of levels of each facet; with gaps, as many as a
    system has."""
    return plan.levels if plan.incidence is None else plan.incidence.typical


def present_cost(
    plan: Plan, cost: Mapping[str, float] | None = None
) -> tuple[float, dict[str, float]]:
    """Return the cost of a system's present scores, on average, and that
    of one more level of each facet, by the prices of `Plan.best`."""
    design = plan.design
    incidence = plan.incidence
    facets = [f for f in design.facets if f != design.object]
    prices = read_cost(design, facets, cost)
    levels: Mapping[str, float] = plan.study.levels
    if incidence is not None:
        codes = pd.DataFrame(
            require_cells(plan.study.cells, "A price needs").codes
        )
        levels = incidence.typical
    total = 0.0
    level_costs = dict.fromkeys(facets, 0.0)
    for weight, members in zip(prices.weights, prices.members, strict=True):
        facets_of_price = [
            f for f, is_in in zip(facets, members, strict=True) if is_in
        ]
        if incidence is None:
            number = float(prod(levels[f] for f in facets_of_price))
        else:
            rows = codes.groupby(design.object)[facets_of_price]
            number = rows.value_counts().groupby(level=0).size().mean()
        total += weight * number
        for facet in facets_of_price:
            level_costs[facet] += weight * number / levels.get(facet, 1)
    return total, level_costs
