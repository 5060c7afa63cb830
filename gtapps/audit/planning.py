"""Prices and plans: the options --cost, --target and --budget."""

from collections.abc import Iterable, Mapping
from math import prod

import numpy as np
import pandas as pd

from gtlib.allocation import JUDGMENT, read_cost
from gtlib.dstudy import DStudy
from gtlib.estimates import cells_of
from gtlib.gtheory import GStudy, Plan
from gtlib.tables import Design, count, positive, some

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
                f"{option} {some([text])}: write each name once, with a "
                "number, for instance name=1,other=.5."
            )
        if known and name not in known:
            raise ValueError(
                f"{option} {some([text])}: there is no {some([name])}; "
                f"there are {', '.join(known)}."
            )
        numbers[name] = value
    return numbers


def refuse_beyond(option: str, value: float) -> None:
    """Refuse a value that is not between 0 and 1, as coefficients are."""
    if not 0 < value < 1:
        raise ValueError(f"{option}={value:g} must lie between 0 and 1.")


def check_plan(
    design: Design,
    budget: float | None = None,
    target: float | None = None,
    cost: Mapping[str, float] | None = None,
) -> None:
    """Refuse a question that no scores of this design could answer.

    Raises
    ------
    ValueError
        If the budget, the target or a price is out of range, a price is
        of nothing in the design, or a facet costs nothing.
    """
    if target is not None:
        refuse_beyond("--target", target)
    if budget is not None:
        positive(budget, "--budget")
    if cost is not None:
        facets = [f for f in design.facets if f != design.object]
        read_cost(design, facets, cost)
        paid = [name for name, price in cost.items() if price > 0]
        if not all(1e-99 < cost[name] < 1e99 for name in paid):
            raise ValueError("--cost: prices lie between 1e-99 and 1e99.")
        if JUDGMENT in paid:
            return
        free = [f for f in facets if f not in design.closure(paid)]
        if free:
            raise ValueError(
                f"--cost: {some(free)} would cost nothing, and there would "
                "be no best number of it; give it a price, or judgment "
                "one, for instance judgment=1."
            )


def free_numbers(g: GStudy, fixed: tuple[str, ...] = ()) -> Plan:
    """A plan of the study's design whose numbers of levels are free."""
    return g.plan(fixed=fixed, topic=(2, MOST_TOPICS))


def in_numbers(levels: Mapping[str, int], plan: Plan) -> str:
    """Numbers of levels in words, the outer facets first: ``6 subjects,
    10 topics of each subject``."""
    nesting = plan.design.nesting
    said = []
    for facet in sorted(levels, key=lambda f: len(nesting[f])):
        within = " and ".join(sorted(nesting[facet]))
        of_each = f" of each {within}" if within else ""
        said.append(f"{count(levels[facet], facet)}{of_each}")
    return ", ".join(said)


def paid(
    plan: DStudy, cost: Mapping[str, float] | None = None
) -> tuple[float, dict[str, float]]:
    """The cost of a system's present scores, on average, and that of one
    more level of each facet, by the prices of `Plan.best`."""
    design, seen = plan.design, plan.incidence
    facets = [f for f in design.facets if f != design.object]
    prices = read_cost(design, facets, cost)
    levels: Mapping[str, float] = plan.study.levels
    if seen is not None:
        codes = pd.DataFrame(cells_of(plan.study, "A price needs").codes)
        levels = seen.typical
    spent, each = 0.0, dict.fromkeys(facets, 0.0)
    for weight, members in zip(prices.weights, prices.members, strict=True):
        of = [f for f, is_in in zip(facets, members, strict=True) if is_in]
        if seen is None:
            number = float(prod(levels[f] for f in of))
        else:
            rows = codes.groupby(design.object)[of]
            number = rows.value_counts().groupby(level=0).size().mean()
        spent += weight * number
        for facet in of:
            each[facet] += weight * number / levels.get(facet, 1)
    return spent, each
