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

from gtapps.audit.collection import Collection
from gtapps.audit.display import safe_names
from gtapps.audit.nouns import OURS, Nouns
from gtapps.audit.planning import present_cost
from gtlib.comparisons import pass_all_k
from gtlib.tables import count_noun

# The share of the present price that is spent, where no budget is given.
MORE = 0.2

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
    >>> from gtapps.audit import split_measures
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
    scores = _as_array(collection, runs)
    effects = collection.study.design.labels[-2:]  # the last has all facets
    mean_squares = collection.study.mean_squares
    if mean_squares is None:
        return None
    interaction, within = collection.study.variance[[*effects]]
    of_topics, of_runs = mean_squares[[*effects]]
    spent, prices = present_cost(collection.plan, cost)
    a_run = prices[n.repetition] / topics  # of every system, on one topic
    a_topic = prices[n.topic] - runs * a_run
    to_spend = MORE * spent if budget is None else max(budget - spent, 0.0)
    systems = collection.cells.index
    differ = pd.DataFrame(
        np.ptp(scores, axis=2) > 0, systems, collection.cells.columns
    )
    flips = differ.sum().sort_values(ascending=False, kind="stable")
    return Repetitions(
        topics,
        runs,
        _divide_error(interaction, within, topics, runs),
        _choose(
            (interaction, within), topics, runs, (a_topic, a_run), to_spend
        ),
        _best_runs(interaction, within, a_topic, a_run),
        _even_price(of_topics, of_runs, *scores.shape),
        _mean_errors(scores, systems),
        flips[flips > 0],
        differ.mean(axis=1),
        _pass_all(scores, systems, collection.cells.columns),
    )


def describe_repetitions(
    repeated: Repetitions, nouns: Nouns = OURS
) -> list[str]:
    """Sentences on runs and topics: what each adds to the error, what the
    same price buys, what whole runs would say, and which topics flip."""
    n = nouns.markdown
    parts, choices = repeated.parts, repeated.choices
    half, share_of = choices["half_width"], parts["share"]
    sentences = [
        f"**{share_of['topics']:.0%} of the error of a difference is of "
        f"{n.topics}**, and {share_of['runs']:.0%} of runs: "
        f"with as many runs as one likes on these {n.topics}, the 95% "
        f"interval of a difference would be "
        f"±{parts.loc['topics', 'half_width']:.3f} in place of "
        f"±{half['now']:.3f}."
    ]
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
            f"{count_noun(int(another['runs']), 'run')} of each "
            f"{n.system}, would leave ±{half['another']:.3f}, and "
            f"{more_runs.replace(' ', ' more ', 1)} on "
            f"{count_noun(int(again['topics']), n.topic)} "
            f"±{half['again']:.3f}."
        )
    price, low, high = repeated.even_price
    if isfinite(price):
        sentences.append(
            f"Both are worth the same where {n.a_topic} costs as much as "
            f"{price:.0f} runs of all {n.systems} [{low:.0f}, {high:.0f}]; "
            f"below that, another {n.topic} is the better buy."
        )
    times = repeated.whole_runs["times"].replace(inf, nan).dropna()
    if len(times):
        over = repeated.whole_runs["over_runs"]
        sentences.append(
            "The means of whole runs would give standard errors of "
            f"{over.min():.3f} to {over.max():.3f}, which is "
            f"{times.min():.1f} to {times.max():.1f} times too small: all "
            f"runs share the {n.topics}."
        )
    share, flips = repeated.flip_share, repeated.flips
    if len(flips):
        sentences.append(
            f"{share.min():.0%} to {share.max():.0%} of the {n.topics} "
            f"flip from run to run; most often {safe_names(flips.index)}."
        )
    return sentences


def _pass_all(scores, systems, topics):
    """Return pass^k of each system, from one run to all."""
    if not np.isin(scores, (0, 1)).all():
        return None
    index = np.indices(scores.shape).reshape(3, -1)
    names = {"system": systems[index[0]], "task": topics[index[1]]}
    table = pd.DataFrame({**names, "score": scores.ravel()})
    tables = {
        k: pass_all_k(table, k) for k in range(1, scores.shape[2] + 1)
    }
    found = pd.concat(tables, names=["k"]).swaplevel()
    return found.loc[systems].reset_index()


def _as_array(collection, runs):
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


def _divide_error(interaction, within, topics, runs):
    """Return what topics and runs add to the error of a difference."""
    variance = np.array([interaction, within / runs]) * 2 / topics
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
        """Some topics, `new` or there, end with `has` runs each."""
        rest = topics - (0 if new else number)
        total = topics + (number if new else 0)
        variance = rest * (interaction + within / runs)
        variance += number * (interaction + within / has)
        width = _NORMAL * sqrt(2 * variance) / total
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


def _best_runs(interaction, within, a_topic, a_run):
    """Return where (v + w / r) (a + b r) is least: r = sqrt(a w / (b v)),
    the ratio of chapter 4."""
    if a_run * interaction == 0:
        return inf if a_topic * within > 0 else nan
    return sqrt(a_topic * within / (a_run * interaction))


def _even_price(interaction, within, systems, topics, runs):
    """Return r**2 v / w, at which the number of runs that there are is the
    best one; r (F - 1), in the ratio F of mean squares."""
    if within == 0:
        return inf, inf, inf
    df = (systems - 1) * (topics - 1), systems * topics * (runs - 1)
    ratio = interaction / within
    quantiles = scipy.special.fdtri(*df, [0.975, 0.025])
    prices = runs * (ratio / np.array([1.0, *quantiles]) - 1)
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
