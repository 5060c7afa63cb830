"""Machines as judges: their judgments compared with people's."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from gtaudit.assessments import NOT_JUDGED
from gtaudit.collection import LEAST
from gtlib.checks import count_noun
from gtlib.comparisons import critical_t, kendall_tau, ranks, tau_ap
from gtlib.data import COVERAGE
from gtlib.judges import FEWEST, human_topics
from gtlib.multivariate import mgstudy
from gtlib.runs import (
    ByTopic,
    Paths,
    Qrels,
    file_stem,
    group_by_topic,
    judgments_by_assessor,
    list_files,
    read_qrels,
)
from gtlib.scores import Interval

# The most systems that plans look at.
MOST_SYSTEMS = 200

# The share of grades outside of people's from which on a scale is another.
OTHER_SCALE = 0.1

LEVEL, N_RESAMPLES = 0.95, 500
# The share of studies in which a planned half-width is reached.
ASSURANCE = 0.8
# The quantiles that are the ends of intervals.
TAILS = (1 - LEVEL) / 2, (1 + LEVEL) / 2

# How many times the present number of topics the machine judges, in plans.
TOTALS = 2, 5

_KEYS = ["topic", "document"]


@dataclass(frozen=True, eq=False)
class Machines:
    """Systems as machines judge them, compared with people's judgments.

    Attributes
    ----------
    measure : str
    judges : DataFrame, a row per judge
        ``topics``: on which it is compared; ``coverage``: of the documents
        that people judged, the share that it graded, ``invalid`` grades
        and grades ``elsewhere``; ``tau`` with people's ranking, with
        ``_low`` and ``_high``; ``tau_ap`` (ties "b"); the ``correlation``
        of universe scores with limits for these systems, and
        ``population_low`` and ``population_high`` for the population that
        they are drawn from; the ``system`` that moves most, from ``rank``
        to ``new_rank``.
    together : DataFrame of one row
        The same by the mean over the judges of `panel`.
    panel : tuple of str
        Who graded `COVERAGE` of what people judged, on all topics; if
        nobody did, who graded most.
    human_topics : DataFrame
        Topics that people must judge for the present ``half_width``, kept
        in a share `ASSURANCE` of studies. ``people_alone``: without the
        panel; ``people``: beside it, where it judges ``topics``. None are
        enough where it is missing. ``of`` says whether a system's mean is
        sought or a difference; ``sd`` and ``correlation`` are medians.
    """

    measure: str
    judges: pd.DataFrame
    together: pd.DataFrame
    panel: tuple[str, ...]
    human_topics: pd.DataFrame


def read_judges(
    judges: Paths, qrels: Qrels
) -> tuple[dict[str, ByTopic], pd.DataFrame]:
    """Read each judge's usable grades, and count what is in its file.

    What a judge says of documents that people did not judge is not used;
    a grade beyond those that people give counts as none.

    Parameters
    ----------
    judges : path or list of paths
        A file of judgments (qrels) for each machine.
    qrels : as in `gtlib.read_runs`

    Raises
    ------
    ValueError
        If the input cannot be right: as `gtlib.read_qrels` says it, two
        files have one name, or a judge shares too few topics with people
        or uses another scale.
    """
    people = [
        (topic, document, grade)
        for by in judgments_by_assessor(qrels).values()
        for topic, grades in by.items()
        for document, grade in grades.items()
        if grade != NOT_JUDGED
    ]
    official = pd.DataFrame(people, columns=[*_KEYS, "relevance"])
    known = official.drop_duplicates(_KEYS)[_KEYS]
    low, high = official["relevance"].agg(["min", "max"])
    graded, rows = {}, {}
    for path in list_files(judges):
        name = file_stem(path)
        if name in graded:
            raise ValueError(f"Two judges are called {name}: rename one.")
        table = read_qrels(path).merge(known, "left", indicator="known")
        ours = table[table.pop("known") == "both"]
        valid = ours[ours["relevance"].between(low, high)]
        if len(ours) - len(valid) > OTHER_SCALE * len(ours):
            raise ValueError(
                f"In {path} {1 - len(valid) / len(ours):.0%} of the "
                f"grades are not between {low:g} and {high:g}, as "
                "people's are: bring them to people's scale."
            )
        topics = valid["topic"].nunique()
        if topics < LEAST:
            raise ValueError(
                f"{path} has grades of documents that people judged on "
                f"{count_noun(topics, 'topic')}; a comparison takes "
                f"{LEAST}. Are these judgments of another collection?"
            )
        graded[name] = group_by_topic(valid, "relevance")
        rows[name] = {
            "topics": topics,
            "coverage": len(valid) / len(known),
            "invalid": len(ours) - len(valid),
            "elsewhere": len(table) - len(ours),
        }
    return graded, pd.DataFrame.from_dict(rows, orient="index")


def compare_judges(
    scores: pd.DataFrame,
    by_judge: dict[str, pd.DataFrame],
    files: pd.DataFrame,
) -> Machines:
    """Compare scores of runs by machines' judgments with those by people's.

    Parameters
    ----------
    scores : DataFrame
        By people, as `gtlib.read_runs` returns them; the first measure
        counts. Of several people the scores are averaged.
    by_judge : dict of DataFrame, systems x topics
    files : DataFrame
        As `read_judges` gives it.

    Raises
    ------
    ValueError
        If a judge scores all systems alike.

    Notes
    -----
    Intervals speak of as many other topics, these systems and these
    judges. For tau they are percentiles of `N_RESAMPLES` draws
    of topics with replacement, moved so that their mean is the estimate:
    drawn topics are noisier than topics, and lower every tau. In
    simulations of 12 to 60 systems and 10 to 50 topics such a 95% interval
    held the expected tau in 92 to 97 of a hundred, the percentiles as they
    are in 49 to 99. The correlation has that of
    `MultivariateStudy.correlation`.
    """
    measure = scores["measure"].iloc[0]
    scores = scores[scores["measure"] == measure]
    whose = scores.get("assessor", scores["measure"])
    by_people = [
        table.pivot_table("score", "system", "topic")
        for _, table in scores.groupby(whose, sort=False)
    ]
    human = pd.concat(by_people).groupby(level=0).mean()
    for name, table in by_judge.items():
        if np.ptp(table.to_numpy()) == 0:
            raise ValueError(
                f"By the judge {name} every score is "
                f"{table.iloc[0, 0]:g}: it gives all systems the same. "
                "Leave it out, or add its judgments."
            )
    rows = [
        _comparison_row(human, [t], by_people) for t in by_judge.values()
    ]
    complete = files["topics"] == human.shape[1]
    panel = files.index[complete & (files["coverage"] >= COVERAGE)].tolist()
    panel = panel or [files["coverage"].idxmax()]
    tables = [by_judge[name] for name in panel]
    machine = sum(tables) / len(tables)
    judge_rows = files.join(pd.DataFrame(rows, by_judge))
    together = pd.DataFrame([_comparison_row(human, tables, by_people)])
    plans = _human_topics_table(human[machine.columns], machine)
    return Machines(measure, judge_rows, together, tuple(panel), plans)


def _comparison_row(human, tables, by_people):
    """Return the row of one judge, or of the mean of several, in
    `Machines`."""
    machine = sum(tables) / len(tables)
    human = human[machine.columns]
    # Alike in memory, so that sums of the same are the same.
    y, x = map(np.ascontiguousarray, (human, machine))
    means = y.mean(axis=1), x.mean(axis=1)
    row = {
        **_interval_columns("tau", tau_interval(y, x)),
        "tau_ap": tau_ap(*means, ties="b"),
        **_universe_correlation(human, tables, by_people),
    }
    table = pd.DataFrame({"rank": means[0], "new_rank": means[1]})
    table = table.apply(ranks)
    most = (table["rank"] - table["new_rank"]).abs().argmax()
    return row | {"system": human.index[most], **table.iloc[most]}


def _interval_columns(name, interval):
    """Return an interval as three columns."""
    if interval is None:
        interval = Interval(np.nan, np.nan)
    return {
        name: interval.estimate,
        f"{name}_low": interval.low,
        f"{name}_high": interval.high,
    }


def tau_interval(y: np.ndarray, x: np.ndarray) -> Interval | None:
    """Return Kendall's tau of the means of systems x topics, which may
    have gaps, with its interval over topics; None where all are tied."""
    estimate = kendall_tau(*_means_of_rows(y, x))
    if np.isnan(estimate):
        return None
    n = y.shape[1]
    rng = np.random.default_rng(0)
    taus = [
        kendall_tau(*_means_of_rows(y[:, t], x[:, t]))
        for t in rng.integers(n, size=(N_RESAMPLES, n))
    ]
    drawn = np.array(taus)[~np.isnan(taus)]
    # Percentiles of draws that are moved about the estimate, which may
    # leave it outside where most of them are equal.
    low, high = estimate + np.quantile(drawn - drawn.mean(), TAILS)
    low, high = min(low, estimate), max(high, estimate)
    return Interval(max(low, -1.0), min(high, 1.0), estimate)


def _means_of_rows(*tables):
    """Return the means of the rows that have a number in each table."""
    rows = np.all([np.isfinite(t).any(axis=1) for t in tables], axis=0)
    return [np.nanmean(t[rows], axis=1) for t in tables]


def _universe_correlation(human, tables, by_people):
    """The correlation of universe scores, with both its intervals."""
    conditions = {"people": human, "machine": tables[0]}
    designs = dict.fromkeys(conditions, "system x topic")
    judges = {"people": by_people, "machine": tables}
    for name, judge_tables in judges.items():
        complete = all({*human} <= {*table} for table in judge_tables)
        if len(judge_tables) > 1 and complete:
            by_judge = dict(enumerate(judge_tables))
            long = pd.concat(by_judge, names=["assessor"])
            long = long[human.columns].reset_index()
            conditions[name] = long.melt(
                ["assessor", "system"], var_name="topic", value_name="score"
            )
            designs[name] = "system x topic x assessor"
    study = mgstudy(conditions, designs)
    correlation = partial(
        study.correlation, "people", "machine", n_resamples=N_RESAMPLES
    )
    these = correlation(systems="these")
    population = correlation(systems="population")
    ends = {
        "population_low": population.low,
        "population_high": population.high,
    }
    return _interval_columns("correlation", these) | ends


def _human_topics_table(human, machine):
    """Return the table ``human_topics`` of `Machines`, for the median
    system's mean and the median pair's difference."""
    rng = np.random.default_rng(0)
    sampled = rng.permutation(len(human))[:MOST_SYSTEMS]
    y = human.to_numpy()[sampled]
    x = machine.to_numpy()[sampled]
    n = y.shape[1]
    if n <= FEWEST:
        return pd.DataFrame()
    i, j = np.triu_indices(len(y), 1)
    quantities = {"mean": (y, x), "difference": (y[i] - y[j], x[i] - x[j])}
    rows = []
    for quantity, (by_people, by_machine) in quantities.items():
        sd = float(np.median(by_people.std(axis=1, ddof=1)))
        if not sd > 0:
            continue
        correlations = pd.DataFrame(by_people).corrwith(
            pd.DataFrame(by_machine), axis=1
        )
        median = correlations.clip(-1, 1).median()
        correlation = float(np.nan_to_num(median))
        half = critical_t(n, 1 - LEVEL) * sd / np.sqrt(n)
        plan = partial(human_topics, half, sd, assurance=ASSURANCE)
        numbers = range(FEWEST + 1, 3 * n)
        alone = plan(0, numbers).first_valid_index()
        planned = plan(correlation, [n * total for total in TOTALS])
        for topics, people in planned.items():
            rows.append(
                {
                    "of": quantity,
                    "half_width": half,
                    "sd": sd,
                    "correlation": correlation,
                    "people_alone": alone,
                    "topics": topics,
                    "people": people,
                }
            )
    return pd.DataFrame(rows)
