"""Repeated runs: what runs and topics add to the error of a difference,
and whether to run again or to write another topic.

Of systems that each ran r times on each of n topics, the difference of two
means has the squared standard error

    2 (v + w / r) / n,

where v is the variance component of system x topic and w that of runs.
Whole runs share the topics, so v does not make their means scatter: their
scatter is no error of a difference on other topics.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, inf, isfinite, nan, sqrt

import numpy as np
import pandas as pd
import scipy

from gtaudit.collection import Collection
from gtaudit.display import safe_names
from gtaudit.nouns import OURS, Nouns, count_noun
from gtaudit.planning import present_cost
from gtlib.comparisons import pass_all_k
from gtlib.scores import Interval

# The share of the present price that is spent, where no budget is given.
MORE = 0.2

_OF_INTERVAL = "estimate", "low", "high"

_NORMAL = float(scipy.special.ndtri(0.975))


@dataclass(frozen=True, eq=False)
class Repetitions:
    """Repeated runs of systems on topics.

    Attributes
    ----------
    topics, runs : int
        Topics, and runs of each system on each.
    parts : DataFrame, rows ``topics`` and ``runs``
        ``variance``, what each adds to the squared standard error of a
        difference; ``share`` of it; ``half_width``, of the 95% interval
        that this part alone would give.
    choices : DataFrame, rows ``now``, ``again`` and ``another``
        ``topics``, how many have further runs or are new; ``runs`` of each
        system on one of these; ``price``; and the ``half_width`` of a
        difference that comes of it.
    best_runs : float
        The number of runs on a topic, no whole number, that gives the
        least error for its price.
    even_price : tuple of float
        The price of a topic, in prices of a run, at which a run more on
        every topic is worth as much as further topics with as many runs;
        and its 95% limits. Infinite where runs do not differ.
    whole_runs : DataFrame, a row per system
        ``over_topics`` and ``over_runs``: the standard error of its mean,
        from the means of topics and from those of whole runs; and
        ``times``, how many times the second is too small.
    flips : Series of int, by topic
        How many systems have different scores in their runs; none is left
        out, the most first.
    flip_share : Series of float, by system
        The share of topics on which it has different scores.
    passes : DataFrame or None, a row per system and k
        pass^k, the probability that all of k runs solve a topic:
        ``estimate``, ``low`` and ``high``; None of other scores than 0
        and 1.
    """

    topics: int
    runs: int
    parts: pd.DataFrame
    choices: pd.DataFrame
    best_runs: float
    even_price: tuple[float, float, float]
    whole_runs: pd.DataFrame
    flips: pd.Series
    flip_share: pd.Series
    passes: pd.DataFrame | None


def study_repetitions(
    collection: Collection,
    cost: Mapping[str, float] | None = None,
    budget: float | None = None,
) -> Repetitions | None:
    """Study the runs of a collection; None where it is not that every
    system ran equally often, at least twice, on every topic.

    Parameters
    ----------
    collection : Collection
    cost : mapping of str to float, optional
        As in `Plan.best`.
    budget : float, optional
        What may be spent in all; without it, `MORE` of the present price.

    Examples
    --------
    >>> from gtaudit import split_measures
    >>> rows = [(s, t, r, int(s + t + r > 3)) for s in range(3)
    ...     for t in range(3) for r in range(2)]
    >>> names = ["system", "topic", "repetition", "score"]
    >>> runs = split_measures(pd.DataFrame(rows, columns=names))[""]
    >>> study_repetitions(runs).flip_share.round(2).to_dict()
    {0: 0.0, 1: 0.33, 2: 0.33}
    """
    n, design = collection.nouns, collection.design
    nested = {n.system, n.topic}
    if {*design.facets} != {*nested, n.repetition}:
        return None
    if design.nesting[n.repetition] != nested or collection.uneven:
        return None
    runs = collection.study.levels[n.repetition]
    topics = collection.study.levels[n.topic]
    if runs < 2:
        return None
    scores = scores_array(collection, runs)
    effects = collection.study.design.labels[-2:]  # the last has all facets
    mean_squares = collection.study.mean_squares
    if mean_squares is None:
        return None
    of_topics, of_runs = mean_squares[[*effects]]
    systems = len(scores)
    df = (systems - 1) * (topics - 1), systems * topics * (runs - 1)
    spent, prices = present_cost(collection.plan, cost)
    a_run = prices[n.repetition] / topics  # of every system, on one topic
    a_topic = prices[n.topic] - runs * a_run
    return repetitions_of(
        scores,
        collection.cells,
        2 * collection.study.variance[[*effects]].to_numpy(),
        even_price(of_topics, of_runs, df, runs),
        (a_topic, a_run),
        MORE * spent if budget is None else max(budget - spent, 0.0),
    )


def repetitions_of(
    scores: np.ndarray,
    cells: pd.DataFrame,
    variances: np.ndarray,
    even: tuple[float, float, float],
    prices: tuple[float, float],
    to_spend: float,
) -> Repetitions:
    """Study scores, systems x topics x runs, whose systems and topics are
    the rows and columns of `cells`.

    `variances` are those of topics and of runs in what is asked, a
    difference or a mean on one topic.
    """
    systems, names = cells.index, cells.columns
    _, topics, runs = scores.shape
    differ = pd.DataFrame(np.ptp(scores, axis=2) > 0, systems, names)
    flips = differ.sum().sort_values(ascending=False, kind="stable")
    return Repetitions(
        topics,
        runs,
        _divide_error(variances, topics, runs),
        _choose(variances, topics, runs, prices, to_spend),
        _best_runs(variances, prices),
        even,
        _mean_errors(scores, systems),
        flips[flips > 0],
        differ.mean(axis=1),
        _pass_all(scores, systems, names),
    )


def describe_repetitions(
    repeated: Repetitions, nouns: Nouns = OURS
) -> list[str]:
    """Return sentences on runs and topics: what each adds to the error,
    what the same price buys, what whole runs would say, and which topics
    flip."""
    n = nouns.markdown
    alone = len(repeated.whole_runs) == 1
    what = "the mean" if alone else "a difference"
    who = "" if alone else f" {n.system}"
    parts, choices = repeated.parts, repeated.choices
    half, share_of = choices["half_width"], parts["share"]
    if share_of.isna().any():
        return [
            f"The scores differ neither between {n.topics} nor between "
            "runs, beyond what all have in common: nothing is seen of what "
            "either adds to the error."
        ]
    sentences = [
        f"**{share_of['topics']:.0%} of the error of {what} is of "
        f"{n.topics}**, and {share_of['runs']:.0%} of runs: "
        f"with as many runs as one likes on these {n.topics}, the 95% "
        f"interval of {what} would be "
        f"±{parts.loc['topics', 'half_width']:.3f} in place of "
        f"±{half['now']:.3f}."
    ]
    if parts.loc["topics", "variance"] == 0 and not alone:
        sentences.append(
            f"The part of {n.topics} was estimated below zero and counts "
            "as zero here, so that the interval of a compared pair may be "
            "narrower."
        )
    if len(choices) == 3:
        again, another = (choices.loc[k] for k in ("again", "another"))
        kinds = f"another {n.topic}", "another run"
        if again["half_width"] < another["half_width"]:
            kinds = kinds[::-1]
        more_topics = count_noun(int(another["topics"]), n.topic)
        more_runs = count_noun(int(again["runs"]), "run")
        sentences.append(
            f"**For the same price {kinds[0]} is better than {kinds[1]}**: "
            f"{more_topics.replace(' ', ' more ', 1)}, with "
            f"{count_noun(int(another['runs']), 'run')} of each{who}, "
            f"would leave ±{half['another']:.3f}, and "
            f"{more_runs.replace(' ', ' more ', 1)} on "
            f"{count_noun(int(again['topics']), n.topic)} "
            f"±{half['again']:.3f}."
        )
    price, low, high = repeated.even_price
    if isfinite(price) and round(price) > 0:
        of_all = "" if alone else f" of all {n.systems}"
        sentences.append(
            f"Both are worth the same where {n.a_topic} costs as much as "
            f"{price:.0f} runs{of_all} [{low:.0f}, {high:.0f}]; "
            f"below that, another {n.topic} is the better buy."
        )
    times = repeated.whole_runs["times"].replace(inf, nan).dropna()
    if len(times):
        over = repeated.whole_runs["over_runs"]
        sentences.append(
            f"The means of whole runs would give {_range(over, '.3f')} as "
            f"standard error, which is {_range(times, '.1f')} times too "
            f"small: all runs share the {n.topics}."
        )
    share, flips = repeated.flip_share, repeated.flips
    if len(flips):
        most = ":" if alone else "; most often"
        sentences.append(
            f"{_range(share, '.0%')} of the {n.topics} "
            f"flip from run to run{most} {safe_names(flips.index)}."
        )
    return sentences


def _range(values, form):
    """Write the least and the largest value, or the only one."""
    ends = format(values.min(), form), format(values.max(), form)
    return ends[0] if len(values) == 1 else " to ".join(ends)


def _pass_all(scores, systems, topics):
    """Return pass^k of each system, from one run to all."""
    if not np.isin(scores, (0, 1)).all():
        return None
    index = np.indices(scores.shape).reshape(3, -1)
    names = {"system": systems[index[0]], "task": topics[index[1]]}
    table = pd.DataFrame({**names, "score": scores.ravel()})
    tables = {}
    for k in range(1, scores.shape[2] + 1):
        found = pass_all_k(table, k)
        if isinstance(found, Interval):  # of the only system
            ends = {name: [getattr(found, name)] for name in _OF_INTERVAL}
            found = pd.DataFrame(ends, systems.rename("system"))
        tables[k] = found
    passes = pd.concat(tables, names=["k"]).swaplevel()
    return passes.loc[systems].reset_index()


def scores_array(collection: Collection, runs: int) -> np.ndarray:
    """Return scores as systems x topics x runs. The runs of a cell stand
    in the order of their names: the first of all cells are a whole run."""
    n, cells = collection.nouns, collection.cells
    keys = [
        names.get_indexer(collection.scores[facet])
        for facet, names in (
            (n.system, cells.index),
            (n.topic, cells.columns),
        )
    ]
    order = np.lexsort((collection.scores[n.repetition], *reversed(keys)))
    scores = collection.scores["score"].to_numpy(float)[order]
    return scores.reshape(*cells.shape, runs)


def _divide_error(variances, topics, runs):
    """Return what topics and runs add to the squared error."""
    variance = np.asarray(variances) / [topics, topics * runs]
    parts = pd.DataFrame({"variance": variance}, index=["topics", "runs"])
    parts["share"] = variance / variance.sum() if variance.any() else nan
    return parts.assign(half_width=_NORMAL * np.sqrt(variance))


def _choose(variances, topics, runs, prices, to_spend):
    """Compare runs again of topics with other topics, for one price.

    As many topics are run again as can be paid, `times` times each: once
    all, once more all if more can be. Other topics have the number of
    runs that leaves the least error. A mean is over topics, each counted
    alike, so that its error is that of the sum of their variances.
    """
    interaction, within = variances
    a_topic, a_run = prices

    def choice(new, number, has):
        """Choose how topics, `new` or there, get `has` runs each."""
        rest = topics - (0 if new else number)
        total = topics + (number if new else 0)
        variance = rest * (interaction + within / runs)
        variance += number * (interaction + within / has)
        width = _NORMAL * sqrt(variance) / total
        further = has if new else has - runs
        price = number * (further * a_run + (a_topic if new else 0))
        return number, further, price, width

    rows = {"now": (0, 0, 0.0, choice(True, 0, 1)[-1])}
    if a_run > 0 and to_spend >= a_run:
        affordable = floor(to_spend / a_run * (1 + 1e-9))
        again = max(1, affordable // topics)
        number = min(topics, affordable // again)
        rows["again"] = choice(False, number, runs + again)
    for_topics = [
        choice(True, floor(to_spend / price * (1 + 1e-9)), has)
        for has in range(1, runs + 1)
        if 0 < (price := a_topic + has * a_run) <= to_spend
    ]
    if for_topics:
        rows["another"] = min(for_topics, key=lambda row: row[-1])
    columns = ["topics", "runs", "price", "half_width"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def _best_runs(variances, prices):
    """Return where (v + w / r) (a + b r) is least: r = sqrt(a w / (b v)),
    the ratio of chapter 4."""
    interaction, within = variances
    a_topic, a_run = prices
    if a_run * interaction == 0:
        return inf if a_topic * within > 0 else nan
    return sqrt(a_topic * within / (a_run * interaction))


def even_price(
    of_topics: float, of_runs: float, df: tuple[int, int], runs: int
) -> tuple[float, float, float]:
    """Return r**2 v / w, at which the number of runs that there are is the
    best one; r (F - 1), in the ratio F of mean squares."""
    if of_runs == 0:
        return inf, inf, inf
    quantiles = scipy.special.fdtri(*df, [0.975, 0.025])
    prices = runs * (of_topics / of_runs / np.array([1, *quantiles]) - 1)
    return tuple(np.maximum(prices, 0).tolist())


def _mean_errors(scores, systems):
    """Return standard errors of the systems' means, over topics and over
    whole runs."""
    over = {"over_topics": scores.mean(axis=2), "over_runs": scores.mean(1)}
    errors = pd.DataFrame(
        {
            name: means.std(axis=1, ddof=1) / sqrt(means.shape[1])
            for name, means in over.items()
        },
        systems,
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        times = errors["over_topics"] / errors["over_runs"]
    return errors.assign(times=times)
