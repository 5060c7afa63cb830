"""What an effort buys at its best, and what a goal costs."""

from collections.abc import Collection, Mapping

import numpy as np

from gtapps.audit.results import planned
from gtlib.allocation import JUDGMENT, read_cost
from gtlib.estimates import COEFFICIENTS
from gtlib.gtheory import GStudy
from gtlib.tables import Design, count, positive, some

# No plan has more topics.
MOST_TOPICS = 10**6


def read_numbers(
    text: str, option: str, known: Collection[str] = ()
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


def spending(
    g: GStudy,
    budget: float | None = None,
    target: float | None = None,
    cost: Mapping[str, float] | None = None,
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
    'Topics are all that can be bought here: there is nothing to divide.'
    """
    free = g.plan(topic=(2, MOST_TOPICS))
    levels = planned(g).levels
    now = {facet: levels[facet] for facet in free.bounds}
    prices = read_cost(g.design, [*now], cost)
    if budget is None:
        budget = float(prices.total(np.array([[*now.values()]], float))[0])
    said: list[str] = []
    notes: list[str] = []
    rows: dict[str, dict[str, float]] = {}

    def note(name, before, find, *arguments, **options):
        try:
            found = find(*arguments, **options)
        except ValueError as error:
            said.append(str(error))
            return
        rows[name] = found.row
        levels = ", ".join(count(n, f) for f, n in found.levels.items())
        said.append(
            f"{before}: {levels}, at a cost of {found.cost:,.10g}. "
            "Generalizability would be "
            f"{found.generalizability:.3f}, dependability "
            f"{found.dependability:.3f}."
        )
        notes.extend(found.notes)

    if len(now) > 1:
        for name in COEFFICIENTS:
            best = f"Best for {name}"
            note(name, best, free.best, budget, cost, coefficient=name)
    else:
        said.append(
            "Topics are all that can be bought here: there is nothing to "
            "divide."
        )
        for share, words in _SHARES.items():
            words += " effort"
            note(words, words, free.best, share * budget, cost)
    for name in COEFFICIENTS if target is not None else ():
        note(
            f"{name} {target:g}".replace(" 0.", " ."),
            f"The cheapest with {name} {target:g}",
            *(free.cheapest, target, cost),
            coefficient=name,
        )
    return list(dict.fromkeys(said + notes)), rows


_SHARES = {0.5: "Half the", 1: "The whole", 2: "Twice the"}
