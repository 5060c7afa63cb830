"""One system alone: how sure its mean is.

Without another system there is no ranking, and no variance of systems. The
topics, each with its runs, are a random sample of topics: the mean over n
topics of r runs each has the squared standard error (v + w / r) / n, with
the variance v of topics and w of runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gtaudit.collection import Collection
from gtaudit.display import safe_names
from gtaudit.means import mean_interval
from gtaudit.nouns import OURS, Nouns, count_noun, plural
from gtaudit.repetitions import (
    MORE,
    Repetitions,
    even_price,
    repetitions_of,
    scores_array,
)
from gtaudit.verdict import UNKNOWN, Verdict, Verdicts, first_that_fits
from gtlib.allocation import JUDGMENT
from gtlib.checks import list_some
from gtlib.comparisons import pass_at_k
from gtlib.design import Design
from gtlib.scores import Interval, is_long

# Why what compares systems has no answer here.
ALONE = (
    "the table has one system, and nothing to compare it with. Leave this "
    "out, or add another system."
)


@dataclass(frozen=True, eq=False)
class OneSystem(Collection):
    """A collection of one system, whose `study` is None."""

    @property
    def name(self) -> str:
        """The system's name."""
        return str(self.cells.index[0])

    @property
    def runs(self) -> int:
        """Runs on each topic."""
        return len(self.scores) // self.cells.shape[1]

    @property
    def size(self) -> str:
        """The numbers of levels, in words."""
        n = self.nouns
        topics = count_noun(self.cells.shape[1], n.topic)
        if self.runs == 1:
            return f"1 {n.system} × {topics}"
        return (
            f"1 {n.system} × {topics}, "
            f"{count_noun(self.runs, n.repetition)} of each"
        )

    @property
    def notes(self) -> list[str]:
        """Notes on the scores, of which a single system has none."""
        return []


def find_one_system(
    scores: pd.DataFrame, nouns: Nouns = OURS
) -> OneSystem | None:
    """Find the only system of a table, and its runs, one or as many on
    each topic; None if there are other systems, or several measures.

    Raises
    ------
    ValueError
        If there is no report of its scores, with what to do.

    Examples
    --------
    >>> rows = [("a", t, r, int(t > r)) for t in range(3) for r in range(2)]
    >>> names = ["system", "topic", "repetition", "score"]
    >>> find_one_system(pd.DataFrame(rows, columns=names)).size
    '1 system × 3 topics, 2 repetitions of each'
    """
    n = nouns
    if not is_long(scores):
        if len(scores) != 1:
            return None
        scores = scores.rename_axis(n.system).reset_index()
        scores = scores.melt(n.system, None, n.topic, "score")
    facets = [n.system, n.topic]
    if not {*facets} <= {*scores}:
        return None
    scores = scores[scores["score"].notna()]
    values, names = scores["score"], scores[n.system].unique()
    if len(names) != 1 or not pd.api.types.is_numeric_dtype(values):
        return None
    if not np.isfinite(values.to_numpy(float)).all():
        return None
    if "measure" in scores and len(scores["measure"].unique()) > 1:
        return None
    lacking = _lacking(scores, n)
    if lacking:
        raise ValueError(
            f"{names[0]} is the only {n.one_system}, {lacking} Bring the "
            f"scores of another {n.one_system} to compare it with."
        )
    cells = scores.pivot_table("score", *facets)
    text = f"{n.system} x {n.topic}"
    if len(scores) > cells.size:
        text = f"{n.repetition}:({text})"
    if n.repetition in scores:
        facets += [n.repetition]
    no_study: Any = None
    table = scores[[*facets, "score"]]
    return OneSystem(table, cells, Design(text), no_study, nouns=n)


def _lacking(scores, n):
    """Say what keeps the scores of one system from a report."""
    topics = scores[n.topic]
    runs = topics.value_counts()
    facets = {n.task, n.assessor, n.seed, n.repetition} & {*scores}
    several = [f for f in facets if len(scores[f].unique()) > 1]
    twice = scores.duplicated([n.system, n.topic, *facets])
    if len(runs) < 2:
        return (
            f"with scores on {count_noun(len(runs), n.topic)}: a mean "
            f"needs more {n.topics}."
        )
    if twice.any():
        return (
            f"and {n.a_topic} has several rows, {topics[twice].iloc[0]!r}. "
            "If these are further runs, add a column run that numbers "
            f"those of each {n.one_topic}; if not, a column that names "
            f"each {n.one_topic}."
        )
    marks = [f for f in several if f != n.repetition]
    if marks:
        return (
            f"and its scores are of several {plural(marks[0])}: average "
            f"those of each {n.one_topic} for a report on it alone."
        )
    if runs.min() < runs.max():
        return (
            f"with {runs.max()} runs on {runs.idxmax()} and {runs.min()} "
            f"on {runs.idxmin()}: run all {n.topics} as often, or average "
            "the runs of each."
        )
    return ""


def refuse_comparisons(
    options: Mapping[str, object], because: str = ALONE
) -> None:
    """Refuse options that only several systems have an answer to."""
    given = [name for name in options if options[name]]
    names = [f"--{name.strip('-').replace('_', '-')}" for name in given]
    if names:
        raise ValueError(f"{list_some(names)}: {because}")


def variances_of_one(scores: np.ndarray) -> tuple[float, float, float]:
    """Return the mean squares of topics and of runs, from topics x runs,
    and the variance component of topics, which is not below zero."""
    runs = scores.shape[1]
    within = scores.var(axis=1, ddof=1).mean()
    of_topics = runs * scores.mean(axis=1).var(ddof=1)
    return of_topics, within, max(of_topics - within, 0.0) / runs


def study_one_system(
    one: OneSystem,
    cost: Mapping[str, float] | None = None,
    budget: float | None = None,
) -> tuple[Interval, Repetitions | None]:
    """Study the mean of the only system, and its runs.

    Parameters
    ----------
    one : OneSystem
    cost : mapping of str to float, optional
        Of a topic and of a run on it; without it, 0 and 1.
    budget : float, optional
        What may be spent in all; without it, `MORE` of the present price.

    Returns
    -------
    mean : Interval
        Of the mean over topics like these, each counted alike: of pass^1
        where scores are 0 and 1, else by Student's t.
    repeated : Repetitions or None
        With the error of the mean in place of that of a difference; None
        of one run, which does not say what another would give.
    """
    n, topics, runs = one.nouns, one.cells.shape[1], one.runs
    if runs == 1:
        return _mean_of_one_run(one.cells.iloc[0]), None
    scores = scores_array(one, runs)
    means = scores[0].mean(axis=1)
    of_topics, within, between = variances_of_one(scores[0])
    a_topic, a_run = 0.0, 1.0
    if cost is not None:
        a_topic = cost.get(n.topic, 0.0)
        a_run = cost.get(n.repetition, 0.0) + cost.get(JUDGMENT, 0.0)
    spent = topics * (a_topic + runs * a_run)
    repeated = repetitions_of(
        scores,
        one.cells,
        np.array([between, within]),
        even_price(
            of_topics, within, (topics - 1, topics * (runs - 1)), runs
        ),
        (a_topic, a_run),
        MORE * spent if budget is None else max(budget - spent, 0.0),
    )
    mean = mean_interval(means)
    if repeated.passes is not None:
        first = repeated.passes.iloc[0]
        mean = Interval(first["low"], first["high"], mean.estimate)
    return mean, repeated


def _mean_of_one_run(scores: pd.Series) -> Interval:
    """Return the mean of one run of each topic: of 0 and 1 that is
    pass@1, whose interval has a width where all scores are the same."""
    if not scores.isin([0, 1]).all():
        return mean_interval(scores)
    runs = pd.DataFrame({"task": scores.index, "score": scores.to_numpy()})
    first = pass_at_k(runs, 1)
    assert isinstance(first, Interval)
    return first


def verdict_of_one(
    one: OneSystem, mean: Interval, repeated: Repetitions | None
) -> Verdicts:
    """Answer what can be answered of one system, and say what to do
    next."""
    n = one.nouns.markdown
    name = safe_names([one.name])
    ends = f"{mean.estimate:.3f} [{mean.low:.3f}, {mean.high:.3f}]"
    said = (
        f"**Cannot be told.** There is no other {n.one_system}; its mean "
        f"is {ends}."
    )
    if repeated is None:
        more, better = _more_of_one_run(one, mean, n)
    else:
        more, better = _more_of_runs(one, repeated, n)
    topics = count_noun(one.cells.shape[1], n.topic)
    scores = f"({len(one.scores):,} scores)"
    another = f"another {n.one_system} on these {topics} {scores}"
    next_ = first_that_fits(f"{another}{better}", another)
    question = f"Is {name} the best?"
    verdict = Verdict(question, UNKNOWN, said, more)
    return Verdicts((verdict,), None, next_)


def _more_of_one_run(one, mean, nouns):
    """Say what further topics and another run would bring, and which of
    them makes the mean surer."""
    topics = count_noun(one.cells.shape[1], nouns.topic)
    further = topics.replace(" ", " more ", 1)
    half = (mean.high - mean.low) / 2
    more = (
        f"The mean is over {topics}, and its standard error is "
        f"{_standard_error(one):.3f}. {further} would leave it within "
        f"±{half / 2**0.5:.3f} in place of ±{half:.3f}; another run of the "
        "same would show how much of that is chance from run to run."
    )
    number = one.cells.shape[1]
    return (
        more,
        f", or {number} more for a mean within ±{half / 2**0.5:.3f}",
    )


def _more_of_runs(one, repeated, nouns):
    """Say what the mean is over, and which makes it surer, another topic
    or another run, if either does."""
    topics = count_noun(one.cells.shape[1], nouns.topic)
    runs = count_noun(one.runs, nouns.repetition)
    more = (
        f"The mean is over {topics}, with {runs} of each, and its standard "
        f"error is {_standard_error(one):.3f}."
    )
    half = repeated.choices["half_width"]
    if not {"again", "another"} <= {*half.index}:
        return more, ""
    kinds = [f"another {nouns.one_topic}", "another run"]
    if half["again"] < half["another"]:
        kinds.reverse()
    more += (
        f" For a surer mean of this one, {kinds[0]} is worth more than "
        f"{kinds[1]}, for the same price."
    )
    return more, f"; for a surer mean, {kinds[0]}"


def _standard_error(one):
    """Return that of the mean, over other topics and runs like these."""
    means = one.cells.iloc[0]
    return float(means.std(ddof=1)) / len(means) ** 0.5
