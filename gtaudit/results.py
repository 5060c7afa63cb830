"""The tables of a report, and all its numbers as JSON.

Reliability among the best systems is where it is wanted most: those far
below the rest add true variance and hardly any error, and so flatter a
collection that is to tell good systems apart.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import product
from math import floor, isfinite, nan

import numpy as np
import pandas as pd

from gtaudit.collection import INCOMPLETE
from gtlib.anova import COEFFICIENTS
from gtlib.checks import as_text
from gtlib.ctt import cronbach_alpha
from gtlib.design import Design, as_design
from gtlib.gtheory import GStudy, Plan, gstudy
from gtlib.scores import Interval, is_long, require_cells
from gtlib.swaps import leaderboard

TARGETS = (0.80, 0.90, 0.95)
LIMITS = ["low", "high", "method", "note"]

# How many numbers of best systems are tried, from three to all; and at how
# many numbers of topics a curve has an interval.
_STEPS, _INTERVALS = 12, 7


def coefficient_table(
    g: GStudy, fixed: tuple[str, ...] = ()
) -> pd.DataFrame:
    """Return both coefficients of the collection as it is, with intervals.

    Parameters
    ----------
    g : GStudy
        The intervals leave its groups out, where it has some.
    fixed : tuple of str, optional
        Facets whose levels are all there are.

    Returns
    -------
    DataFrame, a row per coefficient
        ``estimate``, ``low``, ``high``; the interval's ``method``; and a
        ``note``: why there is none, or why it is in doubt.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> coefficient_table(g)["estimate"].round(3).to_dict()
    {'generalizability': 0.933, 'dependability': 0.787}
    """
    plan = g.plan(fixed=fixed)
    rows = {}
    for name in COEFFICIENTS:
        interval = plan.interval(name)
        rows[name] = getattr(plan, name), *interval_columns(interval)
    columns = ["estimate", *LIMITS]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return table.rename_axis("coefficient")


def interval_columns(interval: Interval) -> tuple[float, float, str, str]:
    """Return the columns `LIMITS` of an interval, whose groups are called
    sites."""
    method = interval.method.replace("group", "site")
    note = interval.reason.replace("group", "site")
    return interval.low, interval.high, method, note


def plan_without_gaps(
    g: GStudy, fixed: tuple[str, ...] = (), topic: str = "topic"
) -> Plan:
    """Plan the study's own numbers of levels, without its gaps.

    Where it has gaps, topics are as many as a system has, and another
    facet's levels as many as a system has on a topic: harmonic means,
    rounded.

    Examples
    --------
    >>> from gtlib import gstudy
    >>> long = pd.DataFrame({"system": [*"aaabbbcc"],
    ...     "topic": [1, 2, 3, 1, 2, 3, 1, 2],
    ...     "score": [1, 3, 2, 5, 4, 9, 0, 2]})
    >>> plan_without_gaps(gstudy(long, "system x topic")).levels
    {'topic': 3}
    """
    if g.incidence is None:
        return g.plan(fixed=fixed)
    codes = pd.DataFrame(require_cells(g.cells, "A plan needs").codes)
    levels = {}
    for facet in g.plan(fixed=fixed).effects.facets:
        if facet in fixed:
            continue
        within = g.design.closure([facet, g.design.object]) - {facet}
        if facet not in g.design.closure([topic]):
            within |= {topic}  # and not what topics are nested in
        number = codes.groupby([*within])[facet].nunique()
        levels[facet] = max(1, round(len(number) / (1 / number).sum()))
    return g.plan(fixed=fixed, levels=levels)


def describe_alpha(
    wide: pd.DataFrame | None, sites: Mapping | None = None
) -> tuple:
    """Return Cronbach's alpha and a sentence on it, or None and the reason;
    with sites, its interval leaves these out."""
    if wide is None:
        return None, INCOMPLETE
    try:
        alpha = cronbach_alpha(wide, groups=sites)
    except ValueError as error:
        return None, as_text(error)
    binary = np.isin(wide, (0, 1)).all()
    name = "alpha (KR-20, as all scores are 0 or 1)" if binary else "alpha"
    limits = f"[{alpha.low:.3f}, {alpha.high:.3f}]"
    return alpha, f"{name} = {alpha.estimate:.3f} {limits}"


def required_table(
    g: GStudy,
    targets: Sequence[float] = TARGETS,
    fixed: tuple[str, ...] = (),
    topic: str = "topic",
) -> pd.DataFrame:
    """Return how many topics each coefficient needs to reach each target.

    Parameters
    ----------
    g : GStudy
        Other facets have its numbers, or stay as observed.  The intervals
        leave its groups out, where it has some.
    targets : sequence of float in (0, 1)
    fixed : tuple of str, optional
        Facets whose levels are all there are.
    topic : str
        The facet of the topics.

    Returns
    -------
    DataFrame, a row per coefficient and target
        ``topics``, with ``low`` and ``high`` and the ``method`` of these;
        a ``note`` says why, where no number of topics is enough (there
        may be a lower limit), there is no upper limit or the interval is
        in doubt.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> required_table(g, [0.9])["topics"].tolist()
    [33, 123]
    """
    plan = g.plan(fixed=fixed)
    rows = []
    for coefficient, target in product(COEFFICIENTS, targets):
        try:
            interval = plan.required_interval(topic, target, coefficient)
            topics = pd.NA
            if isfinite(interval.estimate):
                topics = interval.estimate
            needed = [topics, *interval_columns(interval)]
        except ValueError as error:
            needed = [pd.NA, nan, nan, "none", str(error)]
        rows.append([coefficient, target, *needed])
    columns = ["coefficient", "target", "topics", *LIMITS]
    return pd.DataFrame(rows, columns=columns).astype({"topics": "Int64"})


def curve_table(
    plan: Plan,
    topic: str,
    most: float,
    coefficients: pd.DataFrame,
    required: pd.DataFrame,
) -> pd.DataFrame:
    """Tabulate the generalizability by the number of topics.

    Parameters
    ----------
    plan : Plan
        Other facets have its numbers, or stay as observed.
    topic : str
        The facet of the topics.
    most : float
        The largest number.
    coefficients, required : DataFrame
        Of `coefficient_table` and `required_table`: with gaps, limits pass
        through these numbers.

    Returns
    -------
    DataFrame, a row per number
        ``estimate``; and ``low`` and ``high``, NaN where nothing is known
        of them. They are those of gtlib at a few numbers; between these,
        odds are interpolated, which grow with the number of topics.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> tables = coefficient_table(g), required_table(g)
    >>> table = curve_table(g.plan(), "topic", 100, *tables)
    >>> table.iloc[-1].round(3).to_dict()
    {'estimate': 0.966, 'low': 0.944, 'high': 0.981}
    """
    numbers = np.unique(np.maximum(1, most * (np.arange(33) / 32) ** 1.3))
    found = plan.coefficients(numbers={topic: numbers})
    table = pd.DataFrame({"estimate": found["generalizability"]}, numbers)
    if plan.incidence is None:
        known = _known_limits(plan, topic, most)
    else:
        now = coefficients.loc["generalizability"]
        known = _known_with_gaps(plan, topic, now, required)
    for end, limits in known.items():
        x, y = np.array(sorted(limits.items())).T
        odds = np.interp(numbers, x, y / np.maximum(1 - y, 1e-9))
        table[end] = np.where(numbers <= x[-1], odds / (1 + odds), nan)
    return table


def _known_limits(plan, topic, most):
    """Return limits by numbers of topics."""
    numbers = most * (np.arange(_INTERVALS) / (_INTERVALS - 1)) ** 1.5
    plans = {
        int(n): plan.with_numbers({topic: int(n)})
        for n in np.unique(np.maximum(1, np.ceil(numbers)))
    }
    found = {n: p.interval("generalizability") for n, p in plans.items()}
    return {
        end: {n: getattr(interval, end) for n, interval in found.items()}
        for end in ("low", "high")
    }


def _known_with_gaps(plan, topic, now, required):
    """Return the same of means as observed, whose gaps stay: with so many
    topics a limit reaches so much."""
    rows = required[required["coefficient"] == "generalizability"]
    known = {}
    for end, other in (("low", "high"), ("high", "low")):
        value = now[end]
        limits = {0.0: 0.0, plan.incidence.typical[topic]: value}
        if value == 0:  # nor is it more with more topics
            limits[1e9] = 0.0
        limits |= zip(rows[other], rows["target"], strict=True)
        twice = 2 * value / (1 + value)
        if 0 < twice < 1:
            number = plan.required_interval(
                topic, twice, "generalizability"
            )
            limits[getattr(number, other)] = twice
        known[end] = {n: x for n, x in limits.items() if isfinite(n + x)}
    return known


def best_systems(
    scores: pd.DataFrame,
    design: str | Design = "system x topic",
    *,
    sites: pd.Series | None = None,
    fixed: tuple[str, ...] = (),
    ranking: pd.Index | None = None,
) -> pd.DataFrame:
    """Estimate generalizability among the best n systems, for several n.

    Parameters
    ----------
    scores : score table
        Wide, or long with a column for each facet.
    design : str or Design
        Its object of measurement are the systems.
    sites : Series of system to site, optional
        The intervals leave the systems of a site out together.
    fixed : tuple of str, optional
        Facets whose levels are all there are.
    ranking : Index of systems, optional
        The best first; else they are ranked by `gtlib.leaderboard`.

    Returns
    -------
    DataFrame, a row per number of systems
        Index ``systems``: 3, and on in steps that grow, 20 and what is
        left without the worst quarter among them, to all. The columns are
        ``generalizability``; ``low`` and ``high`` of its 95% interval and
        the ``method``; and a ``note``: why there is no interval, as of
        systems of one site, or why it is in doubt.

    Raises
    ------
    ValueError
        If the table is not right, or has fewer than three systems.

    Notes
    -----
    Systems are ranked by their means in the table; of equal ones the
    first in it goes before.  Bodoff & Li (2007, table 2) leave the worst
    quarter out, as Voorhees & Buckley (2002) do.

    Those who are best in these scores are so in part by luck, and their
    means lie closer together than those of systems chosen beforehand: the
    coefficient is too low, and the interval around it takes no notice
    of that. For the best 10 of 20 systems on 200 topics, normal scores have
    a mean of .80 for a true .85 where all systems have .95, of .58 for .73
    where they have .88, and of .21 for .54 where they have .70.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> merit = np.r_[np.full(10, 0.3), np.linspace(0, 0.2, 10)]
    >>> scores = merit[:, None] + rng.normal(0, 0.1, (20, 50))
    >>> table = best_systems(pd.DataFrame(scores))
    >>> table.loc[[10, 20], "generalizability"].round(2).tolist()
    [0.0, 0.99]
    """
    if not is_long(scores):
        scores = pd.DataFrame(scores)
    system = as_design(design).object
    if ranking is None:
        ranking = leaderboard(scores, design, fixed=fixed).table.index
    if len(ranking) < 3:
        raise ValueError("The best of two systems are no collection.")
    sizes = _sizes(len(ranking))
    rows = []
    for best in (ranking[:n] for n in sizes):
        names = scores[system] if is_long(scores) else scores.index
        chosen = scores[names.isin(best)]
        site = None if sites is None else sites[best]
        rows.append(_best_systems_row(chosen, design, fixed, site))
    columns = ["generalizability", *LIMITS]
    return pd.DataFrame(rows, pd.Index(sizes, name="systems"), columns)


def _sizes(systems):
    """List numbers of best systems: geometric steps from 3 to all, 20, and
    what is left without the worst quarter."""
    steps = np.geomspace(3, systems, _STEPS).round().astype(int)
    further = {floor(0.75 * systems), 20} & {*range(3, systems)}
    return sorted(further.union(steps.tolist()))


def _best_systems_row(scores, design, fixed, site):
    try:
        plan = gstudy(scores, design).plan(fixed=fixed)
        if site is not None and len(site.unique()) == 1:
            none = nan, nan, "none", "all of them are of one site"
            return plan.generalizability, *none
        interval = plan.interval("generalizability", groups=site)
    except ValueError as error:  # also of a likelihood that is flat
        return nan, nan, nan, "none", str(error)
    return plan.generalizability, *interval_columns(interval)


def as_json_values(value):
    """Return `value` as what JSON has; what is not finite becomes null."""
    if dataclasses.is_dataclass(value):
        value = {
            field.name: getattr(value, field.name)
            for field in dataclasses.fields(value)
            if field.repr
        }
    elif isinstance(value, pd.DataFrame):
        table = value
        if not isinstance(table.index, pd.RangeIndex):
            table = table.reset_index()
        value = table.to_dict("records")
    if isinstance(value, dict | pd.Series):
        return {str(k): as_json_values(v) for k, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [as_json_values(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is pd.NA or (isinstance(value, float) and not isfinite(value)):
        return None
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value)
