"""What to do next: what each way to spend more would buy, on one scale.

The error of a difference has three parts: what other topics, assessors
and the like would change, the standard error of the median pair; what
further judgments would; and the bias, what a system loses that had no say
in what was judged, the root mean square of those that were left out.
Actions are ranked by the root of the sum of their squares.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from gtaudit.collection import Collection
from gtaudit.judgment_study import DEEPEST, Judgments
from gtaudit.machines import Machines
from gtaudit.new_systems import losses_if_left_out
from gtaudit.planning import (
    MOST_TOPICS,
    name_more,
    present_cost,
    present_numbers,
)
from gtaudit.verdict import Remedy
from gtlib.checks import count_noun
from gtlib.comparisons import estimate_means, total_error

STOP = "stop"

_KEY = ["topic", "document"]

# The share of the present effort that is spent where no budget is given.
MORE = 0.2

_NORMAL = float(scipy.special.ndtri(0.975))

# Bounds of the power g in c (n**-g), what n judged documents leave open.
_POWERS = 0.5, 4.0


@dataclass(frozen=True)
class Action:
    """Something that can be done, and what it changes.

    Attributes
    ----------
    name : str
    price : float
        In scores of a system, or in the unit of the prices; NaN if it is
        not known.
    numbers : dict of facet to number
        The numbers of levels that a plan then has.
    width, bias : float
        Factors by which half-widths and biases change besides.
    pairs : DataFrame, optional
        ``topic`` and ``document`` of what is to be judged.
    """

    name: str
    price: float = 0.0
    numbers: Mapping[str, float] | None = None
    width: float = 1.0
    bias: float = 1.0
    pairs: pd.DataFrame | None = None

    @property
    def documents(self) -> int:
        """How many documents are to be judged."""
        return 0 if self.pairs is None else len(self.pairs)


def advise(
    collection: Collection,
    judged: Judgments | None = None,
    machines: Machines | None = None,
    cost: Mapping[str, float] | None = None,
    budget: float | None = None,
    remedy: Remedy | None = None,
) -> pd.DataFrame:
    """Tabulate what could be done next, and what it would bring.

    Parameters
    ----------
    collection : Collection
    judged : Judgments, optional
        Of its runs; without it nothing is known of biases.
    machines : Machines, optional
    cost : mapping of str to float, optional
        As in `Plan.best`. A document costs what a topic does, over the
        documents that were judged of one.
    budget : float, optional
        What may be spent in all; the rest of it is spent. `MORE` of the
        present cost without it.
    remedy : Remedy, optional
        What changes an answer of the verdict; without it, to stop comes
        first.

    Returns
    -------
    DataFrame, a row per action; what is recommended is the first
        ``price``; the expected ``half_width`` of the 95% interval of a
        difference, the median pair; ``ties``: other systems that such an
        interval would not part from the first, were the differences as
        they seem; ``worst_bias`` and ``mean_bias`` of a newcomer, the
        largest loss and the root mean square of all that were left out;
        and ``error``, what ranks the other actions.

    Notes
    -----
    Half-widths go with the root of the relative error that the plan has,
    and with the degrees of freedom that its numbers give: of a facet that
    is crossed, one less than its levels. What n judged documents leave
    open is c (n**-g), and half-widths go with another power of n; c and
    the powers are such that the curves pass through what two smaller
    pools show. The bias falls with a power of the depth: the slope of the
    logarithm of how many relevant documents one contributor alone has, over
    the deeper half of the pools. With more contributors it falls as Chao
    et al. (2014) extrapolate how many are found by one alone. Where
    machines judge more topics, the error is that of the
    prediction-powered estimate, whose degrees of freedom are taken as they
    are; its price is that of the topics, if `cost` has one, and else not
    known. What costs more than is to be spent, or has no price, stands
    below all else.

    What judgments leave open is the same with more topics, if they are
    judged as deep. Let b be what a system's mean is off because of them
    on all topics that there could be, and d what its score is off beside
    on one. The mean of n topics is off by b + (the sum of d) / n. The
    squared standard error has the variance of d over n in it already, as
    d is in the scores; what stands beside it is the square of b, in which
    there is no n. Smaller pools show the square of both, and what they show
    of d, from topic to topic, is taken off.

    References
    ----------
    Chao et al. (2014), "Rarefaction and extrapolation with Hill numbers",
    Ecological Monographs 84, equation 18.

    Examples
    --------
    >>> from gtaudit import prepare
    >>> from gtlib import load
    >>> actions = advise(prepare(load("cf-ap")))
    >>> actions[["price", "half_width"]].round(3).T.to_dict("list")
    {'stop': [0.0, 0.029], '19 more topics': [19.0, 0.026]}
    """
    level_costs, to_spend = _prices(collection, cost, budget)
    todo = [Action(STOP)]
    first = STOP
    if remedy is not None:
        now = present_numbers(collection.plan)[remedy.facet]
        numbers = {remedy.facet: now + remedy.levels}
        todo.append(Action(remedy.name, remedy.price, numbers))
        first = remedy.name
    todo += _design_actions(collection, level_costs, to_spend)
    losses = pd.Series(dtype=float)
    if judged is not None:
        # Of runs and of sites, those whose worst loss is the larger one.
        left_out = losses_if_left_out(judged).values()
        losses = max(left_out, key=pd.Series.max, default=losses)
        price = _price_of_document(collection, judged, level_costs)
        todo += [*_judging_actions(judged, price, to_spend)]
    if machines is not None:
        todo += [*_machine_actions(machines, cost, collection.nouns)]
    table = _action_table(collection, todo, losses, judged)
    affordable = table["price"] <= to_spend * (1 + 1e-9)  # NaN is not
    ranked = table.assign(dear=~affordable).sort_values(["dear", "error"])
    order = ranked.index.drop(first).insert(0, first)
    return table.loc[order].rename_axis("action")


def documents_to_judge(
    actions: pd.DataFrame,
    collection: Collection,
    judged: Judgments,
    cost: Mapping[str, float] | None = None,
    budget: float | None = None,
) -> pd.DataFrame:
    """Return the ``topic`` and ``document`` of what the first of the
    actions that judge would have judged; `actions` as of `advise`."""
    level_costs, to_spend = _prices(collection, cost, budget)
    price = _price_of_document(collection, judged, level_costs)
    pairs = {
        action.name: action.pairs
        for action in _judging_actions(judged, price, to_spend)
    }
    for name in actions.index:
        if name in pairs:
            return pd.DataFrame(pairs[name]).reset_index(drop=True)
    return pd.DataFrame(columns=_KEY)


def _prices(collection, cost, budget):
    """Return the price of a level of each facet, and what is spent on
    more."""
    spent, level_costs = present_cost(collection.plan, cost)
    to_spend = MORE * spent if budget is None else max(budget - spent, 0.0)
    return level_costs, to_spend


def _price_of_document(collection, judged, level_costs):
    price = level_costs[collection.nouns.topic] * judged.topics
    return price / judged.judged


def _design_actions(collection, level_costs, to_spend):
    """Yield the actions that add levels of a facet that is not fixed."""
    plan = collection.plan
    for facet in plan.effects.facets:
        if facet in plan.fixed or not level_costs.get(facet):
            continue
        now = present_numbers(plan)[facet]
        # Of Python's numbers a quotient may be infinite without a warning.
        affordable = float(to_spend) / float(level_costs[facet])
        levels = max(1, int(min(MOST_TOPICS, affordable * (1 + 1e-9))))
        name = name_more(plan, facet, levels)
        price = levels * level_costs[facet]
        yield Action(name, price, {facet: now + levels})


def _judging_actions(judged, price, to_spend):
    """Yield the actions that judge: deeper pools, and pools of further
    runs."""
    depth = judged.pooling.depth
    unjudged = judged.unjudged
    n = len(judged.pooling.contributors)
    if depth is None or n < 2:
        return
    contributed = unjudged["system"].isin(judged.pooling.contributors)
    deeper = unjudged[contributed].sort_values("rank", kind="stable")
    deeper = deeper.drop_duplicates(_KEY)
    costs = price * deeper["rank"].value_counts().sort_index().cumsum()
    if len(costs) and depth < DEEPEST:
        affordable_depths = costs.index[costs <= to_spend]
        new_depth = int(
            max([depth + 1, costs.index[0], *affordable_depths])
        )
        pairs = deeper.loc[deeper["rank"] <= new_depth, _KEY]
        shrinks = (new_depth / depth) ** _missed_slope(judged.missed)
        name = f"judge to depth {new_depth}"
        cost = price * len(pairs)
        yield Action(name, cost, bias=shrinks, pairs=pairs)
    rows = unjudged[~contributed & (unjudged["rank"] <= depth)]
    means = judged.runs["score"].sort_values(ascending=False, kind="stable")
    runs = means.index[means.index.isin(rows["system"])]
    if runs.empty:
        return
    place = dict(zip(runs, range(len(runs)), strict=True))
    rows = rows.sort_values("system", key=lambda s: s.map(place))
    rows = rows.drop_duplicates(_KEY)
    sizes = rows["system"].value_counts().reindex(runs, fill_value=0)
    affordable = int((price * sizes.cumsum() <= to_spend).sum())
    chosen = runs[: max(1, affordable)]
    pairs = rows.loc[rows["system"].isin(chosen), _KEY]
    name = f"pool {count_noun(len(chosen), 'more run')}"
    shrinks = _singleton_factor(n, judged.once, judged.twice) ** len(chosen)
    cost = price * len(pairs)
    yield Action(name, cost, bias=shrinks, pairs=pairs)


def _missed_slope(missed):
    """The slope of log missed over log depth, in the deeper half of the
    pools; 0 where it rises."""
    deep = missed.index >= missed.index.max() ** 0.5
    late = missed[deep & (missed > 0)]
    if len(late) < 2:
        return 0.0
    line = np.polyfit(np.log(late.index), np.log(late), 1)
    return min(float(line[0]), 0.0)


def _singleton_factor(n, once, twice):
    """The factor by which one more run lowers the number of documents that
    one run alone has (Chao et al. 2014)."""
    if not once:
        return 1.0
    bias_corrected = once * (once - 1) / 2
    unseen = once**2 / (2 * twice) if twice else bias_corrected
    return 1 - once / (unseen * (n - 1) + once)


def _machine_actions(machines, cost, nouns):
    """Yield the action in which a machine judges twice the topics, and
    people those that they have."""
    rows = machines.human_topics
    if rows.empty:
        return
    rows = rows[rows["of"] == "difference"]
    if rows.empty:
        return
    correlation = rows["correlation"].iloc[0]
    n = int(machines.judges["topics"].max())
    price = n * (cost or {}).get(nouns.topic, np.nan)
    width = np.sqrt(1 - correlation**2 / 2)
    name = f"{n} more {nouns.topics} that machines judge"
    yield Action(name, price, width=width)


def _action_table(collection, todo, losses, judged):
    """Tabulate what each action buys, as `advise` says, not yet sorted."""
    open_error, width_factor = _document_trends(judged)
    plan = collection.plan
    now = plan.relative_error
    normal, gaps, half_widths = _present_differences(collection)
    rows = {}
    mean = worst = np.nan
    if len(losses):
        mean = (losses**2).mean() ** 0.5
        worst = max(losses.max(), 0.0)
    for action in todo:
        numbers = action.numbers or {}
        error = plan.coefficients(numbers=numbers)["relative_error"]
        width = action.width * width_factor(action.documents)
        shrinks = error / now if now > 0 else 1.0
        ratio = shrinks**0.5 * width
        left_open = open_error(action.documents)
        half, gap_half_widths = half_widths(numbers)
        expected_bias = np.nan_to_num(mean) * action.bias
        parts_of_error = normal * ratio, left_open**0.5, expected_bias
        rows[action.name] = {
            "price": action.price,
            "half_width": half * ratio,
            "ties": np.sum(np.abs(gaps) <= gap_half_widths * ratio),
            "worst_bias": worst * action.bias,
            "mean_bias": mean * action.bias,
            "error": np.linalg.norm(parts_of_error),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _document_trends(judged):
    """Return two functions of a number of further documents.

    The first gives what judgments still leave open of a squared difference:
    c n**-g, where c and g are such that it passes through what smaller
    pools show. The second gives the factor by which half-widths change,
    another power of n.
    """
    if judged is None or judged.thinned.empty:
        return lambda more: 0.0, lambda more: 1.0
    n = judged.judged - judged.judged_elsewhere
    sizes = judged.thinned.index.to_numpy() / n
    moves, spread = judged.thinned.to_numpy().T
    power = 1.0
    if len(moves) > 1 and moves[1] > 0:

        def gap(g):
            less = sizes**-g - 1
            return less[0] / less[1] - moves[0] / moves[1]

        low, high = gap(_POWERS[0]), gap(_POWERS[1])
        if low * high < 0:
            power = scipy.optimize.brentq(gap, *_POWERS)
        elif abs(high) < abs(low):
            power = _POWERS[1]
        else:
            power = _POWERS[0]
    scale = moves[-1] / (sizes[-1] ** -power - 1)
    logs = np.log(sizes)
    wider = np.log(np.maximum(spread, 1e-300))
    narrows = min(float(logs @ wider / (logs @ logs)), 0.0) / 2

    def left(more):
        return float(scale * (1 + more / n) ** -power)

    return left, lambda more: float((1 + more / n) ** narrows)


def _present_differences(collection):
    """Return the present differences, and their half-widths for other
    numbers of levels.

    Returns
    -------
    normal : float
        The standard error of the median difference.
    gaps : array
        All differences from the first system.
    halves : callable
        Takes numbers of levels; gives the half-width of the median
        difference and those of `gaps`, with the present errors and the
        degrees of freedom that such numbers give.
    """
    study = collection.study
    plan = collection.plan
    if study.cells is None:
        normal = (2 * plan.relative_error) ** 0.5
        means = collection.cells.mean(axis=1).to_numpy()
        gaps = np.delete(means.max() - means, means.argmax())
        half = _NORMAL * normal
        return normal, gaps, lambda _: (half, half)
    means = estimate_means(study, collection.fixed)
    first = int(np.argmax(means.value.to_numpy()))
    others = np.delete(np.arange(len(means.value)), first)
    all_pairs = means.differences(*np.triu_indices(len(means.value), 1))
    pairs_with_first = means.differences(
        np.full_like(others, first), others
    )

    def estimate_half_widths(estimate, numbers):
        free = estimate.free
        less = np.ones((len(free), 1))
        for facet, number in numbers.items():
            now = present_numbers(plan)[facet]
            has = np.array([[facet in s] for s in means.moves])
            less = np.where(has, now / number, less)
            free = np.where(has, free * (number - 1) / (now - 1), free)
        parts = estimate.parts * less
        typical = estimate.typical[:, None] * less
        _, df = total_error([*means.moves], free, parts, typical)
        return estimate.error * scipy.special.stdtrit(df, 0.975)

    def half_widths(numbers):
        median = np.nanmedian(estimate_half_widths(all_pairs, numbers))
        return median, estimate_half_widths(pairs_with_first, numbers)

    return (
        float(np.nanmedian(all_pairs.error)),
        pairs_with_first.value,
        half_widths,
    )
