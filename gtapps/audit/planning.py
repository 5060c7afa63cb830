"""What an effort buys at its best, and what a goal costs."""

from collections.abc import Iterable, Mapping
from math import prod

import numpy as np
import pandas as pd

from gtapps.audit.results import planned
from gtlib.allocation import JUDGMENT, read_cost
from gtlib.dstudy import Numbers
from gtlib.estimates import COEFFICIENTS, cells_of
from gtlib.gtheory import GStudy, Plan
from gtlib.tables import Design, count, positive, some

# No plan has more topics.
MOST_TOPICS = 10**6


def read_numbers(
    text: str, option: str, known: Iterable[str] = ()
) -> dict[str, float]:
    """``"topic=5,assessor=1"`` as numbers by name.

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
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = map(str.strip, part.partition("="))
        try:
            value = float(number)
        except ValueError:
            value = np.nan
        if not name or not np.isfinite(value) or name in found:
            raise ValueError(
                f"{option} {some([text])}: write each name once, with a "
                "number, for instance name=1,other=.5."
            )
        if known and name not in known:
            raise ValueError(
                f"{option} {some([text])}: there is no {some([name])}; "
                f"there are {', '.join(known)}."
            )
        found[name] = value
    return found


def refuse_beyond(option: str, value: float) -> None:
    """Refuse what is no share, as coefficients are."""
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
        positive(budget, "budget")
    if cost is not None:
        facets = [f for f in design.facets if f != design.object]
        read_cost(design, facets, cost)
        paid = [name for name, price in cost.items() if price > 0]
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
    """The study's design, its numbers of levels to be found."""
    return g.plan(fixed=fixed, topic=(2, MOST_TOPICS))


def in_numbers(levels: Mapping[str, int], plan: Plan) -> str:
    """``6 subjects, 10 topics of each subject``: the outer facets first."""
    nesting = plan.design.nesting
    said = []
    for facet in sorted(levels, key=lambda f: len(nesting[f])):
        within = " and ".join(sorted(nesting[facet]))
        of_each = f" of each {within}" if within else ""
        said.append(f"{count(levels[facet], facet)}{of_each}")
    return ", ".join(said)


def spending(
    g: GStudy,
    budget: float | None = None,
    target: float | None = None,
    cost: Mapping[str, float] | None = None,
    fixed: tuple[str, ...] = (),
) -> tuple[list[str], dict[str, dict[str, float]]]:
    """The best use of an effort, and the cheapest way to a target.

    Parameters
    ----------
    g : GStudy
    budget : float, optional
        In the unit of the prices; the present design's cost without it.
    target : float in (0, 1), optional
        A coefficient to reach as cheaply as possible.
    cost : mapping of str to float, optional
        As in `Plan.best`; a judgment costs 1 without it.

    Returns
    -------
    said : list of str
        Sentences.
    rows : dict of str to dict
        The plans that they are about, as `Allocation.row` gives them.

    Examples
    --------
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> said, rows = spending(g, target=0.9, cost={"topic": 5})
    >>> rows["generalizability .9"]["cost"]
    165.0
    >>> said[0]
    'The cheapest with generalizability 0.9: 33 topics, at a cost of 165. \
Generalizability would be 0.902, dependability 0.709.'
    """
    free, now = free_numbers(g, fixed), planned(g, fixed).levels
    divided = [*COEFFICIENTS][: budget is not None]
    if budget is None:
        budget, _ = paid(g.plan(fixed=fixed), cost)
    said: dict[str, list[str]] = {}  # what is found, and of what
    notes: list[str] = []
    rows: dict[str, dict[str, float]] = {}

    def note(name, before, find, *arguments, **options):
        try:
            found = find(*arguments, **options)
        except ValueError as error:
            said[str(error)] = []
            return
        rows[name] = found.row
        text = (
            f": {in_numbers(found.levels, free)}, at a cost of "
            f"{found.cost:,.10g}. Generalizability would be "
            f"{found.generalizability:.3f}, dependability "
            f"{found.dependability:.3f}."
        )
        said.setdefault(text, []).append(before)
        notes.extend(found.notes)

    for name in COEFFICIENTS if {*now} - {"topic", *fixed} else divided:
        best = f"Best for {name}"
        note(name, best, free.best, budget, cost, coefficient=name)
    for name in COEFFICIENTS if target is not None else ():
        note(
            f"{name} {target:g}".replace(" 0.", " ."),
            f"The cheapest with {name} {target:g}",
            *(free.cheapest, target, cost),
            coefficient=name,
        )
    told = [" and ".join(of).capitalize() + x for x, of in said.items()]
    return [*told, *dict.fromkeys(notes)], rows


def paid(
    plan: Numbers, cost: Mapping[str, float] | None = None
) -> tuple[float, dict[str, float]]:
    """What the present scores of a system cost, on average, and what one
    more level of each facet would, by the prices of `Plan.best`."""
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
