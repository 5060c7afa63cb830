"""What to do next: what each way to spend more would buy, on one scale.

The error of a difference has three parts: what other topics, assessors
and the like would change, half the width of an interval over 1.96; what
further judgments would; and the bias, what a system loses that had no say
in what was judged. Actions are ranked by the root of the sum of their
squares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from gtapps.audit.collection import Collection
from gtapps.audit.judgment_study import DEEPEST, Judgments
from gtapps.audit.machines import Machines
from gtapps.audit.new_systems import losses_by
from gtapps.audit.planning import paid
from gtlib.comparisons import means_of
from gtlib.intervals import replicate
from gtlib.tables import as_text, count

STOP = "stop"

_KEY = ["topic", "document"]

# Of the present effort, that is spent where no budget says how much.
MORE = 0.2

# What no action brings the error below, of the present one, is not worth
# an effort.
WORTH = 0.95

_NORMAL = float(scipy.special.ndtri(0.975))
_DRAWS = 1000

# Of the power with which judgments leave less open.
_POWERS = 0.5, 4.0


@dataclass(frozen=True)
class Action:
    """Something that can be done, and what it changes.

    Attributes
    ----------
    name : str
    price : float
        In scores of a system, or in the unit of the prices.
    numbers : dict of facet to number
        That a plan then has.
    width, bias : float
        By what the half-widths and the biases are multiplied besides.
    documents : DataFrame, optional
        ``topic``, ``document``: what is to be judged.
    """

    name: str
    price: float = 0.0
    numbers: Mapping[str, float] | None = None
    width: float = 1.0
    bias: float = 1.0
    documents: pd.DataFrame | None = None


@dataclass(frozen=True)
class Advice:
    """Actions and what they buy.

    Attributes
    ----------
    table : DataFrame, a row per action, the best first
        ``price``; the expected ``half_width`` of the 95% interval of a
        difference, the median pair; ``ties``: systems that such an
        interval would not part from the first, itself included, were the
        differences as they seem; ``worst_bias`` and ``mean_bias`` of a
        newcomer; ``error``, what ranks the actions; ``best_in``, the
        share of draws in which this error is the least, where it can be
        drawn.
    documents : DataFrame
        ``topic`` and ``document``, if the first action is to judge.
    """

    table: pd.DataFrame
    documents: pd.DataFrame


def advise(
    collection: Collection,
    judged: Judgments | None = None,
    machines: Machines | None = None,
    cost: Mapping[str, float] | None = None,
    budget: float | None = None,
) -> Advice:
    """Rank what could be done next.

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
        present cost without it, or if it is less than that cost.

    Notes
    -----
    Half-widths go with the root of the relative error that the plan has.
    What n judged documents leave open goes with a power of n: those are
    its parameters at which smaller pools differ from the present ones as
    they do. Half-widths go with another power, as smaller pools make them
    wider. More topics change no bias. Deeper pools lower
    the bias as relevant
    documents that one contributor alone has became fewer with the depth
    so far, by a power of it; more contributors, as Chao et al. (2014)
    extrapolate how many are found by one alone. Where machines judge more
    topics, that is the error of the prediction-powered estimate. Draws
    are those of the mean squares, and of the runs that were left out.

    References
    ----------
    Chao et al. (2014), "Rarefaction and extrapolation with Hill numbers",
    Ecological Monographs 84, equation 18.

    Examples
    --------
    >>> from gtapps.audit import prepare
    >>> from gtlib import load
    >>> advice = advise(prepare(load("cf-ap")))
    >>> advice.table[["price", "half_width"]].round(3).T.to_dict("list")
    {'19 more topics': [19.0, 0.026], 'stop': [0.0, 0.029]}
    """
    spent, each = paid(collection.plan, cost)
    more = budget - spent if budget and budget > spent else MORE * spent
    todo = [Action(STOP), *_of_design(collection, each, more)]
    losses = pd.Series(dtype=float)
    if judged is not None:
        losses = max(
            losses_by(judged).values(), key=pd.Series.max, default=losses
        )
        per_topic = judged.judged / judged.topics
        price = each["topic"] / per_topic
        todo += [*_of_judging(judged, price, more)]
    if machines is not None:
        todo += [*_of_machines(machines, cost)]
    table = _table(collection, todo, losses, judged)
    order = table["error"].sort_values(kind="stable").index
    if table["error"].min() > WORTH * table.loc[STOP, "error"]:
        order = order.drop(STOP).insert(0, STOP)
    found = {action.name: action.documents for action in todo}[order[0]]
    documents = pd.DataFrame(columns=_KEY) if found is None else found
    return Advice(table.loc[order], documents)


def _of_design(collection, each, more):
    """More levels of each facet that is drawn anew."""
    plan, design = collection.plan, collection.design
    for facet in plan.sources.facets:
        if facet in plan.fixed or not each.get(facet):
            continue
        now = _numbers(plan)[facet]
        k = max(1, int(more / each[facet] * (1 + 1e-9)))
        within = " and ".join(sorted(design.nesting[facet]))
        of_each = f" of each {within}" if within else ""
        name = f"{count(k, f'more {facet}')}{of_each}"
        yield Action(name, k * each[facet], {facet: now + k})


def _numbers(plan):
    """Levels of each facet: of gaps, as many as a system has."""
    return plan.levels if plan.incidence is None else plan.incidence.typical


def _of_judging(judged, price, more):
    """Deeper pools, and pools of further runs."""
    depth, holes = judged.pooling.depth, judged.unjudged
    n = len(judged.pooling.contributors)
    if depth is None or n < 2:
        return
    inside = holes["system"].isin(judged.pooling.contributors)
    deep = holes[inside].sort_values("rank", kind="stable")
    deep = deep.drop_duplicates(_KEY)
    costs = price * deep["rank"].value_counts().sort_index().cumsum()
    if len(costs) and depth < DEEPEST:
        can = costs.index[costs <= more]
        to = int(max([depth + 1, costs.index[0], *can]))
        documents = deep.loc[deep["rank"] <= to, _KEY]
        shrinks = (to / depth) ** _slope(judged.missed)
        cost = price * len(documents)
        name = f"judge to depth {to}"
        yield Action(name, cost, bias=shrinks, documents=documents)
    rows = holes[~inside & (holes["rank"] <= depth)]
    means = judged.runs["score"].sort_values(ascending=False, kind="stable")
    runs = means.index[means.index.isin(rows["system"])]
    if runs.empty:
        return
    place = dict(zip(runs, range(len(runs)), strict=True))
    rows = rows.sort_values("system", key=lambda s: s.map(place))
    rows = rows.drop_duplicates(_KEY)
    sizes = rows["system"].value_counts().reindex(runs, fill_value=0)
    chosen = runs[: max(1, int((price * sizes.cumsum() <= more).sum()))]
    documents = rows.loc[rows["system"].isin(chosen), _KEY]
    name = f"pool {count(len(chosen), 'more run')}"
    shrinks = _rarer(n, judged.once, judged.twice) ** len(chosen)
    cost = price * len(documents)
    yield Action(name, cost, bias=shrinks, documents=documents)


def _slope(missed):
    """Of log missed over log depth, in the deeper half; never rising."""
    late = missed[
        (missed.index >= missed.index.max() ** 0.5) & (missed > 0)
    ]
    if len(late) < 2:
        return 0.0
    line = np.polyfit(np.log(late.index), np.log(late), 1)
    return min(float(line[0]), 0.0)


def _rarer(n, once, twice):
    """How much fewer documents one run alone has, after one run more."""
    if not once:
        return 1.0
    unseen = once * (once - 1) / 2 if not twice else once**2 / (2 * twice)
    return 1 - once / (unseen * (n - 1) + once)


def _of_machines(machines, cost):
    """A machine on twice the topics, people on those that they have."""
    rows = machines.human_topics
    rows = rows[rows["of"] == "difference"] if len(rows) else rows
    if rows.empty:
        return
    alike = rows["correlation"].iloc[0]
    n = int(machines.judges["topics"].max())
    price = n * (cost or {}).get("topic", 0.0)
    width = np.sqrt(1 - alike**2 / 2)
    yield Action(f"{n} more topics that machines judge", price, width=width)


def _table(collection, todo, losses, judged):
    left, narrower = _left_open(judged), _narrower(judged)
    plan, study = collection.plan, collection.study
    now = plan.relative_error
    half, gaps, halves = _known(collection)
    rows, drawn = {}, []
    parts = _draws(study)
    rng = np.random.default_rng(0)
    mean, worst = np.nan, np.nan
    bias = np.zeros(_DRAWS)
    if len(losses):
        mean, worst = max(losses.mean(), 0.0), max(losses.max(), 0.0)
        off = losses.std() / len(losses) ** 0.5
        bias = np.maximum(rng.normal(losses.mean(), off, _DRAWS), 0)
    for action in todo:
        numbers = action.numbers or {}
        error = plan.coefficients(numbers=numbers)["relative_error"]
        extra = 0 if action.documents is None else len(action.documents)
        width = action.width * narrower(extra)
        ratio = (error / now if now > 0 else 1.0) ** 0.5 * width
        rest = left(extra)
        rows[action.name] = {
            "price": action.price,
            "half_width": half * ratio,
            "ties": np.sum(np.abs(gaps) <= halves * ratio) + 1,
            "worst_bias": worst * action.bias,
            "mean_bias": mean * action.bias,
            "error": np.linalg.norm(
                [
                    half * ratio / _NORMAL,
                    rest**0.5,
                    np.nan_to_num(mean) * action.bias,
                ]
            ),
        }
        if parts is not None:
            found = plan.coefficients(parts, numbers)["relative_error"]
            spread = 2 * width**2 * np.maximum(found, 0)
            drawn.append(spread + rest + (bias * action.bias) ** 2)
    table = pd.DataFrame.from_dict(rows, orient="index")
    table["best_in"] = np.nan
    if drawn:
        best = np.argmin(drawn, axis=0)
        share = np.bincount(best, minlength=len(todo)) / _DRAWS
        table["best_in"] = share
    return table.rename_axis("action")


def _left_open(judged):
    """What judgments leave open of a squared difference, after so many
    more documents: c n**-g, less by it than smaller pools are."""
    if judged is None or judged.thinned.empty:
        return lambda more: 0.0
    n = judged.judged - judged.judged_elsewhere
    sizes = judged.thinned.index.to_numpy() / n
    off = judged.thinned["moves"].to_numpy()
    power = 1.0
    if len(off) > 1 and off[1] > 0:

        def gap(g):
            less = sizes**-g - 1
            return less[0] / less[1] - off[0] / off[1]

        ends = gap(_POWERS[0]), gap(_POWERS[1])
        power = _POWERS[int(abs(ends[1]) < abs(ends[0]))]
        if ends[0] * ends[1] < 0:
            power = scipy.optimize.brentq(gap, *_POWERS)
    now = off[-1] / (sizes[-1] ** -power - 1)
    return lambda more: float(now * (1 + more / n) ** -power)


def _narrower(judged):
    """By what a half-width is multiplied after so many more documents, as
    smaller pools make it wider: a power of how many there are."""
    if judged is None or judged.thinned.empty:
        return lambda more: 1.0
    n = judged.judged - judged.judged_elsewhere
    sizes = np.log(judged.thinned.index.to_numpy() / n)
    seen = judged.thinned["spread"].to_numpy()
    spread = np.log(np.maximum(seen, 1e-300))
    power = min(float(sizes @ spread / (sizes @ sizes)), 0.0) / 2
    return lambda more: float((1 + more / n) ** power)


def _known(collection):
    """The half-width of the median difference, and all of those with the
    first: they and their half-widths."""
    study, n = collection.study, len(collection.cells)
    if study.cells is None:
        half = _NORMAL * (2 * collection.plan.relative_error) ** 0.5
        means = collection.cells.mean(axis=1).to_numpy()
        gaps = np.delete(means.max() - means, means.argmax())
        return half, gaps, np.full(n - 1, half)
    means = means_of(study, collection.fixed)
    pairs = np.triu_indices(n, 1)
    ends = means.differences(*pairs).limits(0.95)
    first = int(np.argmax(means.value.to_numpy()))
    others = np.delete(np.arange(n), first)
    found = means.differences(np.full(n - 1, first), others)
    halves = np.diff(found.limits(0.95), axis=0)[0] / 2
    half = np.nanmedian(np.diff(ends, axis=0)) / 2
    return float(half), found.value, halves


def _draws(study):
    """Components as other such studies might give them, if the mean
    squares say how they vary."""
    if study.incidence is not None or not study.levels:
        return None
    return replicate(study, "pivotal", _DRAWS, 0)


def advice_in_words(advice: Advice) -> Iterator[str]:
    """What to do, and how sure that is."""
    row, now = advice.table.iloc[0], advice.table.loc[STOP]
    if row.name == STOP:
        yield (
            "**Next: stop.** Nothing that costs as much as is to be spent "
            f"lowers the error of a difference by {1 - WORTH:.0%}."
        )
        return
    said = (
        f"**Next: {as_text(row.name)}**, at a price of "
        f"{row['price']:,.4g}. Half of the differences would be known to ± "
        f"{row['half_width']:.2g} (now {now['half_width']:.2g})"
    )
    if row["worst_bias"] == row["worst_bias"]:
        said += (
            f", and a newcomer would lose at most {row['worst_bias']:.2g} "
            f"(now {now['worst_bias']:.2g})"
        )
    drawn = row["best_in"] == row["best_in"]
    how = f" In {row['best_in']:.0%} of draws no other action is better."
    yield f"{said}.{how * bool(drawn)}"
